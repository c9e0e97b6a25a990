"""What pools cost: every field of a line, and what is shown where a price is not known."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.unit.jobs import IMAGE, SERVER, gpu_job, judge_document
from trainingjobs import catalog
from trainingjobs.estimates.cost import PoolCost, job_usd_per_hour, known_sum, pool_costs, usd
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.plan.properties import to_props

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
    usd_per_hour=PRICE.usd * 3,
    unsure=PRICE.unsure,
    date=PRICE.date,
)


def test_a_pool() -> None:
    assert pool_costs(JOB) == [COST]
    assert COST.date


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (None, None),
        ("STANDARD", None),
        ("ON_DEMAND", None),
        ("SPOT", "SPOT"),
        ("LOW_COST", "SPOT"),
        ("FLEX_START", "FLEX_START"),
    ],
)
def test_how_it_is_bought(strategy: str | None, expected: str | None) -> None:
    assert pool_costs(replace(JOB, strategy=strategy)) == [replace(COST, strategy=expected)]


def test_all_trials_at_once() -> None:
    assert PRICE.usd is not None
    [cost] = pool_costs(replace(JOB, parallel_trials=4))
    assert (cost.parallel_trials, cost.usd_per_hour) == (4, PRICE.usd * 12)


@pytest.mark.parametrize(("count", "machine"), [(0, "n1-highcpu-16"), (3, "no-such-machine"), (3, None)])
def test_a_price_that_is_not_known_is_none_and_never_0(count: int, machine: str | None) -> None:
    unknown = replace(JOB, pools=(POOL, replace(POOL, replica_count=count, machine_type=machine)))
    costs = pool_costs(unknown)
    assert [cost.usd_per_hour for cost in costs] == [COST.usd_per_hour, None]
    assert costs[1].machine_type == machine
    assert job_usd_per_hour(unknown) is None
    assert known_sum(costs) == job_usd_per_hour(JOB) == round(COST.usd_per_hour or 0, 4)


def test_a_pool_without_a_role_is_named_by_its_place_and_a_gap_costs_nothing() -> None:
    job = replace(JOB, pools=(replace(POOL, role=None, position=4), replace(POOL, gap="empty")))
    assert [cost.pool for cost in pool_costs(job)] == ["pool 4"]


def test_a_sum_is_rounded_once() -> None:
    reducers = replace(POOL, role="reducers", replica_count=10)
    trainers = replace(POOL, machine_type="a2-highgpu-8g", replica_count=3)
    # 3 x 29.38708 + 10 x 0.566789 = 93.82913; of pools that are rounded first 93.8292.
    assert job_usd_per_hour(replace(JOB, pools=(trainers, reducers))) == 93.8291
    assert usd(*[0.1] * 3) == 0.3
    assert usd(0.00004, 0.00004) == 0.0001
    assert usd() == 0
    assert usd(1.0, math.inf) == math.inf


def test_the_noise_of_binary_figures_decides_nothing() -> None:
    # Both are a half at the fifth decimal, of which binary figures are a little more or less.
    assert (usd(1.00005), usd(1.00015)) == (1.0, 1.0002)
    assert usd(1.0001499996) == 1.0002


def test_cents_are_kept_to_the_hundredth() -> None:
    costs = [replace(COST, usd_per_hour=usd) for usd in (0.00004, 0.00004, 1.0)]
    assert known_sum(costs) == 1.0001
    assert known_sum([]) == 0


def test_prices_of_ones_own_go_before_the_catalogues() -> None:
    own = {("machine", "n1-highcpu-16"): catalog.Price(2.0, "guessed", "2026-01-01")}
    [cost] = pool_costs(JOB, own)
    assert (cost.usd_per_hour, cost.unsure, cost.date) == (6.0, "guessed", "2026-01-01")
    [free] = pool_costs(JOB, {("machine", "n1-highcpu-16"): catalog.Price(0.0, "", "2026-01-01")})
    assert free.usd_per_hour == 0.0


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
