"""What a job's pools and a stack's network and cluster must hold together: findings of rule `schema`."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from trainingjobs.core.findings import Finding, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.network import LARGEST, SMALLEST, SMALLEST_GPU, layout
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.spec.cluster import Cluster
from trainingjobs.spec.network import Network
from trainingjobs.spec.stack import Stack

# What a user may say of a cluster that the stack does not declare.
OF_KUBERNETES = frozenset({"kubeconfig", "context", "create_namespaces"})
OF_EXISTING = OF_KUBERNETES | {"existing", "location", "private_nodes", "workload_identity"}
# The VPCs of GPU NICs belong to the pools, whoever's the network is.
OF_SHARED = frozenset({"shared", "reserved_cidrs", "gpu_cidr"})
NETWORK, CLUSTER = FieldPath("training:network"), FieldPath("training:cluster")


def job_placement(plan: JobPlan) -> Iterator[Finding]:
    """Yields what of a job's pools means nothing on its platform."""
    if plan.job.kubernetes is not None and plan.job.platform == "vertex":
        yield schema_error(
            plan.path / "kubernetes", "the job runs on vertex, which has no Kubernetes objects", "remove it"
        )
    for pool in plan.pools:
        yield from _pool(plan, pool)


def _pool(plan: JobPlan, pool: PlannedPool) -> Iterator[Finding]:
    platform = plan.job.platform
    if pool.node_pool is not None and platform != "gke" and "node_pool" not in pool.inherited:
        yield schema_error(pool.path / "nodePool", f"the job runs on {platform}; node pools are GKE's", "remove it")
    if pool.instance_group is None:
        return
    path = pool.path / "instanceGroup"
    if platform != "gke" or pool.role != "reducers":
        yield schema_error(
            path, f"{pool.role} of a job on {platform}; reducers of a gke job may run on VMs", "remove it"
        )
    elif pool.node_pool is not None:
        yield schema_error(path, "beside nodePool; one of the two is allowed", "remove one")


def stack_placement(stack: Stack, plans: tuple[JobPlan, ...]) -> Iterator[Finding]:
    """Yields what a stack's jobs need of its cluster and network, and what contradicts itself there."""
    for plan in plans:
        yield from _cluster_for(stack.cluster, plan)
    if stack.cluster is not None:
        yield from _cluster(stack.cluster)
    if stack.network is not None:
        yield from _network(stack.network, any(map(_gpu_networks, plans)))
    elif needs := _needs_network(stack, plans):
        yield schema_error(NETWORK, f"missing; {needs} needs one", "add training:network: {cidr: 10.20.0.0/16}")


def declares_cluster(cluster: Cluster | None) -> bool:
    """Returns whether the stack declares a GKE cluster: one with a name, or one that nothing says how to reach."""
    if cluster is None or cluster.existing is not None:
        return False
    return cluster.name is not None or (cluster.kubeconfig is None and cluster.context is None)


def _cluster_for(cluster: Cluster | None, plan: JobPlan) -> Iterator[Finding]:
    if plan.job.platform == "vertex":
        return
    if cluster is None:
        fix = "{name: training}" if plan.job.platform == "gke" else "{context: NAME}"
        yield schema_error(
            CLUSTER, f"missing; job {plan.name} runs on {plan.job.platform}", f"add training:cluster: {fix}"
        )
    elif plan.job.platform == "gke" and cluster.existing is None and not declares_cluster(cluster):
        yield schema_error(
            CLUSTER / "existing",
            f"missing; job {plan.name} runs on gke and its node pools need a GKE cluster's name",
            "name the cluster, or set the job's platform to kubernetes",
        )
    elif plan.job.platform == "kubernetes" and (cluster.existing is not None or declares_cluster(cluster)):
        yield schema_error(
            plan.path / "platform", "kubernetes beside a GKE cluster, which has node pools", "set it to gke"
        )


def _cluster(cluster: Cluster) -> Iterator[Finding]:
    if declares_cluster(cluster):
        return
    allowed = OF_KUBERNETES if cluster.existing is None else OF_EXISTING
    for name in sorted(cluster.model_fields_set - allowed):
        key = type(cluster).model_fields[name].alias
        yield schema_error(CLUSTER / str(key), "a setting of a cluster that the stack declares", "remove it")


def _network(network: Network, gpu_networks: bool) -> Iterator[Finding]:
    if network.shared is not None:
        for name in sorted(network.model_fields_set - OF_SHARED):
            key = type(network).model_fields[name].alias
            yield schema_error(NETWORK / str(key), "beside shared, whose stack decides it", "remove one")
        if gpu_networks and network.gpu_cidr is None:
            missing = "missing; the VPCs of GPU NICs are this stack's own, whoever's the network is"
            yield schema_error(NETWORK / "gpuCidr", missing, "add a range that nobody uses, a /19")
        yield from _gpu_range(network.gpu_cidr)
        return
    if network.cidr is None:
        yield schema_error(NETWORK / "cidr", "missing; a network has a range, or is shared", "add cidr: 10.20.0.0/16")
        return
    prefix = ipaddress.IPv4Network(network.cidr).prefixlen
    if not LARGEST <= prefix <= SMALLEST:
        yield schema_error(
            NETWORK / "cidr", f"{network.cidr} is a /{prefix}; a /{LARGEST} to a /{SMALLEST} is needed", "use a /16"
        )
    yield from _gpu_range(layout(network).get("gpu"))


def _gpu_networks(plan: JobPlan) -> bool:
    return any(pool.node_pool is not None and bool(pool.node_pool.gpu_networks) for pool in plan.pools)


def _gpu_range(gpu: str | None) -> Iterator[Finding]:
    if gpu and ipaddress.IPv4Network(gpu).prefixlen > SMALLEST_GPU:
        yield schema_error(NETWORK / "gpuCidr", f"{gpu} is smaller than a /{SMALLEST_GPU}", "use a /19")


def _needs_network(stack: Stack, plans: tuple[JobPlan, ...]) -> str:
    if declares_cluster(stack.cluster):
        return "the cluster"
    for plan in plans:
        for pool in plan.pools:
            if pool.instance_group is not None:
                return f"the instance group of job {plan.name}"
        if _gpu_networks(plan):
            return f"job {plan.name} with GPU networks"
        psc = plan.job.psc_interface_config
        if psc is not None and psc.network_attachment is None:
            return f"the network attachment of job {plan.name}"
    return ""
