"""Pools and fields read from another language as a job document: order, inheritance, labels, variables, durations."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.core.findings import Finding
from trainingjobs.core.source import Node
from trainingjobs.workloads.job_document import (
    duration,
    environment,
    framework_of,
    job_document,
    labels,
    output_directory,
)

IMAGE = {"imageUri": "a/b"}
MACHINE = {"machineType": "n1-standard-8"}
GPU = {**MACHINE, "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2}
A100 = {"machineType": "a2-highgpu-1g", "acceleratorType": "NVIDIA_TESLA_A100", "acceleratorCount": 1}
PREBUILT = "us-docker.pkg.dev/vertex-ai/training/{}:latest"


def pools(**given: dict[str, Any]) -> dict[str, Any]:
    return dict(job_document({}, given)["pools"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"primary": {**MACHINE, "replicaCount": 1}}, {"primary": MACHINE}),
        ({"primary": {**MACHINE, "replicaCount": 2}}, {"primary": {**MACHINE, "replicaCount": 2}}),
        ({"primary": {"replicaCount": 1}}, {"primary": {"replicaCount": 1}}),
        ({"primary": {}}, {"primary": {"replicaCount": 1}}),
        (
            {"workers": {**MACHINE, "replicaCount": 1}, "primary": MACHINE},
            {"primary": MACHINE, "workers": {**MACHINE, "replicaCount": 1}},
        ),
        (
            {"primary": GPU, "workers": {**MACHINE, "replicaCount": 3}},
            {"primary": GPU, "workers": {**MACHINE, "acceleratorCount": 0, "replicaCount": 3}},
        ),
        (
            {"primary": GPU, "workers": {"replicaCount": 3}},
            {"primary": GPU, "workers": {"acceleratorCount": 0, "replicaCount": 3}},
        ),
        (
            {"primary": GPU, "workers": {"machineType": "n1-standard-4", "replicaCount": 3}},
            {"primary": GPU, "workers": {"machineType": "n1-standard-4", "acceleratorCount": 0, "replicaCount": 3}},
        ),
        (
            {"primary": GPU, "workers": {"machineType": "n2-standard-4", "replicaCount": 3}},
            {"primary": GPU, "workers": {"machineType": "n2-standard-4", "replicaCount": 3}},
        ),
        (
            {"primary": A100, "workers": {"machineType": "a2-highgpu-1g", "replicaCount": 3}},
            {"primary": A100, "workers": {"machineType": "a2-highgpu-1g", "acceleratorCount": 0, "replicaCount": 3}},
        ),
        (
            {"primary": GPU, "workers": {**MACHINE, "acceleratorCount": 1, "replicaCount": 3}},
            {"primary": GPU, "workers": {**MACHINE, "acceleratorCount": 1, "replicaCount": 3}},
        ),
        (
            {"primary": GPU, "evaluators": {**MACHINE, "replicaCount": 1}},
            {"primary": GPU, "evaluators": {**MACHINE, "replicaCount": 1}},
        ),
        (
            {"primary": {**MACHINE, "bootDiskType": "pd-standard", "bootDiskSizeGb": 300}, "workers": MACHINE},
            {
                "primary": {**MACHINE, "bootDiskType": "pd-standard", "bootDiskSizeGb": 300},
                "workers": {**MACHINE, "bootDiskType": "pd-ssd", "bootDiskSizeGb": 100},
            },
        ),
        (
            {
                "primary": {**MACHINE, "bootDiskType": "pd-standard", "bootDiskSizeGb": 300},
                "workers": {**MACHINE, "bootDiskType": "pd-ssd", "bootDiskSizeGb": 200},
            },
            {
                "primary": {**MACHINE, "bootDiskType": "pd-standard", "bootDiskSizeGb": 300},
                "workers": {**MACHINE, "bootDiskType": "pd-ssd", "bootDiskSizeGb": 200},
            },
        ),
    ],
)
def test_pools(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert pools(**given) == expected
    assert list(pools(**given)) == list(expected)


def test_keys_stand_in_the_documents_order() -> None:
    primary = {
        "bootDiskSizeGb": 200,
        "acceleratorCount": 2,
        "machineType": "m",
        "acceleratorType": "t",
        "container": IMAGE,
    }
    document = job_document({"labels": {"a": "b"}, "kind": "customJob", "platform": "vertex"}, {"primary": primary})
    assert list(document) == ["platform", "kind", "container", "pools", "labels"]
    assert list(document["pools"]["primary"]) == [
        "machineType",
        "acceleratorType",
        "acceleratorCount",
        "bootDiskSizeGb",
    ]


@pytest.mark.parametrize(
    ("role", "own", "expected"),
    [
        ("workers", {"container": IMAGE}, {}),
        ("workers", {"container": {"imageUri": "c"}}, {"container": {"imageUri": "c"}}),
        ("workers", {"container": {}}, {}),
        ("parameterServers", {"container": IMAGE}, {}),
        ("evaluators", {"container": IMAGE}, {}),
        ("reducers", {"container": IMAGE}, {"container": IMAGE}),
        ("workers", {"pythonPackage": {"pythonModule": "m"}}, {"pythonPackage": {"pythonModule": "m"}}),
    ],
)
def test_what_a_pool_runs_is_written_once(role: str, own: dict[str, Any], expected: dict[str, Any]) -> None:
    given: Any = {"primary": {**MACHINE, "container": IMAGE}, role: {"replicaCount": 1, **own}}
    document = job_document({}, given)
    assert document["container"] == IMAGE
    assert document["pools"] == {"primary": MACHINE, role: {"replicaCount": 1, **expected}}


@pytest.mark.parametrize(
    ("runs", "framework"),
    [
        ({"container": {"imageUri": PREBUILT.format("tf-gpu.2-11")}}, "tensorflow"),
        ({"container": {"imageUri": PREBUILT.format("pytorch-gpu.1-13")}}, "pytorch"),
        ({"pythonPackage": {"executorImageUri": PREBUILT.format("xgboost-cpu.1-1")}}, "xgboost"),
        ({"container": {"imageUri": PREBUILT.format("scikit-learn-cpu.0-23")}}, None),
        ({"container": {"imageUri": "a/b"}}, None),
        ({"container": {}}, None),
        ({}, None),
    ],
)
def test_the_framework_that_an_image_names(runs: dict[str, Any], framework: str | None) -> None:
    assert framework_of(runs) == framework
    assert job_document({}, {"primary": {**MACHINE, **runs}}).get("framework") == framework
    assert job_document({"framework": "jax"}, {"primary": {**MACHINE, **runs}})["framework"] == "jax"


def read(how: Any, value: Any, *args: Any) -> tuple[Any, list[tuple[str, str]]]:
    findings: list[Finding] = []
    result = how(Node({"k": value}, "p", findings), "k", *args)
    return result, [(each.severity, each.path) for each in findings]


@pytest.mark.parametrize(
    ("entries", "expected", "findings"),
    [
        ([{"name": "A", "value": "b"}, {"name": "_B1", "value": 3}], {"A": "b", "_B1": "3"}, []),
        ([{"name": "A"}, {"name": "B", "value": ""}], {"A": "", "B": ""}, []),
        ([{"name": "A", "valueFrom": {}}], {}, [("advice", "p.k[0]")]),
        ([{"name": "1A", "value": "b"}], {}, [("advice", "p.k[0].name")]),
        ([{"name": "A-B", "value": "b"}], {}, [("advice", "p.k[0].name")]),
        ([{"value": "b"}], {}, [("advice", "p.k[0].name")]),
        ([{"name": "A", "value": "b", "odd": 1}], {"A": "b"}, [("advice", "p.k[0].odd")]),
        ([{"name": "A", "value": "b", "valueFrom": None}], {"A": "b"}, []),
        ([{"name": "A", "value": "b"}, {"name": "A", "value": "c"}], {"A": "c"}, []),
        ([{"name": "A", "value": []}], {"A": ""}, [("error", "p.k[0].value")]),
    ],
)
def test_variables(entries: Any, expected: dict[str, str], findings: list[tuple[str, str]]) -> None:
    assert read(environment, entries) == (expected, findings)


@pytest.mark.parametrize(
    ("given", "expected", "dropped"),
    [
        ({"team": "nlp", "a-b_1": ""}, {"team": "nlp", "a-b_1": ""}, []),
        ({"Team": "x"}, {}, ["p.k.Team"]),
        ({"team": "NLP"}, {}, ["p.k.team"]),
        ({"1team": "x"}, {}, ["p.k.1team"]),
        ({"a" * 63: "b" * 63}, {"a" * 63: "b" * 63}, []),
        ({"team": "b" * 64}, {}, ["p.k.team"]),
        ({"skipped": "X", "team": 7}, {"team": "7"}, []),
    ],
)
def test_labels(given: Any, expected: dict[str, str], dropped: list[str]) -> None:
    assert read(labels, given, ("skipped",)) == (expected, [("advice", path) for path in dropped])


def test_labels_stand_under_their_own_key() -> None:
    assert labels(Node({"labels": {"a": "b"}}, "", [])) == {"a": "b"}


@pytest.mark.parametrize(
    ("given", "expected", "findings"),
    [
        ("86400s", "86400s", []),
        ("1.5s", "1.5s", []),
        (None, None, []),
        ("3600", None, [("error", "p.k")]),
        (3600, None, [("error", "p.k")]),
        ("1h", None, [("error", "p.k")]),
    ],
)
def test_durations(given: Any, expected: str | None, findings: list[tuple[str, str]]) -> None:
    assert read(duration, given) == (expected, findings)


@pytest.mark.parametrize(
    ("prefix", "expected", "findings"),
    [
        ("gs://bucket/x", {"outputUriPrefix": "gs://bucket/x"}, []),
        ("gs://0", {"outputUriPrefix": "gs://0"}, []),
        (None, None, []),
        ("", None, [("advice", "p.k")]),
        ("/local", None, [("advice", "p.k")]),
        ("gs://", None, [("advice", "p.k")]),
        ("xgs://bucket", None, [("advice", "p.k")]),
    ],
)
def test_the_output_directory(prefix: str | None, expected: Any, findings: list[tuple[str, str]]) -> None:
    assert read(output_directory, None, prefix) == (expected, findings)
