"""What the jobs of a stack stand on: network, cluster, node pools, and the way into the cluster.

Loaded by stacks that declare a network or a cluster only: a stack of Vertex AI jobs needs none of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pulumi

from infra.components.cluster import NodeIdentity, TrainingCluster, kubeconfig
from infra.components.gpu_pool import ClusterHandles, TrainingNodePool
from infra.components.kubernetes import kubernetes_provider
from infra.components.network import NetworkHandles, TrainingNetwork
from infra.components.other_stack import shared_network
from infra.plan.infrastructure import Infrastructure
from infra.spec.cluster import Cluster
from infra.spec.network import Network
from infra.spec.stack import Stack

GET_CLUSTER = "gcp:container/getCluster:getCluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What was declared. `kubernetes` are the options of a cluster's resources, `before` what jobs wait for."""

    network: NetworkHandles | None = None
    network_outputs: dict[str, Any] | None = None
    account: str | None = None
    cluster_name: str | None = None
    cluster_outputs: dict[str, Any] | None = None
    kubernetes: pulumi.ResourceOptions | None = None
    kubeconfig: pulumi.Input[str] | None = None
    context: str | None = None
    before: list[pulumi.Resource] = field(default_factory=list)


def lay(stack: Stack, planned: Infrastructure, google: pulumi.ResourceOptions | None) -> Ground:
    """Declares network, cluster and node pools; returns the handles of them."""
    network, outputs, before = _network(stack, planned, google)
    identity = None
    if google is not None and (planned.declares_cluster or planned.node_pools or planned.reducer_vms):
        identity = NodeIdentity("nodes", stack.project, google)
        before = [*before, identity]
    ground = Ground(
        network=network, network_outputs=outputs, account=identity.email if identity else None, before=before
    )
    return _with_cluster(ground, stack, stack.cluster, planned, google, identity) if stack.cluster else ground


def _network(
    stack: Stack, planned: Infrastructure, google: pulumi.ResourceOptions | None
) -> tuple[NetworkHandles | None, dict[str, Any] | None, list[pulumi.Resource]]:
    spec: Network | None = stack.network
    if spec is None or google is None:
        return None, None, []
    if planned.network is None:
        return None, None, []
    shared = shared_network(spec.shared) if spec.shared is not None else None
    made = TrainingNetwork("training", planned.network, stack.project, stack.region, shared, google)
    # Only the network's owner exports it.
    return made.handles, made.outputs if shared is None else None, [made]


def _with_cluster(
    ground: Ground,
    stack: Stack,
    spec: Cluster,
    planned: Infrastructure,
    google: pulumi.ResourceOptions | None,
    identity: NodeIdentity | None,
) -> Ground:
    config: pulumi.Input[str] | None = spec.kubeconfig
    outputs: dict[str, Any] | None = None
    before = list(ground.before)
    if planned.declares_cluster and ground.network is not None and identity is not None:
        made = TrainingCluster("training", stack, spec, planned, ground.network, identity, _after(google, before))
        name, location, outputs = made.cluster_name, made.place, made.outputs
        if spec.kubeconfig is None and spec.context is None:
            config = made.kubeconfig
        link: pulumi.Input[str] = pulumi.get(made.cluster, "name")
        before.append(made.system_pool)
    elif spec.existing is not None:
        name, location, link = spec.existing, spec.location or stack.region, spec.existing
        if spec.kubeconfig is None and spec.context is None:
            config = _existing_kubeconfig(name, location, stack.project, google)
    else:
        address = f"{spec.kubeconfig or ''}#{spec.context or ''}"
        provider = kubernetes_provider(address, config, spec.context, pulumi.ResourceOptions())
        return _reached(ground, None, None, provider, before, config, spec.context)
    cluster = ClusterHandles(
        name=link,
        location=location,
        account=ground.account,
        private_nodes=spec.private_nodes,
        workload_identity=spec.workload_identity,
        before=tuple(before),
    )
    pools = [TrainingNodePool(pool, stack.project, cluster, ground.network, google) for pool in planned.node_pools]
    full_name = f"projects/{stack.project}/locations/{location}/clusters/{name}"
    provider = kubernetes_provider(full_name, config, spec.context, _after(None, before))
    return _reached(ground, name, outputs, provider, [*before, *pools], config, spec.context)


def _reached(
    ground: Ground,
    name: str | None,
    outputs: dict[str, Any] | None,
    provider: pulumi.ProviderResource,
    before: list[pulumi.Resource],
    config: pulumi.Input[str] | None,
    context: str | None,
) -> Ground:
    return Ground(
        network=ground.network,
        network_outputs=ground.network_outputs,
        account=ground.account,
        cluster_name=name,
        cluster_outputs=outputs,
        kubernetes=pulumi.ResourceOptions(providers=[provider]),
        kubeconfig=config,
        context=context,
        before=before,
    )


def _after(opts: pulumi.ResourceOptions | None, before: list[pulumi.Resource]) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(before)))


def _existing_kubeconfig(
    name: str, location: str, project: str, google: pulumi.ResourceOptions | None
) -> pulumi.Output[str]:
    providers = google.providers if google is not None else None
    provider = providers[0] if isinstance(providers, list) else None
    found = pulumi.runtime.invoke_output(
        GET_CLUSTER,
        {"name": name, "location": location, "project": project},
        pulumi.InvokeOutputOptions(provider=provider),
    )
    return kubeconfig(
        name,
        found.apply(lambda seen: seen["endpoint"]),
        found.apply(lambda seen: seen["masterAuths"][0]["clusterCaCertificate"]),
    )
