"""The rule of how machines are bought: strategy, reservation, queued provisioning and placement together.

A job's document and a node pool by itself are judged alike: `capacities` makes one view of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from trainingjobs import catalog
from trainingjobs.core.findings import quote
from trainingjobs.facts.infrastructure import STRATEGIES, NodePoolFacts, Strategy
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule

GKE = "GKE, About GPU consumption options; cluster-toolkit, gke-node-pool preconditions"
FLEX_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """One pool's way of being bought; `at` gives the path of a field of the pool, `job_at` of the job's own."""

    at: Callable[[str], str]
    job_at: Callable[[str], str]
    platform: str
    role: str | None
    machine_type: str
    has_accelerators: bool
    strategy: Strategy
    reservation: str
    reservation_values: tuple[str, ...]
    queued: bool
    compact: bool
    zones: tuple[str, ...] | None
    timeout: float | None
    gpu_networks: int


def capacities(facts: JobFacts | NodePoolFacts) -> Iterator[Capacity]:
    """Yields what a job's pools, or one node pool, ask for; raises NotKnownError at the first that is not known."""
    if isinstance(facts, NodePoolFacts):
        yield _of_node_pool(facts)
        facts.need("reservationAffinity", "scheduling.strategy", "nodePool.queuedProvisioning", "machineType")
        facts.need("nodePool.placementPolicy")
        return
    facts.need("scheduling", "scheduling.strategy")
    for pool in facts.pools:
        if not pool.gap and facts.platform != "kubernetes":
            yield _of_job_pool(facts, pool)
    facts.need("workerPoolSpecs")
    for pool in facts.pools:
        pool.need("reservationAffinity", "machineType")


def _of_job_pool(job: JobFacts, pool: PoolFacts) -> Capacity:
    return Capacity(
        at=pool.at,
        job_at=job.at,
        platform=job.platform,
        role=pool.role,
        machine_type=pool.machine_type or "",
        has_accelerators=bool(pool.accelerator_count),
        strategy=STRATEGIES.get(job.strategy, "STANDARD"),
        reservation=pool.reservation or "NO_RESERVATION",
        reservation_values=pool.reservation_values,
        queued=pool.queued,
        compact=pool.compact,
        zones=pool.zones,
        timeout=job.timeout,
        gpu_networks=pool.gpu_networks,
    )


def _of_node_pool(facts: NodePoolFacts) -> Capacity:
    return Capacity(
        at=facts.at,
        job_at=facts.at,
        platform="gke",
        role=None,
        machine_type=facts.machine_type or "",
        has_accelerators=facts.has_accelerators,
        strategy=facts.strategy,
        reservation=facts.reservation or "NO_RESERVATION",
        reservation_values=facts.reservation_values,
        queued=facts.queued,
        compact=facts.compact,
        zones=facts.zones,
        timeout=facts.timeout,
        gpu_networks=facts.gpu_networks,
    )


@rule(
    "consumption-model",
    summary="What a pool is bought by goes together: strategy, reservation, queued provisioning, placement.",
    fix="choose one way of buying",
    source=GKE,
    subjects=(JobFacts, NodePoolFacts),
)
def consumption_model(facts: JobFacts | NodePoolFacts) -> Iterator[Problem]:
    """A reservation is the machine's own: on demand, and of no other pool's machine."""
    pools = []
    if isinstance(facts, NodePoolFacts) and facts.is_spot_and_flex:
        yield Problem(path=facts.at("scheduling.strategy"), message="spot beside flexStart; one of the two is allowed")
    for pool in capacities(facts):
        pools.append(pool)
        yield from _reservation(pool)
        yield from _queued(pool)
        if pool.compact:
            _need_zones(facts)
            yield from _compact(pool)
    yield from _borrowed(pools)
    yield from _flex(facts, pools)
    if isinstance(facts, NodePoolFacts):
        yield from _flex_node_pool(facts)


def _need_zones(facts: JobFacts | NodePoolFacts) -> None:
    if isinstance(facts, NodePoolFacts):
        facts.need("nodePool.nodeLocations")


