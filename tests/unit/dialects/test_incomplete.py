"""A job that misses its primary, its image or everything is rendered all the same: its faults are told elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from infra.cli.render import LANGUAGES, renderer
from infra.dialects.vertex import CUSTOM_TASK, vertex_job
from infra.plan.job_plan import JobPlan
from infra.plan.plan import judged_job
from infra.spec.reading import read_job

NOTHING: dict[str, Any] = {"workerPoolSpecs": []}
CPU = {"machineType": "n1-standard-8"}
DOCUMENTS: list[dict[str, Any]] = [
    {},
    {"pools": {"workers": {**CPU, "replicaCount": 2}}},
    {"pools": {"primary": {"replicaCount": 1}}},
    {"kind": "hyperparameterTuningJob", "pools": {"primary": CPU}},
    {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}, "pools": {"evaluators": CPU}},
    {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}, "pools": {"primary": CPU}, "platform": "gke"},
]


def plan_of(document: dict[str, Any]) -> JobPlan:
    value = read_job(document).value
    assert value is not None
    return judged_job("job", value)[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_not_there_breaks_nothing(language: str, document: dict[str, Any]) -> None:
    body, findings = renderer(language)(plan_of(document))
    assert body
    assert isinstance(findings, list)


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        ("customJob", {"jobSpec": NOTHING}),
        ("hyperparameterTuningJob", {"studySpec": {}, "trialJobSpec": NOTHING}),
        ("trainingPipeline", {"trainingTaskDefinition": CUSTOM_TASK, "trainingTaskInputs": NOTHING}),
    ],
)
def test_a_body_holds_nothing_that_its_job_does_not_say(kind: str, rest: dict[str, Any]) -> None:
    assert vertex_job(plan_of({"kind": kind})) == {"displayName": "job", **rest}
