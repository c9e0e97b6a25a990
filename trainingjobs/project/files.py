"""Where a project keeps its files, and how a file that a user names is read.

A project is the nearest folder, upwards from the working folder, with a Pulumi.yaml; it need not be this repository.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainingjobs.core.documents import SIZE_LIMIT, DocumentError, decode, parse_document
from trainingjobs.project.sandbox_folder import project_root

# What SIZE_LIMIT characters take at most.
MOST_BYTES = 4 * SIZE_LIMIT
STACK_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its name for the engine, its root, and the folders of its stacks and their policy configurations."""

    name: str
    root: Path
    stacks: Path
    policy_config: Path

    def stack_file(self, stack: str) -> Path:
        """Returns where the file of a stack is, or would be."""
        return self.stacks / f"Pulumi.{stack}.yaml"

    def policy_file(self, stack: str) -> Path:
        """Returns where the policy configuration of a stack is, or would be."""
        return self.policy_config / f"{stack}.json"

    def label(self, path: Path) -> str:
        """Returns a file of the project as messages name it."""
        return path.relative_to(self.root).as_posix()

    def stack_names(self) -> list[str]:
        """Returns the names of the stacks that have a file, sorted."""
        files = self.stacks.glob("Pulumi.*.yaml")
        return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in files)


def project() -> Project:
    """Returns the project of the working folder; without a Pulumi.yaml in it or above, the working folder alone."""
    root = project_root()
    try:
        described = read_file(root / "Pulumi.yaml")
    except DocumentError:
        # The engine says what is wrong with it.
        described = {}
    # Pulumi's own setting for where stack files are.
    stacks = root / str(described.get("stackConfigDir") or ".")
    return Project(str(described.get("name", "")), root, stacks, root / "policies" / "config")


def stack_names() -> list[str]:
    """Returns the names of the project's stacks, sorted."""
    return project().stack_names()


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that a kill at any moment leaves the old one or the new one. Raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_file(path: Path) -> dict[str, Any]:
    """Returns the mapping in a file. Raises DocumentError where it cannot be read or is none."""
    return parse_document(read_text(path))


def read_text(path: Path) -> str:
    """Returns the text of a regular file, or of a stream that the caller has open. Raises DocumentError.

    Reading anything else, a named pipe or a device, could wait or go on for ever.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not _is_open_stream(path, mode):
            raise DocumentError(f"cannot be read: it is a {_file_type(mode)}", "name a file, or /dev/stdin")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}", "name a readable file") from None
    if len(content) > MOST_BYTES:
        raise DocumentError(f"more than {MOST_BYTES} bytes; at most {SIZE_LIMIT} characters are read", "split the file")
    return decode(content)


def _is_open_stream(path: Path, mode: int) -> bool:
    """Returns whether the path stands for an open pipe or terminal: /dev/stdin, or a shell's `<(…)`."""
    name = path.as_posix()
    of_process = name in ("/dev/stdin", "/proc/self/fd/0") or name.startswith(("/dev/fd/", "/proc/self/fd/"))
    return of_process and (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))


def _file_type(mode: int) -> str:
    types = {stat.S_IFDIR: "folder", stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket"}
    return types.get(stat.S_IFMT(mode), "device")
