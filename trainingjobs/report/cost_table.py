"""What the pools of a stack cost an hour, what of that is not known, and what reducers buy: as JSON and as lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trainingjobs import catalog
from trainingjobs.estimates.cost import PoolCost, known_sum, pool_costs, usd
from trainingjobs.estimates.gain import Gain, gain
from trainingjobs.judge.judgement import Judgement

WIDTH = 80
# The columns of a line: what it is about, and the amount; a mark follows.
LABEL, AMOUNT = 52, 10
NOT_IN = "not in a price: Vertex AI's management fee, GKE's fee, disks, network traffic, Tier_1"


@dataclass(frozen=True, slots=True)
class StackCost:
    """The cost of a stack: its pools by job, and what the reducers of each job buy."""

    name: str
    region: str
    limit: float | None
    jobs: dict[str, list[PoolCost]]
    gains: dict[str, Gain]

    @property
    def pools(self) -> list[PoolCost]:
        """Returns the pools of all jobs."""
        return [cost for costs in self.jobs.values() for cost in costs]

    @property
    def usd_per_hour(self) -> float | None:
        """Returns the sum of the known prices, None where there are pools and none has one."""
        pools = self.pools
        return None if pools and all(cost.usd_per_hour is None for cost in pools) else known_sum(pools)


def stack_cost(name: str, judgement: Judgement, prices: catalog.Prices) -> StackCost | None:
    """Returns the cost of a stack, None where its file could not be read."""
    if judgement.stack is None:
        return None
    limits = judgement.stack.limits
    jobs = {plan.name: pool_costs(plan.facts, prices) for plan in judgement.plans}
    gains = {plan.name: gain(plan.sizing, jobs[plan.name]) for plan in judgement.plans}
    return StackCost(
        name=name,
        region=judgement.stack.region,
        limit=limits.max_usd_per_hour if limits else None,
        jobs=jobs,
        gains={job: job_gain for job, job_gain in gains.items() if job_gain is not None},
    )


def as_json(stack: StackCost) -> dict[str, Any]:
    """Returns the cost as JSON: `usdPerHour` is the sum of what is known, `unknown` names what is missing in it."""
    return {
        "stack": stack.name,
        "usdPerHour": stack.usd_per_hour,
        "unknown": [_unknown(cost) for cost in stack.pools if cost.usd_per_hour is None],
        "pools": [
            {
                "job": cost.job,
                "pool": cost.pool,
                "machineType": cost.machine_type,
                "replicaCount": cost.replica_count,
                "usdPerHour": None if cost.usd_per_hour is None else usd(cost.usd_per_hour),
                "parallelTrialCount": cost.parallel_trials,
                "strategy": cost.strategy or "STANDARD",
                "unsure": cost.unsure,
                "priceDate": cost.date,
            }
            for cost in stack.pools
        ],
        "reducers": [
            {
                "job": job,
                "usdPerHour": usd(job_gain.usd_per_hour),
                "shareOfJob": round(job_gain.share, 4),
                "speedupOverRing": round(job_gain.speedup, 4),
                "secondsSavedPerStepAndGb": round(job_gain.seconds_saved, 4),
                "usdSavedPerStepAndGb": round(job_gain.usd_saved, 6),
                "paysFromShareOfStep": None if job_gain.pays_from is None else round(job_gain.pays_from, 4),
            }
            for job, job_gain in stack.gains.items()
        ],
    }


def _unknown(cost: PoolCost) -> str:
    reason = "how many is not known" if not cost.replica_count else cost.unsure or "no price found"
    return f"{cost.job}.{cost.pool}: {cost.machine_type or 'no machine named'}: {reason}"


def table(stack: StackCost, room: int = LABEL) -> list[str]:
    """Returns the lines of a stack, none wider than 80 columns where names are not: `room` before the amount."""
    lines = [f"{f'stack {stack.name}':<{room}} {'USD/hour':>{AMOUNT}}"]
    for job, costs in stack.jobs.items():
        lines.append(f"  {job}")
        lines += [
            _row(f"    {cost.pool:<17} {_machines(cost)}", cost.usd_per_hour, _marks(cost), room) for cost in costs
        ]
        if job in stack.gains:
            lines += [f"      {line}" for line in _gain(stack.gains[job])]
    unknown = sum(cost.usd_per_hour is None for cost in stack.pools)
    label = "  together" + (f", without the {unknown} unknown" if unknown else "")
    limit = "" if stack.limit is None else f"limit {stack.limit:g}"
    return [*lines, _row(label, stack.usd_per_hour, limit, room)]


def _machines(cost: PoolCost) -> str:
    trials = f" x {cost.parallel_trials} trials" if cost.parallel_trials > 1 else ""
    return f"{cost.replica_count or '?'} x {cost.machine_type or '?'}{trials}"


def _marks(cost: PoolCost) -> str:
    unsure = "*" if cost.unsure and cost.usd_per_hour is not None else ""
    return " ".join(mark for mark in (cost.strategy, unsure) if mark)


def _row(label: str, amount: float | None, mark: str, room: int) -> str:
    text = "unknown" if amount is None else f"{amount:.2f}"
    return f"{label:<{room}} {text:>{AMOUNT}}  {mark}".rstrip()


def _gain(job_gain: Gain) -> list[str]:
    first = f"reducers are {job_gain.share:.1%} of the price; all-reduce {job_gain.speedup:.2f} x the ring's speed"
    if job_gain.seconds_saved <= 0:
        return [f"{first}:", "they save nothing by the model"]
    return [
        f"{first}:",
        f"{job_gain.seconds_saved:.3f} s = {job_gain.usd_saved:.4f} USD saved a step for each GB of gradients",
        "they pay where the all-reduce takes "
        + ("more than a whole step" if job_gain.pays_from is None else f"{job_gain.pays_from:.1%} of a step or more"),
    ]


def notes(stacks: list[StackCost]) -> list[str]:
    """Returns what has to be said of the figures: dates, discounts, doubts, and what is missing."""
    pools = [cost for stack in stacks for cost in stack.pools]
    dates = sorted({cost.date or "undated" for cost in pools if cost.usd_per_hour is not None})
    lines = [f"USD/hour; list prices on demand, {catalog.PRICE_REGION}; price dates: {', '.join(dates) or 'none'}"]
    other_regions = sorted({stack.region for stack in stacks} - {catalog.PRICE_REGION})
    if other_regions:
        lines.append(f"prices of {', '.join(other_regions)} differ from these and are not known")
    lines += [
        f"{strategy}: the discount is not known; the list price is shown"
        for strategy in sorted({cost.strategy for cost in pools if cost.strategy})
    ]
    lines += [f"unknown: {_unknown(cost)}" for cost in pools if cost.usd_per_hour is None]
    caveats = {f"{cost.machine_type}: {cost.unsure}" for cost in pools if cost.unsure and cost.usd_per_hour is not None}
    return [*lines, *(f"* {caveat}" for caveat in sorted(caveats)), NOT_IN]
