"""CLUSTER_SPEC and TF_CONFIG as Vertex AI sets them on a replica of a job, from the job's CustomJobSpec body.

Source: Vertex AI distributed training guide, "Environment variables for your cluster".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

Host = Callable[[int, int], str]

# TF_CONFIG's key for each worker pool. Pool 2 is `ps` by position also where it holds reducers: the guide is silent.
TASK_TYPES = ("chief", "worker", "ps", "evaluator")


def pool_counts(job_spec: Mapping[str, object]) -> tuple[int, ...]:
    """Returns the replicas of each worker pool in order; a placeholder counts 0."""
    pools = job_spec.get("workerPoolSpecs")
    if not isinstance(pools, Sequence) or isinstance(pools, str):
        return ()
    return tuple(
        int(float(str(pool.get("replicaCount", 0) or 0))) if isinstance(pool, Mapping) else 0 for pool in pools
    )


def default_host(pool: int, index: int) -> str:
    """Returns the address of a replica in the form of the guide's example."""
    return f"cmle-training-workerpool{pool}-ab-{index}:2222"


def replica_environment(
    job_spec: Mapping[str, object],
    pool: int,
    index: int,
    *,
    host: Host = default_host,
    cloud: str = "ab",
    trial: str | None = None,
) -> dict[str, str]:
    """Returns the variables that Vertex AI sets on replica `index` of worker pool `pool`.

    CLUSTER_SPEC is set on every replica of every job; TF_CONFIG where the job has more than one replica, evaluators
    and reducers counted. `trial` counts from "1" and is there in tuning jobs only. `cloud` is Google's internal id: any
    stable opaque string. Evaluators are never in TF_CONFIG's cluster, though their task type is `evaluator`.
    Raises ValueError where the job has no such replica.
    """
    counts = pool_counts(job_spec)
    if not 0 <= pool < len(counts) or not 0 <= index < counts[pool]:
        message = f"workerpool{pool}:{index} is not a replica of this job"
        raise ValueError(message)
    hosts = {number: [host(number, i) for i in range(count)] for number, count in enumerate(counts) if count}
    with_trial = {} if trial is None else {"trial": trial}
    variables = {
        "CLUSTER_SPEC": {
            "cluster": {f"workerpool{number}": members for number, members in hosts.items()},
            "environment": "cloud",
            "task": {"type": f"workerpool{pool}", "index": index, **with_trial},
            "job": job_spec,
        }
    }
    if sum(counts) > 1:
        variables["TF_CONFIG"] = {
            "cluster": {TASK_TYPES[number]: members for number, members in hosts.items() if number != 3},
            "environment": "cloud",
            "task": {"type": TASK_TYPES[pool], "index": index, "cloud": cloud, **with_trial},
            "job": job_spec,
        }
    return {name: json.dumps(value, sort_keys=True) for name, value in variables.items()}
