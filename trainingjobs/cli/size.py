"""`size`: the reducer pool for the sum of some pools of workers, with the arithmetic and what the rules say."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from typing import Any

from trainingjobs import catalog
from trainingjobs.catalog import Target
from trainingjobs.core.findings import Finding, did_you_mean, quote
from trainingjobs.estimates import reducers as sizing
from trainingjobs.estimates.cost import usd
from trainingjobs.estimates.reducers import Nodes, ReducerPool
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.reducers import number
from trainingjobs.terminal.output import UsageError, complain, print_json, status_of
from trainingjobs.terminal.text import folded

# What the question does not say cannot be judgement: images and frameworks.
JUDGED = {
    "machine-known",
    "accelerator-fit",
    "machine-on-platform",
    "reducer-bandwidth",
    "reducer-break-even",
    "reducer-machine",
    "reducer-without-accelerator",
    "reducer-workers-need-accelerators",
}
KEYS = ("machine-type", "replica-count", "accelerator-type", "accelerator-count", "container-image-uri")
SHOWN_ALTERNATIVES = 5
EXAMPLES = (
    "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=8",
    "--worker-pool-spec=machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,"
    "accelerator-count=8",
    "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=8 --platform=gke --reducer-machine-type=auto",
)
SPEC = "machine-type=M,replica-count=N[,accelerator-type=A,accelerator-count=C]"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options, named after gcloud's."""
    parser.add_argument(
        "--worker-pool-spec",
        action="append",
        required=True,
        metavar="SPEC",
        help=f"a pool of primary or workers: {SPEC}; a count left out is 1, accelerators left out are those that "
        "the machine brings; may be repeated, and only the sum counts",
    )
    parser.add_argument(
        "--reducer-machine-type",
        metavar="M|auto",
        help=f"the reducers' machine, or auto to have it chosen; default {sizing.DEFAULT_REDUCER}",
    )
    parser.add_argument(
        "--platform",
        choices=("vertex", "gke", "gce"),
        default="vertex",
        help="where it runs, which decides the bandwidth in Gbps; default vertex; gke and gce use Tier_1",
    )
    parser.add_argument(
        "--region",
        default=catalog.PRICE_REGION,
        help=f"where the machines are to be; default {catalog.PRICE_REGION}, whose prices in USD an hour are known",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the sizing. Returns the exit status."""
    if args.reducer_machine_type == "":
        raise UsageError("--reducer-machine-type: no value; a machine type or auto is needed")
    if args.region not in catalog.regions():
        nearest = catalog.nearest_region(args.region)
        raise UsageError(
            f"--region: {quote(args.region)} is no region" + (f"; did you mean {nearest}?" if nearest else "")
        )
    pools = [read_pool(text, number) for number, text in enumerate(args.worker_pool_spec)]
    if sum(pool.replica_count for pool in pools) < 1:
        raise UsageError("--worker-pool-spec: 0 replicas in all; at least 1 is needed")
    facts, sized, groups = size(pools, args.reducer_machine_type, args.platform, args.region)
    findings = judge_facts(facts, say_unknown=False, only=lambda rule: rule.id in JUDGED)
    result = as_json(pools, sized, groups, args.platform, args.region, findings)
    if args.json:
        print_json(result)
    else:
        print(folded("\n".join(explain(result, groups, args.platform, args.region, quiet=args.quiet)), 16))
        complain(findings)
    return status_of(findings)


def read_pool(text: str, position: int) -> PoolFacts:
    """Returns the pool that a --worker-pool-spec names. Raises UsageError."""
    fields: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals or key not in KEYS:
            nearest = did_you_mean(key, KEYS)
            hint = f"; did you mean {nearest}?" if nearest else f"; allowed: {', '.join(KEYS)}"
            raise UsageError(f"--worker-pool-spec: {key!r} is no key{hint}")
        if key in fields:
            raise UsageError(f"--worker-pool-spec: {key} stands twice")
        if not value:
            raise UsageError(f"--worker-pool-spec: {key} has no value; {SPEC} is needed")
        fields[key] = value
    if "machine-type" not in fields:
        raise UsageError("--worker-pool-spec: machine-type is missing")
    machine = fields["machine-type"]
    implied = catalog.built_in_accelerators(machine) or (None, 0)
    # As gcloud does: a type without a count is one accelerator.
    count = 1 if "accelerator-type" in fields else implied[1]
    return PoolFacts(
        role="workers",
        position=1,
        path=f"--worker-pool-spec[{position}]",
        replica_count=_count(fields, "replica-count", 1, 10_000),
        machine_type=machine,
        accelerator_type=fields.get("accelerator-type", implied[0]),
        accelerator_count=_count(fields, "accelerator-count", count, 1024),
    )


def _count(fields: dict[str, str], key: str, default: int, limit: int) -> int:
    text = fields.get(key)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > limit:
        raise UsageError(f"--worker-pool-spec: {key}={text[:40]}; a whole number from 0 to {limit} is needed")
    return int(text)


def size(
    pools: list[PoolFacts], machine: str | None, target: Target, region: str
) -> tuple[JobFacts, ReducerPool | None, list[Nodes]]:
    """Returns the facts to judge, the pool for the nodes, and the nodes; no pool where a machine is unknown."""
    groups = [
        sizing.nodes_of(
            pool.machine_type or "", pool.accelerator_type, pool.accelerator_count, pool.replica_count, target, region
        )
        for pool in pools
    ]
    known = [] if None in groups else [group for group in groups if group is not None and group.count]
    total = sizing.needed_gbps(known)
    machine_type = machine or sizing.DEFAULT_REDUCER
    sized = None
    if known:
        auto = machine_type == sizing.AUTO
        sized = sizing.auto_pool(total, target, region) if auto else sizing.pool_of(machine_type, total, target, region)
    reducers = PoolFacts(
        role="reducers",
        position=2,
        path="reducers",
        replica_count=sized.replica_count if sized else 0,
        machine_type=sized.machine_type if sized else (None if machine_type == sizing.AUTO else machine_type),
        accelerator_type=(catalog.built_in_accelerators(machine_type) or (None, 0))[0],
        accelerator_count=(catalog.built_in_accelerators(machine_type) or (None, 0))[1],
        image=catalog.reduction_server_image(region),
    )
    facts = JobFacts(
        name="size",
        path="",
        platform="vertex" if target == "vertex" else "gke",
        target=target,
        region=region,
        pools=(*_split(pools), reducers),
    )
    return facts, sized, known


def _split(pools: list[PoolFacts]) -> list[PoolFacts]:
    """Returns the pools with one replica taken out as the primary: a job always has one."""
    first = next(pool for pool in pools if pool.replica_count)
    rest = [replace(pool, replica_count=pool.replica_count - (pool is first)) for pool in pools]
    return [replace(first, role="primary", position=0, replica_count=1), *(pool for pool in rest if pool.replica_count)]


def as_json(
    pools: list[PoolFacts],
    sized: ReducerPool | None,
    groups: list[Nodes],
    target: Target,
    region: str,
    findings: list[Finding],
) -> dict[str, Any]:
    """Returns what `size --json` prints. Bandwidth in Gbps, prices in USD per hour; null where not known."""
    total = sizing.needed_gbps(groups)
    all_reduce = groups if all(group.accelerators for group in groups) else []
    verdict = sizing.verdict(all_reduce, sized.gbps if sized else Fraction(0))
    alternatives = [pool for pool in sizing.alternatives(total, target, region) if pool != sized] if total else []
    amounts = [*_workers_usd(pools), sized.usd_per_hour if sized else None]
    known = [amount for amount in amounts if amount is not None]
    return {
        "workers": {"replicaCount": sum(pool.replica_count for pool in pools), "egressGbps": plain(total)},
        "reducers": sized
        and {
            **_reducers(sized),
            "imageUri": catalog.reduction_server_image(region) if target == "vertex" else None,
        },
        "speedupOverRing": plain(verdict.speedup),
        "breakEvenGbps": plain(verdict.break_even_gbps),
        "usdPerHour": usd(*known) if len(known) == len(amounts) else None,
        "priceRegion": catalog.PRICE_REGION,
        "alternatives": [_reducers(pool) for pool in alternatives[:SHOWN_ALTERNATIVES]],
        "findings": [finding.as_json() for finding in findings],
    }


def plain(value: Fraction | None) -> float | int | None:
    """Returns an exact number as JSON writes it: whole where it is whole, else to four places."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 4)


def _reducers(pool: ReducerPool) -> dict[str, Any]:
    return {
        "machineType": pool.machine_type,
        "replicaCount": pool.replica_count,
        "egressGbpsEach": plain(pool.gbps_each),
        "egressGbps": plain(pool.gbps),
        "tier1": pool.tier1,
        "usdPerHour": None if pool.usd_per_hour is None else usd(pool.usd_per_hour),
    }


def _workers_usd(pools: list[PoolFacts]) -> list[float | None]:
    prices = [
        catalog.usd_per_hour(pool.machine_type or "", pool.accelerator_type, pool.accelerator_count) for pool in pools
    ]
    return [
        None if price.usd is None else price.usd * pool.replica_count for price, pool in zip(prices, pools, strict=True)
    ]


def explain(result: dict[str, Any], groups: list[Nodes], target: Target, region: str, *, quiet: bool) -> list[str]:
    """Returns the lines of the arithmetic in words; `quiet` leaves out what does not decide the number."""
    if not groups:
        return ["training nodes  of unknown bandwidth: nothing can be sized"]
    total, pool = result["workers"]["egressGbps"], result["reducers"]
    nodes = " + ".join(f"{group.count} x {number(group.host_gbps)}" for group in groups)
    lines = [f"training nodes  {nodes} Gbps = {total} Gbps of egress that reducers have to match"]
    lines += [f"                unsure: {caveat}" for caveat in sorted({g.unsure for g in groups if g.unsure})]
    if pool:
        count, gbps_each = pool["replicaCount"], pool["egressGbpsEach"]
        tier1 = " (Tier_1)" if pool["tier1"] else ""
        lines += [
            f"reducers        {count} x {pool['machineType']} x {gbps_each} Gbps = {pool['egressGbps']} Gbps{tier1}",
            f"why             ceil({total} / {gbps_each}) = {count}: the reducers' total egress matches or "
            "exceeds that of primary and workers",
        ]
    return lines if quiet else [*lines, *_beside(result, target, region)]


def _beside(result: dict[str, Any], target: Target, region: str) -> list[str]:
    """What the number brings and costs, and what else would do."""
    lines, pool = [], result["reducers"]
    if pool:
        lines += [
            _gain(result),
            f"price           {_usd(pool['usdPerHour'])} for the reducers, {_usd(result['usdPerHour'])} in all",
        ]
        if region != catalog.PRICE_REGION:
            lines.append(f"                as listed for {catalog.PRICE_REGION}; those of {region} are not known")
        if pool["tier1"]:
            lines.append("                the surcharge for Tier_1 bandwidth is not in the price")
        if target == "vertex":
            lines.append(f"image           {pool['imageUri']}")
    return lines + [
        f"or              {other['replicaCount']} x {other['machineType']} = {other['egressGbps']} Gbps, "
        f"{_usd(other['usdPerHour'])}"
        for other in result["alternatives"]
    ]


def _gain(result: dict[str, Any]) -> str:
    if result["speedupOverRing"] is None:
        return "model           reducers serve an all-reduce of GPU nodes, two or more"
    break_even = result["breakEvenGbps"]
    return f"model           {round(result['speedupOverRing'], 2):g} x the ring's speed; " + (
        "no pool is faster than the ring" if break_even is None else f"break-even at {round(break_even, 1):g} Gbps"
    )


def _usd(value: float | None) -> str:
    return "price unknown" if value is None else f"{value:.2f} USD/hour"
