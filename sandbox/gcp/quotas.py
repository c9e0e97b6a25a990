"""Accelerator quotas of node pools: gcp/quotas.json, {"NVIDIA_A100_GPUS/us-central1": 8}; what it lacks is unlimited.

A pool counts with the most nodes that it may have. Names are those of Compute Engine's regional quotas.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sandbox.gcp.errors import CloudError, google_error
from sandbox.gcp.service_types import zones_of
from sandbox.gcp.store import Record, records
from trainingjobs import catalog

NODE_POOL = "gcp:container/nodePool:NodePool"


def check(state: Path, pool: Record) -> None:
    """Raise CloudError where this node pool and the other ones together exceed a quota."""
    path = state / "gcp" / "quotas.json"
    metric, region, needed = demand(pool.properties)
    if pool.type != NODE_POOL or not needed or not path.exists():
        return
    try:
        limit = json.loads(path.read_text(encoding="utf-8")).get(f"{metric}/{region}")
    except (ValueError, AttributeError) as error:
        raise CloudError(f'{path}: not a JSON object such as {{"{metric}/{region}": 8}} ({error})') from None
    if limit is None:
        return
    used = 0
    for other in records(state):
        if other.type == NODE_POOL and other.id != pool.id:
            other_metric, other_region, other_count = demand(other.properties)
            used += other_count if (other_metric, other_region) == (metric, region) else 0
    if used + needed > limit:
        raise google_error(
            403,
            f"Insufficient regional quota to satisfy request: resource \"{metric}\": request requires '{needed}.0' and "
            f"is short '{used + needed - limit}.0'. project has a quota of '{limit}.0' with '{limit - used}.0' "
            f"available in {region}.",
            "forbidden",
        )


def demand(properties: dict[str, Any]) -> tuple[str, str, int]:
    """Return the quota metric, the region and the number of accelerators that a node pool needs at most."""
    node = properties.get("nodeConfig") or {}
    location = str(properties.get("location", ""))
    region = location if location.count("-") < 2 else location.rpartition("-")[0]
    accelerator, count = accelerators_of(node)
    metric = catalog.compute_quota(accelerator) or f"{accelerator}_GPUS"
    if node.get("spot") or node.get("preemptible"):
        metric = f"PREEMPTIBLE_{metric}"
    return metric, region, int(count * most_nodes(properties, location))


def accelerators_of(node: dict[str, Any]) -> tuple[str, int]:
    """Return the accelerator, by Vertex AI's name, and its number of one node; ("", 0) without."""
    for accelerator in node.get("guestAccelerators") or []:
        name = str(accelerator["type"]).rpartition("/")[2]
        return catalog.vertex_accelerator(name) or name, int(accelerator["count"])
    return catalog.built_in_accelerators(str(node.get("machineType", ""))) or ("", 0)


def most_nodes(properties: dict[str, Any], location: str) -> int:
    """Return the most nodes that a pool may have, in all its zones together."""
    scaling = properties.get("autoscaling") or {}
    if scaling.get("totalMaxNodeCount"):
        return int(scaling["totalMaxNodeCount"])
    zones = len(properties.get("nodeLocations") or zones_of(location))
    nodes_per_zone = scaling.get("maxNodeCount") or properties.get("nodeCount", properties.get("initialNodeCount", 1))
    return int(nodes_per_zone) * zones
