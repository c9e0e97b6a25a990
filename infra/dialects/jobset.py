"""A planned job as a JobSet (jobset.x-k8s.io/v1alpha2): one indexed Job a role, TF_CONFIG made here.

Source: kubernetes-sigs/jobset, API reference. The primary decides: the success policy targets it alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from infra.dialects.group_env import group_environment, length_findings
from infra.dialects.kube_names import GROUPS, name_findings, object_name
from infra.dialects.kubeflow_env import PORT
from infra.dialects.kubernetes_losses import kubernetes_findings, vertex_reducers
from infra.dialects.losses import not_carried
from infra.dialects.pod_template import DISRUPTED, deadline, metadata, pod_template
from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool
from infra.plan.roles import Role
from infra.problems import Finding

CONTAINER = "training"
# Pods are called NAME-GROUP-JOB-POD-abcde; one Job a group, so its index is always 0.
GROUP_WORDS: dict[Role, str] = {role: f"{group}-0" for role, group in GROUPS.items()}
RANDOM_TAIL = 6
INDEX_VARIABLE = "REPLICA_INDEX"
INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
# How often a job starts anew after it lost a replica, where scheduling asks for it.
MAX_RESTARTS = 3


def render(plan: JobPlan) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the JobSet, and what it could not hold."""
    found: list[Finding] = []
    name, plan = jobset_name(plan), without_vertex_reducers(plan, found)
    own = [pool for pool in plan.pools if pool.replica_count and not pool.instance_group]
    groups = [_replicated_job(plan, pool, name) for pool in own]
    for pool in plan.pools[:1]:
        found += length_findings(plan, replica_environment(plan, pool.role, 0))
    spec: dict[str, Any] = {
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": name},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [GROUPS["primary"]]},
        "failurePolicy": _failure_policy(plan),
        "replicatedJobs": groups,
    }
    body = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata(plan, name),
        "spec": spec,
    }
    return body, [*name_findings(plan, name), *kubernetes_findings(plan), *found]


def jobset_name(plan: JobPlan) -> str:
    """Returns the name of the job's JobSet."""
    return object_name(plan, GROUP_WORDS, RANDOM_TAIL)


def replica_environment(plan: JobPlan, role: Role, index: int | str) -> dict[str, str]:
    """Returns the variables of one replica; hosts are NAME-GROUP-0-INDEX.NAME.NAMESPACE.svc:2222."""
    name, namespace = jobset_name(plan), plan.job.namespace
    return group_environment(
        plan, role, index, lambda one, i: f"{name}-{GROUP_WORDS[one]}-{i}.{name}.{namespace}.svc:{PORT}"
    )


def without_vertex_reducers(plan: JobPlan, found: list[Finding]) -> JobPlan:
    """Returns the plan without reducers that no cluster can pull, and adds the advice to `found`."""
    pool = vertex_reducers(plan)
    if pool is None:
        return plan
    found.append(
        not_carried(
            pool.path,
            "Google's reduction server runs on Vertex AI only; the ring all-reduces in its place",
            "name an image of your own",
        )
    )
    return replace(plan, pools=tuple(one for one in plan.pools if one is not pool))


def _replicated_job(plan: JobPlan, pool: PlannedPool, name: str) -> dict[str, Any]:
    template = pod_template(plan, pool, name, container=CONTAINER, env=_env(plan, pool))
    template["spec"]["restartPolicy"] = "Never"
    job: dict[str, Any] = {
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


def _env(plan: JobPlan, pool: PlannedPool) -> list[dict[str, Any]]:
    """The pods of a Job share their template: the index is a field of the pod, and Kubernetes expands the reference."""
    many = pool.replica_count > 1
    index = f"$({INDEX_VARIABLE})" if many else 0
    variables = replica_environment(plan, pool.role, index)
    if not variables:
        return []
    own = {"name": INDEX_VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": INDEX_FIELD}}}
    return ([own] if many else []) + [{"name": key, "value": text} for key, text in variables.items()]


def _restarts(plan: JobPlan) -> bool:
    scheduling = plan.job.scheduling
    return bool(scheduling and scheduling.restart_job_on_worker_restart and not scheduling.disable_retries)


def _pod_failure_rules(plan: JobPlan) -> list[dict[str, Any]]:
    """A program's own failure ends the job. A lost node replaces the replica, or starts the job anew where asked."""
    lost = "Count" if _restarts(plan) or _no_retries(plan) else "Ignore"
    own = {"operator": "NotIn", "values": [0]}
    return [{"action": lost, "onPodConditions": DISRUPTED}, {"action": "FailJob", "onExitCodes": own}]


def _no_retries(plan: JobPlan) -> bool:
    return bool(plan.job.scheduling and plan.job.scheduling.disable_retries)


def _failure_policy(plan: JobPlan) -> dict[str, Any]:
    if not _restarts(plan):
        return {"maxRestarts": 0}
    own = ["PodFailurePolicy", "DeadlineExceeded"]
    return {
        "maxRestarts": MAX_RESTARTS,
        "rules": [{"name": "ownFailure", "action": "FailJobSet", "onJobFailureReasons": own}],
    }
