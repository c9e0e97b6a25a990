"""Where a job's replicas run: its roles' node pools, with the GPU networks of each, by what the stack declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainingjobs.plan.gpu_networks import networks_of_pool
from trainingjobs.workloads.kubernetes import Placement

if TYPE_CHECKING:
    from trainingjobs.plan.infrastructure import Infrastructure
    from trainingjobs.plan.job import JobPlan


def placement(plan: JobPlan, planned: Infrastructure, service_account: str | None) -> Placement:
    """Returns where a job's replicas run; `service_account` is the one that is declared for it."""
    by_name = {pool.name: pool for pool in planned.node_pools}
    pools = {
        pool.role: by_name[planned.runs_on[plan.name, pool.role]]
        for pool in plan.pools
        if (plan.name, pool.role) in planned.runs_on
    }
    networks = {
        role: tuple(name for network in networks_of_pool(pool) for name in network.kubernetes_names)
        for role, pool in pools.items()
    }
    return Placement(
        node_pools={role: pool.name for role, pool in pools.items()},
        on_demand=frozenset(role for role, pool in pools.items() if pool.strategy == "STANDARD"),
        gpu_networks={role: names for role, names in networks.items() if names},
        service_account=service_account,
    )
