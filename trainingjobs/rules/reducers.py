"""Rules of a reducer pool: what needs one, what it runs, on which machines, whether its bandwidth suffices and pays.

Source: Vertex AI distributed training guide, "Reduce training time with Reduction Server".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import quote
from trainingjobs.estimates import reducers as sizing
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule

GUIDE = "Vertex AI distributed training guide"
TRAINERS = ("primary", "workers")


def number(value: Fraction) -> str:
    """Returns a bandwidth or a ratio as people write it: no needless decimals."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def trainers(job: JobFacts) -> list[PoolFacts]:
    """Returns the pools that take part in the all-reduce."""
    return [*job.of("primary"), *job.of("workers")]


def nodes(job: JobFacts) -> list[sizing.Nodes] | None:
    """Returns the nodes of the all-reduce; None where one of their machines is not in the catalogue.

    Raises NotKnownError where their size is not known yet.
    """
    job.need("pools", "pools.primary", "pools.workers", "workerPoolSpecs")
    groups = []
    for pool in trainers(job):
        pool.need("replicaCount", "machineType", "acceleratorType", "acceleratorCount")
        group = (
            sizing.nodes_of(
                pool.machine_type,
                pool.accelerator_type,
                pool.accelerator_count,
                pool.replica_count,
                job.target,
                job.region,
            )
            if pool.machine_type
            else None
        )
        if group is None:
            return None
        groups.append(group)
    return groups


def _reducer_each(job: JobFacts, pool: PoolFacts) -> tuple[Fraction, bool] | None:
    pool.need("machineType", "replicaCount")
    if pool.machine_type is None:
        return None
    return sizing.reducer_gbps(pool.machine_type, job.target, job.region)


