"""How a job ended, and what is told of it: in its error, and in the logs of replicas that failed before it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sandbox.vertex.errors import job_error
from sandbox.vertex.replica import Replica

# A replica that failed, and its exit status.
Failure = tuple[Replica, int]

# Failed replicas that a job's error names.
_MAX_NAMED = 10


@dataclass(frozen=True)
class End:
    """How a job ended: SUCCEEDED or FAILED by its primary's exit status, TIMEOUT, CANCELLED; RESTART starts it again.

    `others` are the other replicas that had failed by then, in the order in which they did.
    """

    kind: str
    primary: Replica | None = None
    status: int = 0
    others: Sequence[Failure] = ()


def log_failure(replica: Replica, status: int, meaning: str) -> None:
    """Writes to the log of a replica that failed with which status it ended, on a line of its own."""
    # A log that cannot be written, as on a full disk, must not end the job.
    with suppress(OSError), replica.log.open("ab+") as log:
        if log.tell():
            log.seek(-1, os.SEEK_END)
        half_a_line = log.read(1) not in (b"", b"\n")
        line = f"sandbox: {replica.name} ended with {_status(status)}; {meaning}\n"
        log.write((b"\n" if half_a_line else b"") + line.encode())


def end_result(end: End, timeout: float) -> dict[str, object]:
    """Returns {"state", "error"} of a job that ended so; `timeout` is its own, in seconds."""
    if end.kind == "SUCCEEDED":
        return {"state": "SUCCEEDED"}
    if end.primary is not None:
        text = _failure(end.primary, end.status, end.others)
        return {"state": "FAILED", "error": job_error("INVALID_ARGUMENT", text)}
    if end.kind == "TIMEOUT":
        text = f"The job ran longer than its timeout of {timeout:g} s.{_named(end.others)}"
        return {"state": "FAILED", "error": job_error("DEADLINE_EXCEEDED", text)}
    return {"state": "CANCELLED", "error": job_error("CANCELLED", "CANCELED")}


def _failure(primary: Replica, status: int, others: Sequence[Failure]) -> str:
    lines = primary.log.read_bytes()[-4000:].decode("utf-8", "replace").splitlines()[-20:]
    log_tail = "\n".join(lines) if lines else "(it wrote nothing)"
    return (
        f"The replica {primary.name} exited with a non-zero status of {status}.{_named(others)} "
        f"The last lines of the log of {primary.name}:\n{log_tail}"
    )


def _named(others: Sequence[Failure]) -> str:
    names = [f"{replica.name} ({_status(status)})" for replica, status in others[:_MAX_NAMED]]
    more = [f"{len(others) - _MAX_NAMED} more"] if len(others) > _MAX_NAMED else []
    return f" Failed by then: {', '.join([*names, *more])}." if others else ""


def _status(status: int) -> str:
    try:
        return f"status {status}, {signal.Signals(status - 128).name}"
    except ValueError:
        return f"status {status}"
