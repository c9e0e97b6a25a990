"""The jobs of a stack, with the accounts, namespaces and VMs that they need."""

from __future__ import annotations

from typing import Any

import pulumi

from infra.foundation import Foundation, Options
from trainingjobs.components.gke_cluster import cluster_domain
from trainingjobs.components.gpu_networks import gpu_network_objects
from trainingjobs.components.identity import JobIdentity
from trainingjobs.components.kubernetes_job import JobNamespace, KubernetesJob, account_of
from trainingjobs.components.reducer_pool import INDEX, ReducerVmPool
from trainingjobs.components.storage import TrainingStorage
from trainingjobs.components.vertex_job import VertexJob
from trainingjobs.plan import names
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.stack import StackPlan
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.jobset import replica_environment
from trainingjobs.workloads.placement import placement
from trainingjobs.workloads.vertex import vertex_workload


def declare_jobs(
    plan: StackPlan, foundation: Foundation, storage: TrainingStorage | None, google: Options
) -> dict[str, dict[str, Any]]:
    """Declares every job; returns their outputs by name."""
    on_vertex = [job for job in plan.jobs if job.job.platform == "vertex"]
    in_cluster = [job for job in plan.jobs if job.job.platform != "vertex"]
    outputs: dict[str, dict[str, Any]] = {}
    if storage is not None:
        outputs |= {job.name: _vertex_job(job, plan.stack, storage, foundation, google).outputs for job in on_vertex}
    if foundation.access is None:
        return outputs
    namespaces = _namespaces(in_cluster, plan.stack, foundation.kubernetes)
    networks = gpu_network_objects(plan.infrastructure.node_pools, _after(foundation.kubernetes, foundation.before))
    before = (*foundation.before, *networks)
    for job in in_cluster:
        vms = _reducer_vms(job, plan, foundation, before, google)
        namespace = [namespaces[job.job.namespace]] if job.job.namespace in namespaces else []
        declared = _cluster_job(job, plan, foundation, (*before, *namespace, *vms), storage, google)
        outputs[job.name] = declared.outputs
    return outputs


def _after(options: Options, before: tuple[pulumi.Resource, ...]) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=list(before)))


def _vertex_job(
    job: JobPlan, stack: Stack, storage: TrainingStorage, foundation: Foundation, google: Options
) -> VertexJob:
    # A job that starts before its bucket or its roles exist fails when it writes.
    before: tuple[pulumi.Resource, ...] = (storage, *foundation.before)
    account = job.job.service_account
    if account is None:
        identity = JobIdentity(f"{job.name}-identity", job, storage, stack.project, google)
        before = (*before, identity)
        account = identity.email
    prefix = f"gs://{storage.bucket_names['output']}/{job.name}"
    attachment: Any = foundation.network.attachment if foundation.network else None
    return VertexJob(job.name, job, vertex_workload(job), stack, account, prefix, _after(None, before), attachment)


def _namespaces(jobs: list[JobPlan], stack: Stack, options: Options) -> dict[str, JobNamespace]:
    """Declares the jobs' namespaces; `default` and those of users without the right are there already."""
    if stack.cluster is None or not stack.cluster.create_namespaces:
        return {}
    by_name: dict[str, list[JobPlan]] = {}
    for job in jobs:
        by_name.setdefault(job.job.namespace, []).append(job)
    return {
        name: JobNamespace(name, by_name[name], stack.environment, options)
        for name in sorted(by_name.keys() - {"default"})
    }


def _cluster_job(
    job: JobPlan,
    plan: StackPlan,
    foundation: Foundation,
    before: tuple[pulumi.Resource, ...],
    storage: TrainingStorage | None,
    google: Options,
) -> KubernetesJob:
    stack, account = plan.stack, job.job.service_account
    google_account = account if account is not None and "@" in account else None
    uses_identity = job.job.platform == "gke" and stack.cluster is not None and stack.cluster.workload_identity
    if uses_identity and account is None and storage is not None:
        before = (*before, JobIdentity(f"{job.name}-identity", job, storage, stack.project, google))
        google_account = names.account_email(pulumi.get_stack(), job.name, stack.project)
    placed = placement(job, plan.infrastructure, account_of(job))
    options = _after(pulumi.ResourceOptions.merge(google, foundation.kubernetes), before)
    acts_as = google_account if uses_identity else None
    return KubernetesJob(job.name, job, placed, acts_as, stack.project, foundation.access, options)


def _reducer_vms(
    job: JobPlan, plan: StackPlan, foundation: Foundation, before: tuple[pulumi.Resource, ...], google: Options
) -> list[ReducerVmPool]:
    """Declares the job's reducers that are VMs."""
    if foundation.network is None:
        return []
    cluster_spec = replica_environment(job, "reducers", INDEX).get("CLUSTER_SPEC", "{}")
    if foundation.cluster_name is not None:
        # Outside of the cluster its names are known by its own domain only.
        cluster_spec = cluster_spec.replace(".svc:", f".svc.{cluster_domain(foundation.cluster_name)}:")
    project, account, network = plan.stack.project, foundation.node_account, foundation.network
    return [
        ReducerVmPool(vms, cluster_spec, project, account, network, _after(google, before))
        for vms in plan.infrastructure.reducer_vms
        if vms.job == job.name
    ]
