"""Reading of somebody else's document: what each kind of field takes, and what becomes a finding where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trainingjobs.core.findings import Finding, not_carried, not_expressible, schema_advice
from trainingjobs.core.source import Node, pruned

Read = Callable[[Node], Any]


def read(value: Any, how: Read, path: str = "p") -> tuple[Any, list[tuple[str, str]]]:
    findings: list[Finding] = []
    result = how(Node({"k": value}, path, findings))
    assert {each.rule for each in findings} <= {"schema"}
    return result, [(each.severity, each.path) for each in findings]


def ok(value: Any) -> tuple[Any, list[Any]]:
    return value, []


def bad(value: Any, *paths: str) -> tuple[Any, list[tuple[str, str]]]:
    return value, [("error", path) for path in paths or ("p.k",)]


LONG = 10**40


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x", ok("x")),
        ("", ok(None)),
        (None, ok(None)),
        (7, ok("7")),
        (1.5, ok("1.5")),
        (True, ok("true")),
        (False, ok("false")),
        (LONG - 1, ok(str(LONG - 1))),
        (LONG, bad(None)),
        (-LONG, bad(None)),
        ([], bad(None)),
        ({}, bad(None)),
    ],
)
def test_a_text(given: Any, expected: Any) -> None:
    assert read(given, lambda node: node.text("k")) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, ok(3.0)),
        (-1.5, ok(-1.5)),
        ("3", ok(3)),
        ("-3", ok(-3)),
        ("-" + "1" * 38, ok(-int("1" * 38))),
        ("+3", ok(3)),
        ("1e3", ok(1000.0)),
        ("0", ok(0)),
        (None, ok(None)),
        ("", bad(None)),
        ("x", bad(None)),
        ("1" * 39, ok(int("1" * 39))),
        ("1" * 40, bad(None)),
        ("inf", bad(None)),
        ("nan", bad(None)),
        (float("inf"), bad(None)),
        (10**400, bad(None)),
        (True, bad(None)),
        ([1], bad(None)),
    ],
)
def test_a_number(given: Any, expected: Any) -> None:
    assert read(given, lambda node: node.number("k")) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0, ok(0)),
        (7, ok(7)),
        (7.0, ok(7)),
        ("12", ok(12)),
        (None, ok(None)),
        (-1, bad(None)),
        (1.5, bad(None)),
        ("1.5", bad(None)),
        ("x", bad(None)),
        (True, bad(None)),
    ],
)
def test_a_whole_number(given: Any, expected: Any) -> None:
    value, findings = read(given, lambda node: node.integer("k"))
    assert (value, findings) == expected
    assert value is None or isinstance(value, int)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (True, ok(True)),
        (False, ok(False)),
        ("true", ok(True)),
        ("False", ok(False)),
        (None, ok(None)),
        ("yes", bad(None)),
        (1, bad(None)),
    ],
)
def test_true_or_false(given: Any, expected: Any) -> None:
    assert read(given, lambda node: node.boolean("k")) == expected


@pytest.mark.parametrize(
    ("how", "given", "expected"),
    [
        (lambda node: node.items("k"), [1, "a"], ok([1, "a"])),
        (lambda node: node.items("k"), (1,), ok([1])),
        (lambda node: node.items("k"), None, ok([])),
        (lambda node: node.items("k"), "ab", bad([])),
        (lambda node: node.items("k"), b"ab", bad([])),
        (lambda node: node.items("k"), {"a": 1}, bad([])),
        (lambda node: node.texts("k"), ["a", 1, True], ok(["a", "1", "true"])),
        (lambda node: node.texts("k"), ["a", None, {}, "b"], bad(["a", "b"], "p.k[1]", "p.k[2]")),
        (lambda node: node.numbers("k"), [1, "2", 0.5], ok([1, 2, 0.5])),
        (lambda node: node.numbers("k"), [1, "x", True, 2], bad([1, 2], "p.k[1]", "p.k[2]")),
        (lambda node: [child.path for child in node.nodes("k")], [{}, {"a": 1}], ok(["p.k[0]", "p.k[1]"])),
        (lambda node: [child.path for child in node.nodes("k")], [{}, 1, None], bad(["p.k[0]"], "p.k[1]", "p.k[2]")),
        (lambda node: node.node("k").value, {"a": 1, 2: 3}, ok({"a": 1, "2": 3})),
        (lambda node: node.node("k").value, None, ok({})),
        (lambda node: node.node("k").value, [1], bad({})),
        (lambda node: node.node("k").path, {}, ok("p.k")),
        (lambda node: node.take("k"), [1], ok([1])),
        (lambda node: node.take("other"), 1, ok(None)),
        (lambda node: node.version("k"), "2.10", ok("2.10")),
        (lambda node: node.version("k"), 3, ok("3")),
        (lambda node: node.version("k"), 2.1, ("2.1", [("advice", "p.k")])),
        (lambda node: node.version("other"), 2.1, ok(None)),
        (lambda node: node.word("k", ("A", "B")), "A", ok("A")),
        (lambda node: node.word("k", ("A", "B")), None, ok(None)),
        (lambda node: node.word("k", ("A", "B")), "C", bad(None)),
        (lambda node: node.word("k", ("A", "B"), ignore=("C",)), "C", ok(None)),
        (lambda node: node.word("k", iter(("A", "B"))), "B", ok("B")),
    ],
)
def test_what_a_key_holds(how: Read, given: Any, expected: Any) -> None:
    assert read(given, how) == expected


@pytest.mark.parametrize(("path", "key", "place"), [("a.b", "c", "a.b.c"), ("", "c", "c"), ("a", "x" * 200, None)])
def test_the_path_of_a_key(path: str, key: str, place: str | None) -> None:
    key_path = Node({}, path, []).at(key)
    assert key_path == place if place is not None else len(key_path) < 100


def rest(value: dict[str, Any], *args: Any, **options: Any) -> list[tuple[str, str]]:
    findings: list[Finding] = []
    node = Node(value, "p", findings)
    node.take("asked")
    node.rest(*args, **options)
    return [(each.severity, each.path) for each in findings]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("error", "p.known"), ("error", "p.server"), ("error", "p.odd")]),
        ({"known": ("known",)}, [("advice", "p.known"), ("error", "p.server"), ("error", "p.odd")]),
        ({"known": {"known": "why"}}, [("advice", "p.known"), ("error", "p.server"), ("error", "p.odd")]),
        ({"server_written": ("server",)}, [("error", "p.known"), ("error", "p.odd")]),
        ({"strict": False}, [("advice", "p.known"), ("advice", "p.server"), ("advice", "p.odd")]),
        ({"known": {"known": 1}.keys(), "server_written": ["server"]}, [("advice", "p.known"), ("error", "p.odd")]),
    ],
)
def test_what_nobody_asked_for(options: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert rest({"none": None, "asked": 1, "known": 2, "server": 3, "odd": 4}, **options) == expected


def test_a_word_that_is_nearly_another_is_named() -> None:
    findings: list[Finding] = []
    node = Node({"machineTyp": "x", "goal": "MAXIMISE"}, "", findings)
    node.word("goal", ("MAXIMIZE", "MINIMIZE"))
    node.rest(("machineType",))
    word, key = findings
    assert (key.path, word.path) == ("machineTyp", "goal")
    assert "machineType" in key.fix
    assert "MAXIMIZE" in word.fix
    node.word("goal", ("SOMETHING", "ELSE"))
    assert findings[-1].fix == ""


def test_a_part_shares_the_findings_of_the_whole() -> None:
    findings: list[Finding] = []
    Node({"a": [{"b": 1}]}, "", findings).nodes("a")[0].integer("c")
    Node({"a": {"b": []}}, "", findings).node("a").text("b")
    assert [each.path for each in findings] == ["a.b"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"a": None, "b": "", "c": [], "d": {}, "e": 0, "f": False, "g": "x"}, {"e": 0, "f": False, "g": "x"}),
        ({}, {}),
    ],
)
def test_pruned(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert pruned(given) == kept


@pytest.mark.parametrize(
    ("make", "severity"), [(not_carried, "advice"), (not_expressible, "error"), (schema_advice, "advice")]
)
def test_what_is_dropped_is_advice_and_what_changes_the_job_an_error(
    make: Callable[..., Finding], severity: str
) -> None:
    finding = make("p", "w")
    assert (finding.rule, finding.severity, finding.path, finding.fix) == ("schema", severity, "p", "")
    assert "w" in finding.message
    assert make("p", "w", "f").fix == "f"
