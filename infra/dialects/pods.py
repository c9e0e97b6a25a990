"""A planned job as bare pods and a headless service: for clusters that have neither an operator nor JobSet."""

from __future__ import annotations

from typing import Any

from infra.dialects.group_env import group_environment, length_findings
from infra.dialects.jobset import CONTAINER, without_vertex_reducers
from infra.dialects.kube_names import GROUPS, name_findings, object_name
from infra.dialects.kubeflow_env import PORT
from infra.dialects.kubernetes_losses import kubernetes_findings
from infra.dialects.losses import not_carried
from infra.dialects.pod_template import JOB_LABEL, deadline, metadata, pod_template
from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool
from infra.plan.roles import Role
from infra.problems import Finding


def render(plan: JobPlan) -> tuple[dict[str, Any], list[Finding]]:
    """Returns a List of the service and the pods, and what they could not hold."""
    found: list[Finding] = []
    name, plan = pods_name(plan), without_vertex_reducers(plan, found)
    for pool in plan.pools[:1]:
        found += length_findings(plan, replica_environment(plan, pool.role, 0))
    own = [pool for pool in plan.pools if not pool.instance_group]
    pods = [_pod(plan, pool, name, index) for pool in own for index in range(pool.replica_count)]
    body = {"apiVersion": "v1", "kind": "List", "items": [_service(plan, name), *pods]}
    return body, [*name_findings(plan, name), *kubernetes_findings(plan), *found, *_losses(plan)]


def pods_name(plan: JobPlan) -> str:
    """Returns the name of the service, which the pods' names begin with."""
    return object_name(plan, GROUPS, 0)


def replica_environment(plan: JobPlan, role: Role, index: int) -> dict[str, str]:
    """Returns the variables of one replica; hosts are NAME-GROUP-INDEX.NAME.NAMESPACE.svc:2222."""
    name, namespace = pods_name(plan), plan.job.namespace
    return group_environment(
        plan, role, index, lambda one, i: f"{name}-{GROUPS[one]}-{i}.{name}.{namespace}.svc:{PORT}"
    )


def _service(plan: JobPlan, name: str) -> dict[str, Any]:
    spec = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {JOB_LABEL: name}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(plan, name), "spec": spec}


def _pod(plan: JobPlan, pool: PlannedPool, name: str, index: int) -> dict[str, Any]:
    variables = replica_environment(plan, pool.role, index)
    env = [{"name": key, "value": text} for key, text in variables.items()]
    template = pod_template(plan, pool, name, container=CONTAINER, env=env)
    own = f"{name}-{GROUPS[pool.role]}-{index}"
    labels = template["metadata"]["labels"]
    spec = template["spec"] | {"hostname": own, "subdomain": name, "restartPolicy": "Never"}
    seconds = deadline(plan)
    if seconds:
        spec["activeDeadlineSeconds"] = seconds
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": own, "namespace": plan.job.namespace, "labels": labels},
        "spec": spec,
    }


def _losses(plan: JobPlan) -> list[Finding]:
    found = []
    at = f"{plan.path}." if plan.path else ""
    if sum(pool.replica_count for pool in plan.pools) > 1:
        found.append(
            not_carried(
                f"{at}pools.primary",
                "nothing stops the other pods when the primary ends",
                "delete the List then, or render it as jobset",
            )
        )
    if plan.job.scheduling and plan.job.scheduling.restart_job_on_worker_restart:
        place = f"{at}scheduling.restartJobOnWorkerRestart"
        found.append(not_carried(place, "nothing restarts a bare pod", "render it as jobset"))
    return found
