"""`make mutants`: mutation testing of infra/plan and infra/dialects; writes the table of docs/testing.md.

`.mutants` holds the copy that is mutated and the verdicts; a run that was stopped goes on there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from tools.mutants.outcome import Outcome, outcome, table, write
from tools.mutants.tree import MUTATED, prepare

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / ".mutants"
PAGE = ROOT / "docs" / "testing.md"
EXPLAINED = ROOT / "tools" / "mutants" / "explained.toml"
PACKAGES = tuple(name.replace("/", ".") for name in MUTATED)


def main() -> int:
    """Tries the mutants without a verdict; returns 1 where fewer are killed than pyproject.toml asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument(
        "patterns", nargs="*", help="only mutants of these names, again, no table: 'infra.plan.sizing.*'"
    )
    parser.add_argument("--children", type=int, default=1, help="processes that try mutants at once")
    parser.add_argument("--survivors", action="store_true", help="try nothing; print the survivors and their changes")
    given = parser.parse_args()
    if not given.survivors:
        # mutmut is loaded where mutants are made: what is known of them can be read without it.
        from tools.mutants.worker import mutate

        COPY.mkdir(exist_ok=True)
        prepare(ROOT, COPY)
        mutate(COPY, tuple(given.patterns), given.children)
    result = outcome(COPY, EXPLAINED)
    if given.survivors:
        print(_said(result, given.patterns))
        return 0
    status = judged(result)
    if not given.patterns:
        # With patterns the survivors of all other functions are untried now.
        write(PAGE, table(result, PACKAGES))
        for each in result.idle:
            print(f"» {EXPLAINED.name}: nothing survives any more of {each.function}: {each.becomes or each.line}")
    return status


def _said(result: Outcome, patterns: list[str]) -> str:
    some = [one for one in result.survivors if not patterns or any(word in one.name for word in patterns)]
    return "\n\n".join(f"{one.name}\n- {one.was}\n+ {one.becomes}" for one in some)


def judged(result: Outcome) -> int:
    """Returns 1 where a package's score is under the floor of pyproject.toml, and prints the scores."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["training"]["mutants"]
    floor = settings["floor"]
    under = [name for name in PACKAGES if result.score(name) < floor]
    for name in PACKAGES:
        print(f"» {name}: {result.score(name):.1f} % killed; at least {floor} % are asked for")
    return 1 if under else 0


if __name__ == "__main__":
    sys.exit(main())
