"""A stack's locks in a file back end: who holds them, and whether the holder still runs on this machine."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from trainingjobs.project.files import project

# A file back end calls every organization this.
ORGANIZATION: Final = "organization"
# Seconds by which a process's start and a lock's time may differ and still belong together.
SLACK: Final = 5.0


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as the engine writes it (backend/diy/lock.go); `since` is in RFC 3339."""

    process: int
    user: str
    host: str
    since: str

    def __str__(self) -> str:
        return f"process {self.process} of {self.user} on {self.host}, since {self.since}"


def locks(backend: str, stack: str) -> list[Lock]:
    """Returns the stack's locks, none where the back end is not a folder. ValueError where one cannot be read."""
    folder = backend_folder(backend)
    if folder is None:
        return []
    paths = sorted((folder / ".pulumi" / "locks" / ORGANIZATION / project().name / stack).glob("*.json"))
    return [lock for path in paths if (lock := _read(path)) is not None]


def backend_folder(backend: str) -> Path | None:
    """Returns the folder of a back end's address, file://…, None for any other back end."""
    parts = urlsplit(backend)
    if parts.scheme != "file":
        return None
    return Path(unquote(parts.netloc + parts.path)).expanduser()


def _read(path: Path) -> Lock | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return Lock(int(record["pid"]), str(record["username"]), str(record["hostname"]), str(record["timestamp"]))
    except FileNotFoundError:
        # Its holder ended a moment ago.
        return None
    except (ValueError, KeyError, TypeError) as problem:
        message = f"{path} is no lock of the engine ({problem})"
        raise ValueError(message) from None


def is_here(lock: Lock) -> bool:
    """Returns whether the lock was taken on this machine."""
    return lock.host == socket.gethostname()


def is_held(lock: Lock) -> bool:
    """Returns whether the process that took the lock still runs here; in doubt it does."""
    try:
        os.kill(lock.process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # Another user's process: it is there.
        return True
    fields = subprocess.run(
        ["ps", "-o", "stat=,etime=", "-p", str(lock.process)], capture_output=True, text=True, check=False
    ).stdout.split()
    if len(fields) != 2:
        return True
    if fields[0].startswith("Z"):
        return False
    # The system gives a dead process's number to another one: that one is younger than the lock.
    return _seconds(fields[1]) + SLACK >= age(lock.since)


def _seconds(elapsed: str) -> float:
    days, _, clock = elapsed.rpartition("-")
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return float(int(days or 0) * 86400 + total)


def age(since: str) -> float:
    """Returns the seconds since a time that the engine wrote, in RFC 3339. ValueError where it is none."""
    # Go writes nanoseconds and Python reads microseconds: whole seconds are enough.
    head, _, fraction = since.partition(".")
    zone = fraction.lstrip("0123456789") if fraction else ""
    return (datetime.now(UTC) - datetime.fromisoformat((head + zone).replace("Z", "+00:00"))).total_seconds()
