"""Rules of the list of pools: one primary, the order, the gaps, and what excludes what.

Source: Vertex AI distributed training guide, "Configure a distributed training job".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainingjobs.facts.job import JobFacts
from trainingjobs.rules.registry import Problem, rule
from trainingjobs.spec.roles import MAX_POOLS, POSITION

GUIDE = "Vertex AI distributed training guide"


@rule(
    "one-primary-replica",
    summary="A job has exactly one primary replica.",
    fix="set replicaCount of the primary to 1 and put the other replicas into workers",
    source=f"{GUIDE}, Configure a distributed training job",
    structural=True,
)
def one_primary_replica(job: JobFacts) -> Iterator[Problem]:
    """Counts replicas, not roles."""
    primaries = [pool for pool in job.pools if pool.role == "primary"]
    if not primaries:
        job.need("pools", "pools.primary", "workerPoolSpecs")
        path = job.at("pools.primary") if job.form == "document" else job.at("workerPoolSpecs")
        yield Problem(path=path, message="0 primary replicas; exactly 1 is allowed", fix="add a primary pool")
        return
    primary, *others = primaries
    for pool in others:
        message = f"a second primary beside {primary.path}; exactly 1 replica is allowed"
        yield Problem(path=pool.path, message=message, fix="keep one of the two")
    primary.need("replicaCount")
    if primary.gap in ("empty", "null"):
        yield Problem(path=primary.path, message="0 primary replicas; exactly 1 is allowed", fix="describe the primary")
    elif primary.replica_count != 1:
        yield Problem(
            path=primary.at("replicaCount"),
            message=f"{primary.replica_count} primary replicas; exactly 1 is allowed",
            fix=f"set it to 1 and give workers {primary.replica_count - 1} more"
            if primary.replica_count > 1
            else "set it to 1",
        )


@rule(
    "pool-order",
    summary="Worker pools stand in the order primary, workers, parameter servers or reducers, evaluators.",
    fix="move the pool to its place and write {} for the places that are skipped",
    source=f"{GUIDE}, Configure a distributed training job",
    structural=True,
)
def pool_order(job: JobFacts) -> Iterator[Problem]:
    """Judges lists; our own document names the roles and cannot express a wrong order."""
    for pool in job.pools:
        if pool.position >= MAX_POOLS:
            yield Problem(
                path=pool.path,
                message=f"pool {pool.position} of the list; at most {MAX_POOLS} pools (0 to 3) are allowed",
                fix="remove it",
            )
        elif pool.role is not None and pool.position != POSITION[pool.role]:
            yield Problem(
                path=pool.path,
                message=f"{pool.role} stand at place {pool.position}; place {POSITION[pool.role]} is theirs",
                fix=f"move the pool to workerPoolSpecs[{POSITION[pool.role]}]",
            )
    job.need("workerPoolSpecs")
    for pool in job.pools:
        if pool.form == "body" and not pool.gap:
            pool.need("container.imageUri")


@rule(
    "pool-placeholder",
    summary="A skipped worker pool is an empty object.",
    fix="write {}",
    source=f"{GUIDE}, Specify additional worker pools",
    structural=True,
)
def pool_placeholder(job: JobFacts) -> Iterator[Problem]:
    """Judges Vertex bodies only: the plan writes placeholders itself."""
    for pool in job.pools:
        if pool.position == 0 or pool.position >= MAX_POOLS:
            continue
        if pool.gap == "null":
            yield Problem(path=pool.path, message="null where a pool is skipped; {} is needed")
        elif pool.gap == "fields":
            pool.need("replicaCount")
            yield Problem(
                path=pool.path,
                message="a pool with fields and no replicas; {} marks a skipped pool",
                fix="write {}, or give it a replicaCount",
            )
    job.need("workerPoolSpecs")


@rule(
    "reducers-or-parameter-servers",
    summary="Reducers and parameter servers share the third pool: a job has one or the other.",
    fix="remove one of the two",
    source=f"{GUIDE}, Configure a distributed training job",
    structural=True,
)
def reducers_or_parameter_servers(job: JobFacts) -> Iterator[Problem]:
    """Both claim worker pool 2."""
    if job.of("reducers") and job.of("parameterServers"):
        yield Problem(
            path=job.of("reducers")[0].path,
            message="reducers beside parameterServers; both would be worker pool 2",
            fix="remove reducers or parameterServers",
        )


@rule(
    "evaluator-limit",
    summary="TensorFlow expects at most one evaluator.",
    fix="set replicaCount of the evaluators to 1",
    source=f"{GUIDE}, Structure of the training cluster",
    severity="advice",
    parameters={"evaluators": 1},
)
def evaluator_limit(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Judges TensorFlow jobs only."""
    job.need("framework")
    if job.framework != "tensorflow":
        return
    for pool in job.of("evaluators"):
        pool.need("replicaCount")
        if pool.replica_count > parameters["evaluators"]:
            yield Problem(
                path=pool.at("replicaCount"),
                message=f"{pool.replica_count} evaluators; TensorFlow expects at most {parameters['evaluators']}",
            )
