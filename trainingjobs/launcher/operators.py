"""Reads what Kubeflow's PyTorchJob (operator 1.9) and TrainJob inject: MASTER_ADDR, RANK, WORLD_SIZE, PET_*.

The operator's RANK is the node's rank, and its WORLD_SIZE the nodes times the processes per node.
Source: kubeflow/training-operator v1.9.0, pkg/controller.v1/pytorch/envvar.go and master.go.
"""

from __future__ import annotations

from .training_cluster import DEFAULT_PORT, PRIMARY, WORKER, Cluster, RefusedError, join_address, quoted, split_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TELLTALES = ("RANK", "WORLD_SIZE", "PET_NODE_RANK", "PET_NNODES")


def read_operator(environ: Mapping[str, str]) -> Cluster | None:
    """Returns this replica's place, None where no operator described one.

    The other nodes' hosts are unknown: an operator names only the primary.
    Raises RefusedError for a description that is incomplete or contradicts itself, or an elastic one.
    """
    if not any(environ.get(name) for name in _TELLTALES):
        return None
    processes = environ.get("PET_NPROC_PER_NODE") or "1"
    count, rank = _nodes(environ, processes), _number(environ, "PET_NODE_RANK", "RANK")
    if not rank < count:
        raise RefusedError(f"RANK is {rank} in a world of {count} nodes; ranks are 0 to {count - 1}")
    primary = _primary(environ, count)
    role, index = (PRIMARY, 0) if rank == 0 else (WORKER, rank - 1)
    nodes = (primary,) if count == 1 else ()
    return Cluster(
        role=role, index=index, rank=rank, count=count, primary=primary, nodes=nodes, processes=processes
    )  # fmt: skip


def processes_of(text: str) -> int:
    """Returns the processes per node that `text` means; 1 for torchrun's words (auto, gpu, cpu), as in the operator."""
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) <= 6 and int(text) else 1


def _nodes(environ: Mapping[str, str], processes: str) -> int:
    if ":" in environ.get("PET_NNODES", ""):
        raise RefusedError(
            f"PET_NNODES is {quoted(environ['PET_NNODES'])}, an elastic job's range: torchrun gives its ranks; "
            "start it without the launcher"
        )
    if environ.get("PET_NNODES"):
        count = _number(environ, "PET_NNODES")
    else:
        count, remainder = divmod(_number(environ, "WORLD_SIZE"), processes_of(processes))
        if remainder:
            raise RefusedError(f"WORLD_SIZE is no multiple of PET_NPROC_PER_NODE {quoted(processes)}")
    if not count:
        raise RefusedError("the operator describes a world of 0 nodes")
    return count


def _primary(environ: Mapping[str, str], count: int) -> str:
    host = environ.get("MASTER_ADDR") or environ.get("PET_MASTER_ADDR") or ("127.0.0.1" if count == 1 else "")
    port = environ.get("MASTER_PORT") or environ.get("PET_MASTER_PORT") or str(DEFAULT_PORT)
    if not host:
        raise RefusedError("RANK and WORLD_SIZE are set, MASTER_ADDR is missing")
    try:
        return join_address(*split_address(f"[{host}]:{port}" if ":" in host else f"{host}:{port}"))
    except ValueError:
        raise RefusedError(f"MASTER_ADDR {quoted(host)} with MASTER_PORT {quoted(port)} is no address") from None


def _number(environ: Mapping[str, str], *names: str) -> int:
    """Returns the whole number in the first of the variables that is set."""
    name = next((name for name in names if environ.get(name)), "")
    if not name:
        raise RefusedError(f"an operator described this replica, but {names[-1]} is missing")
    text = environ[name]
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise RefusedError(f"{name} is {quoted(text)}; a whole number from 0 is needed")
    return int(text)
