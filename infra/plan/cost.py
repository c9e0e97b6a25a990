"""What pools cost: USD per hour from the catalogue, on demand, us-central1; unknown prices are said, never 0."""

from __future__ import annotations

from dataclasses import dataclass

from infra import catalog
from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCost:
    """One pool's USD per hour, of all its replicas; None where the price is unknown."""

    job: str
    pool: str
    machine_type: str | None
    replica_count: int
    usd_per_hour: float | None
    unsure: str


def pool_costs(plan: JobPlan) -> list[PoolCost]:
    """Returns the cost of each pool of a job, in order."""
    return [_cost(plan.name, pool) for pool in plan.pools]


def job_usd_per_hour(plan: JobPlan) -> float | None:
    """Returns the USD per hour of a job's pools together, None where one of them is unknown."""
    costs = [cost.usd_per_hour for cost in pool_costs(plan)]
    return None if any(cost is None for cost in costs) else round(sum(cost for cost in costs if cost is not None), 4)


def _cost(job: str, pool: PlannedPool) -> PoolCost:
    price = catalog.usd_per_hour(pool.machine_type or "", pool.accelerator_type, pool.accelerator_count)
    return PoolCost(
        job=job,
        pool=pool.role,
        machine_type=pool.machine_type,
        replica_count=pool.replica_count,
        usd_per_hour=None if price.usd is None else round(price.usd * pool.replica_count, 4),
        unsure=price.unsure,
    )
