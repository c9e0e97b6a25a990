"""The sandbox's state folder: where it is, how its files are written, and which process holds it.

Owns api.json and the two lock files. What the job records mean is sandbox/vertex/records.py's.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Held by the server process for as long as it lives: unlike a process id, a lock cannot outlive its holder. Its text is
# the holder's process id, for who has to end it where api.json cannot be read.
SERVER_LOCK = "server.lock"
SERVER_MODULE = "sandbox.server"
# Held, shared, by every process that runs a job: a server that was killed leaves them a moment to stop their replicas.
RUNNERS_LOCK = "runners.lock"

_ENDPOINT, _PID = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}"), re.compile(r"[1-9][0-9]{0,9}")


def state_folder() -> Path:
    """Returns the state folder: $TRAINING_SANDBOX, or .sandbox in the project's root."""
    given = os.environ.get("TRAINING_SANDBOX")
    return Path(given).expanduser().resolve() if given else ROOT / ".sandbox"


def describe(error: OSError, state: Path) -> str:
    """Returns what a failure of the file system means for the sandbox in `state`, as one message for the user."""
    if not state.exists():
        return removed(state)
    place = str(error.filename or state)
    why = f"{place}: {error.strerror or error}"
    return f"{why}; TRAINING_SANDBOX names another folder than {state}" if place.startswith(str(state)) else why


def removed(state: Path) -> str:
    """Returns what the removal of the state folder means, as one message for the user."""
    return (
        f"the sandbox's state folder {state} was removed while it was in use, and with it the stack's state; "
        "the sandbox and its jobs end by themselves, and the next run starts anew"
    )


def write_json(path: Path, value: object, *, private: bool = False) -> None:
    """Writes `value` to `path` as sorted JSON in one step: a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, sort_keys=True)
            file.write("\n")
        temporary.chmod(0o600 if private else 0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_api(state: Path) -> dict[str, str] | None:
    """Returns api.json's endpoint, pid, token and startedAt, or None where there is none that can be read."""
    try:
        found = json.loads((state / "api.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or not {"endpoint", "pid", "token"} <= found.keys():
        return None
    api = {key: str(value) for key, value in found.items()}
    return api if _ENDPOINT.fullmatch(api["endpoint"]) and _PID.fullmatch(api["pid"]) else None


def server_process(state: Path) -> int | None:
    """Returns the process of the server that holds the folder's lock, None where that cannot be told.

    A number alone proves nothing: the files may be damaged or old, and the number somebody else's by now.
    """
    try:
        written = (state / SERVER_LOCK).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    api = read_api(state)
    for pid in (written, api["pid"] if api else ""):
        if _PID.fullmatch(pid) and _serves(int(pid), state):
            return int(pid)
    return None


def _serves(pid: int, state: Path) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
        return words[-3:-1] == ["-m", SERVER_MODULE] and Path(words[-1]).samefile(state)
    except OSError:
        return False


def take_lock(state: Path, name: str, *, shared: bool = False) -> int | None:
    """Returns the descriptor that holds the lock until it is closed, or None where another process has it."""
    state.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(state / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def still_holds(state: Path, name: str, descriptor: int) -> bool:
    """Returns whether the lock that `descriptor` holds is still the state folder's: false once that was removed."""
    return is_still(state / name, descriptor)


def is_still(path: Path, descriptor: int) -> bool:
    """Returns whether what `descriptor` has open is still at the path, neither removed nor another one."""
    # Open, so that nothing new can get its number.
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except (FileNotFoundError, NotADirectoryError):
        return False


def is_locked(state: Path, name: str) -> bool:
    """Returns whether a live process holds the lock."""
    if not (state / name).exists():
        return False
    # A shared request does not disturb a server that takes the lock at the same moment for longer than this line.
    descriptor = take_lock(state, name, shared=True)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def runners_left(state: Path) -> bool:
    """Returns whether a process that runs a job, of this server or one before it, is still there."""
    if not (state / RUNNERS_LOCK).exists():
        return False
    descriptor = take_lock(state, RUNNERS_LOCK)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False
