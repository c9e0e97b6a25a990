"""The kind pods: bare pods and a headless service, for clusters that have neither an operator nor JobSet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.group_environment import group_environment, length_findings
from trainingjobs.workloads.jobset import CONTAINER, without_vertex_reducers
from trainingjobs.workloads.kubeflow_environment import PORT
from trainingjobs.workloads.kubernetes import KubernetesWorkload
from trainingjobs.workloads.kubernetes_limits import kubernetes_findings
from trainingjobs.workloads.kubernetes_names import GROUPS, name_findings, object_name
from trainingjobs.workloads.observed_kind import labelled_group
from trainingjobs.workloads.pod_observation import ReplicaGroup
from trainingjobs.workloads.pod_template import (
    JOB_LABEL,
    ROLE_LABEL,
    deadline,
    environment,
    metadata,
    pod_template,
)
from trainingjobs.workloads.registry import Rendering

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.wire import kubernetes

# Kueue admits pods as a group of a name and a size.
GROUP_LABEL, GROUP_COUNT = "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"
PHASES = {"Running": "RUNNING", "Succeeded": "SUCCEEDED", "Failed": "FAILED"}


class Pods(KubernetesWorkload):
    """Bare pods; the primary's stands for the job."""

    kind = "pods"
    title = "bare pods"
    api_version = "v1"
    object_kind = "Pod"
    resource = "pods"
    has_controller = False
    always_trains = False
    is_replica = True

    def name(self, plan: JobPlan) -> str:
        """Returns the name of the service, which the pods' names begin with."""
        return object_name(plan, GROUPS, 0)

    def head(self, plan: JobPlan) -> str:
        """Returns the name of the primary's pod."""
        return f"{self.name(plan)}-{GROUPS['primary']}-0"

    def objects(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns the service and the pods."""
        items: list[dict[str, Any]] = body["items"]
        return items

    def render(self, plan: JobPlan) -> Rendering:
        """Returns a List of the service and the pods, and what they could not hold."""
        findings: list[Finding] = []
        name, plan = self.name(plan), without_vertex_reducers(plan, findings)
        for pool in plan.pools[:1]:
            findings += length_findings(plan, replica_environment(plan, pool.role, 0))
        pools = [pool for pool in plan.pools if not pool.instance_group]
        pods = [_pod(plan, pool, name, index) for pool in pools for index in range(pool.replica_count)]
        body = {"apiVersion": "v1", "kind": "List", "items": [_service(plan, name), *pods]}
        return body, [*name_findings(plan, name), *kubernetes_findings(plan), *findings, *_not_done(plan)]

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:  # noqa: ARG002
        """Returns TF_CONFIG with the replicas' host names, and CLUSTER_SPEC beside reducers."""
        return replica_environment(plan, pool.role, index)

    def queue(self, body: dict[str, Any], plan: JobPlan, queue: str) -> None:
        """Puts a pod into a local queue of Kueue as one of its job's group."""
        super().queue(body, plan, queue)
        total = sum(pool.replica_count for pool in plan.pools if pool.instance_group is None)
        body["metadata"]["labels"][GROUP_LABEL] = body["spec"]["subdomain"]
        body["metadata"]["annotations"][GROUP_COUNT] = str(total)

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the pod itself; its labels say that it is one replica of the role."""
        group, findings = labelled_group(body, Part(1, body.within("metadata", "labels", ROLE_LABEL).path))
        return [group], findings

    def restarts(self, body: Part) -> bool:  # noqa: ARG002 (the same of any pod)
        """Returns that nothing replaces a pod whose node was lost."""
        return False

    def state(self, body: Mapping[str, Any]) -> str:
        """Returns the state by the pod's phase."""
        return PHASES.get(str((body.get("status") or {}).get("phase")), "PENDING")


def replica_environment(plan: JobPlan, role: Role, index: int) -> dict[str, str]:
    """Returns the variables of one replica; hosts are NAME-GROUP-INDEX.NAME.NAMESPACE.svc:2222."""
    name, namespace = object_name(plan, GROUPS, 0), plan.job.namespace
    return group_environment(
        plan, role, index, lambda group, i: f"{name}-{GROUPS[group]}-{i}.{name}.{namespace}.svc:{PORT}"
    )


def _service(plan: JobPlan, name: str) -> kubernetes.Service:
    spec: kubernetes.ServiceSpec = {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {JOB_LABEL: name},
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(plan, name), "spec": spec}


def _pod(plan: JobPlan, pool: PlannedPool, name: str, index: int) -> kubernetes.Pod:
    variables = replica_environment(plan, pool.role, index)
    template = pod_template(plan, pool, name, container=CONTAINER, env=environment(variables))
    pod_name = f"{name}-{GROUPS[pool.role]}-{index}"
    labels = template["metadata"]["labels"]
    spec: kubernetes.PodSpec = {**template["spec"], "hostname": pod_name, "subdomain": name, "restartPolicy": "Never"}
    seconds = deadline(plan)
    if seconds:
        spec["activeDeadlineSeconds"] = seconds
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod_name, "namespace": plan.job.namespace, "labels": labels},
        "spec": spec,
    }


def _not_done(plan: JobPlan) -> list[Finding]:
    findings, path = [], plan.path
    if sum(pool.replica_count for pool in plan.pools) > 1:
        message = "nothing stops the other pods when the primary ends"
        findings.append(not_carried(path / "pools.primary", message, "delete the List then, or render it as jobset"))
    if plan.job.scheduling and plan.job.scheduling.restart_job_on_worker_restart:
        place = path / "scheduling.restartJobOnWorkerRestart"
        findings.append(not_carried(place, "nothing restarts a bare pod", "render it as jobset"))
    return findings
