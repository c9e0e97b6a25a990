"""All resource types of the sandbox, and which type a property refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.gcp import compute_types as kinds_compute
from sandbox.gcp import service_types as kinds_services
from sandbox.gcp.resource_type import Kind, fill, short

KINDS: dict[str, Kind] = {kind.type: kind for kind in (*kinds_compute.KINDS, *kinds_services.KINDS)}

# Property (at any depth) → the type that it names by link, id or name.
REFERENCES = {
    "bucket": "gcp:storage/bucket:Bucket",
    "cluster": "gcp:container/cluster:Cluster",
    "healthCheck": "gcp:compute/healthCheck:HealthCheck",
    "instanceGroupManager": "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "instanceTemplate": "gcp:compute/instanceTemplate:InstanceTemplate",
    "natIps": "gcp:compute/address:Address",
    "network": "gcp:compute/network:Network",
    "repository": "gcp:artifactregistry/repository:Repository",
    "reservedPeeringRanges": "gcp:compute/globalAddress:GlobalAddress",
    "resourcePolicies": "gcp:compute/resourcePolicy:ResourcePolicy",
    "router": "gcp:compute/router:Router",
    "secretId": "gcp:secretmanager/secret:Secret",
    "serviceAccountId": "gcp:serviceaccount/account:Account",
    "sourceInstanceTemplate": "gcp:compute/instanceTemplate:InstanceTemplate",
    "subnetwork": "gcp:compute/subnetwork:Subnetwork",
    "subnetworks": "gcp:compute/subnetwork:Subnetwork",
}
# The user's own keys stand in these: a label called "network" names no network.
FREE_FORM = frozenset({"annotations", "labels", "metadata", "params", "resourceLabels", "resourceManagerTags", "tags"})


def references(kind: Kind, properties: Mapping[str, Any]) -> Iterator[tuple[Kind, str]]:
    """Yield the type and the id of every resource that a resource's properties name."""
    for key, value in _leaves(properties, ""):
        target = KINDS.get(REFERENCES.get(key, ""))
        if target and target is not kind:
            yield target, resolve(target, value, properties)


def owner_of(kind: Kind, properties: Mapping[str, Any]) -> tuple[Kind, str] | None:
    """Return the type and the id of the resource that this one is a part of, or None."""
    if not kind.owner:
        return None
    target = KINDS[REFERENCES[kind.owner]]
    return target, resolve(target, str(properties[kind.owner]), properties)


def resolve(target: Kind, value: str, properties: Mapping[str, Any]) -> str:
    """Return the id that a link, an id or a bare name stands for, seen from a resource with these properties."""
    name = short(value).partition("?")[0]
    if name.startswith(("global/", "regions/", "zones/")):
        return f"projects/{properties.get('project', '')}/{name}"
    if "/" in name:
        return name
    places = {key: properties.get(key, "") for key in target.fields}
    return fill(target.id, places | {target.named or target.fields[-1]: name})


def _leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in FREE_FORM:
                # Cloud NAT lists its subnetworks as objects whose name is the link.
                yield from _leaves(item, "subnetworks" if key == "subnetworks" and name == "name" else name)
