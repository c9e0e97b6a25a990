"""`make lock`: writes each list of requirements with every package that it brings, pinned by version and by hashes.

A list that people write is NAME.in; NAME.txt beside it is what pip installs. Versions stay as they are in NAME.txt
unless NAME.in says otherwise or `--upgrade` is given. The files name no package index: that is each machine's own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST_PYTHON = "3.11"
# In this order: what works on the project has the versions of what a stack needs.
LISTS = (
    "requirements.in",
    "requirements-dev.in",
    "examples/digits/requirements.in",
    "tests/frameworks/requirements.in",
    "dev/requirements/audit.in",
    "dev/requirements/lock.in",
    "dev/requirements/mutants.in",
    "dev/requirements/scan.in",
)
CONSTRAINTS = {
    "requirements-dev.in": "requirements.txt",
    "dev/requirements/mutants.in": "requirements-dev.txt",
}
# Resolved for the Pythons of pyproject.toml (tool.uv.environments) alone.
BOUNDED = ("dev/requirements/mutants.in",)


def locked(name: str) -> Path:
    """Returns the file that pip installs, of a list of LISTS."""
    return ROOT / Path(name).with_suffix(".txt")


def command(name: str, output: Path, *, upgrade: bool) -> list[str]:
    """Returns the words that resolve a list, for every platform and Python from OLDEST_PYTHON on, into `output`."""
    arguments = [sys.executable, "-m", "uv", "pip", "compile", name, "--quiet", "--universal", "--generate-hashes"]
    arguments += ["--python-version", OLDEST_PYTHON, "--no-emit-index-url", "--no-emit-find-links"]
    arguments += ["--custom-compile-command", "make lock", "--output-file", str(output)]
    arguments += ["--constraints", CONSTRAINTS[name]] if name in CONSTRAINTS else []
    arguments += [] if name in BOUNDED else ["--no-config"]
    return [*arguments, "--upgrade"] if upgrade else arguments


def lock(name: str, *, upgrade: bool) -> bool:
    """Writes the locked file of a list; returns whether it changed. Raises CalledProcessError where none fits."""
    target = locked(name)
    previous = target.read_bytes() if target.exists() else b""
    temporary = target.with_suffix(".tmp")
    try:
        # The versions of the file that is there are kept.
        temporary.write_bytes(previous)
        subprocess.run(command(name, temporary, upgrade=upgrade), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        changed = temporary.read_bytes() != previous
        if changed:
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return changed


def main(arguments: list[str]) -> int:
    """Makes every locked file again; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m dev.lock_requirements", description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="the newest versions that the lists allow")
    args = parser.parse_args(arguments)
    for name in LISTS:
        try:
            changed = lock(name, upgrade=args.upgrade)
        except subprocess.CalledProcessError:
            print(f"make lock: {name} cannot be resolved; the file beside it is as it was", file=sys.stderr)
            return 1
        print(f"» {locked(name).relative_to(ROOT)}: {'written' if changed else 'as it was'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
