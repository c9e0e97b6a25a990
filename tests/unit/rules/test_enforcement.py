from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from trainingjobs.rules import RULES
from trainingjobs.rules.enforcement import read_levels

TODAY = date(2026, 11, 21)
RULE = "reducer-bandwidth"


def lowering(**fields: Any) -> dict[str, Any]:
    whole = {"enforcementLevel": "advisory", "reason": "measured otherwise", "expires": "2026-12-31", **fields}
    return {key: value for key, value in whole.items() if value is not None}


def read(config: dict[str, Any], environment: str = "dev") -> tuple[str, list[str], list[str]]:
    """The level of RULE, the paths of the faults, and the rules that are lowered."""
    levels, faults, lowered = read_levels(config, environment, TODAY)
    assert all(fault.severity == "error" for fault in faults)
    return levels.of(RULES[RULE], environment), [f.path for f in faults], [f.rule for f in lowered]


@pytest.mark.parametrize("expires", ["2026-11-21", "2026-11-22", "2027-02-19"])
def test_a_lowering_holds_until_its_last_day(expires: str) -> None:
    assert read({RULE: lowering(expires=expires)}) == ("advice", [], [RULE])
    assert read({RULE: lowering(expires=expires, enforcementLevel="disabled")}) == ("off", [], [RULE])


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("advisory", RULE),
        ("disabled", RULE),
        (lowering(reason=None), RULE),
        (lowering(reason="  "), RULE),
        (lowering(reason=7), RULE),
        (lowering(expires=None), RULE),
        (lowering(expires="2026-11-20"), f"{RULE}.expires"),
        (lowering(expires="2026-13-01"), f"{RULE}.expires"),
        (lowering(expires="20261231"), f"{RULE}.expires"),
        (lowering(expires="tomorrow"), f"{RULE}.expires"),
        (lowering(expires="2027-02-20"), f"{RULE}.expires"),
        (lowering(expires="9999-12-31"), f"{RULE}.expires"),
        (lowering(expires=20261231), f"{RULE}.expires"),
    ],
)
def test_any_other_lowering_is_a_fault_and_lowers_nothing(entry: Any, path: str) -> None:
    assert read({RULE: entry}) == ("error", [path], [])


def test_what_is_no_lowering_of_an_error_needs_neither() -> None:
    assert read({RULE: "mandatory", "reducer-machine": "disabled", "required-labels": "mandatory"})[1:] == ([], [])
    assert read({"image-pinned": "advisory"}, "dev")[1:] == ([], [])
    assert read({"image-pinned": "advisory"}, "prod")[1:] == (["image-pinned"], [])


@pytest.mark.parametrize("entry", ["advisory", "disabled", lowering(), lowering(enforcementLevel="disabled")])
def test_all_lowers_no_error(entry: Any) -> None:
    assert read({"all": entry}) == ("error", ["all"], [])
    assert read({"all": entry, RULE: lowering()}) == ("advice", ["all"], [RULE])
    levels, _, _ = read_levels({"all": "disabled"}, "dev", TODAY)
    assert levels.of(RULES["required-labels"], "dev") == "off", "advice is everybody's"


def test_a_line_with_a_reason_is_its_own_where_all_says_the_level() -> None:
    own = {"reason": "measured otherwise", "expires": "2026-12-31"}
    assert read({"all": "advisory", RULE: own}) == ("advice", ["all"], [RULE])
    assert read({"all": "advisory", RULE: {"reason": "measured otherwise"}}) == ("error", ["all", RULE], [])


@pytest.mark.parametrize(("days", "level"), [(40, "advice"), (39, "error"), (366, "advice"), (40.0, "advice")])
def test_the_longest_term(days: float, level: str) -> None:
    config = {RULE: lowering(), "schema": {"longestTermDays": days}}
    assert read(config)[:2] == (level, [] if level == "advice" else [f"{RULE}.expires"])


