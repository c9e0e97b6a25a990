"""`make changed-stacks BEFORE=COMMIT`: the stacks that a merge has to bring up, as JSON in the order of promotion.

The first one always; the others where their file or their policy configuration differs from BEFORE's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Sequence

from trainingjobs.core.documents import DocumentError
from trainingjobs.operations.promotion.order import read_rules
from trainingjobs.project.files import project, stack_names


def chosen(order: Sequence[str], changed: Collection[str] | None) -> list[str]:
    """Returns the stacks to bring up, from the changed paths; all of them where what has changed is not known."""
    if changed is None:
        return list(order)
    return [name for at, name in enumerate(order) if at == 0 or not _files(name).isdisjoint(changed)]


def _files(name: str) -> set[str]:
    this_project = project()
    return {this_project.label(this_project.stack_file(name)), this_project.label(this_project.policy_file(name))}


def _changed_since(commit: str) -> set[str] | None:
    words = ["git", "diff", "--name-only", "--relative", f"{commit}..HEAD", "--"]
    completed = subprocess.run(words, cwd=project().root, capture_output=True, text=True, check=False)
    return set(completed.stdout.splitlines()) if completed.returncode == 0 else None


def main(words: Sequence[str]) -> int:
    """Prints the list; returns 1 where the order cannot be read, 2 without a commit."""
    if len(words) != 1 or words[0].startswith("-"):
        print("usage: python -m trainingjobs.operations.changed_stacks COMMIT", file=sys.stderr)
        return 2
    try:
        order = [name for name in read_rules().order if name in stack_names()]
    except DocumentError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(chosen(order, _changed_since(words[0]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
