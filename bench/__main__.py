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

from bench.measurements import measurements
from bench.row import Row

ROOT = Path(__file__).resolve().parents[1]
# Measured once, by cProfile and the engine's own profiler, on the way to the figures above.
FOUND = """## What profiles of a preview of 400 jobs showed

A preview of 400 jobs is one of 3,200 resources. It took about 60 s and takes 15 to 20 on the same two cores:

- The program spent two fifths of its time in Python's garbage collector, which walks all that is declared again and
  again and finds nothing to collect. It is off: the process ends with its stack (`infra/program.py`).
- The SDK sends the engine a debug message at each of five steps of a resource and waits for each: 15,000 calls, a
  third of the engine's time. The program does not send them: `pulumi up --debug` shows the engine's and the plugins'.
- The SDK waits for registrations first and for outputs after those, but looks before any registration has begun. Then
  it waits for all outputs at once, over and over, which takes a time that grows with the square of the resources: 25 s
  of the program's processor time instead of 7. The program lets the registrations begin first.
- Linux takes no variable of more than 128 KiB in a new process, and the configuration of about 300 jobs is longer. The
  Python language host that `make engine` builds hands over a longer one in a file; Pulumi's own does not, so there a
  stack's configuration ends at 128 KiB.

What is left is the engine's (half; a fifth of that is its own log on disk, which cannot be turned off) and the
SDK's."""


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
    yield ""
    yield FOUND


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
