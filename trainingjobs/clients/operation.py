"""One call of the engine as the provider's functions see it: whose it is, how to talk to the user, how to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from trainingjobs.clients.errors import Interrupted

# log(severity, message, urn, ephemeral); the severities are the engine's: "info" and "warning".
Log = Callable[[str, str, str, bool], None]

PROGRESS_SECONDS, QUICKEST_SECONDS = 60.0, 2.0


@dataclass(frozen=True)
class Operation:
    """What a function of the provider needs beside the properties. `timeout` is in seconds, 0 where none was asked.

    `taken_over` names the jobs that creations of this run have taken over instead of submitting them.
    """

    urn: str
    log: Log
    stopping: threading.Event
    alive: Callable[[], bool] = lambda: True
    timeout: float = 0.0
    taken_over: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)
    _shown: dict[str, float] = field(default_factory=dict)

    def info(self, message: str) -> None:
        """Prints a line beside the resource, for good."""
        self.log("info", message, self.urn, False)

    def warn(self, message: str) -> None:
        """Prints a warning beside the resource."""
        self.log("warning", message, self.urn, False)

    def status(self, message: str) -> None:
        """Shows what is going on until the next status."""
        self.log("info", message, self.urn, True)

    def progress(self, message: str, beside: Callable[[], str] = lambda: "") -> None:
        """Shows the message and the time that the call has taken, when it is repeated also what `beside` returns.

        A new message is shown at once; then it is repeated ever more seldom, at last once in PROGRESS_SECONDS: a run
        without a terminal prints every status as a line, and a job takes hours.
        """
        now, shown = self.elapsed(), self._shown.get(message)
        if shown is None or now - shown >= min(PROGRESS_SECONDS, max(QUICKEST_SECONDS, now / 4)):
            self._shown.clear()
            self._shown[message] = now
            more = beside() if shown is not None else ""
            self.status(f"{message} ({duration(now)})" + (f": {more}" if more else ""))

    def elapsed(self) -> float:
        """Returns the seconds since the call came."""
        return time.monotonic() - self.started

    def pause(self, seconds: float) -> None:
        """Waits; raises Interrupted as soon as the run is stopped or the engine is gone."""
        end = time.monotonic() + seconds
        while True:
            if self.stopping.is_set() or not self.alive():
                raise Interrupted
            left = end - time.monotonic()
            if left <= 0:
                return
            self.stopping.wait(min(left, 0.5))


def duration(seconds: float) -> str:
    """Returns a time in words: 7s, 3m07s, 5h02m."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
