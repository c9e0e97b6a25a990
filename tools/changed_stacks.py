"""`make changed-stacks BEFORE=COMMIT`: the stacks that a merge has to bring up, as JSON in the order of promotion.

The first one always; the others where their file or their policy configuration differs from BEFORE's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Sequence

from infra.project_files import ROOT, stack_names
from infra.promotion.rules import read_rules
from infra.spec.text import DocumentError


def chosen(order: Sequence[str], changed: Collection[str] | None) -> list[str]:
    """Returns the stacks to bring up, from the changed paths; all of them where what has changed is not known."""
    if changed is None:
        return list(order)
    return [name for at, name in enumerate(order) if at == 0 or not _files(name).isdisjoint(changed)]


def _files(name: str) -> set[str]:
    return {f"stacks/Pulumi.{name}.yaml", f"policies/config/{name}.json"}


def _changed_since(commit: str) -> set[str] | None:
    words = ["git", "diff", "--name-only", "--relative", f"{commit}..HEAD", "--"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return set(done.stdout.splitlines()) if done.returncode == 0 else None


def main(words: Sequence[str]) -> int:
    """Prints the list; returns 1 where the order cannot be read, 2 without a commit."""
    if len(words) != 1 or words[0].startswith("-"):
        print("usage: python -m tools.changed_stacks COMMIT", file=sys.stderr)
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
