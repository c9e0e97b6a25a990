"""How a rule is declared, at which level it speaks, and what it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from trainingjobs.core.findings import Finding
from trainingjobs.facts.infrastructure import NodePoolFacts
from trainingjobs.facts.job import JobFacts, NotKnownError
from trainingjobs.rules import RULES, Levels, evaluate
from trainingjobs.rules.registry import Problem, Rule, rule

ID = "made-up"
JOB = JobFacts(name="j", path="")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    RULES.pop(ID, None)


def check(job: JobFacts) -> Iterator[Problem]:
    yield Problem(path="a", message="m")
    yield Problem(path="b", message="m", fix="own", advice=True)


def declared(**options: Any) -> Rule:
    rule(ID, summary="s", fix="f", source="d", **options)(check)
    return RULES[ID]


def judged(facts: Any = JOB, levels: Levels | None = None, **options: Any) -> list[Finding]:
    return evaluate(facts, levels or Levels(), only=lambda candidate: candidate.id == ID, **options)


def test_a_rule_says_all_of_itself() -> None:
    assert declared() == Rule(
        id=ID,
        summary="s",
        fix="f",
        source="d",
        severity="error",
        prod_severity="error",
        structural=False,
        check=check,
        subjects=(JobFacts,),
        parameters={},
    )


def test_a_rule_that_says_more() -> None:
    declared_rule = declared(
        severity="advice", prod_severity="error", structural=True, subjects=(NodePoolFacts,), parameters={"most": 3}
    )
    assert (declared_rule.severity, declared_rule.prod_severity, declared_rule.structural) == ("advice", "error", True)
    assert (declared_rule.subjects, declared_rule.parameters) == ((NodePoolFacts,), {"most": 3})


def test_an_id_is_taken_once() -> None:
    declared()
    with pytest.raises(ValueError, match=ID):
        declared()


def test_the_check_stays_what_it_was() -> None:
    assert rule(ID, summary="s", fix="f", source="d")(check) is check


def test_a_problem_becomes_a_finding() -> None:
    declared()
    assert judged() == [
        Finding(rule=ID, severity="error", path="a", message="m", fix="f"),
        Finding(rule=ID, severity="advice", path="b", message="m", fix="own"),
    ]


@pytest.mark.parametrize(
    ("environment", "prod", "severity"),
    [("dev", "error", "advice"), (None, "error", "advice"), ("prod", "error", "error"), ("prod", None, "advice")],
)
def test_prod_may_be_stricter(environment: str | None, prod: str | None, severity: str) -> None:
    declared(severity="advice", prod_severity=prod)
    assert judged(replace(JOB, environment=environment))[0].severity == severity


@pytest.mark.parametrize(
    ("level", "severities"), [("advice", ["advice"] * 2), ("off", []), ("error", ["error", "advice"])]
)
def test_a_stack_sets_the_level_but_never_of_a_structural_rule(level: Any, severities: list[str]) -> None:
    declared()
    levels = Levels(by_rule={ID: level})
    assert [each.severity for each in judged(levels=levels)] == severities
    RULES.pop(ID)
    declared(structural=True)
    assert [each.severity for each in judged(levels=levels)] == ["error", "advice"]


def test_only_its_subjects_are_judged() -> None:
    declared()
    assert judged(NodePoolFacts(name="p")) == []
    RULES.pop(ID)
    declared(subjects=(JobFacts, NodePoolFacts))
    assert len(judged(NodePoolFacts(name="p"))) == len(judged()) == 2


def test_parameters_are_the_rules_unless_the_stack_sets_them() -> None:
    given: list[Mapping[str, Any]] = []

    def with_parameters(job: JobFacts, parameters: Mapping[str, Any]) -> list[Problem]:
        given.append(parameters)
        return []

    rule(ID, summary="s", fix="f", source="d", parameters={"most": 3, "least": 1})(with_parameters)
    judged()
    judged(levels=Levels(parameters={ID: {"most": 5}, "another": {"least": 0}}))
    assert given == [{"most": 3, "least": 1}, {"most": 5, "least": 1}]


def test_a_rule_that_is_put_off_keeps_its_findings() -> None:
    def unsure(job: JobFacts) -> Iterator[Problem]:
        yield Problem(path="a", message="m")
        raise NotKnownError("b")

    rule(ID, summary="s", fix="f", source="d")(unsure)
    assert [(each.path, each.severity) for each in judged()] == [("a", "error")]
    findings = judged(say_unknown=True)
    assert [(each.rule, each.path, each.severity) for each in findings] == [(ID, "a", "error"), (ID, "b", "advice")]


def test_what_is_remediated_is_advice_and_what_cannot_be_is_an_error() -> None:
    def unlabelled(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
        for key in ("team", "owner"):
            if key not in job.labels:
                yield Problem(path=key, message="m")

    def remedy(job: JobFacts, parameters: Mapping[str, Any]) -> JobFacts:
        return replace(job, labels={**job.labels, **parameters["add"]})

    rule(ID, summary="s", fix="f", source="d", parameters={"add": {"team": "x"}}, remedy=remedy)(unlabelled)
    levels = Levels(by_rule={ID: "remediate"})
    assert [(each.path, each.severity) for each in judged(levels=levels)] == [("owner", "error"), ("team", "advice")]
    assert [(each.path, each.severity) for each in judged()] == [("owner", "error"), ("team", "error")]


def test_a_rule_without_a_remedy_remediates_nothing() -> None:
    declared()
    levels = Levels(by_rule={ID: "remediate"})
    assert judged(levels=levels) == judged()


def test_what_is_to_be_remediated_and_cannot_be_known_is_put_off() -> None:
    def unsure(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
        assert parameters["most"] == 3
        yield Problem(path=job.name, message="m")
        raise NotKnownError("b")

    levels = Levels(by_rule={ID: "remediate"})
    for remedy in (None, lambda job, _: replace(job, name="remediated")):
        RULES.pop(ID, None)
        rule(ID, summary="s", fix="f", source="d", parameters={"most": 3}, remedy=remedy)(unsure)
        expected = [("j", "advice"), ("remediated", "error")] if remedy else [("j", "error")]
        assert [(each.path, each.severity) for each in judged(levels=levels)] == expected
        reported = {(each.path, each.severity) for each in judged(levels=levels, say_unknown=True)}
        assert reported == {*expected, ("b", "advice")}
