"""The node pools of trainers, parameter servers and evaluators: one for each distinct way of being bought and wired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.components.network import NetworkHandles
from trainingjobs.components.node_pool import node_networks, node_pool_body
from trainingjobs.plan.node_pools import NodePool

if TYPE_CHECKING:
    from trainingjobs.wire import google


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterHandles:
    """What a node pool needs of a cluster, whoever declares it; `before` must be there before a pool with GPUs."""

    name: pulumi.Input[str]
    location: str
    account: str | None
    private_nodes: bool
    workload_identity: bool
    before: tuple[pulumi.Resource, ...] = ()


class TrainingNodePool(pulumi.ComponentResource):
    """One node pool of the plan, of token GPU_POOL or REDUCER_POOL."""

    def __init__(
        self,
        pool: NodePool,
        project: str,
        cluster: ClusterHandles,
        network: NetworkHandles | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        body = node_pool_body(
            pool, project, private_nodes=cluster.private_nodes, workload_identity=cluster.workload_identity
        )
        body["location"] = cluster.location
        if cluster.account is not None:
            body["nodeConfig"]["serviceAccount"] = cluster.account
        token = tokens.REDUCER_POOL if pool.reducers else tokens.GPU_POOL
        super().__init__(token, pool.name, body, opts)
        placed: google.ContainerNodePool = {**body, "cluster": cluster.name}
        if pool.gpu_networks and network is not None:
            networks = pulumi.Output.from_input(network.gpu).apply(lambda gpu: node_networks(pool, gpu))
            placed["networkConfig"] = {**body["networkConfig"], "additionalNodeNetworkConfigs": networks}
        child = pulumi.ResourceOptions(parent=self, depends_on=list(cluster.before))
        self.node_pool = declare(tokens.NODE_POOL)(f"{pool.name}-nodes", placed, child, ("instanceGroupUrls",))
        self.register_outputs({**body, "maxNodes": pool.max_nodes})
