"""What pools cost: USD per hour from the catalogue, on demand, us-central1; unknown prices are said, never 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from trainingjobs import catalog
from trainingjobs.facts.job import JobFacts, PoolFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCost:
    """One pool's USD per hour at the list price, of all its replicas in all trials at once; None: unknown.

    The amount is not rounded: `usd` is what of it is printed. `path` is where the machine is named, `strategy` how it
    is bought where that is not on demand, `unsure` what is doubtful about the price, `date` that of the copy it was
    read from.
    """

    job: str
    pool: str
    path: str
    machine_type: str | None
    replica_count: int
    parallel_trials: int
    strategy: str | None
    usd_per_hour: float | None
    unsure: str
    date: str


# Decimals of a price, wherever it is printed.
PLACES = 4
# What is bought at a discount that is not in the catalogue.
DISCOUNTED: Mapping[str | None, str] = {"SPOT": "SPOT", "LOW_COST": "SPOT", "FLEX_START": "FLEX_START"}


def pool_costs(job: JobFacts, prices: catalog.Prices | None = None) -> list[PoolCost]:
    """Returns the cost of each pool of a job, in order; `prices` in place of the catalogue's own."""
    return [_cost(job, pool, prices) for pool in job.pools if not pool.gap]


def job_usd_per_hour(job: JobFacts) -> float | None:
    """Returns the USD per hour of a job's pools together, None where one of them is unknown."""
    costs = pool_costs(job)
    return None if any(cost.usd_per_hour is None for cost in costs) else known_sum(costs)


def known_sum(costs: Iterable[PoolCost]) -> float:
    """Returns the USD per hour of the pools whose price is known, as it is printed and held against a limit."""
    return usd(*(cost.usd_per_hour for cost in costs if cost.usd_per_hour is not None))


def usd(*amounts: float) -> float:
    """Returns the sum of unrounded amounts, rounded once, to PLACES."""
    if math.inf in amounts:
        return math.inf
    # The noise of binary figures, at the sixteenth digit, would decide which way a half is rounded.
    return float(round(sum(Fraction(str(round(amount, 9))) for amount in amounts), PLACES))


def _share(pool: PoolFacts) -> float:
    """Returns what of its machine a replica takes: as much as of the accelerators that the machine brings."""
    built_in = catalog.built_in_accelerators(pool.machine_type or "") if pool.shares_machine else None
    return min(pool.accelerator_count / built_in[1], 1.0) if built_in and pool.accelerator_count else 1.0


def _cost(job: JobFacts, pool: PoolFacts, prices: catalog.Prices | None) -> PoolCost:
    price = catalog.usd_per_hour(pool.machine_type or "", pool.accelerator_type, pool.accelerator_count, prices)
    # Reducers without replicas are those whose number cannot be known: free of charge they are not.
    known = price.usd is not None and pool.replica_count > 0
    return PoolCost(
        job=job.name,
        pool=pool.role or f"pool {pool.position}",
        path=pool.at("machineType"),
        machine_type=pool.machine_type,
        replica_count=pool.replica_count,
        parallel_trials=job.parallel_trials,
        strategy=DISCOUNTED.get(job.strategy),
        usd_per_hour=(price.usd or 0.0) * _share(pool) * pool.replica_count * job.parallel_trials if known else None,
        unsure=price.unsure,
        date=price.date,
    )
