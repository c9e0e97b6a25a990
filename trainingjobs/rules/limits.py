"""Rules of what a stack may cost and hold: its limits, over all jobs together.

At the gate of one resource they judge that job together with those that came before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainingjobs import catalog
from trainingjobs.core.findings import quote
from trainingjobs.estimates.cost import known_sum, pool_costs
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.facts.stack import StackFacts
from trainingjobs.rules.registry import Problem, rule

CONFIGURATION = "docs/configuration.md, training:limits"


@rule(
    "hourly-cost",
    summary="The pools of a stack together cost at most maxUsdPerHour.",
    fix="use fewer or smaller machines, or raise the limit",
    source=CONFIGURATION,
    subjects=(StackFacts,),
)
def hourly_cost(stack: StackFacts) -> Iterator[Problem]:
    """List prices on demand, us-central1. A pool of unknown price is not in the sum: an error in prod, else advice."""
    stack.need("maxUsdPerHour")
    limit = stack.max_usd_per_hour
    if limit is None:
        return
    costs = [cost for job in stack.jobs for cost in pool_costs(job)]
    total = known_sum(costs)
    if total > limit:
        costliest = max(
            (cost for cost in costs if cost.usd_per_hour is not None), key=lambda cost: cost.usd_per_hour or 0
        )
        yield Problem(
            path=stack.at("maxUsdPerHour"),
            message=f"{total:.2f} USD an hour, more than {limit:g}; the most of it is {costliest.usd_per_hour:.2f} for "
            f"{costliest.pool} of {costliest.job} ({costliest.replica_count} x {costliest.machine_type})",
        )
    for job in stack.jobs:
        for pool, cost in zip(_real(job), pool_costs(job), strict=True):
            if cost.usd_per_hour is None and _says_itself(pool):
                yield Problem(
                    path=cost.path,
                    message=f"no price is known of {quote(pool.machine_type or 'a machine without a name')}, so it is "
                    "not in the sum that maxUsdPerHour limits",
                    fix="take a machine with a price, or add the price to trainingjobs/catalog/data/prices.csv",
                    advice=stack.environment != "prod",
                )
    for job in stack.jobs:
        _need_machines(job)


@rule(
    "accelerator-quota",
    summary="The pools of a stack together have at most as many accelerators as its limits say.",
    fix="use fewer, or raise the limit",
    source=CONFIGURATION,
    subjects=(StackFacts,),
)
def accelerator_quota(stack: StackFacts) -> Iterator[Problem]:
    """By Vertex AI's names; an accelerator without an entry is not limited, a name that does not exist is wrong."""
    stack.need("accelerators")
    if not stack.accelerators:
        return
    used = accelerators(stack)
    for name, limit in sorted(stack.accelerators.items()):
        path = stack.at(f"accelerators.{quote(name)}")
        if name not in catalog.all_accelerators():
            nearest = catalog.nearest_accelerator(name)
            yield Problem(
                path=path,
                message=f"{quote(name)} is no accelerator, so nothing is limited",
                fix=f"did you mean {nearest}?" if nearest else "remove it",
            )
        elif used.get(name, 0) > limit:
            yield Problem(path=path, message=f"{used[name]} x {name}, more than {limit}")
    for job in stack.jobs:
        _need_machines(job)


def accelerators(stack: StackFacts) -> dict[str, int]:
    """Returns how many accelerators of each name all pools of all jobs have together, in all trials at once."""
    counts: dict[str, int] = {}
    for job in stack.jobs:
        for pool in _real(job):
            name, per_replica = _accelerators(pool)
            if name:
                counts[name] = counts.get(name, 0) + per_replica * pool.replica_count * job.parallel_trials
    return counts


def _accelerators(pool: PoolFacts) -> tuple[str | None, int]:
    """What a machine brings by its type it brings whatever the pool says, unless others may run there too."""
    is_whole = pool.machine_type is not None and not pool.shares_machine
    built_in = catalog.built_in_accelerators(pool.machine_type or "") if is_whole else None
    return built_in or (pool.accelerator_type, pool.accelerator_count)


def _real(job: JobFacts) -> list[PoolFacts]:
    return [pool for pool in job.pools if not pool.gap]


def _says_itself(pool: PoolFacts) -> bool:
    """A machine that is not known yet puts the rule off; one that the catalogue has not is machine-known's."""
    if {"*", "machineType", "replicaCount"} & pool.unknown or not pool.replica_count:
        return False
    return pool.machine_type is None or catalog.is_known_machine(pool.machine_type)


def _need_machines(job: JobFacts) -> None:
    job.need("workerPoolSpecs", "pools", "parallelTrialCount")
    for pool in _real(job):
        pool.need("replicaCount", "machineType", "acceleratorType", "acceleratorCount")
