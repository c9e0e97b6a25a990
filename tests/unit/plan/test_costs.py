"""What pools cost: every field of a line, and what is said where a price is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from infra import catalog
from infra.plan.cost import PoolCost, job_usd_per_hour, known_sum, pool_costs
from infra.plan.facts import JobFacts, PoolFacts
from infra.plan.props import to_props
from tests.unit.jobs import IMAGE, SERVER, gpu_job, judge_document

POOL = PoolFacts(role="primary", position=0, path="pools.primary", machine_type="n1-highcpu-16", replica_count=3)
JOB = JobFacts(name="j", path="", pools=(POOL,))
PRICE = catalog.usd_per_hour("n1-highcpu-16", None, 0)
assert PRICE.usd is not None
COST = PoolCost(
    job="j",
    pool="primary",
    path="pools.primary.machineType",
    machine_type="n1-highcpu-16",
    replica_count=3,
    parallel_trials=1,
    strategy=None,
    usd_per_hour=round(PRICE.usd * 3, 4),
    unsure=PRICE.unsure,
    date=PRICE.date,
)


def test_a_pool() -> None:
    assert pool_costs(JOB) == [COST]
    assert COST.date


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (None, None),
        ("STANDARD", None),
        ("ON_DEMAND", None),
        ("SPOT", "SPOT"),
        ("LOW_COST", "SPOT"),
        ("FLEX_START", "FLEX_START"),
    ],
)
def test_how_it_is_bought(strategy: str | None, said: str | None) -> None:
    assert pool_costs(replace(JOB, strategy=strategy)) == [replace(COST, strategy=said)]


def test_all_trials_at_once() -> None:
    assert PRICE.usd is not None
    [cost] = pool_costs(replace(JOB, parallel_trials=4))
    assert (cost.parallel_trials, cost.usd_per_hour) == (4, round(PRICE.usd * 12, 4))


@pytest.mark.parametrize(("count", "machine"), [(0, "n1-highcpu-16"), (3, "no-such-machine"), (3, None)])
def test_a_price_that_is_not_known_is_none_and_never_0(count: int, machine: str | None) -> None:
    unknown = replace(JOB, pools=(POOL, replace(POOL, replica_count=count, machine_type=machine)))
    costs = pool_costs(unknown)
    assert [cost.usd_per_hour for cost in costs] == [COST.usd_per_hour, None]
    assert costs[1].machine_type == machine
    assert job_usd_per_hour(unknown) is None
    assert known_sum(costs) == COST.usd_per_hour
    assert job_usd_per_hour(JOB) == COST.usd_per_hour


def test_a_pool_without_a_role_is_named_by_its_place_and_a_gap_costs_nothing() -> None:
    job = replace(JOB, pools=(replace(POOL, role=None, position=4), replace(POOL, gap="empty")))
    assert [cost.pool for cost in pool_costs(job)] == ["pool 4"]


def test_cents_are_kept_to_the_hundredth() -> None:
    costs = [replace(COST, usd_per_hour=usd) for usd in (0.00004, 0.00004, 1.0)]
    assert known_sum(costs) == 1.0001
    assert known_sum([]) == 0


def test_prices_of_ones_own_go_before_the_catalogues() -> None:
    own = {("machine", "n1-highcpu-16"): catalog.Price(2.0, "guessed", "2026-01-01")}
    [cost] = pool_costs(JOB, own)
    assert (cost.usd_per_hour, cost.unsure, cost.date) == (6.0, "guessed", "2026-01-01")


def test_what_a_component_shows_of_a_plan() -> None:
    plan, _ = judge_document(gpu_job())
    props = to_props(plan)
    trainer = {"machineType": "n1-highmem-96", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 8}
    assert props["pools"] == [
        {"role": "primary", **trainer, "replicaCount": 1, "imageUri": IMAGE},
        {"role": "workers", **trainer, "replicaCount": 4, "imageUri": IMAGE},
        {
            "role": "reducers",
            "machineType": "n1-highcpu-16",
            "acceleratorType": None,
            "acceleratorCount": 0,
            "replicaCount": 16,
            "imageUri": SERVER,
        },
    ]
    assert {key: props[key] for key in ("platform", "kind", "framework", "region", "environment", "run")} == {
        "platform": "vertex",
        "kind": "customJob",
        "framework": "tensorflow",
        "region": "us-central1",
        "environment": None,
        "run": 1,
    }
    assert (props["reducerCount"], props["trainersEgressGbps"], props["reducersEgressGbps"]) == (16, 500.0, 512.0)


def test_what_is_shown_without_reducers() -> None:
    document = gpu_job()
    del document["pools"]["reducers"]
    props = to_props(judge_document(document)[0])
    assert (props["reducerCount"], props["trainersEgressGbps"], props["reducersEgressGbps"]) == (0, None, None)
