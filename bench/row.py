"""One line of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, the figure and its spread, and the bound, "" where there is none."""

    what: str
    measured: str
    spread: str
    bound: str
    holds: bool = True

    def line(self) -> str:
        """Returns the row for a terminal."""
        return f"{self.what}: {self.measured} ({self.spread})" + (f"; bound {self.bound}" if self.bound else "")
