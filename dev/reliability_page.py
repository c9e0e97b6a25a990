"""`make reliability`: runs the fault tests and writes docs/reliability.md from what they saw.

The page holds no time, id or duration: two runs of the same code write the same page.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "reliability.md"
TESTS: Final = (
    *(f"tests/engine/test_crash{part}.py" for part in ("", "_edited", "_again", "_interrupted")),
    "tests/provider/test_faults.py",
)
# Counts are rounded down to it: how many calls a wait makes is the machine's.
ROUND: Final = 50

INTERRUPT: Final = "Ctrl-C"

Row = dict[str, Any]

HEAD: Final = """# Reliability

A job costs hundreds of dollars an hour: it is submitted once, whatever fails. This page says which fault was injected
where, and what happened. It is written by `make reliability`, which runs the tests that inject them; they are part of
`make test`. What the project does after a crash, and the same by hand: [operating](operating.md).

After every fault the next run ends with one job a declaration, none that the state does not know, and no id lost.

## Processes killed on the real engine

`kill -9` of the engine, of the provider plugin, of the service (the sandbox) and of `make` itself while a request to
the service is held; then `make up`, unless something else is said. Ctrl-C comes from a terminal, which tells every
process of the run. Records: the jobs of the stack that the service has in the end, those that have ended among them.

| killed | when | then | records |
| --- | --- | --- | --- |
"""
CALLS: Final = """
## Calls disturbed at the provider's interface

The provider over gRPC as the engine calls it, the job API through a proxy that loses, delays and refuses answers.

| where | faults | what happened |
| --- | --- | --- |
"""


def main() -> int:
    """Writes the page; returns the tests' exit status, and writes nothing where one fails."""
    with tempfile.TemporaryDirectory(prefix="training-reliability-") as folder:
        rows = Path(folder) / "rows.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *TESTS]
        status = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "RELIABILITY_ROWS": str(rows)}, check=False
        ).returncode
        if status == 0:
            text = page([json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()])
            temporary = PAGE.with_suffix(".tmp")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(PAGE)
            print(f"» {PAGE.relative_to(ROOT)} written")
    return status


def page(rows: Iterable[Row]) -> str:
    """Returns the page for the rows that the tests recorded."""
    tables: dict[str, list[Row]] = {"kills": [], "calls": [], "seeds": []}
    for row in rows:
        tables[row["table"]].append(row)
    return HEAD + _kills(tables["kills"]) + CALLS + _calls(tables["calls"]) + _seeds(tables["seeds"], tables["calls"])


def _kills(rows: list[Row]) -> str:
    lines = sorted(f"| {row['killed']} | {row['when']} | {row['then']} | {row['records']} |" for row in rows)
    kills = sum(row["killed"] != INTERRUPT for row in rows)
    return "".join(f"{line}\n" for line in lines) + f"\n{kills} kills in all.\n"


def _calls(rows: Iterable[Row]) -> str:
    faults: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        faults.setdefault((row["where"], row["then"]), set()).add(row["fault"])
    return "".join(
        f"| {where} | {', '.join(sorted(names))} | {then} |\n" for (where, then), names in sorted(faults.items())
    )


def _seeds(seeds: list[Row], calls: list[Row]) -> str:
    total = sum(row["faults"] for row in (*seeds, *calls)) // ROUND * ROUND
    first = min(row["seed"] for row in seeds)
    return (
        f"\nBesides, {len(seeds)} sequences of random faults at every call of submission and replacement, by seeds\n"
        f"from {first} on (`FAULT_SEED` names another first one): each ended with one job. In all more than\n"
        f"{total} faults were injected into calls.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
