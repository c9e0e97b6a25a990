"""Long-lived processes of one folder: started detached, known to live by a lock each holds, ended by their id.

A lock cannot outlive its holder, and nobody else can have it: an id in a file alone may be another process's by now.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sandbox.state_folder import is_locked, take_lock

_POLL_SECONDS = 0.02
_STOP_SECONDS = 10.0


def start_process(folder: Path, name: str, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Starts `command` in a session of its own, its output in NAME.log, and returns its id.

    It holds NAME.lock for as long as it lives: the caller makes sure that no other does.
    """
    lock = take_lock(folder, f"{name}.lock")
    if lock is None:
        raise RuntimeError(f"{name} runs already")
    try:
        os.set_inheritable(lock, True)
        with (folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                list(command),
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(lock,),
            )
    finally:
        os.close(lock)
    (folder / f"{name}.pid").write_text(f"{process.pid}\n", encoding="utf-8")
    return process.pid


def process_id(folder: Path, name: str) -> int | None:
    """Returns the id of the process if it lives, else None."""
    if not is_locked(folder, f"{name}.lock"):
        return None
    try:
        return int((folder / f"{name}.pid").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def stop_process(folder: Path, name: str) -> bool:
    """Ends the process, by force after ten seconds; returns whether it lived. Nothing of it stays but its log."""
    was_running = False
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        pid = process_id(folder, name)
        if pid is None:
            break
        was_running = True
        os.kill(pid, signal_number)
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline and is_locked(folder, f"{name}.lock"):
            time.sleep(_POLL_SECONDS)
    for suffix in ("pid", "lock"):
        (folder / f"{name}.{suffix}").unlink(missing_ok=True)
    return was_running


def living(folder: Path) -> list[int]:
    """Returns the ids of the folder's processes that live."""
    pids = (process_id(folder, file.stem) for file in sorted(folder.glob("*.pid")))
    return [pid for pid in pids if pid is not None]


def end_orphans(ids: Iterable[int], folder: Path) -> None:
    """Ends processes whose folder was removed, and with it their locks; leaves alone an id that is another's by now."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        orphans = [pid for pid in ids if _has_home(pid, folder)]
        for pid in orphans:
            os.kill(pid, signal_number)
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline and any(_has_home(pid, folder) for pid in orphans):
            time.sleep(_POLL_SECONDS)


def _has_home(pid: int, folder: Path) -> bool:
    try:
        return f"HOME={folder}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return False


def tail(folder: Path, name: str, lines: int = 15) -> str:
    """Returns the last lines of the process's log."""
    try:
        text = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:])
