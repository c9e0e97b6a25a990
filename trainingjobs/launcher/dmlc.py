"""The DMLC_* variables of MXNet's parameter server (ps-lite) and of BytePS.

Sources: AI Platform containers guide (scheduler, workers and servers are master, workers and parameter servers);
ps-lite, src/van.cc; BytePS, docs/env.md.
"""

from __future__ import annotations

from .training_cluster import REDUCTION_SERVER, SERVERS, Cluster, split_address


def dmlc_variables(cluster: Cluster, *, byteps: bool) -> dict[str, str]:
    """Returns role, root and counts; nothing for a replica without a part (evaluator, Vertex AI's reduction server).

    The scheduler is the primary, so DMLC_NUM_WORKER counts the workers only. A job of one replica has no scheduler:
    MXNet gets nothing, since it would wait as a scheduler forever, and BytePS one worker.
    """
    servers = () if cluster.pool2_kind == REDUCTION_SERVER else cluster.pool2
    alone = cluster.count == 1 and not servers
    if alone and not byteps:
        return {}
    if cluster.rank is not None:
        role = "worker" if alone or cluster.rank else "scheduler"
    elif cluster.role == SERVERS and servers:
        role = "server"
    else:
        return {}
    host, port = split_address(cluster.primary)
    variables = {
        "DMLC_ROLE": role,
        "DMLC_PS_ROOT_URI": host,
        "DMLC_PS_ROOT_PORT": port,
        "DMLC_NUM_WORKER": "1" if alone else str(cluster.count - 1),
        "DMLC_NUM_SERVER": str(len(servers)),
    }
    if byteps and role == "worker":
        variables["DMLC_WORKER_ID"] = "0" if alone else str((cluster.rank or 0) - 1)
    return variables
