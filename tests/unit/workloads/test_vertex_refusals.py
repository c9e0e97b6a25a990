"""What Vertex AI refuses of a body that its protos parse: each at its path, as advice."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.workloads.vertex_refusals import job_refusals, pool_refusals

MACHINE = {"machineType": "n1-standard-4"}
IMAGE = {"imageUri": "a/b"}
PACKAGE = {"executorImageUri": "a/b", "packageUris": ["gs://a/b"], "pythonModule": "m"}
POOL: dict[str, Any] = {"machineSpec": MACHINE, "replicaCount": 1, "containerSpec": IMAGE}


def of_pools(*pools: Any) -> list[str]:
    spec = {"workerPoolSpecs": list(pools)}
    findings = list(pool_refusals(spec, facts_of_body(spec, "jobSpec")[0].pools))
    assert {(finding.rule, finding.severity) for finding in findings} <= {("schema", "advice")}
    return [finding.path.removeprefix("jobSpec.workerPoolSpecs") for finding in findings]


def of_job(**body: Any) -> list[str]:
    findings = list(job_refusals(body))
    assert {(finding.rule, finding.severity) for finding in findings} <= {("schema", "advice")}
    return [finding.path for finding in findings]


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({}, []),
        ({"containerSpec": None}, ["[0]"]),
        ({"containerSpec": {}}, ["[0].containerSpec.imageUri"]),
        ({"containerSpec": {"imageUri": ""}}, ["[0].containerSpec.imageUri"]),
        ({"containerSpec": None, "pythonPackageSpec": PACKAGE}, []),
        (
            {"containerSpec": None, "pythonPackageSpec": {"packageUris": []}},
            [f"[0].pythonPackageSpec.{key}" for key in PACKAGE],
        ),
        ({"machineSpec": None}, ["[0].machineSpec.machineType"]),
        ({"machineSpec": {"machineType": None}}, ["[0].machineSpec.machineType"]),
    ],
)
def test_a_pool_with_replicas(changes: dict[str, Any], paths: list[str]) -> None:
    assert of_pools({**POOL, **changes}) == paths


def test_pools_without_replicas_and_ill_formed_parts_are_somebody_elses() -> None:
    assert of_pools({"replicaCount": 0, "diskSpec": {}}, {}, None, 5) == []
    assert of_pools({**POOL, "containerSpec": "x", "machineSpec": "x"}) == []
    assert of_pools(POOL, {}, {"replicaCount": "2"}) == ["[2]", "[2].machineSpec.machineType"]


def test_what_a_job_has_to_say_beside_its_spec() -> None:
    assert of_job(displayName="x", jobSpec={}) == []
    assert of_job(jobSpec={}) == of_job(displayName="") == ["displayName"]
    assert of_job(displayName="x", trainingTaskInputs={}) == ["trainingTaskDefinition"]
    assert of_job(displayName="x", trainingTaskInputs={}, trainingTaskDefinition="") == ["trainingTaskDefinition"]
    assert of_job(displayName="x", trainingTaskInputs={}, trainingTaskDefinition="gs://a") == []


@pytest.mark.parametrize(
    ("labels", "paths"),
    [
        ({"team": "nlp", "cost-center_1": ""}, []),
        ({"Team": "nlp"}, ["labels.Team"]),
        ({"1st": "nlp"}, ["labels.1st"]),
        ({"a b": "nlp"}, ['labels["a b"]']),
        ({"team": "NLP"}, ["labels.team"]),
        ({"team": "a" * 64, "a" * 64: ""}, ["labels." + "a" * 64, "labels.team"]),
        ({"team": 5}, []),
        ("x", []),
    ],
)
def test_labels(labels: Any, paths: list[str]) -> None:
    assert of_job(displayName="x", labels=labels) == paths
