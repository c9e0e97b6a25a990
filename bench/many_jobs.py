"""What a job costs in a preview of a stack of many: time, and memory of the program, the engine and the policy pack."""

from __future__ import annotations

import statistics
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.engine import Bench
from bench.row import Row
from bench.timing import Command, Spent

FEW, MANY = 10, 400
SIZES = (1, FEW, 100, MANY)
# The cost of nine jobs is small beside a preview: it takes many pairs to be seen. Those of many take a while each.
RUNS_OF_FEW, RUNS_OF_MANY = 15, 3
BOUND = 1.1
SECONDS_BETWEEN_LOOKS = 0.05
# A part of a process's command line that no other process of a preview has.
PARTS = {"program": "pulumi-language-python-exec", "engine": "preview -s ", "pack": "/policies"}


def rows(bench: Bench, runs: int) -> Iterator[Row]:
    """Yields the rows; `runs` is how many pairs are wanted of other measurements."""
    previews = {size: bench.preview_of_jobs(size) for size in SIZES}
    costs = {
        size: _costs(previews[size], previews[1], size, max(runs, RUNS_OF_FEW) if size == FEW else RUNS_OF_MANY)
        for size in SIZES[1:]
    }
    for size in SIZES[1:]:
        yield _row(size, "by the clock", *([one.wall for one in costs[of]] for of in (size, FEW)))
    for size in SIZES[1:]:
        yield _row(size, "of processors", *([one.processor for one in costs[of]] for of in (size, FEW)))
    yield _memory({size: peaks(preview) for size, preview in previews.items()})


def _row(size: int, kind: str, costs: Sequence[float], of_few: Sequence[float]) -> Row:
    each, few = statistics.median(costs), statistics.median(of_few)
    return Row(
        f"a job's part of a preview of {size}, {kind}",
        f"{1000 * each:.0f} ms, {each / few:.2f} × that of {FEW}",
        f"{1000 * min(costs):.0f} to {1000 * max(costs):.0f} ms",
        f"at most {BOUND} ×" if size == MANY else "",
        size != MANY or each <= BOUND * few,
    )


def _costs(preview: Command, one: Command, size: int, runs: int) -> list[Spent]:
    """Returns what each job beyond the first takes, once a pair of runs."""
    preview.spent(), one.spent()
    pairs = [(preview.spent(), one.spent()) for _ in range(runs)]
    others = size - 1
    return [Spent((a.wall - b.wall) / others, (a.processor - b.processor) / others) for a, b in pairs]


def _memory(found: Mapping[int, Mapping[str, float]]) -> Row:
    def each(size: int, part: str) -> float:
        return (found[size][part] - found[1][part]) / (size - 1)

    few, many = (sum(each(size, part) for part in PARTS) for size in (FEW, MANY))
    parts = ", ".join(f"{part} {each(MANY, part):.2f}" for part in PARTS)
    whole = ", ".join(f"{part} {found[MANY][part]:.0f}" for part in PARTS)
    return Row(
        f"a job's part of the memory of a preview of {MANY} ({parts} MB)",
        f"{many:.2f} MB, {many / few:.2f} × that of {FEW}",
        f"{MANY} jobs: {whole} MB",
        f"at most {BOUND} ×",
        many <= BOUND * few,
    )


def peaks(preview: Command) -> dict[str, float]:
    """Returns the most memory that the program, the engine and the pack had resident in a run, in MB."""
    found = dict.fromkeys(PARTS, 0.0)
    ended = threading.Event()
    watch = threading.Thread(target=_watch, args=(preview, found, ended))
    watch.start()
    try:
        preview.seconds()
    finally:
        ended.set()
        watch.join()
    return found


def _watch(preview: Command, found: dict[str, float], ended: threading.Event) -> None:
    # The sandbox of this measurement is in the environment of every process of it, and of no other's.
    mark = preview.environment["TRAINING_SANDBOX"].encode()
    while not ended.wait(SECONDS_BETWEEN_LOOKS):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                part = next((part for part, word in PARTS.items() if word in words), None)
                if part and mark in (process / "environ").read_bytes():
                    found[part] = max(found[part], _peak(process / "status"))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue


def _peak(status: Path) -> float:
    line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024
