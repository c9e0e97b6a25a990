"""`python3 -m dev.actionlint [FILE…]`: lints the project's workflows, building the linter if it is not built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dev.engine.cache import BuildFailed, build_lock, built_bin, group_folder, staged
from dev.engine.cli import say
from dev.engine.gobuild import build, find_go
from dev.engine.pins import load_group

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def program() -> Path:
    """Returns the linter, building it if there is none. Raises BuildFailed."""
    group = load_group("actionlint", HERE)
    if not built_bin(group):
        go, version = find_go(group)
        with build_lock(group, say):
            if not built_bin(group):
                say(f"building actionlint {group.version} with {go} (Go {version}): about {group.minutes} minute")
                with staged(group) as stage:
                    build(group, go, stage, say)
    return group_folder(group) / "bin" / "actionlint"


def main(files: list[str]) -> int:
    """Lints the files, or every workflow of the project; returns the linter's exit status."""
    try:
        linter = program()
    except BuildFailed as error:
        say(str(error))
        return 1
    # Neither of the linters that it would call is there on every machine.
    options = ["-shellcheck=", "-pyflakes="]
    paths = files or [str(path) for path in sorted((ROOT / ".github" / "workflows").glob("*.yaml"))]
    return subprocess.run([str(linter), *options, *paths], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
