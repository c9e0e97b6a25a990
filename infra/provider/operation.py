"""One call of the engine as the provider's functions see it: whose it is, how to talk to the user, how to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from infra.provider.errors import Interrupted

# log(severity, message, urn, ephemeral); the severities are the engine's: "info" and "warning".
Log = Callable[[str, str, str, bool], None]

PROGRESS_SECONDS = 60.0


@dataclass(frozen=True)
class Operation:
    """What a function of the provider needs beside the properties. `timeout` is in seconds, 0 where none was asked."""

    urn: str
    log: Log
    stopping: threading.Event
    alive: Callable[[], bool] = lambda: True
    timeout: float = 0.0
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

    def progress(self, message: str) -> None:
        """Shows the message with the time that the call has taken: when it is new, then once in PROGRESS_SECONDS."""
        # A run without a terminal prints every status as a line, and a job takes hours.
        if self.elapsed() - self._shown.get(message, -PROGRESS_SECONDS) >= PROGRESS_SECONDS:
            self._shown.clear()
            self._shown[message] = self.elapsed()
            self.status(f"{message} ({self.elapsed():.0f} s)")

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
