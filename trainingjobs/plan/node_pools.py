"""The GKE node pools of a stack: one for each distinct machine, accelerator, consumption model and wiring.

Pools of jobs that are alike share a node pool. Its name holds a digest of everything that GKE cannot change in place,
so that another machine or consumption model is a new pool beside the old one, never a surprise replacement.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from trainingjobs import catalog
from trainingjobs.estimates.reducers import AUTO
from trainingjobs.facts.infrastructure import STRATEGIES, Strategy
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.rules.consumption import FLEX_SECONDS
from trainingjobs.spec.job import ReservationAffinity
from trainingjobs.spec.node_pool import NodePool as Settings

NAME_LIMIT = 40
DIGEST_LENGTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool:
    """One node pool. `max_nodes` is the sum of the replicas that run on it; the least is 0. Disk in GB, times in s."""

    name: str
    machine_type: str
    accelerator_type: str | None
    accelerator_count: int
    strategy: Strategy
    queued: bool
    reservation: ReservationAffinity | None
    max_run_seconds: int | None
    compact: bool
    fast_socket: bool
    gpu_driver_version: str
    local_ssd_count: int
    gpu_networks: int
    zones: tuple[str, ...]
    tier1: bool
    min_cpu_platform: str | None
    boot_disk_type: str | None
    boot_disk_size_gb: int | None
    reducers: bool
    max_nodes: int


def node_pools(plans: Iterable[JobPlan]) -> tuple[tuple[NodePool, ...], dict[tuple[str, str], str]]:
    """Returns the node pools by name, and (job, role) → the name of the pool that it runs on."""
    pools: dict[str, NodePool] = {}
    users: dict[tuple[str, str], str] = {}
    for plan in plans:
        for pool in plan.pools if plan.job.platform == "gke" else ():
            planned = node_pool(plan, pool)
            if planned is None:
                continue
            known = pools.get(planned.name)
            pools[planned.name] = planned if known is None else _joined(known, planned)
            users[plan.name, pool.role] = planned.name
    return tuple(pools[name] for name in sorted(pools)), users


def node_pool(plan: JobPlan, pool: PlannedPool) -> NodePool | None:
    """Returns the node pool that a job's pool asks for, None where it runs on VMs or its machine is not known."""
    if pool.machine_type in (None, AUTO) or pool.instance_group is not None or not pool.replica_count:
        return None
    machine = str(pool.machine_type)
    settings = pool.node_pool or Settings.model_validate({})
    accelerator = pool.accelerator_type if pool.accelerator_count else None
    # Flex-start sells accelerators only: a job's other pools are bought on demand.
    strategy = STRATEGIES.get(plan.facts.strategy, "STANDARD")
    strategy = "STANDARD" if strategy == "FLEX_START" and not accelerator else strategy
    reducers = pool.role == "reducers"
    unnamed = NodePool(
        name="",
        machine_type=machine,
        accelerator_type=accelerator,
        accelerator_count=pool.accelerator_count,
        strategy=strategy,
        queued=settings.queued_provisioning,
        reservation=pool.reservation_affinity,
        max_run_seconds=_max_run(plan, strategy, settings.queued_provisioning),
        compact=settings.placement_policy == "COMPACT",
        fast_socket=settings.fast_socket,
        gpu_driver_version=settings.gpu_driver_version,
        local_ssd_count=local_ssds(machine) if settings.local_ssd_count is None else settings.local_ssd_count,
        gpu_networks=settings.gpu_networks or 0,
        zones=settings.node_locations or (),
        tier1=reducers and catalog.tier1_gbps(machine, "gke") is not None,
        min_cpu_platform=min_cpu_platform(machine) if reducers else None,
        boot_disk_type=pool.boot_disk_type,
        boot_disk_size_gb=pool.boot_disk_size_gb,
        reducers=reducers,
        max_nodes=pool.replica_count,
    )
    return replace(unnamed, name=_name(unnamed))


def local_ssds(machine_type: str) -> int:
    """Returns the local SSDs of 375 GB that come with a machine."""
    machine = catalog.machine(machine_type)
    return machine.local_ssds if machine else 0


def min_cpu_platform(machine_type: str) -> str | None:
    """Returns the oldest CPU platform on which a reducer has its machine's bandwidth, None where any will do."""
    machine = catalog.machine(machine_type)
    return machine.min_cpu_platform or None if machine else None


def _max_run(plan: JobPlan, strategy: Strategy, queued: bool) -> int | None:
    """Machines that are queued for end by themselves: with the job's timeout, at the latest after seven days."""
    if strategy != "FLEX_START" and not queued:
        return None
    return min(FLEX_SECONDS, round(plan.facts.timeout)) if plan.facts.timeout else FLEX_SECONDS


def _joined(first: NodePool, second: NodePool) -> NodePool:
    seconds = [pool.max_run_seconds for pool in (first, second) if pool.max_run_seconds is not None]
    return replace(
        first, max_nodes=first.max_nodes + second.max_nodes, max_run_seconds=max(seconds) if seconds else None
    )


def _name(pool: NodePool) -> str:
    words = [pool.machine_type]
    words += {"SPOT": ["spot"], "FLEX_START": ["flex"]}.get(pool.strategy, [])
    words += ["queued"] if pool.queued else []
    words += ["reserved"] if pool.reservation and pool.reservation.values else []
    words += ["reducers"] if pool.reducers else []
    identity = json.dumps(_identity(pool), sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(identity.encode()).hexdigest()[:DIGEST_LENGTH]
    return f"{'-'.join(words)[: NAME_LIMIT - DIGEST_LENGTH - 1].rstrip('-')}-{digest}"


def _identity(pool: NodePool) -> dict[str, Any]:
    """Returns what makes two pools different; the number of nodes does not, nor what GKE changes in place."""
    fields = (
        "machine_type", "accelerator_type", "accelerator_count", "strategy", "queued", "compact", "gpu_driver_version",
        "local_ssd_count", "gpu_networks", "zones", "tier1", "min_cpu_platform", "reducers",
    )  # fmt: skip
    identity = {name: getattr(pool, name) for name in fields if getattr(pool, name) not in (None, 0, ())}
    if pool.reservation is not None:
        identity["reservation"] = pool.reservation.model_dump(exclude_none=True)
    return identity
