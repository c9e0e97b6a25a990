"""The kind jobset: a JobSet (jobset.x-k8s.io/v1alpha2): one indexed Job a role, TF_CONFIG made here.

Source: kubernetes-sigs/jobset, API reference. The primary decides: the success policy targets it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.group_environment import group_environment, length_findings
from trainingjobs.workloads.kubeflow_environment import PORT
from trainingjobs.workloads.kubernetes import KubernetesWorkload
from trainingjobs.workloads.kubernetes_limits import kubernetes_findings, vertex_reducers
from trainingjobs.workloads.kubernetes_names import GROUPS, name_findings, object_name
from trainingjobs.workloads.pod_observation import ReplicaGroup
from trainingjobs.workloads.pod_template import DISRUPTED, deadline, environment, metadata, pod_template
from trainingjobs.workloads.registry import Rendering
from trainingjobs.workloads.replicated_jobs import replicated_jobs

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.wire import kubernetes

CONTAINER = "training"
# Pods are called NAME-GROUP-JOB-POD-abcde; one Job a group, so its index is always 0.
GROUP_WORDS: dict[Role, str] = {role: f"{group}-0" for role, group in GROUPS.items()}
RANDOM_TAIL = 6
INDEX_VARIABLE = "REPLICA_INDEX"
INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
# How often a job starts anew after it lost a replica, where scheduling asks for it.
MAX_RESTARTS = 3


class JobSet(KubernetesWorkload):
    """A JobSet."""

    kind = "jobset"
    title = "JobSet"
    is_default = True
    api_version = "jobset.x-k8s.io/v1alpha2"
    object_kind = "JobSet"
    resource = "jobsets"

    def name(self, plan: JobPlan) -> str:
        """Returns the name of the job's JobSet."""
        return object_name(plan, GROUP_WORDS, RANDOM_TAIL)

    def render(self, plan: JobPlan) -> Rendering:
        """Returns the JobSet, and what it could not hold."""
        findings: list[Finding] = []
        name, plan = self.name(plan), without_vertex_reducers(plan, findings)
        pools = [pool for pool in plan.pools if pool.replica_count and not pool.instance_group]
        for pool in plan.pools[:1]:
            findings += length_findings(plan, replica_environment(plan, pool.role, 0))
        spec: dict[str, Any] = {
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": name},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": [GROUPS["primary"]]},
            "failurePolicy": _failure_policy(plan),
            "replicatedJobs": [_replicated_job(plan, pool, name) for pool in pools],
        }
        body = {
            "apiVersion": self.api_version,
            "kind": self.object_kind,
            "metadata": metadata(plan, name),
            "spec": spec,
        }
        return body, [*name_findings(plan, name), *kubernetes_findings(plan), *findings]

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:  # noqa: ARG002
        """Returns TF_CONFIG with the replicas' host names, and CLUSTER_SPEC beside reducers."""
        return replica_environment(plan, pool.role, index)

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the pods of the replicated jobs."""
        return replicated_jobs(body.get("spec"))

    def groups_place(self, body: Part) -> Part:
        """Returns the list of replicated jobs."""
        return body.within("spec", "replicatedJobs")

    def restarts(self, body: Part) -> bool:
        """Returns whether the whole JobSet starts anew after a failure."""
        return bool(body.within("spec", "failurePolicy", "maxRestarts").value)

    def state(self, body: Mapping[str, Any]) -> str:
        """Returns the state: a JobSet has no condition that says that it runs."""
        state = super().state(body)
        groups = (body.get("status") or {}).get("replicatedJobsStatus") or []
        is_ready = any(group.get("ready") or group.get("succeeded") for group in groups)
        return "RUNNING" if state == "PENDING" and is_ready else state


def replica_environment(plan: JobPlan, role: Role, index: int | str) -> dict[str, str]:
    """Returns the variables of one replica; hosts are NAME-GROUP-0-INDEX.NAME.NAMESPACE.svc:2222."""
    name, namespace = object_name(plan, GROUP_WORDS, RANDOM_TAIL), plan.job.namespace
    return group_environment(
        plan, role, index, lambda group, i: f"{name}-{GROUP_WORDS[group]}-{i}.{name}.{namespace}.svc:{PORT}"
    )


def without_vertex_reducers(plan: JobPlan, findings: list[Finding]) -> JobPlan:
    """Returns the plan without reducers that no cluster can pull, and adds the advice to `findings`."""
    pool = vertex_reducers(plan)
    if pool is None:
        return plan
    findings.append(
        not_carried(
            pool.path,
            "Google's reduction server runs on Vertex AI only; the ring all-reduces in its place",
            "name an image of your own",
        )
    )
    return replace(plan, pools=tuple(other for other in plan.pools if other is not pool))


def _replicated_job(plan: JobPlan, pool: PlannedPool, name: str) -> dict[str, Any]:
    template = pod_template(plan, pool, name, container=CONTAINER, env=_env(plan, pool))
    template["spec"]["restartPolicy"] = "Never"
    job: kubernetes.JobSpec = {
        "completionMode": "Indexed",
        "completions": pool.replica_count,
        "parallelism": pool.replica_count,
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": _pod_failure_rules(plan)},
        "template": template,
    }
    seconds = deadline(plan)
    if seconds and pool.role == "primary":
        job["activeDeadlineSeconds"] = seconds
    return {"name": GROUPS[pool.role], "replicas": 1, "template": {"spec": job}}


def _env(plan: JobPlan, pool: PlannedPool) -> list[kubernetes.EnvVar]:
    """The pods of a Job share their template: the index is a field of the pod, and Kubernetes expands the reference."""
    has_many = pool.replica_count > 1
    index = f"$({INDEX_VARIABLE})" if has_many else 0
    variables = replica_environment(plan, pool.role, index)
    if not variables:
        return []
    index_variable: kubernetes.EnvVar = {"name": INDEX_VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": INDEX_FIELD}}}
    return ([index_variable] if has_many else []) + environment(variables)


def _restarts(plan: JobPlan) -> bool:
    scheduling = plan.job.scheduling
    return bool(scheduling and scheduling.restart_job_on_worker_restart and not scheduling.disable_retries)


def _pod_failure_rules(plan: JobPlan) -> list[kubernetes.PodFailurePolicyRule]:
    """A program's own failure ends the job. A lost node replaces the replica, or starts the job anew where asked."""
    node_lost_action = "Count" if _restarts(plan) or _no_retries(plan) else "Ignore"
    exit_codes: kubernetes.PodFailurePolicyOnExitCodesRequirement = {"operator": "NotIn", "values": [0]}
    return [
        {"action": node_lost_action, "onPodConditions": DISRUPTED},
        {"action": "FailJob", "onExitCodes": exit_codes},
    ]


def _no_retries(plan: JobPlan) -> bool:
    return bool(plan.job.scheduling and plan.job.scheduling.disable_retries)


def _failure_policy(plan: JobPlan) -> dict[str, Any]:
    if not _restarts(plan):
        return {"maxRestarts": 0}
    reasons = ["PodFailurePolicy", "DeadlineExceeded"]
    return {
        "maxRestarts": MAX_RESTARTS,
        "rules": [{"name": "ownFailure", "action": "FailJobSet", "onJobFailureReasons": reasons}],
    }
