"""`make stacks`: the names of the stacks that have a file, less those of the sandbox, as JSON."""

from __future__ import annotations

import json
import sys

from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_stack_named


def cloud_stacks() -> list[str]:
    """Returns their names, sorted; one whose file cannot be read is among them, so that it is seen."""
    return [name for name in stack_names() if _environment(name) != "sandbox"]


def _environment(name: str) -> str | None:
    stack = judge_stack_named(name).stack
    return stack.environment if stack else None


def main() -> int:
    """Prints the list."""
    print(json.dumps(cloud_stacks()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
