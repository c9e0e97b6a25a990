"""`cost`: what the pools of stacks cost an hour, what is not known of that, and what the reducers buy."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from infra import catalog
from infra.cli.inputs import Judged, judged_stack
from infra.cli.output import UsageError, complain, print_json, refusal, status_of
from infra.cli.terminal import folded, width
from infra.plan.cost import PoolCost, known_sum, pool_costs, usd
from infra.plan.gain import Gain, gain
from infra.project_files import stack_names

WIDTH = 80
# The columns of a line: what it is about, and the amount; a mark follows.
LABEL, AMOUNT = 52, 10
EXAMPLES = ("", "--stack=prod --json", "--prices=our-contract.csv")
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("--stack", action="append", default=[], metavar="S", help="a stack; may be repeated")
    parser.add_argument(
        "--prices",
        metavar="FILE",
        help="a CSV file of prices in USD an hour in place of the catalogue's, with its columns: "
        "infra/catalog/data/prices.csv",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the cost of every stack that is named, else of all. Returns the exit status."""
    try:
        prices = catalog.load_prices(Path(args.prices) if args.prices else None)
    except catalog.PriceFileError as error:
        raise UsageError(f"--prices: {error}") from None
    inputs = {name: judged_stack(name) for name in args.stack or stack_names()}
    errors = [finding for one in inputs.values() for finding in one.findings if finding.severity == "error"]
    stacks = [cost for name, one in inputs.items() if (cost := stack_cost(name, one, prices)) is not None]
    if args.json:
        failed = refusal(errors) if len(stacks) < len(inputs) else {}
        print_json({"stacks": [as_json(stack) for stack in stacks], **failed} if stacks or not failed else failed)
    elif stacks:
        _say(stacks, quiet=args.quiet)
    complain(errors)
    return status_of(errors)


def _say(stacks: list[StackCost], *, quiet: bool) -> None:
    columns = width()
    room = LABEL if columns is None else max(AMOUNT, min(LABEL, columns - (WIDTH - LABEL)))
    print("\n\n".join(folded("\n".join(table(stack, room)), 8) for stack in stacks))
    if not quiet:
        lines = [line for note in notes(stacks) for line in wrap(note, columns or WIDTH, subsequent_indent="  ")]
        print("\n" + "\n".join(lines))
    # In a terminal the findings stand below.
    sys.stdout.flush()


def stack_cost(name: str, judged: Judged, prices: catalog.Prices) -> StackCost | None:
    """Returns the cost of a stack, None where its file could not be read."""
    if judged.stack is None:
        return None
    limits = judged.stack.limits
    jobs = {plan.name: pool_costs(plan.facts, prices) for plan in judged.plans}
    gains = {plan.name: gain(plan.sizing, jobs[plan.name]) for plan in judged.plans}
    return StackCost(
        name=name,
        region=judged.stack.region,
        limit=limits.max_usd_per_hour if limits else None,
        jobs=jobs,
        gains={job: found for job, found in gains.items() if found is not None},
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
                "usdPerHour": usd(found.usd_per_hour),
                "shareOfJob": round(found.share, 4),
                "speedupOverRing": round(found.speedup, 4),
                "secondsSavedPerStepAndGb": round(found.seconds_saved, 4),
                "usdSavedPerStepAndGb": round(found.usd_saved, 6),
                "paysFromShareOfStep": None if found.pays_from is None else round(found.pays_from, 4),
            }
            for job, found in stack.gains.items()
        ],
    }


def _unknown(cost: PoolCost) -> str:
    why = "how many is not known" if not cost.replica_count else cost.unsure or "no price found"
    return f"{cost.job}.{cost.pool}: {cost.machine_type or 'no machine named'}: {why}"


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


def _gain(found: Gain) -> list[str]:
    first = f"reducers are {found.share:.1%} of the price; all-reduce {found.speedup:.2f} x the ring's speed"
    if found.seconds_saved <= 0:
        return [f"{first}:", "they save nothing by the model"]
    return [
        f"{first}:",
        f"{found.seconds_saved:.3f} s = {found.usd_saved:.4f} USD saved a step for each GB of gradients",
        "they pay where the all-reduce takes "
        + ("more than a whole step" if found.pays_from is None else f"{found.pays_from:.1%} of a step or more"),
    ]


def notes(stacks: list[StackCost]) -> list[str]:
    """Returns what has to be said of the figures: dates, discounts, doubts, and what is missing."""
    pools = [cost for stack in stacks for cost in stack.pools]
    dates = sorted({cost.date or "undated" for cost in pools if cost.usd_per_hour is not None})
    lines = [f"USD/hour; list prices on demand, {catalog.PRICE_REGION}; price dates: {', '.join(dates) or 'none'}"]
    elsewhere = sorted({stack.region for stack in stacks} - {catalog.PRICE_REGION})
    if elsewhere:
        lines.append(f"prices of {', '.join(elsewhere)} differ from these and are not known")
    lines += [
        f"{strategy}: the discount is not known; the list price is shown"
        for strategy in sorted({cost.strategy for cost in pools if cost.strategy})
    ]
    lines += [f"unknown: {_unknown(cost)}" for cost in pools if cost.usd_per_hour is None]
    doubts = {f"{cost.machine_type}: {cost.unsure}" for cost in pools if cost.unsure and cost.usd_per_hour is not None}
    return [*lines, *(f"* {doubt}" for doubt in sorted(doubts)), NOT_IN]
