from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainingjobs import catalog
from trainingjobs.estimates import reducers as sizing

US = "us-central1"
PROVEN = [name for name in catalog.machine_names() if (known := catalog.machine(name)) and known.proven_reducer]


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


def test_the_region_decides_what_the_gpu_nics_of_an_edge_machine_carry() -> None:
    # Compute Engine, GPU machine types: 600 Gbps in two regions, 400 elsewhere, of which the host's NIC has 200.
    def ring(region: str) -> Fraction:
        group = sizing.nodes_of("a3-edgegpu-8g", "NVIDIA_H100_80GB", 8, 2, "gke", region)
        assert group is not None
        return group.ring_gbps

    assert (ring("asia-south1"), ring(US)) == (400, 200)


def test_nodes_of_a_pool() -> None:
    a100 = sizing.nodes_of("a2-highgpu-8g", "NVIDIA_TESLA_A100", 8, 3, "gke", US)
    assert a100 == sizing.Nodes(
        count=3, host_gbps=Fraction(100), ring_gbps=Fraction(100), has_gpu_nics=False, accelerators=8
    )
    assert sizing.nodes_of("no-such-machine", None, 0, 3, "gke", US) is None


def test_trainers_do_not_count_on_tier_1() -> None:
    group = sizing.nodes_of("n2-highcpu-80", None, 0, 1, "gke", US)
    assert group is not None
    assert group.host_gbps < sizing.reducer_gbps("n2-highcpu-80", "gke", US)[0]  # type: ignore[index]


@pytest.mark.parametrize("machine", ["a3-highgpu-8g", "n1-highmem-96"])
def test_doubt_about_a_figure_is_kept(machine: str) -> None:
    kind, count = catalog.built_in_accelerators(machine) or ("NVIDIA_TESLA_V100", 8)
    group, figure = (
        sizing.nodes_of(machine, kind, count, 1, "gke", US),
        catalog.egress(machine, kind, count, platform="gke", tier1=False),
    )
    assert group is not None
    assert figure is not None
    assert group.unsure == figure.unsure


def test_what_is_not_in_the_catalogue_has_no_size() -> None:
    assert sizing.reducer_gbps("no-such-machine", "gke", US) is None
    assert sizing.pool_of("no-such-machine", Fraction(100), "gke", US) is None


@pytest.mark.parametrize(
    ("machine", "target", "each"),
    [
        ("n1-highcpu-16", "gke", (32, False)),
        ("n2-highcpu-32", "vertex", (32, False)),
        ("n2-highcpu-32", "gke", (50, True)),
        ("n2-highcpu-32", "gce", (50, True)),
    ],
)
def test_tier_1_is_taken_where_machine_and_platform_have_it(
    machine: str, target: sizing.Target, each: tuple[int, bool]
) -> None:
    assert sizing.reducer_gbps(machine, target, US) == each


def test_the_price_is_of_the_whole_pool() -> None:
    pool = sizing.pool_of("n1-highcpu-16", Fraction(500), "vertex", US)
    price = catalog.usd_per_hour("n1-highcpu-16", None, 0).usd
    assert pool is not None
    assert price is not None
    assert pool.usd_per_hour == round(price * 16, 6)
    assert sizing.priced("t2d-standard-2", 2, (Fraction(10), False)).usd_per_hour is None


@pytest.mark.parametrize("target", ["vertex", "gke", "gce"])
def test_alternatives_are_sold_on_the_platform_without_accelerators_and_cheapest_first(target: sizing.Target) -> None:
    pools = sizing.alternatives(Fraction(500), target, US)
    assert [pool.usd_per_hour for pool in pools] == sorted(pool.usd_per_hour or 0 for pool in pools)
    assert {pool.machine_type for pool in pools} == {
        name
        for name in PROVEN
        if catalog.on_platform(name, target) is None and catalog.usd_per_hour(name, None, 0).usd is not None
    }
    assert not {"n2-highcpu-96", "n2-standard-128"} & {pool.machine_type for pool in pools if target == "vertex"}


def test_one_reducer_is_the_least() -> None:
    pool = sizing.pool_of("n1-highcpu-16", Fraction(1), "vertex", US)
    assert pool is not None
    assert pool.replica_count == 1
    assert sizing.needed_gbps([]) == 0


def test_the_slowest_group_decides_and_an_empty_one_does_not() -> None:
    slow, fast, none = nodes(2, host=50, ring=50), nodes(2), nodes(0, host=1, ring=1)
    assert sizing.verdict([*slow, *fast, *none], Fraction(200)) == sizing.verdict(nodes(4, 50, 50), Fraction(200))


def test_a_pool_without_bandwidth_has_no_verdict() -> None:
    assert sizing.verdict(nodes(4), Fraction(0)).speedup is None


def test_the_margin_is_over_the_cheapest_pool() -> None:
    # Seven fat machines cost more than 1.75 x the cheapest of 510 Gbps, though less than that of the second.
    pool = sizing.auto_pool(Fraction(510), "gke", US)
    assert pool is not None
    assert (pool.machine_type, pool.replica_count) == ("n2-highcpu-32", 11)
