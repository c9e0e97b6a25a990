"""The sandbox's state folder: where it is, and what it means that it is gone. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

SANDBOX_VARIABLE: Final = "TRAINING_SANDBOX"
# Held by the sandbox's server process for as long as it lives: unlike a process id, a lock cannot outlive its holder.
SERVER_LOCK: Final = "server.lock"


def project_root() -> Path:
    """Returns the nearest folder, upwards from the working folder, with a Pulumi.yaml; else the working folder."""
    working_folder = Path.cwd()
    return next(
        (folder for folder in (working_folder, *working_folder.parents) if (folder / "Pulumi.yaml").is_file()),
        working_folder,
    )


def state_folder() -> Path:
    """Returns the state folder: $TRAINING_SANDBOX, or .sandbox in the project's root."""
    configured = os.environ.get(SANDBOX_VARIABLE)
    return Path(configured).expanduser().resolve() if configured else project_root() / ".sandbox"


def describe(error: OSError, state: Path) -> str:
    """Returns what a failure of the file system means for the sandbox in `state`, as one message for the user."""
    if not state.exists():
        return removed(state)
    place = str(error.filename or state)
    message = f"{place}: {error.strerror or error}"
    return (
        f"{message}; {SANDBOX_VARIABLE} names another folder than {state}" if place.startswith(str(state)) else message
    )


def removed(state: Path) -> str:
    """Returns what the removal of the state folder means, as one message for the user."""
    return (
        f"the sandbox's state folder {state} was removed while it was in use, and with it the stack's state; "
        "the sandbox and its jobs end by themselves, and the next run starts anew"
    )


def is_still(path: Path, descriptor: int) -> bool:
    """Returns whether what `descriptor` has open is still at the path, neither removed nor another one."""
    # Open, so that nothing new can get its number.
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except (FileNotFoundError, NotADirectoryError):
        return False
