"""What a job's document must hold together before its rules mean anything."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job, judge_document, with_pools
from trainingjobs.judge.jobs import judge_job
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.rules import Levels
from trainingjobs.rules.registry import Level
from trainingjobs.spec.reading import read_job, read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.registry import workload_of

PRIMARY = {"machineType": "n1-standard-8"}
METRICS = [{"metricId": "accuracy", "goal": "MAXIMIZE"}]
LR = {"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}}


def job(**changes: Any) -> dict[str, Any]:
    return {"container": {"imageUri": IMAGE}, "pools": {"primary": PRIMARY}, **changes}


def tuned(**changes: Any) -> dict[str, Any]:
    tuning = {"metrics": METRICS, "parameters": [LR], "maxTrialCount": 8, "parallelTrialCount": 4, **changes}
    return job(kind="hyperparameterTuningJob", tuning=tuning)


def schema(document: dict[str, Any], **options: Any) -> set[str]:
    findings = [each for each in judge_document(document, **options)[1] if each.rule == "schema"]
    assert {each.severity for each in findings} <= {"error"}
    return {each.path for each in findings}


@pytest.mark.parametrize(
    "document",
    [
        job(),
        tuned(),
        tuned(parallelTrialCount=8),
        tuned(medianAutomatedStoppingSpec={}),
        job(kind="trainingPipeline", modelToUpload={"displayName": "m"}, modelId="m", parentModel="p"),
        *(job(platform="gke", kind=kind) for kind in ("jobset", "tfjob", "pytorchjob", "pods")),
        *(job(platform="kubernetes", kind=kind) for kind in ("jobset", "tfjob", "pytorchjob", "pods")),
        job(platform="kubernetes", pools={"primary": {}}),
        with_pools(gpu_job(), workers={"replicaCount": 2}),
        # An image of reducers is their own rule's.
        gpu_job(platform="gke"),
    ],
)
def test_what_holds_together(document: dict[str, Any]) -> None:
    assert schema(document) == set()


ONE_OF = {"categoricalValueSpec": {"values": ["a"]}, "discreteValueSpec": {"values": [1.0]}}
DOWN = {"minValue": 2, "maxValue": 1}
PACKAGE = {"executorImageUri": "e", "packageUris": ["gs://b/p"], "pythonModule": "m"}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        *((job(kind=kind), "kind") for kind in ("jobset", "tfjob", "pytorchjob", "pods")),
        (job(platform="gke", kind="customJob"), "kind"),
        (job(platform="kubernetes", kind="trainingPipeline"), "kind"),
        (
            job(pythonPackage=PACKAGE),
            "pythonPackage",
        ),
        ({**tuned(), "kind": "customJob"}, "tuning"),
        (job(kind="hyperparameterTuningJob"), "tuning"),
        (job(modelToUpload={"displayName": "m"}), "modelToUpload"),
        (job(modelId="m"), "modelId"),
        (job(parentModel="p"), "parentModel"),
        (tuned(medianAutomatedStoppingSpec={}, decayCurveStoppingSpec={}), "tuning"),
        (tuned(medianAutomatedStoppingSpec={}, convexAutomatedStoppingSpec={}), "tuning"),
        (tuned(parallelTrialCount=9), "tuning.parallelTrialCount"),
        (tuned(parameters=[{"parameterId": "p"}]), "tuning.parameters[0]"),
        (tuned(parameters=[LR, {"parameterId": "p", **ONE_OF}]), "tuning.parameters[1]"),
        (tuned(parameters=[{**LR, "doubleValueSpec": DOWN}]), "tuning.parameters[0]"),
        (tuned(parameters=[{"parameterId": "p", "integerValueSpec": DOWN}]), "tuning.parameters[0]"),
        (
            tuned(parameters=[{**LR, "conditionalParameterSpecs": [{"parameterSpec": {"parameterId": "q"}}]}]),
            "tuning.parameters[0].conditionalParameterSpecs[0].parameterSpec",
        ),
        (job(pools={"primary": {"replicaCount": 1}}), "pools.primary.machineType"),
        (job(platform="gke", pools={"primary": {"replicaCount": 1}}), "pools.primary.machineType"),
        (job(pools={"primary": PRIMARY, "evaluators": {"replicaCount": 1}}), "pools.evaluators.machineType"),
        (job(container=None), "container.imageUri"),
        (job(container={"args": ["x"]}), "container.imageUri"),
        (job(container=None, pools={"primary": {**PRIMARY, "container": {"args": ["x"]}}}), "container.imageUri"),
        (job(container=None, pools={"primary": PRIMARY, "evaluators": PRIMARY}), "container.imageUri"),
        (
            job(
                container=None,
                pythonPackage=PACKAGE,
                pools={"primary": PRIMARY, "workers": {"replicaCount": 1, "container": {"args": ["x"]}}},
            ),
            "pools.workers.container.imageUri",
        ),
    ],
)
def test_what_does_not(document: dict[str, Any], path: str) -> None:
    given = {key: value for key, value in document.items() if value is not None}
    assert schema(given) == {path}
    assert schema(given, path="training:jobs.a") == {f"training:jobs.a.{path}"}


def test_equal_bounds_are_a_range() -> None:
    assert schema(tuned(parameters=[{**LR, "doubleValueSpec": {"minValue": 1.0, "maxValue": 1.0}}])) == set()


def test_what_is_reported_already_or_not_known_yet_is_not_missing() -> None:
    reading = read_job({"container": {"imageUri": 7}, "pools": {"primary": {"machineType": 7}}})
    assert {each.path for each in reading.findings} == {"container.imageUri", "pools.primary.machineType"}
    document = {"container": {"imageUri": 7}, "pools": {"primary": {"machineType": 7}}}
    assert schema(document) == {"container.imageUri", "pools.primary.machineType"}
    assert len([each for each in judge_document(document)[1] if each.rule == "schema"]) == 2


@pytest.mark.parametrize(
    ("platform", "kind"), [("vertex", "customJob"), ("gke", "jobset"), ("kubernetes", "jobset"), (None, "customJob")]
)
def test_the_kind_of_a_platform(platform: str | None, kind: str) -> None:
    value = read_job(job(**({"platform": platform} if platform else {}))).value
    assert value is not None
    assert workload_of(value).kind == kind


def stack(**changes: Any) -> Stack:
    value = read_model(Stack, {"project": "acme-ml-dev", "jobs": {"b": gpu_job(), "a": gpu_job()}, **changes}).value
    assert isinstance(value, Stack)
    return value


def test_a_stack_has_every_job_by_name_and_the_advice() -> None:
    plans, findings = judge_stack(stack(jobs={"b": gpu_job(labels={}), "a": gpu_job()}))
    assert [each.name for each in plans] == ["a", "b"]
    assert [(each.rule, each.severity, each.path) for each in findings] == [
        ("required-labels", "advice", "training:jobs.b.labels")
    ]


def test_all_errors_of_a_job_are_reported_at_once() -> None:
    _, findings = judge_stack(stack(jobs={"a": {**gpu_job(labels={}), "kind": "tfjob"}}))
    assert {each.path for each in findings} == {"training:jobs.a.kind", "training:jobs.a.labels"}


@pytest.mark.parametrize(("region", "near"), [("us-centrl1", "us-central1"), ("moon", "")])
def test_a_region_that_does_not_exist(region: str, near: str) -> None:
    [finding] = [each for each in judge_stack(stack(region=region))[1] if each.path == "gcp:region"]
    assert (finding.rule, finding.severity) == ("schema", "error")
    assert near in finding.fix


@pytest.mark.parametrize(("level", "severities"), [("off", []), ("advice", ["advice"]), ("error", ["error"])])
def test_levels_hold_for_the_whole_stack(level: Level, severities: list[str]) -> None:
    levels = Levels(by_rule={"required-labels": level})
    findings = judge_stack(stack(jobs={"a": gpu_job(labels={})}), levels)[1]
    assert [each.severity for each in findings] == severities


@pytest.mark.parametrize(
    ("unknown", "paths"),
    [
        ((), ["container.imageUri", "pools.primary.machineType"]),
        (("container.imageUri",), ["pools.primary.machineType"]),
        (("container",), ["pools.primary.machineType"]),
        (("contain",), ["container.imageUri", "pools.primary.machineType"]),
        (("pools",), ["container.imageUri"]),
        (("pools.primary.machineType[0]",), ["container.imageUri", "pools.primary.machineType"]),
        (("pools", "container.imageUri"), []),
    ],
)
def test_nothing_is_reported_of_what_is_not_known(unknown: tuple[str, ...], paths: list[str]) -> None:
    value = read_job({"container": {"args": ["x"]}, "pools": {"primary": {"replicaCount": 1}}}).value
    assert value is not None
    _, findings = judge_job("job", value, unknown=frozenset(unknown))
    assert [each.path for each in findings if each.rule == "schema"] == paths


def test_an_unknown_list_covers_its_items() -> None:
    value = read_job(tuned(parameters=[{"parameterId": "p"}])).value
    assert value is not None
    _, findings = judge_job("job", value, unknown=frozenset({"tuning.parameters"}))
    assert [each.path for each in findings if each.rule == "schema"] == []
