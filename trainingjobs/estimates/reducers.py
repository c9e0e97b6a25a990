"""How many reducers, of which machine, and whether they pay: the bandwidth rule and the model of an all-reduce.

The rule (Vertex AI distributed training guide, "Train using Reduction Server"): the total egress of the third worker
pool matches or exceeds that of the first and second. The model: for a message M over n nodes and a pool of R Gbps,
t_ring = 2(n-1)/n x M/B_ring with B_ring the slowest node's GPU NICs if it has any, else its egress, and
t_reducers = max(M/B_host, nM/R). It is this project's own arithmetic, unmeasured. Bandwidth in Gbps, prices in USD
per hour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from trainingjobs import catalog
from trainingjobs.catalog import Target

DEFAULT_REDUCER = "n1-highcpu-16"
AUTO = "auto"
# `auto` off Vertex: fewest replicas among pools that cost at most this many times the cheapest.
PRICE_MARGIN = Fraction(7, 4)
# A best speed-up at or under this brings nothing worth a pool.
NO_GAIN = Fraction(105, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """Identical machines that take part in the all-reduce: `host_gbps` and `ring_gbps` are of one machine."""

    count: int
    host_gbps: Fraction
    ring_gbps: Fraction
    has_gpu_nics: bool
    accelerators: int
    unsure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducerPool:
    """A pool of reducers: egress in Gbps of one and of all, USD per hour of all (None: unknown)."""

    machine_type: str
    replica_count: int
    gbps_each: Fraction
    tier1: bool
    usd_per_hour: float | None

    @property
    def gbps(self) -> Fraction:
        """Returns the egress of the whole pool in Gbps."""
        return self.gbps_each * self.replica_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the model says of a pool: speed-up over the ring, the pool's Gbps at break-even, the best speed-up there is.

    All None for fewer than two nodes; break_even None where no pool wins.
    """

    speedup: Fraction | None
    break_even_gbps: Fraction | None
    best_speedup: Fraction | None


def gbps(value: float) -> Fraction:
    """Returns a catalogue figure as an exact number, so that 500 / 32 rounds the same everywhere."""
    return Fraction(str(value))


def nodes_of(
    machine_type: str, accelerator_type: str | None, accelerator_count: int, count: int, target: Target, region: str
) -> Nodes | None:
    """Returns the nodes of a pool of workers, None where the machine is not in the catalogue."""
    machine = catalog.machine(machine_type)
    egress = catalog.egress(
        machine_type, accelerator_type, accelerator_count, platform=target, tier1=False, region=region
    )
    if machine is None or egress is None:
        return None
    nics = bool(machine.gpu_nics)
    return Nodes(
        count=count,
        host_gbps=gbps(egress.host_gbps),
        ring_gbps=gbps(egress.gpu_nic_gbps) if nics else gbps(egress.total_gbps),
        has_gpu_nics=nics,
        accelerators=accelerator_count,
        unsure=egress.unsure,
    )


def needed_gbps(nodes: Iterable[Nodes]) -> Fraction:
    """Returns the egress that the reducers have to match: of all nodes, over the NIC that reducers are reached by."""
    return sum((group.host_gbps * group.count for group in nodes), Fraction(0))


def reducer_gbps(machine_type: str, target: Target, region: str) -> tuple[Fraction, bool] | None:
    """Returns the egress of one reducer and whether it is Tier_1; None where the machine is not in the catalogue.

    Reducers off Vertex use Tier_1 whenever their machine has it; Vertex cannot select it.
    """
    tier1 = catalog.tier1_gbps(machine_type, target) is not None
    egress = catalog.egress(machine_type, None, 0, platform=target, tier1=tier1, region=region)
    return None if egress is None else (gbps(egress.host_gbps), tier1)


def pool_of(machine_type: str, total: Fraction, target: Target, region: str) -> ReducerPool | None:
    """Returns the smallest pool of a machine whose egress is at least `total`; None where the machine is unknown."""
    egress = reducer_gbps(machine_type, target, region)
    if egress is None or not egress[0]:
        return None
    return priced(machine_type, max(1, math.ceil(total / egress[0])), egress)


def priced(machine_type: str, count: int, egress: tuple[Fraction, bool]) -> ReducerPool:
    """Returns a pool of `count` reducers with its price."""
    usd = catalog.usd_per_hour(machine_type, None, 0).usd
    return ReducerPool(
        machine_type=machine_type,
        replica_count=count,
        gbps_each=egress[0],
        tier1=egress[1],
        usd_per_hour=None if usd is None else round(usd * count, 6),
    )


def alternatives(total: Fraction, target: Target, region: str) -> tuple[ReducerPool, ...]:
    """Returns the pools of every proven machine of known price, cheapest first."""
    pools = []
    for name in catalog.machine_names():
        machine = catalog.machine(name)
        if machine is None or not machine.proven_reducer or catalog.on_platform(name, target) is not None:
            continue
        pool = pool_of(name, total, target, region)
        if pool is not None and pool.usd_per_hour is not None:
            pools.append(pool)
    return tuple(sorted(pools, key=lambda p: (p.usd_per_hour, p.replica_count, p.machine_type)))


def auto_pool(total: Fraction, target: Target, region: str) -> ReducerPool | None:
    """Returns the pool that `auto` chooses.

    On Vertex n1-highcpu-16: every proven machine there has 32 Gbps, and it is the cheapest. Elsewhere the fewest
    replicas whose price is at most 1.75 x the cheapest pool's: documents and workers want few connections.
    """
    if target == "vertex":
        return pool_of(DEFAULT_REDUCER, total, target, region)
    pools = alternatives(total, target, region)
    if not pools:
        return None
    limit = Fraction(str(pools[0].usd_per_hour)) * PRICE_MARGIN
    affordable = [pool for pool in pools if Fraction(str(pool.usd_per_hour)) <= limit]
    return min(affordable, key=lambda p: (p.replica_count, p.usd_per_hour, p.machine_type))


def verdict(nodes: Sequence[Nodes], pool_gbps: Fraction) -> Verdict:
    """Returns what the model says of a pool of `pool_gbps` for the nodes."""
    n = sum(group.count for group in nodes)
    if n < 2 or not pool_gbps:
        return Verdict(speedup=None, break_even_gbps=None, best_speedup=None)
    ring = min(group.ring_gbps for group in nodes if group.count)
    host = min(group.host_gbps for group in nodes if group.count)
    t_ring = Fraction(2 * (n - 1), n) / ring
    t_reducers = max(1 / host, n / pool_gbps)
    has_break_even = 1 / host <= t_ring
    return Verdict(
        speedup=t_ring / t_reducers, break_even_gbps=n / t_ring if has_break_even else None, best_speedup=t_ring * host
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """The reducer pool beside what it has to match (Gbps) and what the model says of it."""

    pool: ReducerPool
    nodes: tuple[Nodes, ...]
    verdict: Verdict

    @property
    def node_count(self) -> int:
        """Returns the nodes that take part in the all-reduce."""
        return sum(group.count for group in self.nodes)