def _reservation(pool: Capacity) -> Iterator[Problem]:
    if pool.reservation != "NO_RESERVATION" and pool.strategy != "STANDARD":
        yield Problem(
            path=pool.at("reservationAffinity"),
            message=f"{pool.reservation} beside strategy {pool.strategy}; reserved machines are bought on demand",
            fix="remove the reservation, or use strategy STANDARD",
        )
    if pool.reservation == "SPECIFIC_RESERVATION" and not pool.reservation_values:
        yield Problem(
            path=pool.at("reservationAffinity.values"),
            message="0 reservations beside SPECIFIC_RESERVATION; it names one",
            fix="add key: compute.googleapis.com/reservation-name and values: [NAME]",
        )
    if pool.reservation != "SPECIFIC_RESERVATION" and pool.reservation_values:
        yield Problem(
            path=pool.at("reservationAffinity.values"),
            message=f"a named reservation beside {pool.reservation}, which names none",
            fix="use SPECIFIC_RESERVATION or remove key and values",
        )


def _queued(pool: Capacity) -> Iterator[Problem]:
    if not pool.queued:
        return
    path = pool.at("nodePool.queuedProvisioning")
    if pool.strategy == "SPOT":
        yield Problem(path=path, message="queued provisioning beside strategy SPOT; spot machines are not queued for")
    if pool.reservation != "NO_RESERVATION":
        yield Problem(
            path=path, message=f"queued provisioning beside {pool.reservation}; queued machines are not reserved"
        )
    if pool.compact and pool.has_accelerators:
        yield Problem(path=path, message="queued provisioning beside COMPACT placement; GPUs are queued for without it")


def _compact(pool: Capacity) -> Iterator[Problem]:
    if pool.zones is not None and len(pool.zones) != 1:
        yield Problem(
            path=pool.at("nodePool.nodeLocations"),
            message=f"{len(pool.zones)} zones named beside COMPACT placement; exactly 1 is needed",
            fix="name the one zone of the pool in nodeLocations",
        )
    machine = catalog.machine(pool.machine_type)
    if pool.strategy == "FLEX_START" and machine is not None and not machine.compact_flex:
        yield Problem(
            path=pool.at("nodePool.placementPolicy"),
            message=f"COMPACT placement beside FLEX_START on {pool.machine_type}; only A3 Ultra, A4 and H4D take both",
            fix="remove the placement policy",
        )


def _flex(facts: JobFacts | NodePoolFacts, pools: list[Capacity]) -> Iterator[Problem]:
    flexible = [pool for pool in pools if pool.strategy == "FLEX_START"]
    if not flexible:
        return
    seconds = flexible[0].timeout
    if seconds is not None and seconds > FLEX_SECONDS:
        yield Problem(
            path=flexible[0].job_at("scheduling.timeout"),
            message=f"{seconds:g}s beside FLEX_START, whose machines run for at most {FLEX_SECONDS}s (7 days)",
            fix=f"set it to {FLEX_SECONDS}s or less",
        )
    if isinstance(facts, NodePoolFacts):
        facts.need("guestAccelerators", "scheduling.timeout")
    if not any(pool.has_accelerators for pool in flexible):
        yield Problem(
            path=flexible[0].job_at("scheduling.strategy"),
            message="FLEX_START without accelerators; it sells machines with accelerators",
            fix="use STANDARD or SPOT",
            advice=flexible[0].platform == "vertex",
        )


def _flex_node_pool(facts: NodePoolFacts) -> Iterator[Problem]:
    is_said = "management.autoRepair" not in facts.unknown
    if facts.strategy == "FLEX_START" and facts.auto_repair is not False and is_said:
        yield Problem(
            path=facts.at("management.autoRepair"),
            message="not false beside flexStart; GKE does not repair flex-start machines",
            fix="set it to false",
        )
    if (facts.queued or facts.strategy == "FLEX_START") and facts.min_nodes:
        yield Problem(
            path=facts.at("autoscaling"),
            message=f"at least {facts.min_nodes} nodes of machines that are queued for; 0 is needed",
            fix="set the least number of nodes to 0",
        )
    if facts.strategy == "FLEX_START":
        facts.need("management.autoRepair")
    if facts.queued or facts.strategy == "FLEX_START":
        facts.need("autoscaling")


def _borrowed(pools: list[Capacity]) -> Iterator[Problem]:
    owners = {value: pool for pool in reversed(pools) if pool.has_accelerators for value in pool.reservation_values}
    for pool in pools:
        for value in pool.reservation_values:
            owner = owners.get(value)
            if owner is not None and owner.machine_type != pool.machine_type:
                yield Problem(
                    path=pool.at("reservationAffinity.values"),
                    message=f"{quote(value)} is {owner.role}'s reservation of {owner.machine_type}; "
                    f"{pool.machine_type} is not in it",
                    fix="remove it from this pool",
                )
