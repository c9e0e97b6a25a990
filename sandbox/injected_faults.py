"""Faults that a test asks the job API for: one request is refused, cut off, delayed or answered with nonsense.

Owns the list of faults that are still to come. sandbox/server.py acts on the one that `take` returns.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass

KINDS = ("status", "drop-answer", "reset", "slow", "garbage")


@dataclass
class Fault:
    """One fault: `match` is a method and a text that the request's path contains, `times` how often it still comes.

    status: answered with `status` and, where set, a Retry-After of `retryAfter` seconds; nothing is done.
    drop-answer: the request is carried out, then the connection closes without an answer.
    reset: the connection is reset before anything is done.
    slow: carried out after `seconds`.
    garbage: carried out, then answered 200 with text that is not JSON.
    """

    match: str
    kind: str
    times: int = 1
    status: int = 503
    retryAfter: int | None = None
    seconds: float = 1.0


class Faults:
    """The faults still to come, in the order in which they were asked for. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: list[Fault] = []

    def add(self, items: object) -> None:
        """Adds the faults of a JSON list. Where one is malformed, adds none and raises ValueError."""
        if not isinstance(items, list):
            message = "faults are a JSON list of objects"
            raise ValueError(message)
        faults = [_read_fault(item) for item in items]
        with self._lock:
            self._pending.extend(faults)

    def clear(self) -> None:
        """Forgets all faults."""
        with self._lock:
            self._pending.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """Returns the first fault that matches the request, counted down by one, or None."""
        with self._lock:
            for fault in self._pending:
                fault_method, _, fault_path = fault.match.partition(" ")
                if fault_method == method and fault_path in path:
                    fault.times -= 1
                    if not fault.times:
                        self._pending.remove(fault)
                    return fault
        return None

    def listed(self) -> list[dict[str, object]]:
        """Returns the faults still to come as JSON objects."""
        with self._lock:
            return [asdict(fault) for fault in self._pending]


def _read_fault(item: object) -> Fault:
    if not isinstance(item, dict):
        message = f"a fault is an object, not {item!r}"
        raise ValueError(message)
    try:
        fault = Fault(**item)
    except TypeError as error:
        message = f"{item!r}: {error}"
        raise ValueError(message) from None
    if fault.kind not in KINDS:
        message = f"kind {fault.kind!r}: one of {', '.join(KINDS)}"
        raise ValueError(message)
    if not isinstance(fault.times, int) or fault.times < 1:
        message = f"times {fault.times!r}: a whole number from 1"
        raise ValueError(message)
    return fault
