"""TF_CONFIG: passed through, rewritten where TensorFlow would refuse it, or made from a CLUSTER_SPEC.

Sources: Vertex AI distributed training guide, "The format of TF_CONFIG"; AI Platform TF_CONFIG guide, "chief versus
master": TensorFlow 2 does not support a TF_CONFIG with a task `master`.
"""

from __future__ import annotations

import json
import os
import sys

from .description import CLUSTER_SPEC, TF_CONFIG, job_of, parsed
from .training_cluster import EVALUATOR, PARAMETER_SERVERS, PRIMARY, SERVERS, WORKER, Cluster, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_TASK_TYPES = {PRIMARY: "chief", WORKER: "worker", SERVERS: "ps", EVALUATOR: "evaluator"}


def tensorflow_variables(cluster: Cluster, environ: Mapping[str, str], note: Callable[[str], None]) -> dict[str, str]:
    """Returns TF_CONFIG, or nothing for a job of one replica, which needs none.

    Raises RefusedError where the hosts that TF_CONFIG needs are not described.
    """
    config = parsed(environ, TF_CONFIG)
    if config:
        return {TF_CONFIG: _readable(environ[TF_CONFIG], config)}
    if cluster.replicas() == 1:
        return {}
    if not environ.get(CLUSTER_SPEC):
        raise RefusedError("tensorflow needs every node's host, and the operator's variables name only the primary's")
    return _made(cluster, note)


def _made(cluster: Cluster, note: Callable[[str], None]) -> dict[str, str]:
    known = cluster.pool2_kind == PARAMETER_SERVERS
    if cluster.pool2 and not cluster.pool2_kind:
        note("pool 2 is left out of TF_CONFIG: say --pool2=ps or --pool2=reducers")
    if cluster.role == SERVERS and not known:
        return {"NODE_ROLE": "reducer" if cluster.pool2_kind else SERVERS, "NODE_INDEX": str(cluster.index)}
    pools = {"chief": cluster.nodes[:1], "worker": cluster.nodes[1:], "ps": cluster.pool2 if known else ()}
    config = {
        "cluster": {key: hosts for key, hosts in pools.items() if hosts},
        "environment": "cloud",
        "task": {
            "type": _TASK_TYPES[cluster.role],
            "index": cluster.index,
            **({"trial": cluster.trial} if cluster.trial else {}),
        },
        **({"job": cluster.job} if cluster.job else {}),
    }
    return {TF_CONFIG: json.dumps(config, sort_keys=True)}


def _readable(text: str, config: dict[str, object]) -> str:
    """Returns `text` without what TensorFlow refuses: null for a role, and in TensorFlow 2 the task `master`.

    That is `text` itself where nothing is to be rewritten.
    """
    described, task = config["cluster"], config["task"]
    if not isinstance(described, dict) or not isinstance(task, dict):
        return text
    cluster = {key: hosts for key, hosts in described.items() if hosts is not None}
    if "master" in cluster and not _is_tensorflow_1(job_of(config), sys.path):
        cluster = {"chief" if key == "master" else key: hosts for key, hosts in cluster.items() if hosts}
        task = {**task, "type": "chief" if task.get("type") == "master" else task.get("type")}
    if cluster == described:
        return text
    return json.dumps({**config, "cluster": cluster, "task": task}, sort_keys=True)


def _is_tensorflow_1(job: dict[str, object] | None, path: Iterable[str]) -> bool:
    """Returns whether the job runs TensorFlow 1: by its runtimeVersion, else by what is installed beside the launcher.

    TensorFlow is not imported: that takes seconds.
    """
    version = (job.get("runtimeVersion") or job.get("runtime_version")) if job else None
    if isinstance(version, str) and version:
        return version.startswith("1.")
    for folder in path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 (importing pathlib would cost the start-up budget)
        except OSError:
            continue
        if any(name.startswith(("tensorflow-1.", "tensorflow_gpu-1.")) for name in names):
            return True
    return False
