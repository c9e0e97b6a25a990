"""A stack's state as a file of a file back end: where it is, and what to do where it is broken or gone."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path
from typing import Final

from trainingjobs.operations.locks import backend_folder
from trainingjobs.project.files import project
from trainingjobs.project.sandbox_folder import project_root

_DOCUMENTED: Final = 'docs/operating.md, "A state that is lost"'


def state_file(backend: str, stack: str) -> Path | None:
    """Returns the file of a stack's state, None where the back end is no folder or has no such stack."""
    return next((path for path in _files(backend) if path.name.partition(".json")[0] == stack), None)


def sandbox_backend(sandbox: Path) -> str:
    """Returns the address of a sandbox's back end."""
    return (sandbox / "pulumi").as_uri()


def broken_state_fix(backend: str, stack: str, sandbox: Path | None) -> str:
    """Returns what to do about a state's file that is broken, "" where there is none or nothing is wrong with it."""
    path = state_file(backend, stack)
    if path is None or _is_whole(path):
        return ""
    older = f"{path.name}.bak beside it" if path.with_name(f"{path.name}.bak").is_file() else "an older version"
    fix = f"{path} is broken: restore it from {older} ({_DOCUMENTED})"
    return f"\n{fix}{f', or: {discard_commands(sandbox)}' if sandbox else ''}"


def missing_state_fix(sandbox: Path) -> str:
    """Returns what to do where a sandbox has resources and no stack's state any more, "" where that is not so."""
    # Its server is stopped or runs: the files tell it in either case.
    if _files(sandbox_backend(sandbox)) or not any((sandbox / "gcp" / "resources").glob("*/*.json")):
        return ""
    return (
        f"the sandbox in {sandbox} has resources, and the state that knew them is gone: restore it ({_DOCUMENTED}), "
        f"or: {discard_commands(sandbox)}"
    )


def discard_commands(sandbox: Path) -> str:
    """Returns the commands that end a sandbox and forget what it holds."""
    if sandbox == project_root() / ".sandbox":
        return "`make clean` ends this sandbox and forgets it"
    folder = shlex.quote(str(sandbox))
    stop = f"TRAINING_SANDBOX={folder} .venv/bin/python -m sandbox stop"
    return f"`{stop}` ends this sandbox, `rm -r {folder}` forgets it"


def _files(backend: str) -> list[Path]:
    folder = backend_folder(backend)
    files = (folder / ".pulumi" / "stacks" / project().name).glob("*.json*") if folder else ()
    return sorted(path for path in files if path.name.endswith((".json", ".json.gz")))


def _is_whole(path: Path) -> bool:
    try:
        raw = path.read_bytes()
        json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, ValueError):
        return False
    return True
