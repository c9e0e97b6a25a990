"""A GKE node pool or cluster as its provider is told of it → the facts that rules judge, whoever wrote it.

The properties are gcp:container's, with UNKNOWN where a preview does not know a value yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs import catalog
from trainingjobs.facts.infrastructure import NODE_POOL_FIELDS, ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import UNKNOWN, Unknown

Props = Mapping[str, Any]


def node_pool_facts(props: Props, environment: str | None = None, path: str = "") -> NodePoolFacts:
    """Returns the facts of a node pool; a field that is unknown, or within something unknown, is named so."""
    node = _within(props, "nodeConfig")
    affinity = _within(node, "reservationAffinity")
    machine = node.get("machineType")
    accelerators = node.get("guestAccelerators")
    spot = bool(_known(node.get("spot")) or _known(node.get("preemptible")))
    flex = _known(node.get("flexStart")) is True
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
        unknown=frozenset(name for name, place in NODE_POOL_FIELDS.items() if _is_unknown(props, place)),
    )


def cluster_facts(props: Props, environment: str | None = None, path: str = "") -> ClusterFacts:
    """Returns the facts of a cluster. Autopilot brings Workload Identity."""
    autopilot = _known(props.get("enableAutopilot")) is True
    places = {
        "privateNodes": "privateClusterConfig.enablePrivateNodes",
        "workloadIdentity": "workloadIdentityConfig.workloadPool",
    }
    return ClusterFacts(
        path=path,
        environment=environment,
        private_nodes=_flag(_within(props, "privateClusterConfig").get("enablePrivateNodes")),
        workload_identity=autopilot or bool(_text(_within(props, "workloadIdentityConfig").get("workloadPool"))),
        unknown=frozenset(name for name, place in places.items() if _is_unknown(props, place)),
    )


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
    counts = [autoscaling.get(key) for key in ("totalMinNodeCount", "minNodeCount")]
    return max((int(value) for value in counts if isinstance(value, int | float)), default=None)


def _zones(props: Props) -> tuple[str, ...]:
    """Returns the pool's zones: its own, else the cluster's location where that is a zone (us-central1-a)."""
    zones = tuple(map(str, _listed(props.get("nodeLocations"))))
    location = _text(props.get("location"))
    return zones or ((location,) if location and location.count("-") == 2 else ())


def _brings_accelerators(machine: Any) -> bool:
    return isinstance(machine, str) and catalog.built_in_accelerators(machine) is not None


def _is_unknown(props: Props, place: str) -> bool:
    value: Any = props
    for part in place.split("."):
        if value is UNKNOWN:
            return True
        value = value.get(part) if isinstance(value, Mapping) else None
    return value is UNKNOWN
