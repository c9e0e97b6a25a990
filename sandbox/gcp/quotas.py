"""Accelerator quotas of node pools: gcp/quotas.json, {"NVIDIA_A100_GPUS/us-central1": 8}; what it lacks is unlimited.

A pool counts with the most nodes that it may have. Names are those of Compute Engine's regional quotas.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sandbox.gcp.errors import CloudError, google_error
from sandbox.gcp.kinds_services import zones_of
from sandbox.gcp.store import Record, records

NODE_POOL = "gcp:container/nodePool:NodePool"
# Compute Engine's quota metrics where they are not simply the accelerator's name.
METRICS = {
    "nvidia-a100-80gb": "NVIDIA_A100_80GB_GPUS",
    "nvidia-h100-80gb": "NVIDIA_H100_GPUS",
    "nvidia-h100-mega-80gb": "NVIDIA_H100_MEGA_GPUS",
    "nvidia-h200-141gb": "NVIDIA_H200_GPUS",
}
# Machine types that bring their accelerators: the series, and the accelerator of `-highgpu-8g` and the like.
SERIES = {
    "a2-highgpu": "nvidia-tesla-a100",
    "a2-megagpu": "nvidia-tesla-a100",
    "a2-ultragpu": "nvidia-a100-80gb",
    "a3-edgegpu": "nvidia-h100-80gb",
    "a3-highgpu": "nvidia-h100-80gb",
    "a3-megagpu": "nvidia-h100-mega-80gb",
    "a3-ultragpu": "nvidia-h200-141gb",
    "a4-highgpu": "nvidia-b200",
}


def check(state: Path, pool: Record) -> None:
    """Raise CloudError where this node pool and the other ones together exceed a quota."""
    path = state / "gcp" / "quotas.json"
    metric, region, wanted = demand(pool.properties)
    if pool.type != NODE_POOL or not wanted or not path.exists():
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
            its_metric, its_region, its_count = demand(other.properties)
            used += its_count if (its_metric, its_region) == (metric, region) else 0
    if used + wanted > limit:
        raise google_error(
            403,
            f"Insufficient regional quota to satisfy request: resource \"{metric}\": request requires '{wanted}.0' and "
            f"is short '{used + wanted - limit}.0'. project has a quota of '{limit}.0' with '{limit - used}.0' "
            f"available in {region}.",
            "forbidden",
        )


def demand(properties: dict[str, Any]) -> tuple[str, str, int]:
    """Return the quota metric, the region and the number of accelerators that a node pool needs at most."""
    node = properties.get("nodeConfig") or {}
    location = str(properties.get("location", ""))
    region = location if location.count("-") < 2 else location.rpartition("-")[0]
    accelerator, count = accelerators_of(node)
    metric = METRICS.get(accelerator, accelerator.replace("-tesla-", "-").replace("-", "_").upper() + "_GPUS")
    if node.get("spot") or node.get("preemptible"):
        metric = f"PREEMPTIBLE_{metric}"
    return metric, region, int(count * most_nodes(properties, location))


def accelerators_of(node: dict[str, Any]) -> tuple[str, int]:
    """Return the accelerator and its number of one node; ("", 0) without."""
    for accelerator in node.get("guestAccelerators") or []:
        return str(accelerator["type"]).rpartition("/")[2], int(accelerator["count"])
    match = re.fullmatch(r"(\w+-\w+)-(\d+)g(-.*)?", str(node.get("machineType", "")))
    return (SERIES[match[1]], int(match[2])) if match and match[1] in SERIES else ("", 0)


def most_nodes(properties: dict[str, Any], location: str) -> int:
    """Return the most nodes that a pool may have, in all its zones together."""
    scaling = properties.get("autoscaling") or {}
    if scaling.get("totalMaxNodeCount"):
        return int(scaling["totalMaxNodeCount"])
    zones = len(properties.get("nodeLocations") or zones_of(location))
    each = scaling.get("maxNodeCount") or properties.get("nodeCount", properties.get("initialNodeCount", 1))
    return int(each) * zones
