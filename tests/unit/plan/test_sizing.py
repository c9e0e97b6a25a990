from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra import catalog
from infra.plan import sizing

US = "us-central1"
PROVEN = [name for name in catalog.machine_names() if sizing.proven(name, "gke", US)]


def test_the_guides_two_cases() -> None:
    v100 = sizing.nodes_of("n1-highmem-96", "NVIDIA_TESLA_V100", 8, 5, "vertex", US)
    a100 = sizing.nodes_of("a2-megagpu-16g", "NVIDIA_TESLA_A100", 16, 8, "vertex", US)
    assert v100 is not None
    assert a100 is not None
    for nodes, count in ((v100, 16), (a100, 25)):
        pool = sizing.pool_of("n1-highcpu-16", sizing.needed_gbps([nodes]), "vertex", US)
        assert pool is not None
        assert pool.replica_count == count


@pytest.mark.parametrize(("gbps", "count"), [(500, 5), (800, 8)])
def test_auto_off_vertex_prefers_few_fat_machines(gbps: int, count: int) -> None:
    pool = sizing.auto_pool(Fraction(gbps), "gke", US)
    assert pool is not None
    assert (pool.machine_type, pool.replica_count, pool.tier1) == ("n2-highcpu-80", count, True)


def test_auto_on_vertex_is_the_documented_machine() -> None:
    pool = sizing.auto_pool(Fraction(500), "vertex", US)
    assert pool is not None
    assert (pool.machine_type, pool.replica_count, pool.tier1) == ("n1-highcpu-16", 16, False)


@given(total=st.integers(1, 100_000), machine=st.sampled_from(PROVEN), target=st.sampled_from(["vertex", "gke", "gce"]))
def test_a_pool_suffices_and_one_fewer_does_not(total: int, machine: str, target: sizing.Target) -> None:
    pool = sizing.pool_of(machine, Fraction(total), target, US)
    assert pool is not None
    assert pool.gbps >= total
    assert pool.gbps - pool.gbps_each < total


@given(total=st.integers(1, 20_000), target=st.sampled_from(["gke", "gce"]))
def test_auto_is_within_the_price_margin_of_the_cheapest(total: int, target: sizing.Target) -> None:
    pool = sizing.auto_pool(Fraction(total), target, US)
    cheapest = sizing.alternatives(Fraction(total), target, US)[0]
    assert pool is not None
    assert pool.usd_per_hour is not None
    assert cheapest.usd_per_hour is not None
    assert pool.usd_per_hour <= cheapest.usd_per_hour * 1.75 + 1e-6
    assert pool.replica_count <= cheapest.replica_count


def nodes(count: int, host: int = 100, ring: int = 100) -> list[sizing.Nodes]:
    return [
        sizing.Nodes(
            count=count,
            host_gbps=Fraction(host),
            ring_gbps=Fraction(ring),
            has_gpu_nics=ring != host,
            accelerators=8,
        )
    ]


@pytest.mark.parametrize(("n", "speedup"), [(2, 1), (4, Fraction(3, 2)), (8, Fraction(7, 4)), (16, Fraction(15, 8))])
def test_best_speedup_over_the_ring(n: int, speedup: Fraction) -> None:
    assert sizing.verdict(nodes(n), Fraction(n * 100)).speedup == speedup


@given(n=st.integers(2, 500))
def test_at_break_even_both_are_equally_fast(n: int) -> None:
    even = sizing.verdict(nodes(n), Fraction(1)).break_even_gbps
    assert even is not None
    assert sizing.verdict(nodes(n), even).speedup == 1
    assert even / (n * 100) == Fraction(n, 2 * (n - 1))


def test_one_node_has_no_verdict() -> None:
    assert sizing.verdict(nodes(1), Fraction(100)) == sizing.Verdict(
        speedup=None, break_even_gbps=None, best_speedup=None
    )


@pytest.mark.parametrize("machine", ["a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g"])
def test_machines_with_gpu_nics_never_win(machine: str) -> None:
    implied = catalog.built_in_accelerators(machine)
    assert implied is not None
    group = sizing.nodes_of(machine, *implied, 8, "gke", US)
    assert group is not None
    says = sizing.verdict([group], sizing.needed_gbps([group]))
    assert says.break_even_gbps is None
    assert says.speedup is not None
    assert 0.2 < says.speedup < 0.45
