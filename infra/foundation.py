"""What the jobs of a stack stand on: network, cluster, node pools, and the way into the cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pulumi

from trainingjobs.components.gke_cluster import NodeIdentity, TrainingCluster, existing_kubeconfig
from trainingjobs.components.gpu_pool import ClusterHandles, TrainingNodePool
from trainingjobs.components.kubernetes import kubernetes_provider
from trainingjobs.components.kubernetes_job import ClusterAccess
from trainingjobs.components.network import NetworkHandles, TrainingNetwork
from trainingjobs.components.other_stack import shared_network
from trainingjobs.plan.infrastructure import Infrastructure
from trainingjobs.spec.cluster import Cluster
from trainingjobs.spec.stack import Stack

Options: TypeAlias = pulumi.ResourceOptions | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What was declared. `kubernetes` are the options of a cluster's resources, `before` what jobs wait for."""

    network: NetworkHandles | None = None
    network_outputs: dict[str, Any] | None = None
    node_account: str | None = None
    cluster_name: str | None = None
    cluster_outputs: dict[str, Any] | None = None
    kubernetes: Options = None
    access: ClusterAccess | None = None
    before: tuple[pulumi.Resource, ...] = ()


def declare_foundation(stack: Stack, planned: Infrastructure, google: Options) -> Foundation:
    """Declares network, cluster and node pools; returns the handles of them. A stack without any has none."""
    foundation = _network(stack, planned, google)
    needs_nodes = planned.declares_cluster or planned.node_pools or planned.reducer_vms
    nodes = NodeIdentity("nodes", stack.project, google) if google is not None and needs_nodes else None
    if nodes is not None:
        foundation = replace(foundation, node_account=nodes.email, before=(*foundation.before, nodes))
    if stack.cluster is None:
        return foundation
    if planned.declares_cluster and foundation.network is not None and nodes is not None:
        return _own_cluster(foundation, stack, stack.cluster, planned, nodes, google)
    if stack.cluster.existing is not None:
        return _existing_cluster(foundation, stack, stack.cluster, stack.cluster.existing, planned, google)
    address = f"{stack.cluster.kubeconfig or ''}#{stack.cluster.context or ''}"
    return _reached(foundation, address, stack.cluster.kubeconfig, stack.cluster.context, wait=False)


def _network(stack: Stack, planned: Infrastructure, google: Options) -> Foundation:
    if stack.network is None or google is None or planned.network is None:
        return Foundation()
    shared = shared_network(stack.network.shared) if stack.network.shared is not None else None
    network = TrainingNetwork("training", planned.network, stack.project, stack.region, shared, google)
    # Only the network's owner exports it.
    outputs = network.outputs if shared is None else None
    return Foundation(network=network.handles, network_outputs=outputs, before=(network,))


def _own_cluster(
    foundation: Foundation, stack: Stack, spec: Cluster, planned: Infrastructure, nodes: NodeIdentity, google: Options
) -> Foundation:
    """Declares the cluster and its node pools."""
    if foundation.network is None:
        return foundation
    after = pulumi.ResourceOptions.merge(google, pulumi.ResourceOptions(depends_on=list(foundation.before)))
    cluster = TrainingCluster("training", stack, spec, planned, foundation.network, nodes, after)
    named = spec.kubeconfig is not None or spec.context is not None
    foundation = replace(
        foundation,
        cluster_name=cluster.cluster_name,
        cluster_outputs=cluster.outputs,
        before=(*foundation.before, cluster.system_pool),
    )
    link: pulumi.Input[str] = pulumi.get(cluster.cluster, "name")
    config = spec.kubeconfig if named else cluster.kubeconfig
    return _node_pools(foundation, stack, spec, planned, link, cluster.cluster_location, config, google)


def _existing_cluster(
    foundation: Foundation, stack: Stack, spec: Cluster, name: str, planned: Infrastructure, google: Options
) -> Foundation:
    """Declares node pools of a cluster that is there."""
    location = spec.location or stack.region
    named = spec.kubeconfig is not None or spec.context is not None
    config = spec.kubeconfig if named else existing_kubeconfig(name, location, stack.project, google)
    foundation = replace(foundation, cluster_name=name)
    return _node_pools(foundation, stack, spec, planned, name, location, config, google)


def _node_pools(
    foundation: Foundation,
    stack: Stack,
    spec: Cluster,
    planned: Infrastructure,
    link: pulumi.Input[str],
    location: str,
    config: pulumi.Input[str] | None,
    google: Options,
) -> Foundation:
    cluster = ClusterHandles(
        name=link,
        location=location,
        account=foundation.node_account,
        private_nodes=spec.private_nodes,
        workload_identity=spec.workload_identity,
        before=foundation.before,
    )
    pools = [TrainingNodePool(pool, stack.project, cluster, foundation.network, google) for pool in planned.node_pools]
    full_name = f"projects/{stack.project}/locations/{location}/clusters/{foundation.cluster_name}"
    reached = _reached(foundation, full_name, config, spec.context, wait=True)
    return replace(reached, before=(*foundation.before, *pools))


def _reached(
    foundation: Foundation, identity: str, config: pulumi.Input[str] | None, context: str | None, *, wait: bool
) -> Foundation:
    """Declares the provider of the cluster's objects; `wait`: the cluster, or its pools, are declared here too."""
    after = pulumi.ResourceOptions(depends_on=list(foundation.before) if wait else None)
    provider = kubernetes_provider(identity, config, context, after)
    return replace(
        foundation,
        kubernetes=pulumi.ResourceOptions(providers=[provider]),
        access=ClusterAccess(kubeconfig=config, context=context),
    )
