"""`make up` of the sandbox stack by phase: from a built engine to a trained model."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from bench.row import Row

ROOT = Path(__file__).resolve().parents[1]
RUNS = 3
# A phase ends with a line of `make up` that begins like this, or with a time in the job's record.
LINES = {
    "starting the sandbox": "» sandbox: ",
    "making the stack, looking for what a crash left": "Previewing update",
    "preview": "Updating (",
}
TIMES = {
    "update until the job is submitted": "createTime",
    "job queued": "startTime",
    "job running (JAX on three replicas)": "endTime",
}
LAST = "completion, outputs and the end"


def rows(folder: Path) -> Iterator[Row]:
    """Yields a row a phase and one for all of it."""
    found = [run(folder / f"up-{number}") for number in range(RUNS)]
    for phase in found[0]:
        took = [one[phase] for one in found]
        yield Row(
            f"`make up`: {phase}", f"{statistics.median(took):.2f} s", f"{min(took):.2f} to {max(took):.2f} s", ""
        )
    whole = [sum(one.values()) for one in found]
    yield Row(
        "`make up` from built engine to trained model, whole",
        f"{statistics.median(whole):.1f} s",
        f"{min(whole):.1f} to {max(whole):.1f} s",
        "",
    )


def run(state: Path) -> dict[str, float]:
    """Returns the seconds of each phase of a `make up` on a sandbox of its own. Raises RuntimeError where it fails."""
    environment = {**os.environ, "TRAINING_SANDBOX": str(state)}
    try:
        ends = _up(environment)
        [record] = (state / "vertex" / "customJobs").glob("*.json")
        job = json.loads(record.read_text(encoding="utf-8"))
    finally:
        _stack("down", environment).communicate()
    ends |= {phase: datetime.fromisoformat(job[key]).timestamp() for phase, key in TIMES.items()}
    order = ["", *LINES, *TIMES, LAST]
    return {phase: ends[phase] - ends[before] for before, phase in pairwise(order)}


def _up(environment: dict[str, str]) -> dict[str, float]:
    """Returns when each phase ended that a line ends; under "" when all began, and under LAST when all ended."""
    ends = {"": time.time()}
    process = _stack("up", environment)
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        for phase, start in LINES.items():
            if line.startswith(start):
                ends.setdefault(phase, time.time())
    if process.wait():
        message = "make up failed:\n" + "".join(lines)[-2000:]
        raise RuntimeError(message)
    return {**ends, LAST: time.time()}


def _stack(verb: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "trainingjobs", verb, "sandbox", "--yes"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
