"""What is measured, against what, and the bound that each figure should keep."""

from __future__ import annotations

import json
import os
import sys
import timeit
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import yaml

from bench import many_jobs, training
from bench.engine import Bench
from bench.row import Row
from bench.timing import Command, Comparison, compare
from trainingjobs.estimates import reducers as sizing

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable


def ratio_row(what: str, found: Comparison, bound: float) -> Row:
    """Returns the row of a ratio."""
    low, high = found.spread
    return Row(what, f"{found.ratio:.2f} ×", f"{low:.2f} to {high:.2f}", f"at most {bound} ×", found.ratio <= bound)


def measurements(folder: Path, runs: int) -> Iterator[Row]:
    """Yields each measurement as it is made."""
    with Bench(folder) as bench:
        yield from _previews(bench, runs)
        yield from many_jobs.rows(bench, runs)
    yield from training.rows(folder)
    yield from _validation(folder, runs)
    yield _launcher(runs)
    yield _auto()


def _previews(bench: Bench, runs: int) -> Iterator[Row]:
    empty = bench.empty(plugins=False)
    same_plugins = bench.empty(plugins=True)
    for stack in ("dev", "prod"):
        preview = bench.preview(stack)
        found = compare(preview.seconds, empty.seconds, runs)
        yield ratio_row(f"preview of {stack} without the pack, against an empty program without plugins", found, 2.2)
        found = compare(preview.seconds, same_plugins.seconds, runs)
        yield ratio_row(f"preview of {stack}, against an empty program that starts the same plugins", found, 1.6)
        found = compare(bench.preview(stack, pack=True).seconds, preview.seconds, runs)
        yield ratio_row(f"preview of {stack} with the pack, against without", found, 1.25)


def _validation(folder: Path, runs: int) -> Iterator[Row]:
    validate = _python("-m", "trainingjobs", "validate")
    found = compare(validate.seconds, _python("-c", "pass").seconds, runs)
    median = sorted(found.subject)[len(found.subject) // 2]
    bare = sorted(found.base)[len(found.base) // 2]
    # The bound is said for a bare Python of 0.05 s, and moves with the machine.
    limit = 0.35 * max(1.0, bare / 0.05)
    yield Row(
        "`validate` of all stacks, whole process",
        f"{median:.2f} s (bare Python {bare:.3f} s)",
        f"{min(found.subject):.2f} to {max(found.subject):.2f} s",
        f"at most {limit:.2f} s",
        median <= limit,
    )
    job = yaml.safe_load((ROOT / "stacks" / "Pulumi.prod.yaml").read_text(encoding="utf-8"))
    document = job["config"]["training:jobs"]["bert-large"]
    one, many = folder / "one.json", folder / "many.json"
    for path, count in ((one, 1), (many, 200)):
        path.write_text(json.dumps({"jobs": {f"job-{i}": document for i in range(count)}}))
    script = (
        "import json,sys;from trainingjobs.spec.stack import Stack;from trainingjobs.spec.reading import read_model;"
        "from trainingjobs.judge.stacks import judge_stack;d=json.load(open(sys.argv[1]));d['project']='acme-ml-dev';"
        "judge_stack(read_model(Stack,d).value)"
    )
    found = compare(_python("-c", script, str(many)).seconds, _python("-c", script, str(one)).seconds, runs)
    yield ratio_row("reading and judging a stack of 200 jobs, against a stack of one", found, 3)


def _launcher(runs: int) -> Row:
    launched = _python("-m", "trainingjobs.launcher", "--framework=pytorch", "--", PYTHON, "-c", "pass")
    found = compare(launched.seconds, _python("-c", "pass").seconds, runs)
    low, high = (
        min(a - b for a, b in zip(found.subject, found.base, strict=True)),
        max(a - b for a, b in zip(found.subject, found.base, strict=True)),
    )
    return Row(
        "launcher before `python -c pass`",
        f"{found.difference * 1000:.0f} ms more",
        f"{low * 1000:.0f} to {high * 1000:.0f} ms",
        "at most 40 ms",
        found.difference <= 0.04,
    )


def _auto() -> Row:
    totals = [Fraction(total) for total in range(100, 3300, 100)]
    sizing.auto_pool(totals[0], "gke", "us-central1")
    times = timeit.repeat(
        lambda: [sizing.auto_pool(total, "gke", "us-central1") for total in totals], number=1, repeat=7
    )
    each = [1000 * took / len(totals) for took in sorted(times)]
    return Row(
        "sizing with `auto` over the whole catalogue",
        f"{each[3]:.2f} ms",
        f"{each[0]:.2f} to {each[-1]:.2f} ms",
        "at most 2 ms",
        each[3] <= 2,
    )


def _python(*words: str) -> Command:
    return Command([PYTHON, *words], ROOT, os.environ)
