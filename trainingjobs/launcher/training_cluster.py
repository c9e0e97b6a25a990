"""A replica's place in its training cluster, whatever described it. Reads nothing and knows no framework."""

from __future__ import annotations

# Roles, as NODE_ROLE says them. SERVERS is pool 2 before it is known what it holds.
PRIMARY, WORKER, SERVERS, EVALUATOR = "primary", "worker", "workerpool2", "evaluator"

# What pool 2 holds, where that is known. The reduction server is Vertex AI's own, reducers are any other.
PARAMETER_SERVERS, REDUCERS, REDUCTION_SERVER, UNKNOWN = "ps", "reducers", "reduction-server", ""

DEFAULT_PORT = 2222
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_[]:%")
_QUOTE_LIMIT = 60


class RefusedError(Exception):
    """A description that no settings can be taken from. Its text is the one line that the user sees."""


class Cluster:
    """Where this replica stands: data only.

    `nodes` are the addresses of primary and workers by rank, () where the description does not name them all; `count`
    is their number, 0 where it is unknown; `rank` is None for a replica that is no node. `index` counts within the
    replica's own pool. `processes` is the operator's text for the processes per node ("1", "4", "auto").
    """

    __slots__ = (
        "count", "evaluators", "index", "job", "nodes", "pool2", "pool2_kind", "primary", "processes", "rank", "role",
        "trial",
    )  # fmt: skip

    def __init__(
        self,
        *,
        role: str,
        index: int,
        rank: int | None,
        count: int,
        primary: str,
        nodes: tuple[str, ...] = (),
        pool2: tuple[str, ...] = (),
        pool2_kind: str = UNKNOWN,
        evaluators: tuple[str, ...] = (),
        job: dict[str, object] | None = None,
        trial: str = "",
        processes: str = "1",
    ) -> None:
        self.role, self.index, self.rank, self.count = role, index, rank, count
        self.primary, self.nodes = primary, nodes
        self.pool2, self.pool2_kind, self.evaluators = pool2, pool2_kind, evaluators
        self.job, self.trial, self.processes = job, trial, processes

    def replicas(self) -> int:
        """Returns the number of replicas of the whole job, as far as the description names them."""
        return self.count + len(self.pool2) + len(self.evaluators)

    def has_reducers(self) -> bool:
        """Returns whether pool 2 is known to hold reducers."""
        return self.pool2_kind in (REDUCERS, REDUCTION_SERVER)


def world_of_one() -> Cluster:
    """Returns the cluster of a replica that nothing describes."""
    address = f"127.0.0.1:{DEFAULT_PORT}"
    return Cluster(role=PRIMARY, index=0, rank=0, count=1, primary=address, nodes=(address,))


def split_address(address: str) -> tuple[str, str]:
    """Returns host (an IPv6 address without its brackets) and port of `address`; port 2222 where it has none.

    Raises ValueError for what is no address. Characters that mean something to a shell are refused, since training
    scripts put these names on command lines.
    """
    host, colon, port = address.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = address, str(DEFAULT_PORT)
    if not host or host.startswith("-") or not _HOST_CHARACTERS.issuperset(host):
        raise ValueError(address)
    if host.startswith("[") and host.endswith("]") and ":" in host:
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(address)
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise ValueError(address)
    return host, str(int(port))


def join_address(host: str, port: str) -> str:
    """Returns `host:port`, with the brackets that an IPv6 address needs."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def quoted(value: object) -> str:
    """Returns `value` for a message: on one line, ASCII, and short however long or deep it is."""
    if isinstance(value, dict):
        return "an object"
    text = "a list" if isinstance(value, list) else ascii(value)
    return text if len(text) <= _QUOTE_LIMIT else text[:_QUOTE_LIMIT] + "..."
