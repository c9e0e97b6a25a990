"""What became of the mutants: verdicts, the survivors that are explained, and the table of docs/testing.md."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# mutmut's exit codes: a test failed, or the tests went on for fifteen times as long as they do (an endless loop).
FAILED = (1, 3)
ENDLESS = (36, 24, -24, 152, 255)
HEAD = (
    "| module | mutants | killed | explained | survived | untried | score |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)
MANGLED = re.compile(r"\bx[_ǁ]\S*?__mutmut_(orig|[0-9]+)")
BEGIN, END = "<!-- mutants: begin -->\n", "<!-- mutants: end -->\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One mutant. `was` and `becomes` are its changed lines; `verdict` is killed, survived or untried."""

    name: str
    module: str
    function: str
    was: str
    becomes: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why mutants of a function (`*`: of any) change nothing that a test could see.

    With `becomes` it is of one mutant, with `line` of all mutants of that line, with `swap` of those that put the
    second text in place of the first and change nothing else.
    """

    function: str
    reason: str
    becomes: str = ""
    line: str = ""
    swap: tuple[str, str] | None = None

    def covers(self, mutant: Mutant) -> bool:
        """Returns whether the mutant is meant."""
        if self.function not in ("*", mutant.function):
            return False
        if self.swap is not None:
            old, new = self.swap
            positions = [match.start() for match in re.finditer(re.escape(old), mutant.was)]
            return any(
                mutant.was[:position] + new + mutant.was[position + len(old) :] == mutant.becomes
                for position in positions
            )
        return mutant.becomes == self.becomes if self.becomes else self.line in mutant.was.splitlines()


def mutants(copy: Path) -> list[Mutant]:
    """Returns every mutant of the copy, by module and number."""
    collected: list[Mutant] = []
    for path in sorted((copy / "mutants").rglob("*.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        if codes:
            collected += _of_module(path.with_suffix(""), codes)
    return collected


def _of_module(path: Path, codes: dict[str, int | None]) -> Iterator[Mutant]:
    lines = path.read_text(encoding="utf-8").splitlines()
    spans = json.loads(Path(f"{path}.spans").read_text(encoding="utf-8"))["spans"]
    for key, code in codes.items():
        module, _, mangled = key.rpartition(".")
        base = mangled.rpartition("__mutmut_")[0]
        verdict = "untried" if code is None else "killed" if code in (*FAILED, *ENDLESS) else "survived"
        was, becomes = _change(_source(lines, spans[f"{base}__mutmut_orig"]), _source(lines, spans[mangled]))
        function = f"{module}.{base.removeprefix('x_').replace('ǁ', '.').removeprefix('x.')}"
        yield Mutant(name=key, module=module, function=function, was=was, becomes=becomes, verdict=verdict)


def _source(lines: list[str], span: list[int]) -> list[str]:
    """Returns the lines of a function, without the name that mutmut gave it."""
    return [MANGLED.sub("", line) for line in lines[span[0] - 1 : span[1]]]


def _change(before: list[str], after: list[str]) -> tuple[str, str]:
    removed: list[str] = []
    added: list[str] = []
    for tag, old_start, old_end, new_start, new_end in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            removed += before[old_start:old_end]
            added += after[new_start:new_end]
    return "\n".join(line.strip() for line in removed), "\n".join(line.strip() for line in added)


def explanations(path: Path) -> list[Explanation]:
    """Returns the file's explanations; raises TypeError for a key that there is not."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Explanation(**{**entry, "swap": tuple(entry["swap"]) if "swap" in entry else None}) for entry in entries]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The verdicts with the explanations: those that explain nothing any more, and the survivors without one."""

    mutants: list[Mutant]
    explained: set[str]
    idle: list[Explanation]

    @property
    def survivors(self) -> list[Mutant]:
        """Returns the survivors that nobody explained."""
        return [mutant for mutant in self.mutants if mutant.verdict == "survived" and mutant.name not in self.explained]

    def score(self, package: str) -> float:
        """Returns the percentage of a package's mutants that was killed, of those that are tried and not explained."""
        return _score([mutant for mutant in self.mutants if mutant.module.startswith(f"{package}.")], self.explained)


def outcome(copy: Path, file: Path) -> Outcome:
    """Returns what became of the mutants of a copy."""
    all_mutants, all_explanations = mutants(copy), explanations(file)
    survivors = [mutant for mutant in all_mutants if mutant.verdict == "survived"]
    explained = {
        mutant.name for mutant in survivors if any(explanation.covers(mutant) for explanation in all_explanations)
    }
    idle = [
        explanation for explanation in all_explanations if not any(explanation.covers(mutant) for mutant in survivors)
    ]
    return Outcome(mutants=all_mutants, explained=explained, idle=idle)


def table(result: Outcome, packages: Iterable[str]) -> str:
    """Returns the table of all modules, and of each package."""
    rows = [
        _row(f"**{name}**", [m for m in result.mutants if m.module.startswith(f"{name}.")], result.explained)
        for name in packages
    ]
    modules = sorted({one.module for one in result.mutants})
    rows += [_row(name, [m for m in result.mutants if m.module == name], result.explained) for name in modules]
    return HEAD + "".join(rows)


def _row(name: str, some: list[Mutant], explained: set[str]) -> str:
    counts = Counter("explained" if one.name in explained else one.verdict for one in some)
    score = f"{_score(some, explained):.1f} %" if counts["killed"] + counts["survived"] else "–"
    cells = [len(some), *(counts[word] for word in ("killed", "explained", "survived", "untried")), score]
    return f"| {name} | {' | '.join(map(str, cells))} |\n"


def _score(some: list[Mutant], explained: set[str]) -> float:
    counted = [one for one in some if one.verdict != "untried" and one.name not in explained]
    return 100 * sum(one.verdict == "killed" for one in counted) / len(counted) if counted else 100.0


def write(page: Path, text: str) -> None:
    """Replaces what stands between the marks of a page. Raises ValueError where it has none."""
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        message = f"{page} has no place for the table: {BEGIN.strip()} and {END.strip()}"
        raise ValueError(message)
    temporary = page.with_suffix(".tmp")
    temporary.write_text(f"{head}{BEGIN}{text}{END}{tail}", encoding="utf-8")
    temporary.replace(page)
