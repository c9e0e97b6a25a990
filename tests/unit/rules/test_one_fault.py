"""One fault is one finding: what follows from it is not reported as well."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job, judge_document, with_pools
from trainingjobs.core.findings import Finding

REDUCERS = {"machineType": "n1-highcpu-16"}
V100 = {"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_V100"}
CPU = {"machineType": "n1-standard-8"}
TUNING = {
    "metrics": [{"metricId": "loss", "goal": "MINIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 0.2}}],
    "maxTrialCount": 2,
    "parallelTrialCount": 1,
}


def errors(document: dict[str, Any]) -> list[tuple[str, str]]:
    findings: list[Finding] = judge_document(document)[1]
    return [(finding.rule, finding.path) for finding in findings if finding.severity == "error"]


@pytest.mark.parametrize("workers", [{"replicaCount": 3}, {"machineType": "n1-standard-4", "replicaCount": 3}])
@pytest.mark.parametrize(
    ("primary", "rule", "path"),
    [
        ({"machineType": ""}, "schema", "pools.primary.machineType"),
        ({"machineType": 8}, "schema", "pools.primary.machineType"),
        ({**V100, "acceleratorCount": "1"}, "schema", "pools.primary.acceleratorCount"),
        ([], "schema", "pools.primary"),
        (None, "one-primary-replica", "pools.primary"),
        ({}, "one-primary-replica", "pools.primary"),
    ],
)
def test_of_the_primary_that_workers_inherit(primary: Any, rule: str, path: str, workers: dict[str, Any]) -> None:
    reported = errors(with_pools(gpu_job(), primary=primary, workers=workers, reducers=REDUCERS))
    assert (rule, path) in reported
    # Workers with a machine of their own are judged by it.
    own = {("reducer-workers-need-accelerators", "pools.workers")} if "machineType" in workers else set()
    assert set(reported) - {(rule, path)} <= own


def test_workers_without_accelerators_are_still_found() -> None:
    for workers in ({"machineType": "n2-standard-16"}, {"acceleratorCount": 0}):
        document = with_pools(gpu_job(), workers={"replicaCount": 3, **workers}, reducers=REDUCERS)
        assert errors(document) == [("reducer-workers-need-accelerators", "pools.workers")]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"platform": "gkee", "kind": "jobset"}, "platform"),
        ({"platform": "gkee", "tuning": TUNING}, "platform"),
        ({"kind": "hyperparametertuningjob", "tuning": TUNING}, "kind"),
        ({"kind": "trainingpipeline", "modelId": "m"}, "kind"),
    ],
)
def test_of_platform_and_kind(document: dict[str, Any], path: str) -> None:
    assert errors({"container": {"imageUri": IMAGE}, "pools": {"primary": CPU}, **document}) == [("schema", path)]


def test_a_kind_of_object_is_judged_by_what_it_holds() -> None:
    pools = {"primary": {"replicaCount": 1}, "parameterServers": {"replicaCount": 1}, "evaluators": {"replicaCount": 1}}
    document = {"platform": "kubernetes", "kind": "pytorchjob", "container": {"imageUri": IMAGE}, "pools": pools}
    assert errors(document) == [("schema", "pools.evaluators"), ("schema", "pools.parameterServers")]
    assert errors({**document, "kind": "jobset"}) == []


@pytest.mark.parametrize(
    ("own", "path"),
    [
        ({}, "container.imageUri"),
        ({"container": {"env": {"A": "b"}}}, "container.imageUri"),
        ({"container": {"imageUri": "a/b:2"}}, "pools.primary.container.imageUri"),
    ],
)
def test_an_image_is_reported_where_it_is_written(own: dict[str, Any], path: str) -> None:
    document = {"container": {"imageUri": "a/b:1"}, "pools": {"primary": {**CPU, **own}}}
    assert [finding.path for finding in judge_document(document)[1] if finding.rule == "image-pinned"] == [path]


def test_a_variable_is_reported_where_it_is_written() -> None:
    def paths_of(job: dict[str, str], own: dict[str, str] | None) -> list[str]:
        container = {"container": {"env": own}} if own is not None else {}
        document = {"container": {"imageUri": IMAGE, "env": job}, "pools": {"primary": {**CPU, **container}}}
        return [finding.path for finding in judge_document(document)[1] if finding.rule == "no-plain-secrets"]

    token = {"HF_TOKEN": "hunter2-hunter2"}
    assert paths_of(token, None) == ["container.env.HF_TOKEN"]
    assert paths_of({}, token) == ["pools.primary.container.env.HF_TOKEN"]
