"""What each framework needs to be told: environment variables, and for `flags` arguments of the command.

Sources of the names: torch.distributed (env:// and torchrun's PET_*), jax.distributed.initialize, Horovod's
gloo_context and gloo_run, XGBoost's collective.init, the TFJob guide's "vanilla" flags. TF_CONFIG is in tensorflow.py,
DMLC_* in dmlc.py.
"""

from __future__ import annotations

from .dmlc import dmlc_variables
from .operators import processes_of
from .tensorflow import tensorflow_variables
from .training_cluster import PARAMETER_SERVERS, SERVERS, Cluster, RefusedError, quoted, split_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Note = Callable[[str], None]

# Vertex AI distributed training guide, "Batch small messages together": at least 128 MB.
FUSION_THRESHOLD = 134217728


def pytorch(cluster: Cluster, rank: int, processes: str) -> dict[str, str]:
    """Returns what env:// and torchrun read. `rank` counts nodes; torchrun starts the processes of a node."""
    host, port = split_address(cluster.primary)
    return {
        **_generic(cluster, rank, processes),
        "PET_MASTER_ADDR": host,
        "PET_MASTER_PORT": port,
        "PET_NNODES": str(cluster.count),
        "PET_NODE_RANK": str(rank),
        "PET_NPROC_PER_NODE": processes,
    }


def jax(cluster: Cluster, rank: int, processes: str) -> dict[str, str]:
    """Returns the coordinator and the process's place.

    jax.distributed.initialize() itself reads the two addresses only; the program passes it the other two as
    num_processes and process_id. On a loopback address, where several jobs may run side by side on one port, the
    coordinator binds that address and not all of them, which is JAX's default.
    """
    per_node = processes_of(processes)
    bind = {"JAX_COORDINATOR_BIND_ADDRESS": cluster.primary} if rank == 0 and cluster.primary[:4] == "127." else {}
    return {
        "JAX_COORDINATOR_ADDRESS": cluster.primary,
        "JAX_NUM_PROCESSES": str(cluster.count * per_node),
        "JAX_PROCESS_ID": str(rank * per_node),
        **bind,
    }


def horovod(cluster: Cluster, rank: int, processes: str) -> dict[str, str]:
    """Returns what Horovod's Gloo controller reads, and HOROVOD_HOSTS for `horovodrun -H` on the primary.

    horovodrun serves the rendezvous itself and gives each process it starts its own variables in place of these.
    """
    hosts = [split_address(address)[0] for address in _all_nodes(cluster, "horovod")]
    per_node = processes_of(processes)
    host, port = split_address(cluster.primary)
    rendezvous = {"HOROVOD_GLOO_RENDEZVOUS_ADDR": host, "HOROVOD_GLOO_RENDEZVOUS_PORT": port}
    return {
        "HOROVOD_HOSTS": ",".join(f"{host}:{per_node}" for host in hosts),
        "HOROVOD_HOSTNAME": hosts[rank],
        "HOROVOD_RANK": str(rank * per_node),
        "HOROVOD_SIZE": str(cluster.count * per_node),
        "HOROVOD_LOCAL_RANK": "0",
        "HOROVOD_LOCAL_SIZE": str(per_node),
        "HOROVOD_CROSS_RANK": str(rank),
        "HOROVOD_CROSS_SIZE": str(cluster.count),
        "HOROVOD_CONTROLLER": "gloo",
        "HOROVOD_CPU_OPERATIONS": "gloo",
        **(rendezvous if cluster.count * per_node > 1 else {}),
    }


