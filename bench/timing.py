"""Times whole processes in turn, A B A B …, so that a drifting machine moves both alike."""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Spent:
    """The seconds of a run: by the clock, and of processors, in all its processes together."""

    wall: float
    processor: float


@dataclass(frozen=True, slots=True)
class Command:
    """A process to time."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]

    def seconds(self) -> float:
        """Returns the wall time of one run. Raises RuntimeError, with the end of its output, where it fails."""
        return self.spent().wall

    def spent(self) -> Spent:
        """Returns what one run took. Raises RuntimeError, with the end of its output, where it fails."""
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            self.words, cwd=self.folder, env=dict(self.environment), capture_output=True, text=True, check=False
        )
        took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            message = f"{' '.join(self.words)} failed:\n{(done.stdout + done.stderr)[-2000:]}"
            raise RuntimeError(message)
        return Spent(took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two commands' times, pair by pair."""

    subject: tuple[float, ...]
    base: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Returns the median of the pairs' ratios."""
        return statistics.median(a / b for a, b in zip(self.subject, self.base, strict=True))

    @property
    def spread(self) -> tuple[float, float]:
        """Returns the smallest and the largest ratio."""
        ratios = sorted(a / b for a, b in zip(self.subject, self.base, strict=True))
        return ratios[0], ratios[-1]

    @property
    def difference(self) -> float:
        """Returns the median of the pairs' differences in seconds."""
        return statistics.median(a - b for a, b in zip(self.subject, self.base, strict=True))


def compare(subject: Callable[[], float], base: Callable[[], float], runs: int) -> Comparison:
    """Returns the times of both in turn, after one uncounted run of each."""
    subject(), base()
    pairs = [(subject(), base()) for _ in range(runs)]
    return Comparison(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
