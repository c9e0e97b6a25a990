"""A GKE node pool or cluster as its provider is told of it → the facts that rules judge, whoever wrote it.

The properties are gcp:container's, with UNKNOWN where a preview does not know a value yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.numbers import whole
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.infrastructure import NODE_POOL_FIELDS, ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import UNKNOWN, Unknown

Props = Mapping[str, Any]

# Where a cluster holds node pools that are no resources of their own.
INLINE = "nodePools"
# Places that decide on a field beside the one where it is told.
WITHIN = {
    "scheduling.strategy": ("nodeConfig.spot", "nodeConfig.preemptible", "nodeConfig.flexStart"),
    "nodePool.queuedProvisioning": ("queuedProvisioning.enabled",),
    "nodePool.placementPolicy": ("placementPolicy.type",),
    "nodePool.fastSocket": ("nodeConfig.fastSocket.enabled",),
    "reservationAffinity": ("nodeConfig.reservationAffinity.consumeReservationType",),
    "autoscaling": ("autoscaling.totalMinNodeCount", "autoscaling.minNodeCount"),
}
NODE_POOL_KEYS = frozenset(place.partition(".")[0] for place in NODE_POOL_FIELDS.values())


def node_pool_facts(props: Props, environment: str | None = None, path: str = "") -> NodePoolFacts:
    """Returns the facts of a node pool; a field that is unknown, or within something unknown, is named so."""
    node = _within(props, "nodeConfig")
    affinity = _within(node, "reservationAffinity")
    machine = node.get("machineType")
    accelerators = node.get("guestAccelerators")
    spot = node.get("spot") is True or node.get("preemptible") is True
    flex = node.get("flexStart") is True
    metadata = _within(node, "workloadMetadataConfig").get("mode")
    return NodePoolFacts(
        name=str(_known(props.get("name")) or ""),
        path=path,
        environment=environment,
        machine_type=machine if isinstance(machine, str) else None,
        has_accelerators=bool(_listed(accelerators)) or _brings_accelerators(machine),
        strategy="FLEX_START" if flex else "SPOT" if spot else "STANDARD",
        is_spot_and_flex=spot and flex,
        timeout=_seconds(node.get("maxRunDuration")),
        reservation=_text(affinity.get("consumeReservationType")),
        reservation_values=_values(affinity.get("values")),
        queued=_known(_within(props, "queuedProvisioning").get("enabled")) is True,
        compact=_known(_within(props, "placementPolicy").get("type")) == "COMPACT",
        zones=_zones(props),
        fast_socket=_known(_within(node, "fastSocket").get("enabled")) is True,
        gpu_networks=len(_listed(_within(props, "networkConfig").get("additionalNodeNetworkConfigs"))),
        auto_repair=_flag(_within(props, "management").get("autoRepair")),
        min_nodes=_least(_within(props, "autoscaling")),
        private_nodes=_flag(_within(props, "networkConfig").get("enablePrivateNodes")),
        workload_identity={"GCE_METADATA": False, "GKE_METADATA": True}.get(str(_known(metadata))),
        unknown=_unknown_fields(props),
    )


def _unknown_fields(props: Props) -> frozenset[str]:
    unknown = {name for name, place in NODE_POOL_FIELDS.items() if _is_unknown(props, place)}
    unknown |= {name for name, places in WITHIN.items() if any(_is_unknown(props, place) for place in places)}
    if props.get("location") is UNKNOWN and not _listed(props.get("nodeLocations")):
        unknown.add("nodePool.nodeLocations")
    return frozenset(unknown)


def cluster_facts(props: Props, environment: str | None = None, path: str = "") -> ClusterFacts:
    """Returns the facts of a cluster. Autopilot brings Workload Identity.

    `nodePools` is not known where the pools are resources of their own, and no other is left.
    """
    autopilot = _known(props.get("enableAutopilot")) is True
    places = {
        "privateNodes": "privateClusterConfig.enablePrivateNodes",
        "workloadIdentity": "workloadIdentityConfig.workloadPool",
    }
    unknown = {name for name, place in places.items() if _is_unknown(props, place)}
    pools = [pool for pool in cluster_pools(props) if pool.path.startswith(INLINE)]
    are_elsewhere = not pools and props.get("removeDefaultNodePool") in (True, UNKNOWN) and not autopilot
    if are_elsewhere or props.get(INLINE) is UNKNOWN or any("privateNodes" in pool.unknown for pool in pools):
        unknown.add(INLINE)
    return ClusterFacts(
        path=path,
        environment=environment,
        private_nodes=_flag(_within(props, "privateClusterConfig").get("enablePrivateNodes")),
        pools_are_private=bool(pools) and all(pool.private_nodes for pool in pools),
        workload_identity=autopilot or bool(_text(_within(props, "workloadIdentityConfig").get("workloadPool"))),
        unknown=frozenset(unknown),
    )


def cluster_pools(props: Props, environment: str | None = None) -> list[NodePoolFacts]:
    """Returns the facts of the node pools that stand in a cluster itself: its default pool, and those of its list.

    What a pool does not say of its place it has of the cluster.
    """
    place = {key: props[key] for key in ("location", "nodeLocations") if key in props}
    if not _listed(place.get("nodeLocations")) or _is_zone(place.get("location")):
        # The zones of a zonal cluster's list are further ones.
        zones = [zone for zone in (place.get("location"), *_listed(place.get("nodeLocations"))) if _is_zone(zone)]
        place = {**place, "nodeLocations": zones} if zones else place
    default = {"nodeConfig": props["nodeConfig"]} if "nodeConfig" in props else {}
    pools = []
    if default and props.get("removeDefaultNodePool") is not True:
        pools.append(node_pool_facts({**place, **default}, environment))
    for index, pool in enumerate(_listed(props.get(INLINE))):
        given = dict.fromkeys(NODE_POOL_KEYS, UNKNOWN) if isinstance(pool, Unknown) else pool
        if isinstance(given, Mapping):
            said = {key: value for key, value in given.items() if value is not None}
            pools.append(node_pool_facts({**place, **said}, environment, FieldPath(INLINE).item(index)))
    return pools


def infrastructure_facts(props: Props, environment: str | None = None) -> list[NodePoolFacts | ClusterFacts]:
    """Returns what rules judge of a cluster: itself, and the pools that stand in it."""
    return [cluster_facts(props, environment), *cluster_pools(props, environment)]


def _within(props: Props, key: str) -> Props:
    value = props.get(key)
    return value if isinstance(value, Mapping) else {}


def _known(value: Any) -> Any:
    return None if isinstance(value, Unknown) else value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _values(value: Any) -> tuple[str, ...]:
    """Returns the names of reservations; one that is not known yet is one all the same."""
    return ("unknown",) if value is UNKNOWN else tuple(map(str, _listed(value)))


def _seconds(value: Any) -> float | None:
    text = _text(value)
    digits = text.removesuffix("s") if text else ""
    return float(digits) if digits.replace(".", "", 1).isdecimal() and len(digits) < 20 else None


def _least(autoscaling: Props) -> int | None:
    counts = [whole(autoscaling.get(key)) for key in ("totalMinNodeCount", "minNodeCount")]
    return max((count for count in counts if count is not None), default=None)


def _zones(props: Props) -> tuple[str, ...] | None:
    """Returns the pool's zones: its own, else the cluster's location where that is a zone; None where nothing says."""
    zones = tuple(map(str, _listed(props.get("nodeLocations"))))
    location = _text(props.get("location"))
    return zones or (None if location is None else (location,) if _is_zone(location) else ())


def _is_zone(location: Any) -> bool:
    """Returns whether a location is a zone, such as us-central1-a, and no region."""
    return isinstance(location, str) and location.count("-") == 2


def _brings_accelerators(machine: Any) -> bool:
    return isinstance(machine, str) and catalog.built_in_accelerators(machine) is not None


def _is_unknown(props: Props, place: str) -> bool:
    value: Any = props
    for part in place.split("."):
        if value is UNKNOWN:
            return True
        value = value.get(part) if isinstance(value, Mapping) else None
    return value is UNKNOWN
