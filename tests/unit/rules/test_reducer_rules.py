"""Rules of a reducer pool at their exact limits, off Vertex AI, and where a body has two such pools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, SERVER, gpu_job, judge_document, with_pools
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import Levels, evaluate

JOB = judge_document(gpu_job())[0].facts
TRAINERS = {"machineType": "n1-highmem-96", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 8}


def places(rule: str, facts: JobFacts, levels: Levels | None = None) -> list[tuple[str, str]]:
    return [(each.severity, each.path) for each in evaluate(facts, levels or Levels()) if each.rule == rule]


def with_reducers(job: JobFacts = JOB, **changes: Any) -> JobFacts:
    return replace(job, pools=tuple(replace(p, **changes) if p.role == "reducers" else p for p in job.pools))


@pytest.mark.parametrize("machine", ["no-such-machine", None])
@pytest.mark.parametrize(
    ("rule", "severity", "field"),
    [
        ("reducer-bandwidth", "error", ".replicaCount"),
        ("reducer-break-even", "error", ""),
        ("reducer-machine", "advice", ".machineSpec.machineType"),
    ],
)
def test_reducers_of_which_nothing_can_be_reported_hide_no_others(
    machine: str | None, rule: str, severity: str, field: str
) -> None:
    pools = [
        {"replicaCount": count, "machineSpec": spec, "containerSpec": {"imageUri": image}}
        for count, spec, image in (
            (1, TRAINERS, IMAGE),
            (4, TRAINERS, IMAGE),
            (16, {"machineType": machine}, SERVER),
            (1, {"machineType": "n1-standard-8"}, SERVER),
        )
    ]
    facts, findings = facts_of_body({"workerPoolSpecs": pools})
    assert findings == []
    assert places(rule, facts) == [(severity, f"jobSpec.workerPoolSpecs[3]{field}")]


@pytest.mark.parametrize("count", [3, None])
def test_reducers_of_trainers_that_are_not_in_the_catalogue(count: int | None) -> None:
    reducers = {"machineType": "n1-highcpu-16", "replicaCount": count}
    primary = {"machineType": "no-such-machine"}
    facts = judge_document(with_pools(gpu_job(), primary=primary, reducers=reducers))[0].facts
    assert places("reducer-bandwidth", facts) == places("reducer-break-even", facts) == []


@pytest.mark.parametrize(("count", "severities"), [(4, ["error"]), (5, []), (6, []), (7, ["advice"])])
def test_tier_1_counts_where_the_platform_has_it(count: int, severities: list[str]) -> None:
    reducers = {"machineType": "n2-highcpu-80", "replicaCount": count, "container": {"imageUri": IMAGE}}
    facts = judge_document(with_pools(gpu_job(platform="gke"), reducers=reducers))[0].facts
    assert [severity for severity, _ in places("reducer-bandwidth", facts)] == severities


@pytest.mark.parametrize(("least", "reported"), [(1.5, True), (1.49, False)])
def test_a_gain_that_is_just_the_least_is_not_worth_a_pool(least: float, reported: bool) -> None:
    # Four nodes: at best 2 (4 - 1) / 4 x the ring's speed.
    facts = judge_document(with_pools(gpu_job(), workers={"replicaCount": 3}))[0].facts
    levels = Levels(parameters={"reducer-break-even": {"speedup": least}})
    assert places("reducer-break-even", facts, levels) == [("advice", "pools.reducers")] * reported


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({}, False),
        ({"accelerator_count": 1}, True),
        ({"accelerator_type": "NVIDIA_TESLA_T4"}, True),
        ({"accelerator_count": 1, "machine_type": None}, True),
    ],
)
def test_a_part_of_an_accelerator_is_one(changes: dict[str, Any], reported: bool) -> None:
    findings = places("reducer-without-accelerator", with_reducers(**changes))
    assert findings == [("error", "pools.reducers.acceleratorCount")] * reported


@pytest.mark.parametrize(("image", "reported"), [("acme/byteps-server:1", False), (SERVER, True), (None, True)])
def test_off_vertex_the_server_is_ones_own(image: str | None, reported: bool) -> None:
    facts = with_reducers(replace(JOB, platform="gke"), image=image)
    assert places("reducer-image", facts) == [("error", "pools.reducers.container.imageUri")] * reported
