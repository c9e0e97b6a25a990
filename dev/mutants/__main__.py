"""`make mutants`: mutation testing of the pure packages; writes the table of docs/testing.md.

`.mutants` holds the copy that is mutated and the verdicts; a run that was stopped goes on there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from dev.mutants.outcome import Outcome, outcome, table, write
from dev.mutants.tree import MUTATED, prepare

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / ".mutants"
PAGE = ROOT / "docs" / "testing.md"
EXPLAINED = ROOT / "dev" / "mutants" / "explained.toml"
PACKAGES = tuple(name.replace("/", ".") for name in MUTATED)


def main() -> int:
    """Tries the mutants without a verdict; returns 1 where fewer are killed than pyproject.toml asks for."""
    parser = argparse.ArgumentParser(prog="python -m dev.mutants", description=__doc__)
    parser.add_argument(
        "patterns", nargs="*", help="only mutants of these names, again, no table: 'trainingjobs.estimates.reducers.*'"
    )
    parser.add_argument("--children", type=int, default=1, help="processes that try mutants at once")
    parser.add_argument("--survivors", action="store_true", help="try nothing; print the survivors and their changes")
    options = parser.parse_args()
    if not options.survivors:
        # mutmut is loaded where mutants are made: what is known of them can be read without it.
        from dev.mutants.worker import mutate

        COPY.mkdir(exist_ok=True)
        prepare(ROOT, COPY)
        mutate(COPY, tuple(options.patterns), options.children)
    result = outcome(COPY, EXPLAINED)
    if options.survivors:
        print(_survivors_text(result, options.patterns))
        return 0
    status = judged(result)
    if not options.patterns:
        # With patterns the survivors of all other functions are untried now.
        write(PAGE, table(result, PACKAGES))
        for explanation in result.idle:
            mutant = explanation.becomes or explanation.line
            print(f"» {EXPLAINED.name}: nothing survives any more of {explanation.function}: {mutant}")
    return status


def _survivors_text(result: Outcome, patterns: list[str]) -> str:
    survivors = [
        mutant for mutant in result.survivors if not patterns or any(pattern in mutant.name for pattern in patterns)
    ]
    return "\n\n".join(f"{mutant.name}\n- {mutant.was}\n+ {mutant.becomes}" for mutant in survivors)


def judged(result: Outcome) -> int:
    """Returns 1 where a package's score is under the floor of pyproject.toml, and prints the scores."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["training"]["mutants"]
    floor = settings["floor"]
    failing = [name for name in PACKAGES if result.score(name) < floor]
    for name in PACKAGES:
        print(f"» {name}: {result.score(name):.1f} % killed; at least {floor} % are asked for")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
