"""How a job's plan sizes its reducers: by machine, by count, by `auto`, and not at all where something is not known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job, plan_job, with_pools
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job

SERVER = {"container": {"imageUri": "x/server"}}


def planned(document: dict[str, Any], unknown: frozenset[str] = frozenset(), **options: Any) -> JobPlan:
    value = read_job(document).value
    assert value is not None
    return plan_job("job", value, unknown=unknown, **options)


def sized(document: dict[str, Any], unknown: frozenset[str] = frozenset()) -> tuple[str | None, int] | None:
    plan = planned(document, unknown)
    [reducers] = [pool for pool in plan.pools if pool.role == "reducers"]
    if plan.sizing is None:
        return None
    assert (plan.sizing.pool.machine_type, plan.sizing.pool.replica_count) == (
        reducers.machine_type,
        reducers.replica_count,
    )
    return reducers.machine_type, reducers.replica_count


def reducers(**fields: Any) -> dict[str, Any]:
    return with_pools(gpu_job(), reducers=fields)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (reducers(machineType="n1-highcpu-16"), ("n1-highcpu-16", 16)),
        (reducers(replicaCount=3), ("n1-highcpu-16", 3)),
        (reducers(machineType="n1-highcpu-32", replicaCount=3), ("n1-highcpu-32", 3)),
        (reducers(machineType="auto"), ("n1-highcpu-16", 16)),
        (reducers(machineType="auto", replicaCount=3), ("n1-highcpu-16", 3)),
        ({**reducers(machineType="auto", **SERVER), "platform": "gke"}, ("n2-highcpu-80", 5)),
        ({**reducers(machineType="auto", replicaCount=3, **SERVER), "platform": "gke"}, ("n2-highcpu-80", 3)),
        ({**reducers(machineType="n2-highcpu-32", **SERVER), "platform": "gke"}, ("n2-highcpu-32", 10)),
        (reducers(machineType="n2-highcpu-32"), ("n2-highcpu-32", 16)),
        (reducers(machineType="no-such-machine"), None),
        (reducers(machineType="no-such-machine", replicaCount=3), None),
    ],
)
def test_the_size(document: dict[str, Any], expected: tuple[str, int] | None) -> None:
    assert sized(document) == expected


@pytest.mark.parametrize(
    ("place", "known"),
    [
        ("pools.primary.machineType", False),
        ("pools.workers.replicaCount", False),
        ("pools.workers.container.imageUri", False),
        ("pools.evaluators.machineType", True),
        ("pools.workersX.machineType", True),
        ("labels", True),
    ],
)
def test_what_is_not_known_of_the_trainers_leaves_it_open(place: str, known: bool) -> None:
    assert (sized(gpu_job(), frozenset({place})) is not None) is known


@pytest.mark.parametrize(
    ("platform", "each", "tier1"), [("vertex", 32, False), ("gke", 50, True), ("kubernetes", 50, True)]
)
def test_the_bandwidth_of_a_number_that_is_declared(platform: str, each: int, tier1: bool) -> None:
    document = {**reducers(machineType="n2-highcpu-32", replicaCount=3, **SERVER), "platform": platform}
    plan = planned(document)
    assert plan.sizing is not None
    assert (plan.sizing.pool.gbps_each, plan.sizing.pool.gbps, plan.sizing.pool.tier1) == (each, 3 * each, tier1)


def test_a_primary_that_names_no_machine_is_passed_over() -> None:
    workers = {"machineType": "a2-highgpu-8g", "replicaCount": 4}
    document = {**with_pools(gpu_job(), primary={"replicaCount": 1}, workers=workers), "platform": "kubernetes"}
    plan = planned(document)
    assert plan.sizing is not None
    assert [group.count for group in plan.sizing.nodes] == [4]


def test_a_trainer_that_is_not_in_the_catalogue_leaves_it_open() -> None:
    document = gpu_job()
    document["pools"]["primary"] = {"machineType": "no-such-machine"}
    assert sized(document) is None
    # The count that is declared is kept, though nothing can be estimated of it.
    document["pools"]["reducers"] = {"machineType": "n1-highcpu-16", "replicaCount": 3}
    plan = planned(document)
    assert plan.sizing is not None
    assert plan.sizing.nodes == ()


def test_pools_beside_the_trainers_take_no_part() -> None:
    document = with_pools(gpu_job(), evaluators={"machineType": "n1-standard-4"})
    plan = planned(document)
    assert plan.sizing is not None
    assert [group.count for group in plan.sizing.nodes] == [1, 4]
    assert plan.sizing.node_count == 5


@pytest.mark.parametrize("count", [{}, {"replicaCount": 3}])
def test_auto_that_finds_nothing_is_no_machine(count: dict[str, int]) -> None:
    auto = {"machineType": "auto", **count}
    plan = planned(gpu_job(pools={"primary": {"machineType": "no-such-machine"}, "reducers": auto}))
    assert plan.sizing is None
    assert [pool.machine_type for pool in plan.pools if pool.role == "reducers"] == [None]


@pytest.mark.parametrize(("region", "gbps"), [("us-central1", 200), ("asia-south1", 400)])
def test_the_region_of_the_job_counts(region: str, gbps: int) -> None:
    pools = {"primary": {"machineType": "a3-edgegpu-8g"}, "workers": {"replicaCount": 1}}
    document = {
        "platform": "gke",
        "container": {"imageUri": IMAGE},
        "pools": {**pools, "reducers": {"machineType": "n1-highcpu-16", **SERVER}},
    }
    plan = planned(document, region=region)
    assert plan.sizing is not None
    assert {group.ring_gbps for group in plan.sizing.nodes} == {gbps}
