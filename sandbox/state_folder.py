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

from trainingjobs.project.sandbox_folder import SERVER_LOCK, is_still

ROOT = Path(__file__).resolve().parents[1]

# Its text is the holder's process id, for who has to end it where api.json cannot be read.
SERVER_MODULE = "sandbox.server"
# Held, shared, by every process that runs a job: a server that was killed leaves them a moment to stop their replicas.
RUNNERS_LOCK = "runners.lock"

_ENDPOINT, _PID = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}"), re.compile(r"[1-9][0-9]{0,9}")


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
        content = json.loads((state / "api.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or not {"endpoint", "pid", "token"} <= content.keys():
        return None
    api = {key: str(value) for key, value in content.items()}
    return api if _ENDPOINT.fullmatch(api["endpoint"]) and _PID.fullmatch(api["pid"]) else None


def server_process(state: Path) -> int | None:
    """Returns the process of the server that holds the folder's lock, None where that cannot be told.

    A number alone proves nothing: the files may be damaged or old, and the number somebody else's by now.
    """
    try:
        lock_text = (state / SERVER_LOCK).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    api = read_api(state)
    for pid in (lock_text, api["pid"] if api else ""):
        if _PID.fullmatch(pid) and _serves(int(pid), state):
            return int(pid)
    return None


def _serves(pid: int, state: Path) -> bool:
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
        return arguments[-3:-1] == ["-m", SERVER_MODULE] and Path(arguments[-1]).samefile(state)
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
