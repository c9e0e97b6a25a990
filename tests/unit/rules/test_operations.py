from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, findings_of, gpu_job
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.stack import KeptFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.rules import evaluate
from trainingjobs.rules.registry import Levels
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

LABELS = {"team": "nlp", "cost-center": "research"}
OUTPUT = {"outputUriPrefix": "gs://acme-ml-dev-output/bert"}


def of(rule: str, document: dict[str, Any], **options: Any) -> set[tuple[str, str]]:
    return {(severity, path) for rule_id, severity, path in findings_of(document, **options) if rule_id == rule}


@pytest.mark.parametrize(
    ("labels", "missing"),
    [(LABELS, False), ({"team": "nlp"}, True), ({**LABELS, "team": ""}, True), (None, True), ({}, True)],
)
def test_required_labels(labels: Any, missing: bool) -> None:
    assert of("required-labels", gpu_job(labels=labels)) == ({("advice", "labels")} if missing else set())


def test_which_labels_is_a_parameter() -> None:
    levels = Levels(parameters={"required-labels": {"labels": ("owner",)}})
    assert of("required-labels", gpu_job(), levels=levels) == {("advice", "labels")}
    assert of("required-labels", gpu_job(labels={"owner": "x"}), levels=levels) == set()


def remediating(**values: str) -> Levels:
    return Levels(by_rule={"required-labels": "remediate"}, parameters={"required-labels": {"values": values}})


@pytest.mark.parametrize(
    ("labels", "values", "severity"),
    [
        (LABELS, {}, None),
        ({}, LABELS, "advice"),
        ({"team": ""}, LABELS, "advice"),
        ({"team": "nlp"}, {"cost-center": "research"}, "advice"),
        ({}, {"team": "nlp"}, "error"),
        ({}, {}, "error"),
    ],
)
def test_labels_that_the_pack_adds_are_advice_and_others_an_error(labels: Any, values: Any, severity: Any) -> None:
    expected = {(severity, "labels")} if severity else set()
    assert of("required-labels", gpu_job(labels=labels), levels=remediating(**values)) == expected


def test_a_job_in_a_cluster_is_not_remediated() -> None:
    document = gpu_job(labels={}, platform="kubernetes", kind="jobset")
    assert of("required-labels", document, levels=remediating(**LABELS)) == {("error", "labels")}


def test_the_environment_is_a_label_by_itself() -> None:
    levels = Levels(
        by_rule={"required-labels": "remediate"}, parameters={"required-labels": {"labels": ("environment",)}}
    )
    assert of("required-labels", gpu_job(labels={}), levels=levels, environment="dev") == {("advice", "labels")}
    assert of("required-labels", gpu_job(labels={}), levels=levels) == {("error", "labels")}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (LABELS, []),
        (None, ["labels"]),
        (UNKNOWN, ["labels"]),
        ({"team": UNKNOWN, "cost-center": "x"}, ["labels.team"]),
    ],
)
def test_labels_stand_beside_a_body(labels: Any, expected: list[str]) -> None:
    facts, _ = facts_of_body({}, labels=labels)
    assert [f.path for f in evaluate(facts, say_unknown=True) if f.rule == "required-labels"] == expected


def test_a_body_without_the_job_around_it_says_nothing_of_labels() -> None:
    facts, _ = facts_of_body({})
    assert "required-labels" not in {f.rule for f in evaluate(facts)}


PLANS = [
    ({"strategy": "SPOT"}, {}, 2),
    ({"strategy": "LOW_COST"}, {}, 2),
    ({"strategy": "FLEX_START"}, {}, 2),
    ({"strategy": "SPOT", "restartJobOnWorkerRestart": False}, {}, 2),
    ({"strategy": "SPOT", "restartJobOnWorkerRestart": True}, {}, 1),
    ({"strategy": "SPOT"}, {"baseOutputDirectory": OUTPUT}, 1),
    ({"strategy": "SPOT", "restartJobOnWorkerRestart": True}, {"baseOutputDirectory": OUTPUT}, 0),
    ({"strategy": "STANDARD"}, {}, 0),
    ({}, {}, 0),
]


@pytest.mark.parametrize(("scheduling", "more", "count"), PLANS)
def test_failure_plan(scheduling: dict[str, Any], more: dict[str, Any], count: int) -> None:
    document = gpu_job(scheduling=scheduling, **more)
    assert of("failure-plan", document) == ({("advice", "scheduling.strategy")} if count else set())


@pytest.mark.parametrize(
    "container",
    [{"args": ["--checkpoint-dir=/x"]}, {"env": {"CKPT_DIR": "/x"}}, {"env": {"DIR": "gs://b/checkpoints"}}],
)
def test_code_that_is_given_the_place_of_its_checkpoints(container: dict[str, Any]) -> None:
    spot = {"strategy": "SPOT", "restartJobOnWorkerRestart": True}
    assert of("failure-plan", gpu_job(scheduling=spot, container={"imageUri": IMAGE, **container})) == set()


def test_a_stack_gives_a_job_a_folder_for_its_output() -> None:
    spot = gpu_job(scheduling={"strategy": "SPOT", "restartJobOnWorkerRestart": True})
    assert of("failure-plan", spot, in_stack=True) == set()
    assert of("failure-plan", {**spot, "platform": "gke"}, in_stack=True) != set()


@pytest.mark.parametrize(
    ("environment", "expected"), [("prod", {("advice", "allowReplaceWhileRunning")}), ("dev", set()), (None, set())]
)
def test_a_live_job_in_prod(environment: str | None, expected: set[Any]) -> None:
    job = gpu_job(allowReplaceWhileRunning=True)
    assert of("protect-production", job, environment=environment) == expected


@pytest.mark.parametrize(
    ("environment", "protected", "expected"),
    [("prod", False, ["error"]), ("prod", True, []), ("prod", None, []), ("staging", False, []), (None, False, [])],
)
def test_what_holds_data(environment: str | None, protected: bool | None, expected: list[str]) -> None:
    facts = KeptFacts(path="protect", what="a bucket", environment=environment, protected=protected)
    assert [f.severity for f in evaluate(facts)] == expected


@pytest.mark.parametrize(("cluster", "expected"), [({}, []), ({"deletionProtection": False}, ["error"])])
def test_a_cluster_in_prod(cluster: dict[str, Any], expected: list[str]) -> None:
    document = {
        "project": "acme-ml-prod",
        "environment": "prod",
        "network": {"cidr": "10.20.0.0/16"},
        "cluster": cluster,
    }
    stack = read_model(Stack, document).value
    assert isinstance(stack, Stack)
    assert [f.severity for f in judge_stack(stack)[1] if f.rule == "protect-production"] == expected