def xgboost(cluster: Cluster, rank: int, processes: str) -> dict[str, str]:
    """Returns the tracker, which the primary's program starts, and the names that Kubeflow's XGBoostJob sets."""
    host, port = split_address(cluster.primary)
    generic = _generic(cluster, rank, processes)
    return {
        **{name: generic[name] for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")},
        "DMLC_TRACKER_URI": host,
        "DMLC_TRACKER_PORT": port,
        "DMLC_TASK_ID": generic["RANK"],
    }


def _generic(cluster: Cluster, rank: int, processes: str) -> dict[str, str]:
    host, port = split_address(cluster.primary)
    per_node = processes_of(processes)
    return {
        "MASTER_ADDR": host,
        "MASTER_PORT": port,
        "RANK": str(rank * per_node),
        "LOCAL_RANK": "0",
        "WORLD_SIZE": str(cluster.count * per_node),
        "NODE_RANK": str(rank),
        "NNODES": str(cluster.count),
    }


RANKED: dict[str, Callable[[Cluster, int, str], dict[str, str]]] = {
    "pytorch": pytorch, "horovod": horovod, "jax": jax, "xgboost": xgboost, "custom": _generic,
}  # fmt: skip
FRAMEWORKS = ("tensorflow", "pytorch", "horovod", "jax", "mxnet", "byteps", "xgboost", "flags", "custom")


def settings(
    framework: str, cluster: Cluster, processes: str, environ: Mapping[str, str], note: Note
) -> tuple[dict[str, str | None], list[str]]:
    """Returns the variables to set (None: to remove) and the arguments to append to the command.

    `processes` is the number per node as text. `note` is told, in one line, what was left out or changed.
    Raises RefusedError where the description does not hold what the framework needs.
    """
    if framework == "tensorflow":
        return {**tensorflow_variables(cluster, environ, note)}, []
    if not cluster.count:
        raise RefusedError("TF_CONFIG does not name every worker (dynamic workers): it gives no ranks")
    if framework in ("mxnet", "byteps"):
        return {**dmlc_variables(cluster, byteps=framework == "byteps")}, []
    if framework == "flags":
        arguments = _flags(cluster, note)
        return {} if arguments else {**role_variables(cluster)}, arguments
    ranked = RANKED[framework](cluster, cluster.rank or 0, processes)
    variables: dict[str, str | None] = {**ranked}
    if cluster.rank is None:
        variables = {**dict.fromkeys(ranked), **role_variables(cluster)}
    elif framework == "custom":
        variables.update(role_variables(cluster))
    if framework == "horovod" and cluster.rank is not None:
        variables.update(_horovod_choices(cluster, environ, note))
    return variables, []


def role_variables(cluster: Cluster) -> dict[str, str]:
    """Returns the variables of a replica that is no rank: its role and its place in its own pool."""
    role = cluster.role
    if role == SERVERS:
        role = "reducer" if cluster.has_reducers() else "parameter-server" if cluster.pool2_kind else SERVERS
    return {"NODE_ROLE": role, "NODE_INDEX": str(cluster.index)}


def _horovod_choices(cluster: Cluster, environ: Mapping[str, str], note: Note) -> dict[str, str]:
    """Returns the settings in which the user has a say: their controller stays, too low a threshold is raised."""
    choices = {name: environ[name] for name in ("HOROVOD_CONTROLLER", "HOROVOD_CPU_OPERATIONS") if environ.get(name)}
    if cluster.has_reducers():
        text = environ.get("HOROVOD_FUSION_THRESHOLD", "")
        threshold = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
        if text and threshold < FUSION_THRESHOLD:
            note(f"HOROVOD_FUSION_THRESHOLD {quoted(text)} is raised to {FUSION_THRESHOLD}, as reducers need")
        choices["HOROVOD_FUSION_THRESHOLD"] = str(max(threshold, FUSION_THRESHOLD))
    return choices


def _flags(cluster: Cluster, note: Note) -> list[str]:
    """Returns the TFJob guide's four flags. The primary is worker 0, worker i is i+1; others but servers get none."""
    nodes = _all_nodes(cluster, "flags")
    if cluster.pool2 and not cluster.pool2_kind:
        note("pool 2 is left out of --ps_hosts: say --pool2=ps or --pool2=reducers")
    servers = cluster.pool2 if cluster.pool2_kind == PARAMETER_SERVERS else ()
    if cluster.rank is not None:
        job_name, index = "worker", cluster.rank
    elif cluster.role == SERVERS and servers:
        job_name, index = "ps", cluster.index
    else:
        return []
    hosts = (f"--ps_hosts={','.join(servers)}", f"--worker_hosts={','.join(nodes)}")
    return [*hosts, f"--job_name={job_name}", f"--task_index={index}"]


def _all_nodes(cluster: Cluster, framework: str) -> tuple[str, ...]:
    if len(cluster.nodes) != cluster.count:
        raise RefusedError(f"{framework} needs every node's host, and the operator's variables name only the primary's")
    return cluster.nodes
