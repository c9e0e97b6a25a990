"""The views of infrastructure that rules judge: a node pool, a cluster, the ranges of a network.

As with a job's facts they come from a plan or from observed resources, and what is in `unknown` puts a rule off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import JobFacts, NotKnownError

Strategy = Literal["STANDARD", "SPOT", "FLEX_START"]
STRATEGIES: Mapping[str | None, Strategy] = {
    None: "STANDARD",
    "STANDARD": "STANDARD",
    "ON_DEMAND": "STANDARD",
    "LOW_COST": "SPOT",
    "SPOT": "SPOT",
    "FLEX_START": "FLEX_START",
}

# Where a gcp:container NodePool keeps what a job's document keeps under its pool.
NODE_POOL_FIELDS = {
    "machineType": "nodeConfig.machineType",
    "scheduling.strategy": "nodeConfig",
    "scheduling.timeout": "nodeConfig.maxRunDuration",
    "reservationAffinity": "nodeConfig.reservationAffinity",
    "reservationAffinity.values": "nodeConfig.reservationAffinity.values",
    "nodePool.queuedProvisioning": "queuedProvisioning",
    "nodePool.placementPolicy": "placementPolicy",
    "nodePool.nodeLocations": "nodeLocations",
    "nodePool.fastSocket": "nodeConfig.fastSocket",
    "nodePool.gpuNetworks": "networkConfig.additionalNodeNetworkConfigs",
    "guestAccelerators": "nodeConfig.guestAccelerators",
    "management.autoRepair": "management.autoRepair",
    "autoscaling": "autoscaling",
    "privateNodes": "networkConfig.enablePrivateNodes",
    "workloadIdentity": "nodeConfig.workloadMetadataConfig.mode",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePoolFacts:
    """A GKE node pool that is judged by itself. `gpu_networks` counts its additional node networks.

    `zones` is None where its location is not said and so its provider's. `private_nodes` and `workload_identity` are
    None where the cluster decides.
    """

    name: str
    path: str = ""
    environment: str | None = None
    machine_type: str | None = None
    has_accelerators: bool = False
    strategy: Strategy = "STANDARD"
    is_spot_and_flex: bool = False
    timeout: float | None = None
    reservation: str | None = None
    reservation_values: tuple[str, ...] = ()
    queued: bool = False
    compact: bool = False
    zones: tuple[str, ...] | None = None
    fast_socket: bool = False
    gpu_networks: int = 0
    auto_repair: bool | None = None
    min_nodes: int | None = None
    private_nodes: bool | None = None
    workload_identity: bool | None = None
    unknown: frozenset[str] = field(default_factory=frozenset)

    def at(self, name: str) -> FieldPath:
        """Returns the path of a field, given as our document names it."""
        return FieldPath(self.path) / NODE_POOL_FIELDS.get(name, name)

    def need(self, *names: str) -> None:
        """Raises NotKnownError where one of the fields (document names) is unknown."""
        _need(self.unknown, self.at, names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """A GKE cluster. None: nothing says it. `pools_are_private`: each of its node pools says so for itself."""

    path: str
    environment: str | None = None
    private_nodes: bool | None = None
    pools_are_private: bool = False
    workload_identity: bool | None = None
    unknown: frozenset[str] = field(default_factory=frozenset)

    def at(self, name: str) -> FieldPath:
        """Returns the path of a field."""
        return FieldPath(self.path) / name

    def need(self, *names: str) -> None:
        """Raises NotKnownError where one of the fields is unknown."""
        _need(self.unknown, self.at, names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A range of IPv4 addresses: where it is written, what it is for."""

    path: str
    what: str
    cidr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFacts:
    """Ranges that reach each other, so that no two may overlap."""

    path: str
    environment: str | None = None
    ranges: tuple[Range, ...] = ()


Facts = JobFacts | NodePoolFacts | ClusterFacts | NetworkFacts


def _need(unknown: frozenset[str], at: Callable[[str], str], names: tuple[str, ...]) -> None:
    for name in names:
        if name in unknown or "*" in unknown:
            raise NotKnownError(at(name))
