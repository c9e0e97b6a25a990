"""A job's plan as the properties of its component: what policies and other stacks see."""

from __future__ import annotations

from typing import Any

from trainingjobs.estimates.cost import job_usd_per_hour
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool


def to_props(plan: JobPlan) -> dict[str, Any]:
    """Returns the plan as plain values. Bandwidth in Gbps, prices in USD per hour; null where not known."""
    sizing = plan.sizing
    return {
        "name": plan.name,
        "platform": plan.job.platform,
        "kind": plan.kind,
        "framework": plan.job.framework,
        "region": plan.region,
        "environment": plan.environment,
        "run": plan.job.run,
        "pools": [_pool(pool) for pool in plan.pools],
        "reducerCount": sizing.pool.replica_count if sizing else 0,
        "trainersEgressGbps": float(sum(n.host_gbps * n.count for n in sizing.nodes)) if sizing else None,
        "reducersEgressGbps": float(sizing.pool.gbps) if sizing else None,
        "usdPerHour": job_usd_per_hour(plan.facts),
    }


def _pool(pool: PlannedPool) -> dict[str, Any]:
    return {
        "role": pool.role,
        "machineType": pool.machine_type,
        "acceleratorType": pool.accelerator_type,
        "acceleratorCount": pool.accelerator_count,
        "replicaCount": pool.replica_count,
        "imageUri": pool.image,
    }
