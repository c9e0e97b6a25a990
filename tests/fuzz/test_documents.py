"""Hostile documents: whatever is in them, the answer is findings, never a traceback."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.cli.inputs import judged_document
from infra.plan.plan import stack_findings
from infra.plan.rules import structural_findings
from infra.problems import render_findings
from infra.spec.keys import PATHS, specification
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from infra.spec.text import DocumentError, parse_document
from tests.unit.jobs import SERVER, gpu_job

SCALARS: list[Any] = [
    None, True, False, 0, -1, 1, 2, 10_000, 10_001, 10**18, 1.5, -0.0, "", " ", "0", "-1", "auto", "n1-highcpu-16",
    "a3-megagpu-8g", "NVIDIA_TESLA_V100", "nvidia-tesla-v100", "ｎ1-highcpu-16", "\u202e\u0000", "x" * 5000, "86400s",
    SERVER, "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-2:latest", [], {}, [[]], [None], {"": None}, [{}], {"a": {}},
]  # fmt: skip
KEYS = [
    "pools", "primary", "workers", "reducers", "parameterServers", "evaluators", "machineType", "replicaCount",
    "acceleratorType", "acceleratorCount", "container", "imageUri", "args", "env", "declares", "nccl", "packages",
    "platform", "kind", "framework", "scheduling", "strategy", "timeout", "tuning", "labels", "x", "", "\u0000",
    "jobSpec", "workerPoolSpecs", "machineSpec", "containerSpec", "trainingInput", "masterConfig", "spec",
    "tfReplicaSpecs",
]  # fmt: skip
PLATFORMS = ["vertex", "gke", "kubernetes"]


def body() -> dict[str, Any]:
    pool = {
        "machineSpec": {"machineType": "n1-standard-16", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1},
        "replicaCount": 1,
        "containerSpec": {"imageUri": "a", "args": ["x"], "env": [{"name": "A", "value": "b"}]},
    }
    server = {"machineSpec": {"machineType": "n1-highcpu-16"}, "replicaCount": 2, "containerSpec": {"imageUri": SERVER}}
    return {"displayName": "x", "jobSpec": {"workerPoolSpecs": [pool, pool, server], "scheduling": {"timeout": "9s"}}}


def ai_platform() -> dict[str, Any]:
    return {
        "trainingInput": {
            "scaleTier": "CUSTOM", "masterType": "n1-standard-4", "masterConfig": {"imageUri": "a"}, "workerCount": 2,
            "workerType": "n1-standard-4",
            "workerConfig": {"acceleratorConfig": {"count": 1, "type": "NVIDIA_TESLA_T4"}},
            "hyperparameters": {
                "goal": "MAXIMIZE", "maxTrials": 3, "params": [{"parameterName": "lr", "type": "DOUBLE"}],
            },
        }
    }  # fmt: skip


def tfjob() -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "a", "resources": {"limits": {"cpu": "2"}}}]}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "x"},
        "spec": {"tfReplicaSpecs": {"Chief": {"template": template}, "Worker": {"replicas": 2, "template": template}}},
    }


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path of every part of a document."""
    found = [at]
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*at, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            found += places(value[index], (*at, index))
    return found


def mutated(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """Returns the document with one to five parts replaced, removed, moved or added."""
    chance = random.Random(seed)
    result = copy.deepcopy(document)
    for _ in range(chance.randint(1, 5)):
        path = chance.choice(places(result)[1:] or [("x",)])
        holder: Any = result
        for part in path[:-1]:
            holder = holder[part]
        what = chance.randrange(4)
        if what == 0 and isinstance(holder, dict):
            holder.pop(path[-1], None)
        elif what == 1 and isinstance(holder, dict):
            holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice(SCALARS))
        elif what == 2 and isinstance(holder, dict):
            holder[path[-1]] = copy.deepcopy(chance.choice([document, *SCALARS]))
        elif isinstance(holder, list | dict):
            holder[path[-1]] = copy.deepcopy(chance.choice(SCALARS))
    return result


STARTS = {"job": gpu_job, "body": body, "ai-platform": ai_platform, "tfjob": tfjob}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("part", range(4))
def test_mutated_documents_give_findings(start: str, part: int) -> None:
    for seed in range(part * 1000, part * 1000 + 1000):
        document = mutated(STARTS[start](), seed)
        if seed % 3 == 0 and start == "job":
            document["platform"] = PLATFORMS[seed % len(PLATFORMS)]
        try:
            judged = judged_document(document, "job", "file")
        except Exception as error:
            raise AssertionError(f"{start}, seed {seed}: {document!r}") from error
        assert len(render_findings(judged.findings)) < 20_000, (start, seed)


@pytest.mark.parametrize("part", range(2))
def test_mutated_stacks_give_findings(part: int) -> None:
    config = {
        "gcp:project": "acme-ml-dev",
        "gcp:region": "us-central1",
        "training:limits": {"maxUsdPerHour": 10, "accelerators": {"NVIDIA_TESLA_V100": 1}},
        "training:jobs": {"a": gpu_job(), "b": {**gpu_job(), "platform": "gke"}},
    }
    for seed in range(part * 1000, part * 1000 + 1000):
        document = mutated(config, seed)
        try:
            reading = read_model(Stack, specification(document), renamed=PATHS)
            if reading.value is not None:
                stack_findings(reading.value, unknown=reading.unknown)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {document!r}") from error


@pytest.mark.parametrize("seed", range(2000))
def test_the_providers_check_never_fails(seed: int) -> None:
    spec = mutated(body(), seed).get("jobSpec")
    if isinstance(spec, dict):
        structural_findings(spec)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=400) | st.text(alphabet="{}[]:,-&*!|>#'\"\n ab01~<?%@`", max_size=300))
def test_any_text_is_a_mapping_or_one_finding(text: str) -> None:
    try:
        found: dict[str, Any] | str = parse_document(text)
    except DocumentError as error:
        found = error.finding.rule
    assert found == "syntax" or isinstance(found, dict)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
def test_any_mapping_is_judged(document: dict[str, Any]) -> None:
    judged_document(json.loads(json.dumps(document)), "job", "file")