@rule(
    "reducer-bandwidth",
    summary="The egress of the reducers matches or exceeds that of primary and workers.",
    fix="leave replicaCount out: the plan sizes the pool",
    source=f"{GUIDE}, Train using Reduction Server",
    parameters={"spare": 1},
)
def reducer_bandwidth(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """More than the rule's count and `spare` is advice: both totals should be the same."""
    for pool in job.of("reducers"):
        pool.need("machineType", "replicaCount")
        groups = nodes(job)
        if pool.machine_type is None or not groups or not pool.replica_count:
            continue
        total = sizing.needed_gbps(groups)
        rule_pool = sizing.pool_of(pool.machine_type, total, job.target, job.region)
        if rule_pool is None:
            continue
        pool_gbps, enough = rule_pool.gbps_each * pool.replica_count, rule_pool.replica_count
        sums = f"{pool.replica_count} x {pool.machine_type} = {number(pool_gbps)} Gbps"
        requirement = f"the {number(total)} Gbps of {sum(g.count for g in groups)} training nodes"
        if pool_gbps < total:
            yield Problem(
                path=pool.at("replicaCount"), message=f"{sums}, less than {requirement}", fix=f"set it to {enough}"
            )
        elif pool.replica_count > enough + parameters["spare"]:
            yield Problem(
                path=pool.at("replicaCount"),
                message=f"{sums}, more than {requirement} ask for",
                fix=f"{enough} are enough",
                advice=True,
            )


@rule(
    "reducer-break-even",
    summary="A reducer pool is faster than the ring all-reduce that it replaces.",
    fix="remove the reducers",
    source="docs/reduction-server.md, the model",
    parameters={"speedup": float(sizing.NO_GAIN)},
)
def reducer_break_even(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Advice where the job does not declare its GPU networks, and where no pool could bring more than `speedup`."""
    for pool in job.of("reducers"):
        egress, groups = _reducer_each(job, pool), nodes(job)
        if egress is None or not groups or not pool.replica_count:
            continue
        # Without accelerators there is no NCCL ring to compare with: reducer-workers-need-accelerators says so.
        if not all(group.accelerators for group in groups):
            continue
        verdict = sizing.verdict(groups, egress[0] * pool.replica_count)
        if verdict.speedup is None or verdict.best_speedup is None:
            continue
        with_nics = any(group.has_gpu_nics for group in groups)
        if verdict.speedup < 1:
            nics = ", whose GPU NICs carry the ring" if with_nics else ""
            yield Problem(
                path=pool.path,
                message=f"all-reduce at {number(verdict.speedup)} x the ring's speed on these machines{nics}",
                fix="remove the reducers" if verdict.best_speedup < 1 else "use more of them",
                advice=with_nics and not job.declares_gpu_networks,
            )
        elif verdict.best_speedup <= Fraction(str(parameters["speedup"])):
            yield Problem(
                path=pool.path,
                message=f"at best {number(verdict.best_speedup)} x the ring's speed with "
                f"{sum(g.count for g in groups)} nodes; more nodes gain more",
                advice=True,
            )


@rule(
    "reducer-without-accelerator",
    summary="Reducers have no accelerators.",
    fix="remove the accelerator; use a CPU machine such as n1-highcpu-16",
    source=f"{GUIDE}, Train using Reduction Server",
    structural=True,
)
def reducer_without_accelerator(job: JobFacts) -> Iterator[Problem]:
    """Also machines that bring accelerators by their type."""
    for pool in job.of("reducers"):
        if pool.accelerator_count or pool.accelerator_type:
            implied = catalog.built_in_accelerators(pool.machine_type) if pool.machine_type else None
            yield Problem(
                path=pool.at("machineType" if implied else "acceleratorCount"),
                message=f"{pool.accelerator_count} x {quote(pool.accelerator_type)} on reducers; none are allowed",
            )
        pool.need("machineType", "acceleratorCount", "acceleratorType")


@rule(
    "reducer-image",
    summary="Reducers on Vertex AI run one of Google's three reduction server images, elsewhere the user's own.",
    fix="leave the container out: the region's image is filled in",
    source=f"{GUIDE}, Train using Reduction Server",
)
def reducer_image(job: JobFacts) -> Iterator[Problem]:
    """The images are restricted to Vertex AI, so elsewhere they are refused."""
    official = catalog.reduction_server_images()
    for pool in job.of("reducers"):
        pool.need("container.imageUri")
        if job.platform == "vertex" and pool.image not in official:
            yield Problem(
                path=pool.at("container.imageUri"),
                message=f"{quote(pool.image)} is no reduction server image; allowed: {', '.join(official)}",
            )
        elif job.platform != "vertex" and (pool.image is None or "vertex-ai-restricted" in pool.image):
            reason = "missing" if pool.image is None else f"{quote(pool.image)} is restricted to Vertex AI"
            yield Problem(
                path=pool.at("container.imageUri"),
                message=f"{reason}; an image of your own is needed on {job.platform}",
                fix="name an image that runs a BytePS server or an open reduction server",
            )


def from_nearest(job: JobFacts, parameters: Mapping[str, Any]) -> JobFacts:  # noqa: ARG001 (a remedy's parameters)
    """Returns a Vertex AI job whose reduction servers come from the multi-region nearest to it."""
    if job.platform != "vertex" or "region" in job.unknown:
        return job
    official, nearest = catalog.reduction_server_images(), catalog.reduction_server_image(job.region)
    pools = tuple(replace(pool, image=nearest) if pool.image in official else pool for pool in job.pools)
    return replace(job, pools=pools)


@rule(
    "reducer-image-region",
    summary="The reduction server's image comes from the multi-region nearest to the job.",
    fix="leave the container out: the region's image is filled in",
    source=f"{GUIDE}, Train using Reduction Server",
    severity="advice",
    remedy=from_nearest,
)
def reducer_image_region(job: JobFacts) -> Iterator[Problem]:
    """The guide says that it might reduce latency."""
    job.need("region")
    for pool in job.of("reducers"):
        pool.need("container.imageUri")
        nearest = catalog.reduction_server_image(job.region)
        if pool.image in catalog.reduction_server_images() and pool.image != nearest:
            yield Problem(
                path=pool.at("container.imageUri"),
                message=f"{pool.image} is not the nearest to {job.region}",
                fix=f"use {nearest}",
            )


@rule(
    "reducer-workers-need-accelerators",
    summary="Reducers serve GPU workers on more than one node.",
    fix="remove the reducers, or give primary and workers accelerators",
    source=f"{GUIDE}, Prerequisites",
)
def reducer_workers_need_accelerators(job: JobFacts) -> Iterator[Problem]:
    """At least one worker beside the primary, and accelerators on both."""
    for reducers in job.of("reducers"):
        if not job.of("workers"):
            job.need("pools", "pools.workers", "workerPoolSpecs")
            yield Problem(
                path=reducers.path,
                message="reducers with 0 workers; at least 1 beside the primary is needed",
                fix="add workers or remove the reducers",
            )
        for pool in trainers(job):
            if not pool.accelerator_count and not pool.unknown & {"acceleratorCount", "machineType"} and _known(pool):
                yield Problem(
                    path=pool.path,
                    message=f"{pool.role} without accelerators beside reducers; GPUs with NCCL are needed",
                )
        for pool in trainers(job):
            pool.need("acceleratorCount", "machineType")


def _known(pool: PoolFacts) -> bool:
    """A machine that is not in the catalogue is machine-known's: what it brings cannot be said."""
    return pool.machine_type is None or catalog.is_known_machine(pool.machine_type)


@rule(
    "reducer-machine",
    summary="A reducer's machine has 16 vCPU and 32 Gbps or more.",
    fix="use n1-highcpu-16",
    source=f"{GUIDE}, Machine Type and count",
    severity="advice",
    parameters={"vcpus": 16, "gbps": 32},
)
def reducer_machine(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Smaller machines look cheaper per Gbps, but nothing published shows one reducing at line rate."""
    for pool in job.of("reducers"):
        egress = _reducer_each(job, pool)
        machine = catalog.machine(pool.machine_type) if pool.machine_type else None
        if egress is None or machine is None:
            continue
        if machine.vcpus < parameters["vcpus"] or egress[0] < parameters["gbps"]:
            yield Problem(
                path=pool.at("machineType"),
                message=f"{machine.machine_type} has {machine.vcpus} vCPU and {number(egress[0])} Gbps; "
                f"{parameters['vcpus']} vCPU and {parameters['gbps']} Gbps or more are recommended",
            )
        elif egress[1]:
            yield Problem(
                path=pool.at("machineType"),
                message=f"{machine.machine_type} with Tier_1 bandwidth ({number(egress[0])} Gbps); its surcharge is "
                "published nowhere and is not in the price",
                fix="ask for the price before a long run",
                advice=True,
            )
