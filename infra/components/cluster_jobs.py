"""The jobs of a stack that run in its cluster, with their namespaces, accounts and the reducers that are VMs."""

from __future__ import annotations

from typing import Any

import pulumi

from infra.components.cluster import cluster_domain
from infra.components.ground import Ground
from infra.components.identity import JobIdentity
from infra.components.kubernetes import KubernetesObject
from infra.components.kubernetes_job import Access, KubernetesJob, NamespaceSpace, account_of
from infra.components.reducer_pool import INDEX, ReducerVmPool
from infra.components.storage import TrainingStorage
from infra.dialects.deployed import Placement
from infra.dialects.jobset import replica_environment
from infra.plan import names
from infra.plan.gpu_networks import networks_of
from infra.plan.infrastructure import Infrastructure
from infra.plan.job_plan import JobPlan
from infra.plan.plan import Plan
from infra.spec.stack import Stack

GKE_NETWORKING = "networking.gke.io"


def cluster_jobs(
    plan: Plan, ground: Ground, storage: TrainingStorage | None, google: pulumi.ResourceOptions | None
) -> dict[str, dict[str, Any]]:
    """Declares the jobs of gke and kubernetes; returns their outputs by name."""
    planned = plan.infrastructure
    mine = [job for job in plan.jobs if job.job.platform != "vertex"]
    spaces = _spaces(mine, plan.stack, ground)
    ground.before.extend(_gpu_networks(planned, ground))
    return {job.name: _job(job, plan.stack, planned, ground, storage, google, spaces).outputs for job in mine}


def _spaces(plans: list[JobPlan], stack: Stack, ground: Ground) -> dict[str, NamespaceSpace]:
    """Returns the namespaces that are declared; `default` and those of users without the right are there already."""
    if stack.cluster is None or not stack.cluster.create_namespaces:
        return {}
    wanted = sorted({plan.job.namespace for plan in plans} - {"default"})
    return {
        one: NamespaceSpace(
            one, [plan for plan in plans if plan.job.namespace == one], stack.environment, ground.kubernetes
        )
        for one in wanted
    }


def _gpu_networks(planned: Infrastructure, ground: Ground) -> list[pulumi.Resource]:
    """Returns the cluster's objects for the subnets of GPU NICs, which pods ask for by name."""
    wanted = {
        one.name: one
        for pool in planned.node_pools
        for one in networks_of(pool.machine_type, pool.gpu_networks, next(iter(pool.zones), None))
    }
    made: list[pulumi.Resource] = []
    for vpc in (wanted[name] for name in sorted(wanted)):
        for name in kubernetes_networks(vpc.name, len(vpc.slots)):
            spec = {
                "vpc": names.network(pulumi.get_stack(), vpc.name),
                "vpcSubnet": names.network(pulumi.get_stack(), f"{name}-nics"),
                "deviceMode": "RDMA" if vpc.zone else "NetDevice",
            }
            reference = {"group": GKE_NETWORKING, "kind": "GKENetworkParamSet", "name": name}
            for kind, body in (
                ("GKENetworkParamSet", spec),
                ("Network", {"type": "Device", "parametersRef": reference}),
            ):
                metadata = {"name": name}
                manifest = {"apiVersion": f"{GKE_NETWORKING}/v1", "kind": kind, "metadata": metadata, "spec": body}
                options = pulumi.ResourceOptions(depends_on=list(ground.before))
                merged = pulumi.ResourceOptions.merge(ground.kubernetes, options)
                made.append(KubernetesObject(f"{name}-{kind.lower()}", manifest, merged))
    return made


def _job(
    plan: JobPlan,
    stack: Stack,
    planned: Infrastructure,
    ground: Ground,
    storage: TrainingStorage | None,
    google: pulumi.ResourceOptions | None,
    spaces: dict[str, NamespaceSpace],
) -> KubernetesJob:
    before: list[pulumi.Resource] = list(ground.before)
    if plan.job.namespace in spaces:
        before.append(spaces[plan.job.namespace])
    google_account = plan.job.service_account if "@" in (plan.job.service_account or "") else None
    workload_identity = stack.cluster is not None and stack.cluster.workload_identity
    uses_identity = plan.job.platform == "gke" and workload_identity
    if uses_identity and plan.job.service_account is None and storage is not None:
        identity = JobIdentity(f"{plan.name}-identity", plan, storage, stack.project, google)
        before.append(identity)
        google_account = names.account_email(pulumi.get_stack(), plan.name, stack.project)
    before += _reducer_vms(plan, planned, ground, stack, google)
    after = pulumi.ResourceOptions(depends_on=list(before))
    options = pulumi.ResourceOptions.merge(pulumi.ResourceOptions.merge(google, ground.kubernetes), after)
    account = google_account if uses_identity else None
    access = Access(kubeconfig=ground.kubeconfig, context=ground.context)
    return KubernetesJob(plan.name, plan, placement(plan, planned), account, stack.project, access, options)


def placement(plan: JobPlan, planned: Infrastructure) -> Placement:
    """Returns where a job's replicas run."""
    pools = {pool.name: pool for pool in planned.node_pools}
    runs_on = {role: name for (job, role), name in planned.runs_on.items() if job == plan.name}
    roles = [pool.role for pool in plan.pools if pool.role in runs_on]
    networks = {
        role: tuple(
            name
            for one in networks_of(
                pools[runs_on[role]].machine_type,
                pools[runs_on[role]].gpu_networks,
                next(iter(pools[runs_on[role]].zones), None),
            )
            for name in kubernetes_networks(one.name, len(one.slots))
        )
        for role in roles
    }
    return Placement(
        node_pools={role: runs_on[role] for role in roles},
        on_demand=frozenset(role for role in roles if pools[runs_on[role]].strategy == "STANDARD"),
        gpu_networks={role: found for role, found in networks.items() if found},
        service_account=account_of(plan),
    )


def kubernetes_networks(vpc: str, subnets: int) -> tuple[str, ...]:
    """Returns the names of the Kubernetes networks of one VPC of GPU NICs: one a subnet."""
    return (vpc,) if subnets == 1 else tuple(f"{vpc}-{number}" for number in range(subnets))


def _reducer_vms(
    plan: JobPlan, planned: Infrastructure, ground: Ground, stack: Stack, google: pulumi.ResourceOptions | None
) -> list[pulumi.Resource]:
    found: list[pulumi.Resource] = []
    for vms in planned.reducer_vms:
        if vms.job != plan.name or ground.network is None:
            continue
        text = replica_environment(plan, "reducers", INDEX).get("CLUSTER_SPEC", "{}")
        if ground.cluster_name is not None:
            # Outside of the cluster its names are known by its own domain only.
            text = text.replace(".svc:", f".svc.{cluster_domain(ground.cluster_name)}:")
        after = pulumi.ResourceOptions.merge(google, pulumi.ResourceOptions(depends_on=list(ground.before)))
        found.append(ReducerVmPool(vms, text, stack.project, ground.account, ground.network, after))
    return found
