"""A job that misses its primary, its image or everything is rendered all the same: its findings come elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.cli.render import languages, renderer
from trainingjobs.judge.jobs import judge_job
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.training_pipeline import CUSTOM_TASK
from trainingjobs.workloads.vertex import kind_on_vertex

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
    return judge_job("job", value)[0]


@pytest.mark.parametrize("language", languages())
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
    plan = plan_of({"kind": kind})
    assert kind_on_vertex(plan).body(plan) == {"displayName": "job", **rest}
