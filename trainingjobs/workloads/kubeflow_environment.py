"""What Kubeflow's training operator 1.9 sets on a replica: TF_CONFIG in a TFJob, byte for byte, and a PyTorchJob's own.

Sources: kubeflow/training-operator v1.9.0, pkg/controller.v1/tensorflow/tensorflow.go and pytorch/envvar.go; TFJob
guide. Which job gets which is its kind's to say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from trainingjobs.workloads.kubernetes_names import operator_types

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan

PORT = 2222
PYTORCH_PORT = 23456

Host = Callable[[str, int], str]


def replica_counts(plan: JobPlan) -> dict[str, int]:
    """Returns the operator's replica type → replicas; a TFJob has no reducers, so they do not count."""
    types = operator_types(plan)
    return {types[pool.role]: pool.replica_count for pool in plan.pools if pool.role in types}


def operator_host(name: str, namespace: str, domain: str = "") -> Host:
    """Returns the addresses that the operator gives: NAME-TYPE-INDEX.NAMESPACE.svc[.DOMAIN]:2222."""
    suffix = f".{domain}" if domain else ""
    return lambda kind, index: f"{name}-{kind}-{index}.{namespace}.svc{suffix}:{PORT}"


def replica_environment(
    counts: Mapping[str, int], task: str, index: int, *, host: Host, dynamic_worker: bool = False
) -> dict[str, str]:
    """Returns the variables that the operator sets on replica `index` of type `task` (chief, master, worker …).

    A job of one replica gets no TF_CONFIG. Evaluators are in the cluster. `dynamic_worker` is the form that a TFJob
    with enableDynamicWorker gets: a worker sees itself and the parameter servers, nobody sees the other workers.
    Raises ValueError where the job has no such replica.
    """
    if not 0 <= index < counts.get(task, 0):
        message = f"{task}:{index} is not a replica of this job"
        raise ValueError(message)
    if sum(counts.values()) == 1:
        return {}
    cluster = {kind: [host(kind, i) for i in range(count)] for kind, count in counts.items() if count}
    if dynamic_worker:
        return {"TF_CONFIG": _dynamic(cluster, task, index)}
    return {"TF_CONFIG": tf_config(cluster, task, index)}


def tf_config(cluster: Mapping[str, list[str]], task: str, index: int | str) -> str:
    """Returns TF_CONFIG as the operator's encoder writes it; `index` may be a reference that Kubernetes expands."""
    return f'{{"cluster":{_json(dict(sorted(cluster.items())))},{_task(task, index)},"environment":"cloud"}}'


def _dynamic(cluster: Mapping[str, list[str]], task: str, index: int) -> str:
    workers: dict[str, str] = {}
    servers: list[str] | None = []
    if task == "worker":
        workers, servers = {str(index): cluster["worker"][index]}, cluster.get("ps")
    elif task == "ps":
        servers = [cluster["ps"][index]]
    return f'{{"cluster":{_json({"worker": workers, "ps": servers})},{_task(task, index)}}}'


def _task(task: str, index: int | str) -> str:
    return f'"task":{{"type":"{task}","index":{index}}}'


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def pytorch_environment(name: str, nodes: int, rank: int) -> dict[str, str]:
    """Returns the variables of node `rank` of a PyTorchJob with `nodes` nodes (primary and workers)."""
    master = f"{name}-master-0"
    return {
        "PYTHONUNBUFFERED": "1",
        "MASTER_PORT": str(PYTORCH_PORT),
        "PET_MASTER_PORT": str(PYTORCH_PORT),
        "MASTER_ADDR": master,
        "PET_MASTER_ADDR": master,
        "WORLD_SIZE": str(nodes),
        "RANK": str(rank),
        "PET_NPROC_PER_NODE": "auto",
        "PET_NODE_RANK": str(rank),
        "PET_NNODES": str(nodes),
    }
