"""What reducers buy: the arithmetic of docs/reduction-server.md."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trainingjobs.estimates.cost import PoolCost
from trainingjobs.estimates.gain import Gain, gain
from trainingjobs.estimates.reducers import Nodes, ReducerPool, Sizing, Verdict


def cost(pool: str, usd: float | None) -> PoolCost:
    return PoolCost(
        job="j",
        pool=pool,
        path=f"pools.{pool}",
        machine_type="m",
        replica_count=1,
        parallel_trials=1,
        strategy=None,
        usd_per_hour=usd,
        unsure="",
        date="2026-01-01",
    )


def sized(speedup: Fraction | None, *rings: tuple[int, int]) -> Sizing:
    groups = tuple(
        Nodes(count=count, host_gbps=Fraction(100), ring_gbps=Fraction(ring), has_gpu_nics=False, accelerators=8)
        for count, ring in rings
    )
    pool = ReducerPool(machine_type="m", replica_count=1, gbps_each=Fraction(32), tier1=False, usd_per_hour=1.0)
    return Sizing(pool=pool, nodes=groups, verdict=Verdict(speedup=speedup, break_even_gbps=None, best_speedup=speedup))


COSTS = [cost("primary", 30.0), cost("workers", 90.0), cost("reducers", 30.0)]


def test_a_step_of_four_nodes() -> None:
    # Ring: 2 (4 - 1) / 4 x 8 Gb / 100 Gbps = 0.12 s a GB; at 1.5 x its speed a third of that is saved.
    result = gain(sized(Fraction(3, 2), (4, 100)), COSTS)
    assert result is not None
    assert result.usd_per_hour == 30.0
    assert result.share == pytest.approx(0.2)
    assert result.speedup == 1.5
    assert result.seconds_saved == pytest.approx(0.04)
    assert result.usd_saved == pytest.approx(0.04 * 120 / 3600)
    # A fourth dearer: f (1 - 1/1.5) = 0.25 / 1.25.
    assert result.pays_from == pytest.approx(0.6)


def test_the_slowest_nodes_are_the_rings() -> None:
    mixed = gain(sized(Fraction(3, 2), (2, 100), (2, 50), (0, 1)), COSTS)
    assert mixed is not None
    assert mixed.seconds_saved == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("sizing", "costs"),
    [
        (None, COSTS),
        (sized(None, (4, 100)), COSTS),
        (sized(Fraction(2), (4, 100)), COSTS[:2]),
        (sized(Fraction(2), (4, 100)), [*COSTS[:2], cost("reducers", None)]),
        (sized(Fraction(2), (4, 100)), [cost("primary", None), *COSTS[1:]]),
        (sized(Fraction(2), (4, 100)), [cost("primary", 0.0), cost("reducers", 3.0)]),
    ],
    ids=["no sizing", "no speed-up", "no reducers", "price of reducers", "price of trainers", "nothing beside"],
)
def test_what_cannot_be_known_is_not_estimated(sizing: Sizing | None, costs: list[PoolCost]) -> None:
    assert gain(sizing, costs) is None


@pytest.mark.parametrize(
    ("speedup", "reducers", "pays"),
    [
        (Fraction(1), 30.0, None),  # no faster
        (Fraction(1, 2), 30.0, None),
        (Fraction(2), 120.0, 1.0),  # twice the price for half the time: where a step is nothing but all-reduce
        (Fraction(2), 121.0, None),
        (Fraction(5, 4), 12.0, pytest.approx(0.1 / 1.1 / 0.2)),
    ],
)
def test_from_which_share_of_a_step_they_pay(speedup: Fraction, reducers: float, pays: float | None) -> None:
    result = gain(sized(speedup, (4, 100)), [*COSTS[:2], cost("reducers", reducers)])
    assert isinstance(result, Gain)
    assert result.pays_from == pays
