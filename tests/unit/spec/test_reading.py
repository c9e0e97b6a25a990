from __future__ import annotations

from typing import Any

import pytest

from infra.problems import render_findings
from infra.spec.keys import PATHS, specification
from infra.spec.reading import read_job, read_model
from infra.spec.stack import Stack


def paths(document: dict[str, Any]) -> set[str]:
    return {finding.path for finding in read_job(document).findings}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"framwork": "jax"}, "framwork"),
        ({"framework": "tensorflw"}, "framework"),
        ({"pools": {"reducer": {}}}, "pools.reducer"),
        ({"pools": []}, "pools"),
        ({"pools": {"primary": {"replicaCount": "1"}}}, "pools.primary.replicaCount"),
        ({"pools": {"primary": {"replicaCount": True}}}, "pools.primary.replicaCount"),
        ({"pools": {"primary": {"replicaCount": 1.5}}}, "pools.primary.replicaCount"),
        ({"pools": {"workers": {"replicaCount": 1_000_000_000}}}, "pools.workers.replicaCount"),
        ({"pools": {"workers": {"replicaCount": -1}}}, "pools.workers.replicaCount"),
        ({"container": {"env": {"A": 1}}}, "container.env.A"),
        ({"container": {"env": {"A B": "1"}}}, "container.env.A B"),
        ({"container": {"declares": {"nccl": 2.2}}}, "container.declares.nccl"),
        ({"container": {"args": ["a", 2]}}, "container.args[1]"),
        ({"scheduling": {"timeout": "1h"}}, "scheduling.timeout"),
        ({"scheduling": {"strategy": "spot"}}, "scheduling.strategy"),
        ({"run": 0}, "run"),
        ({"labels": {"Team": "x"}}, "labels.Team"),
    ],
)
def test_each_fault_is_found_at_its_path(document: dict[str, Any], path: str) -> None:
    assert paths(document) == {path}


def test_all_faults_at_once() -> None:
    document = {"run": "x", "framework": 3, "pools": {"primary": {"machineTyp": "a"}, "workers": 5}}
    assert paths(document) == {"run", "framework", "pools.primary.machineTyp", "pools.workers"}


def test_did_you_mean() -> None:
    [finding] = read_job({"pools": {"reducer": {}}}).findings
    assert "reducers" in finding.fix


def test_a_stacks_keys_are_named_as_they_are_written() -> None:
    config = {"gcp:project": "x", "training:jbs": {}, "training:jobs": {"Bad": {}}, "other:key": 1}
    reading = read_model(Stack, specification(config), renamed=PATHS)
    assert {finding.path for finding in reading.findings} == {"gcp:project", "training:jbs", "training:jobs.Bad"}


def test_hostile_documents_give_short_findings() -> None:
    document = {"x" * 10_000: "y" * 10_000, **{f"key{i}": i for i in range(1000)}}
    assert len(render_findings(read_job(document).findings)) < 20_000
