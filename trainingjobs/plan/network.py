"""The ranges of a stack's network, laid out in the one range that the user gives, and what has to be declared in it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.infrastructure import NetworkFacts, Range
from trainingjobs.plan.gpu_networks import PIECE_BITS, GpuNetwork, networks_of
from trainingjobs.plan.node_pools import NodePool
from trainingjobs.spec.network import Network

# Ranges of Google's health checks (Compute Engine, health checks).
HEALTH_CHECK_RANGES = ("130.211.0.0/22", "35.191.0.0/16")
LARGEST, SMALLEST = 8, 20
# A subnet of GPU NICs has at least eight addresses.
SMALLEST_GPU = 29 - PIECE_BITS
# Part of the range → prefix bits more than the whole, and its place among the parts of that size.
LAYOUT = {
    "nodes": (2, 0),
    "gpu": (3, 2),
    "services": (4, 6),
    "psc": (5, 14),
    "peering": (5, 15),
    "pods": (1, 1),
}
WHAT = {
    "nodes": "nodes and VMs",
    "gpu": "GPU NICs",
    "services": "services",
    "psc": "network attachment",
    "peering": "Vertex AI peering",
    "pods": "pods",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """What of a network is declared. A range is None where nothing needs it; MTU in bytes.

    Without `nodes` the VPC itself is another stack's, and the VPCs of GPU NICs alone are declared.
    """

    mtu: int
    nodes: str | None
    pods: str | None
    services: str | None
    psc: str | None
    peering: str | None
    gpu: tuple[tuple[GpuNetwork, tuple[str, ...]], ...]
    health_checks: bool


def layout(network: Network) -> dict[str, str]:
    """Returns part → range; what the user says of a part goes before its place in the whole. Empty without a cidr."""
    if network.cidr is None:
        return {}
    cidr_block = ipaddress.IPv4Network(network.cidr)
    if not LARGEST <= cidr_block.prefixlen <= SMALLEST:
        return {}
    ranges = {}
    for part, (bits, place) in LAYOUT.items():
        configured: str | None = getattr(network, f"{part}_cidr")
        size = 2 ** (32 - cidr_block.prefixlen - bits)
        at = cidr_block.network_address + place * size
        ranges[part] = configured or f"{at}/{cidr_block.prefixlen + bits}"
    return ranges


def network_plan(
    network: Network, pools: tuple[NodePool, ...], *, psc: bool, peering: bool, health_checks: bool
) -> NetworkPlan | None:
    """Returns what is declared of the network, None where it has no range of its own.

    The ranges of pods and services are always there: a cluster of another stack may share the network.
    """
    ranges = layout(network)
    if network.shared is not None:
        gpu = _gpu_networks(pools, network.gpu_cidr) if network.gpu_cidr else ()
        return NetworkPlan(
            mtu=network.mtu, nodes=None, pods=None, services=None, psc=None, peering=None, gpu=gpu, health_checks=False
        )
    if not ranges:
        return None
    return NetworkPlan(
        mtu=network.mtu,
        nodes=ranges["nodes"],
        pods=ranges["pods"],
        services=ranges["services"],
        psc=ranges["psc"] if psc else None,
        peering=ranges["peering"] if peering else None,
        gpu=_gpu_networks(pools, ranges["gpu"]),
        health_checks=health_checks,
    )


def _gpu_networks(pools: tuple[NodePool, ...], cidr: str) -> tuple[tuple[GpuNetwork, tuple[str, ...]], ...]:
    """Returns the GPU networks of all pools, each once, with the ranges of their subnets."""
    gpu_networks = {
        gpu_network.name: gpu_network
        for pool in pools
        for gpu_network in networks_of(pool.machine_type, pool.gpu_networks, next(iter(pool.zones), None))
    }
    cidr_block = ipaddress.IPv4Network(cidr)
    if cidr_block.prefixlen > SMALLEST_GPU:
        return ()
    pieces = list(cidr_block.subnets(prefixlen_diff=PIECE_BITS))
    return tuple(
        (gpu_networks[name], tuple(str(pieces[slot]) for slot in gpu_networks[name].slots))
        for name in sorted(gpu_networks)
    )


def network_facts(network: Network, path: FieldPath, environment: str | None) -> NetworkFacts:
    """Returns every range of the network, those in use elsewhere too; ranges that Google or the layout choose apart."""
    ranges = layout(network)
    own_ranges = [
        Range(path=path / (f"{part}Cidr" if getattr(network, f"{part}_cidr") else "cidr"), what=what, cidr=cidr)
        for part, what in WHAT.items()
        if (cidr := ranges.get(part)) is not None
    ]
    reserved = [
        Range(path=(path / "reservedCidrs").item(i), what="in use elsewhere", cidr=cidr)
        for i, cidr in enumerate(network.reserved_cidrs)
    ]
    return NetworkFacts(path=path, environment=environment, ranges=(*_merged(own_ranges), *reserved))


def _merged(ranges: list[Range]) -> list[Range]:
    """Returns the ranges with those the user said last, so that an overlap is told where it can be fixed."""
    return sorted(ranges, key=lambda entry: not entry.path.endswith(".cidr"))