@pytest.mark.parametrize("days", [-1, 367, 99_999_999, 1.5, float("inf"), float("nan"), "30", True, None, [30]])
def test_a_longest_term_that_is_none_is_a_fault_and_the_default_holds(days: Any) -> None:
    config = {RULE: lowering(expires="9999-12-31"), "schema": {"longestTermDays": days}}
    assert read(config) == ("error", ["schema.longestTermDays", f"{RULE}.expires"], [])


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("advisory", "schema"),
        ({"enforcementLevel": "disabled"}, "schema"),
        (30, "schema"),
        ({"longestTerm": 30}, "schema.longestTerm"),
    ],
)
def test_the_policy_that_judges_the_file_has_no_level(entry: Any, path: str) -> None:
    assert read({"schema": entry}) == ("error", [path], [])


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"reducer-bandwith": "mandatory"}, "reducer-bandwith"),
        ({RULE: "error"}, RULE),
        ({"all": "error"}, "all"),
        ({RULE: lowering(reson="x")}, f"{RULE}.reson"),
        ({"required-labels": {"label": ["team"]}}, "required-labels.label"),
        ({"required-labels": {"labels": "team"}}, "required-labels.labels"),
        ({"required-labels": {"labels": [3]}}, "required-labels.labels"),
        ({"required-labels": {"labels": [""]}}, "required-labels.labels"),
        ({"required-labels": {"values": ["team"]}}, "required-labels.values"),
        ({"required-labels": {"values": {"team": 3}}}, "required-labels.values"),
        ({"required-labels": {"values": {"team": ""}}}, "required-labels.values"),
        ({"required-labels": {"values": {"Team": "NLP"}}}, "required-labels.values"),
        ({"image-pinned": "remediate"}, "image-pinned.enforcementLevel"),
        ({"pool-order": "remediate"}, "pool-order.enforcementLevel"),
        ({"all": "remediate"}, "all.enforcementLevel"),
        ({"all": {"enforcementLevel": "mandatory", "labels": ["team"]}}, "all.labels"),
        ({"one-primary-replica": lowering()}, "one-primary-replica"),
    ],
)
def test_faults(config: dict[str, Any], path: str) -> None:
    assert path in read(config)[1]


def test_parameters() -> None:
    rule = RULES["required-labels"]
    levels, _, _ = read_levels({"required-labels": {"labels": ["owner"]}}, "dev", TODAY)
    assert levels.parameters_of(rule)["labels"] == ("owner",)
    assert read_levels({}, "dev", TODAY)[0].parameters_of(rule)["labels"] == ("team", "cost-center")


REMEDIABLE = ("reducer-image-region", "required-labels")


def test_only_rules_with_a_remedy_are_set_to_remediate() -> None:
    assert tuple(rule_id for rule_id, rule in sorted(RULES.items()) if rule.remedy) == REMEDIABLE
    for rule_id in RULES:
        levels, faults, lowered = read_levels({rule_id: "remediate"}, "prod", TODAY)
        assert levels.by_rule == ({rule_id: "remediate"} if rule_id in REMEDIABLE else {})
        assert bool(faults) is (rule_id not in REMEDIABLE)
        assert all(name in faults[0].message for name in REMEDIABLE) if faults else lowered == []


def test_what_is_lowered_is_reported_with_its_level() -> None:
    for level, word in (("advisory", "advice"), ("disabled", "off")):
        _, _, [finding] = read_levels({RULE: lowering(enforcementLevel=level)}, "dev", TODAY)
        assert (finding.rule, finding.severity, finding.path) == (RULE, "advice", RULE)
        assert word in finding.message


@pytest.mark.parametrize(("value", "read_as"), [(0, 0), (1.0, 1), (1.5, 1.5), (-1, None), (True, None), ("1", None)])
def test_a_parameter_that_is_a_number(value: Any, read_as: float | None) -> None:
    entry = {"enforcementLevel": "mandatory", "evaluators": value}
    levels, faults, _ = read_levels({"evaluator-limit": entry}, "dev", TODAY)
    effective = levels.parameters_of(RULES["evaluator-limit"])["evaluators"]
    default = RULES["evaluator-limit"].parameters["evaluators"]
    assert effective == (default if read_as is None else read_as)
    assert type(effective) is type(default if read_as is None else read_as)
    assert [each.path for each in faults] == ["evaluator-limit.evaluators"] * (read_as is None)


@pytest.mark.parametrize("value", ["team", [""], [1], {"team": "x"}])
def test_a_parameter_that_is_a_list_of_words(value: Any) -> None:
    entry = {"enforcementLevel": "mandatory", "labels": value}
    levels, faults, _ = read_levels({"required-labels": entry}, "dev", TODAY)
    assert levels.parameters_of(RULES["required-labels"])["labels"] == ("team", "cost-center")
    assert [each.path for each in faults] == ["required-labels.labels"]


@pytest.mark.parametrize(("environment", "refused"), [("prod", True), (None, True), ("dev", False)])
def test_where_nobody_says_the_environment_it_may_be_prod(environment: str | None, refused: bool) -> None:
    levels, faults, _ = read_levels({"private-nodes": "advisory"}, environment, TODAY)
    assert bool(faults) is refused
    assert ("private-nodes" in levels.by_rule) is not refused


def test_a_structural_rule_may_be_named_as_what_it_is() -> None:
    assert read_levels({"pool-order": "mandatory"}, "dev", TODAY)[1:] == ([], [])
    assert [each.path for each in read_levels({"pool-order": "advisory"}, "dev", TODAY)[1]] == ["pool-order"]
