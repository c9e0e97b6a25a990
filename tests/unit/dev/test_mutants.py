"""Mutation testing's own parts: what is made ready for the tool, and how verdicts and explanations become a score."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dev.mutants.__main__ import judged
from dev.mutants.outcome import BEGIN, END, Explanation, Mutant, Outcome, explanations, outcome, table, write
from dev.mutants.tree import MUTATED, STAMP, _take_back, undecorated

ROOT = Path(__file__).resolve().parents[3]


def run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "module", "exec"), names)
    return names


SOURCE = '''
def twice(times):
    def wrap(function):
        return lambda *words: times * function(*words)
    return wrap

def plus(function):
    return lambda *words: function(*words) + 1

@twice(
    2,
)
@plus
def three():
    """Returns 3."""
    return 3

class Thing:
    @property
    def name(self):
        return "x"

    @staticmethod
    def free():
        return 1
'''


def test_a_decorated_function_is_decorated_afterwards() -> None:
    made = undecorated(SOURCE)
    before, after = run(SOURCE), run(made)
    assert before["three"]() == after["three"]() == 8
    assert before["Thing"]().name == after["Thing"]().name == "x"
    assert before["Thing"].free() == after["Thing"].free() == 1
    assert "@plus" not in made
    assert "@staticmethod" in made
    assert undecorated(made) == made


def test_every_mutated_module_stays_what_it_was() -> None:
    for folder in MUTATED:
        for path in (ROOT / folder).rglob("*.py"):
            compile(undecorated(path.read_text()), str(path), "exec")


def mutant(was: str, becomes: str, verdict: str = "survived", function: str = "trainingjobs.plan.a.f") -> Mutant:
    module = function.rpartition(".")[0]
    return Mutant(
        name=f"{function}{becomes}", module=module, function=function, was=was, becomes=becomes, verdict=verdict
    )


@pytest.mark.parametrize(
    ("fields", "covered"),
    [
        ({"becomes": "y"}, True),
        ({"becomes": "z"}, False),
        ({"becomes": "y", "function": "trainingjobs.plan.a.g"}, False),
        ({"line": "x"}, True),
        ({"line": "xx"}, False),
        ({"swap": ("x", "y"), "function": "*"}, True),
        ({"swap": ("x", "z"), "function": "*"}, False),
    ],
)
def test_what_an_explanation_covers(fields: dict[str, Any], covered: bool) -> None:
    given = {"function": "trainingjobs.plan.a.f", "reason": "r", **fields}
    assert Explanation(**given).covers(mutant("x", "y")) is covered


def test_a_swap_changes_nothing_else() -> None:
    swap = Explanation(function="*", reason="r", swap=("=False", "=None"))
    assert swap.covers(mutant("f(a=False, b=False)", "f(a=False, b=None)"))
    assert not swap.covers(mutant("f(a=False, b=False)", "f(a=None, b=None)"))
    assert not swap.covers(mutant("f(a=True)", "f(a=None)"))


def test_the_score_is_of_those_that_are_tried_and_not_explained() -> None:
    mutants = [mutant("a", str(i), "killed") for i in range(3)]
    mutants += [mutant("a", "e"), mutant("a", "s"), mutant("a", "u", "untried")]
    mutants += [mutant("a", "b", "killed", "trainingjobs.convert.d.g")]
    result = Outcome(mutants=mutants, explained={"trainingjobs.plan.a.fe"}, idle=[])
    assert result.score("trainingjobs.plan") == 75.0
    assert result.score("trainingjobs.convert") == 100.0
    assert [survivor.name for survivor in result.survivors] == ["trainingjobs.plan.a.fs"]
    rows = table(result, ("trainingjobs.plan",)).splitlines()
    assert rows[2] == "| **trainingjobs.plan** | 6 | 3 | 1 | 1 | 1 | 75.0 % |"
    assert [row.split(" | ")[0] for row in rows[3:]] == ["| trainingjobs.convert.d", "| trainingjobs.plan.a"]


@pytest.mark.parametrize(("survived", "status"), [(0, 0), (1, 0), (2, 1)])
def test_a_package_under_the_floor_fails_the_command(
    survived: int, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    mutants = [mutant("a", str(i), "survived" if i < survived else "killed") for i in range(10)]
    mutants += [mutant("a", "b", "killed", "trainingjobs.convert.d.g")]
    assert judged(Outcome(mutants=mutants, explained=set(), idle=[])) == status
    assert f"trainingjobs.plan: {100 - 10 * survived:.1f} %" in capsys.readouterr().out


def test_verdicts_are_read_from_what_the_tool_leaves(tmp_path: Path) -> None:
    folder = tmp_path / "mutants" / "trainingjobs" / "plan"
    folder.mkdir(parents=True)
    lines = ["def x_f__mutmut_orig(a):", "    return a", "def x_f__mutmut_1(a):", "    return None"]
    lines += ["def x_f__mutmut_2(a):", "    return a or 1", "def x_f__mutmut_3(a):", "    return 0"]
    (folder / "a.py").write_text("\n".join(lines))
    spans = {
        name: [n, n + 1]
        for name, n in (("x_f__mutmut_orig", 1), ("x_f__mutmut_1", 3), ("x_f__mutmut_2", 5), ("x_f__mutmut_3", 7))
    }
    (folder / "a.py.spans").write_text(json.dumps({"version": 1, "spans": spans}))
    codes = {
        "trainingjobs.plan.a.x_f__mutmut_1": 1,
        "trainingjobs.plan.a.x_f__mutmut_2": 0,
        "trainingjobs.plan.a.x_f__mutmut_3": -24,
    }
    (folder / "a.py.meta").write_text(json.dumps({"exit_code_by_key": codes}))
    file = tmp_path / "explained.toml"
    entries = ["function = 'trainingjobs.plan.a.f'\nbecomes = 'return a or 1'", "function = '*'\nline = 'z'"]
    file.write_text("".join(f"[[mutant]]\n{entry}\nreason = 'r'\n" for entry in entries))
    result = outcome(tmp_path, file)
    assert [(each.function, each.was, each.becomes, each.verdict) for each in result.mutants] == [
        ("trainingjobs.plan.a.f", "return a", "return None", "killed"),
        ("trainingjobs.plan.a.f", "return a", "return a or 1", "survived"),
        ("trainingjobs.plan.a.f", "return a", "return 0", "killed"),
    ]
    assert result.survivors == []
    assert [each.line for each in result.idle] == ["z"]


def test_a_survivor_is_tried_again_and_a_kill_stands(tmp_path: Path) -> None:
    meta = tmp_path / "a.py.meta"
    meta.write_text(json.dumps({"exit_code_by_key": {"a": 1, "b": 0, "c": 33, "d": None}}))
    (tmp_path / "mutmut-stats.json").write_text("{}")
    _take_back(tmp_path)
    assert json.loads(meta.read_text())["exit_code_by_key"] == {"a": 1, "b": None, "c": None, "d": None}
    assert not (tmp_path / "mutmut-stats.json").exists()
    assert STAMP


def test_the_table_has_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"head\n{BEGIN}old\n{END}tail\n")
    write(page, "new\n")
    assert page.read_text() == f"head\n{BEGIN}new\n{END}tail\n"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="place"):
        write(page, "new\n")


def test_every_explanation_has_a_reason() -> None:
    entries = explanations(ROOT / "dev" / "mutants" / "explained.toml")
    assert all(each.reason and sum(map(bool, (each.becomes, each.line, each.swap))) == 1 for each in entries)


def functions_of(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{name}" for name in functions_of(node))
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def test_every_explanation_is_of_a_function_that_is_mutated() -> None:
    functions = {
        f"{path.relative_to(ROOT).with_suffix('')}/{name}".replace("/", ".")
        for folder in MUTATED
        for path in (ROOT / folder).glob("*.py")
        for name in functions_of(ast.parse(path.read_text()))
    }
    entries = explanations(ROOT / "dev" / "mutants" / "explained.toml")
    assert {each.function for each in entries} - {"*"} <= functions


def test_what_is_made_ready_is_what_the_tool_mutates() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    assert settings["only_mutate"] == [f"{folder}/*" for folder in MUTATED]
