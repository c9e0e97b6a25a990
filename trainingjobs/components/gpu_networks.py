"""A cluster's objects for the subnets of GPU NICs, which pods ask for by name.

Source: GKE, "Set up multi-network support for Pods", GKENetworkParamSet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pulumi

from trainingjobs.components.kubernetes import KubernetesObject
from trainingjobs.plan import names
from trainingjobs.plan.gpu_networks import GpuNetwork, networks_of_pool
from trainingjobs.plan.node_pools import NodePool

GROUP = "networking.gke.io"


def gpu_network_objects(pools: Iterable[NodePool], options: pulumi.ResourceOptions) -> list[KubernetesObject]:
    """Declares the objects of all pools' GPU networks, each once."""
    networks = {network.name: network for pool in pools for network in networks_of_pool(pool)}
    return [
        KubernetesObject(f"{name}-{manifest['kind'].lower()}", manifest, options)
        for network in (networks[key] for key in sorted(networks))
        for name, manifest in _manifests(network)
    ]


def _manifests(network: GpuNetwork) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the name and the manifest of both objects of each subnet."""
    stack = pulumi.get_stack()
    for name in network.kubernetes_names:
        parameters = {
            "vpc": names.network(stack, network.name),
            "vpcSubnet": names.network(stack, f"{name}-nics"),
            "deviceMode": network.device_mode,
        }
        reference = {"group": GROUP, "kind": "GKENetworkParamSet", "name": name}
        yield name, _manifest("GKENetworkParamSet", name, parameters)
        yield name, _manifest("Network", name, {"type": "Device", "parametersRef": reference})


def _manifest(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
