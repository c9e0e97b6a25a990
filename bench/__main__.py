"""`python -m bench [--runs N] [-o FILE]`: every measurement, and the table as Markdown."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measurements import Row, measurements

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Prints the table; returns 1 where a figure is over its bound."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="counted pairs of each measurement")
    parser.add_argument("-o", "--output", type=Path, help="write the page there too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="training-bench-") as folder:
        rows = []
        for row in measurements(Path(folder), args.runs):
            print(row.line(), flush=True)
            rows.append(row)
    page = "\n".join(_page(rows, args.runs))
    print(page)
    if args.output:
        temporary = args.output.with_suffix(".tmp")
        temporary.write_text(page + "\n", encoding="utf-8")
        temporary.replace(args.output)
    return int(any(not row.holds for row in rows))


def _page(rows: list[Row], runs: int) -> Iterator[str]:
    yield "# Performance"
    yield ""
    yield f"Made by `make bench` ({runs} pairs each, in turn) on {os.cpu_count()} cores of {_processor()}."
    yield f"Python {platform.python_version()}; bare Python took {_bare_python():.3f} s. Ratios are medians of"
    yield "pairs; the spread is the smallest and the largest pair."
    yield ""
    yield "| what | measured | spread | bound |"
    yield "| --- | --- | --- | --- |"
    for row in rows:
        yield f"| {row.what} | {row.measured} | {row.spread} | {row.bound}{'' if row.holds else ' **exceeded**'} |"


def _processor() -> str:
    for line in (
        Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else ()
    ):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _bare_python() -> float:
    import time

    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(7))


if __name__ == "__main__":
    sys.exit(main())
