"""Machines and their accelerators: which pools are judged, where, and where they are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, judge_document
from trainingjobs.core.findings import Finding
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import Levels, evaluate

N1 = {"machineType": "n1-standard-8"}
V100 = {**N1, "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 1}
WRONG = {**V100, "acceleratorCount": 3}
TPU = {"machineType": "ct5lp-hightpu-1t", "acceleratorCount": 1}


def of(rule: str, findings: list[Finding]) -> list[str]:
    return [finding.path for finding in findings if finding.rule == rule]


def document(platform: str = "vertex", **pools: Any) -> dict[str, Any]:
    return {"platform": platform, "container": {"imageUri": IMAGE}, "pools": pools}


@pytest.mark.parametrize(
    ("pools", "paths"),
    [
        ({"primary": V100}, []),
        ({"primary": N1}, []),
        ({"primary": WRONG}, ["pools.primary.acceleratorCount"]),
        # What workers have of the primary altogether is judged there.
        ({"primary": WRONG, "workers": {"replicaCount": 2}}, ["pools.primary.acceleratorCount"]),
        ({"primary": V100, "workers": {"acceleratorCount": 3}}, ["pools.workers.acceleratorCount"]),
        (
            {"primary": V100, "workers": {"acceleratorType": "NVIDIA_TESLA_P4", "acceleratorCount": 3}},
            ["pools.workers.acceleratorCount"],
        ),
        ({"primary": V100, "workers": {"machineType": "n1-standard-96"}}, ["pools.workers.acceleratorCount"]),
        ({"primary": N1, "evaluators": WRONG}, ["pools.evaluators.acceleratorCount"]),
        (
            {"primary": WRONG, "evaluators": WRONG},
            [f"pools.{role}.acceleratorCount" for role in ("evaluators", "primary")],
        ),
        ({"primary": {**N1, "acceleratorType": "NVIDIA_TESLA_V100"}}, ["pools.primary.acceleratorCount"]),
        ({"primary": {**N1, "acceleratorCount": 1}}, ["pools.primary.acceleratorType"]),
        ({"primary": {**V100, "acceleratorType": "NVIDIA_V100"}}, ["pools.primary.acceleratorType"]),
        ({"primary": {**V100, "machineType": "no-such-machine"}}, []),
        ({"primary": {**TPU, "acceleratorType": "TPU_V5_LITEPOD"}}, []),
        ({"primary": {**TPU, "acceleratorType": "NVIDIA_TESLA_V100"}}, ["pools.primary.acceleratorCount"]),
        ({"primary": {**TPU, "acceleratorType": "TPU_V9"}}, ["pools.primary.acceleratorType"]),
        # Reducers have a rule of their own.
        ({"primary": V100, "workers": {"replicaCount": 2}, "reducers": WRONG}, []),
    ],
)
def test_accelerator_fit(pools: dict[str, Any], paths: list[str]) -> None:
    assert of("accelerator-fit", judge_document(document(**pools))[1]) == paths


def test_only_our_documents_have_a_machine_called_auto() -> None:
    pools = [{"machineSpec": {"machineType": "n1-standard-8"}, "replicaCount": 1, "containerSpec": {"imageUri": IMAGE}}]
    pools += [{}, {**pools[0], "machineSpec": {"machineType": "auto"}}]
    body, _ = facts_of_body({"workerPoolSpecs": pools})
    assert of("machine-known", evaluate(body)) == ["jobSpec.workerPoolSpecs[2].machineSpec.machineType"]


def test_a_cluster_takes_accelerators_of_no_declared_type() -> None:
    pools = {"primary": {"acceleratorCount": 1}}
    assert of("accelerator-fit", judge_document(document("kubernetes", **pools))[1]) == []
    pools = {"primary": {**N1, "acceleratorCount": 1}}
    assert of("accelerator-fit", judge_document(document("kubernetes", **pools))[1]) == []
    assert of("accelerator-fit", judge_document(document("gke", **pools))[1]) == ["pools.primary.acceleratorType"]


def test_a_platform_has_its_own_limits() -> None:
    # One T4 on 32 vCPU: Compute Engine attaches it, Vertex AI does not.
    pools = {"primary": {"machineType": "n1-highcpu-32", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}}
    assert of("accelerator-fit", judge_document(document("gke", **pools))[1]) == []
    assert of("accelerator-fit", judge_document(document(**pools))[1]) == ["pools.primary.acceleratorCount"]


def pool(role: Any, position: int, **changes: Any) -> PoolFacts:
    facts = {
        "machine_type": "n1-standard-8",
        "accelerator_type": "NVIDIA_TESLA_V100",
        "accelerator_count": 3,
        **changes,
    }
    return PoolFacts(role=role, position=position, path=f"pools.{role}", replica_count=1, image="a/b:1", **facts)


@pytest.mark.parametrize("field", ["machineType", "acceleratorType", "acceleratorCount"])
def test_one_pool_that_is_not_known_hides_no_other(field: str) -> None:
    unknown = pool("primary", 0, unknown=frozenset({field}))
    job = JobFacts(name="j", path="", pools=(unknown, pool("evaluators", 3)))
    assert of("accelerator-fit", evaluate(job)) == ["pools.evaluators.acceleratorCount"]


def test_a_machine_or_an_image_that_is_not_known_hides_no_other() -> None:
    odd = {"machine_type": "odd", "accelerator_type": None, "accelerator_count": 0}
    unknown = frozenset({"machineType", "container.imageUri"})
    job = JobFacts(name="j", path="", pools=(pool("primary", 0, **odd, unknown=unknown), pool("evaluators", 3, **odd)))
    assert of("machine-known", evaluate(job)) == ["pools.evaluators.machineType"]
    assert of("image-pinned", evaluate(job)) == ["pools.evaluators.container.imageUri"]


def test_an_image_that_is_pinned_hides_no_other() -> None:
    job = JobFacts(name="j", path="", pools=(replace(pool("primary", 0), image=IMAGE), pool("evaluators", 3)))
    assert of("image-pinned", evaluate(job)) == ["pools.evaluators.container.imageUri"]


def test_workers_with_a_disk_of_their_own_are_still_judged_at_the_primary() -> None:
    inherited = frozenset({"machine_type", "accelerator_type", "accelerator_count"})
    job = JobFacts(name="j", path="", pools=(pool("primary", 0), pool("workers", 1, inherited=inherited)))
    assert of("accelerator-fit", evaluate(job)) == ["pools.primary.acceleratorCount"]


def test_auto_is_a_machine_of_reducers_alone() -> None:
    pools = {"primary": V100, "workers": {"replicaCount": 2}, "reducers": {"machineType": "auto"}}
    assert of("machine-known", judge_document(document(**pools))[1]) == []
    assert of("machine-known", judge_document(document(primary={"machineType": "auto"}))[1]) == [
        "pools.primary.machineType"
    ]


@pytest.mark.parametrize(
    ("machine", "paths"),
    [
        ("n2-highcpu-8", ["pools.reducers.machineType"]),
        ("n1-standard-8", ["pools.reducers.machineType"]),
        ("e2-standard-32", ["pools.reducers.machineType"]),
        ("n1-highcpu-16", []),
    ],
)
def test_a_small_reducer(machine: str, paths: list[str]) -> None:
    pools = {"primary": V100, "workers": {"replicaCount": 2}, "reducers": {"machineType": machine}}
    assert of("reducer-machine", judge_document(document(**pools))[1]) == paths


def test_the_surcharge_of_tier_1_is_reported_and_is_never_an_error() -> None:
    own = {"imageUri": IMAGE}
    pools = {
        "primary": V100,
        "workers": {"replicaCount": 2},
        "reducers": {"machineType": "n2-standard-80", "container": own},
    }
    for levels in (Levels(), Levels(by_rule={"reducer-machine": "error"})):
        findings = judge_document(document("gke", **pools), levels=levels)[1]
        [surcharge] = [finding for finding in findings if finding.rule == "reducer-machine"]
        assert (surcharge.severity, surcharge.path) == ("advice", "pools.reducers.machineType")
        assert "Tier_1" in surcharge.message
