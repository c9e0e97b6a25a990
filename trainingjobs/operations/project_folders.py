"""Project folders beside the user's own: for a stack in the sandbox, and for a question to the engine.

The engine writes a salt into the stack's file that it is given: never into the tracked one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from trainingjobs.project.files import project

# What ties a stack's file to the secrets of its own state.
SECRETS: Final = ("encryptionsalt:", "secretsprovider:", "encryptedkey:")


def sandbox_project(stack: str, sandbox: Path, environment: str) -> Path:
    """Returns a folder with a copy of the file of a stack of that environment.

    The folder is a project of the same name, so that `pulumi stack select --create` writes there too.
    """
    folder, tracked = sandbox / "project", project().stack_file(stack)
    text = tracked.read_text(encoding="utf-8")
    if environment != "sandbox":
        # What ties it to its own back end opens nothing in the sandbox's.
        text = without_secrets(text)
    if "encryptionsalt:" not in text:
        secret_lines = secrets_of(folder / tracked.name)
        text = text.rstrip("\n") + "\n" + "".join(line for line in secret_lines if line.startswith("encryptionsalt:"))
    return write_project(folder, stack, text)


@contextmanager
def passing_project(stack: str, text: str = "config: {}\n") -> Iterator[Path]:
    """Yields a folder with a project of the same name and the stack's file in it, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="training-stack-") as folder:
        yield write_project(Path(folder), stack, text)


def secrets_of(path: Path) -> list[str]:
    """Returns the lines of a stack's file that its secrets need, none where there is no such file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if path.is_file() else []
    return [line.rstrip("\n") + "\n" for line in lines if line.startswith(SECRETS)]


def without_secrets(text: str) -> str:
    """Returns a stack's file without what ties it to its own state."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(SECRETS))


def write_project(folder: Path, stack: str, text: str) -> Path:
    """Writes a project with the stack's file into `folder`, which it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"Pulumi.yaml": f"name: {project().name}\nruntime: python\n", f"Pulumi.{stack}.yaml": text}
    for name, content in files.items():
        # Two runs may write at once.
        temporary = folder / f"{name}.{os.getpid()}.tmp"
        temporary.write_text(content, encoding="utf-8")
        temporary.replace(folder / name)
    return folder
