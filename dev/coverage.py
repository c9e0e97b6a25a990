"""`make coverage`: what the tests that need no engine cover of each package, against its floor in pyproject.toml.

Measures statements and branches, in the tests' own process and in those that they start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Returns 1 where a package is under its floor, or has none; the tests' status where they fail."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["training"]["coverage"]
    with tempfile.TemporaryDirectory(prefix="training-coverage-") as folder:
        environment = {**os.environ, "COVERAGE_FILE": str(Path(folder) / "data")}
        tests = [*settings["tests"], *sys.argv[1:]]
        status = _run(environment, "run", "-m", "pytest", *tests)
        if status:
            return status
        _run(environment, "combine", "--quiet")
        report = Path(folder) / "report.json"
        _run(environment, "json", "--quiet", "-o", str(report))
        measured = by_package(json.loads(report.read_text(encoding="utf-8"))["files"])
    return judged(measured, settings["floors"])


def _run(environment: dict[str, str], *arguments: str) -> int:
    return subprocess.run(
        [sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment, check=False
    ).returncode


def by_package(files: dict[str, Any]) -> dict[str, float]:
    """Returns the percentage of statements and branches that ran, by package: `trainingjobs/plan`, `infra`."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, file in files.items():
        parts = Path(name).parts
        package = "/".join(parts[: min(2, len(parts) - 1)])
        summary = file["summary"]
        counts[package][0] += summary["covered_lines"] + summary["covered_branches"]
        counts[package][1] += summary["num_statements"] + summary["num_branches"]
    return {package: 100 * covered / total for package, (covered, total) in sorted(counts.items()) if total}


def judged(measured: dict[str, float], floors: dict[str, int]) -> int:
    """Prints a line a package; returns 1 where one is under its floor, has none, or a floor has no package."""
    failing = set(floors) ^ set(measured)
    for package, percent in measured.items():
        floor = floors.get(package)
        print(f"{package:18} {percent:6.1f} %  floor {floor if floor is not None else 'missing'}")
        if floor is not None and percent < floor:
            failing.add(package)
    if failing:
        print(f"under the floor of tool.training.coverage, or not in it: {', '.join(sorted(failing))}", file=sys.stderr)
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
