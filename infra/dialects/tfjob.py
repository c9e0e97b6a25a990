"""A planned job as a Kubeflow TFJob (kubeflow.org/v1).

Source: TFJob guide; kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1. TF_CONFIG is the operator's affair.
"""

from __future__ import annotations

from typing import Any

from infra.dialects.group_env import length_findings
from infra.dialects.kube_names import name_findings, operator_types
from infra.dialects.kubeflow_env import PORT, operator_host, replica_counts, replica_environment, tfjob_name
from infra.dialects.kubernetes_losses import kubernetes_findings, without_reducers
from infra.dialects.losses import not_carried
from infra.dialects.pod_template import deadline, metadata, pod_template
from infra.plan.job_plan import JobPlan
from infra.plan.roles import Role
from infra.problems import Finding

# The operator's types as its API writes them.
WRITTEN = {"chief": "Chief", "master": "Master", "worker": "Worker", "ps": "PS", "evaluator": "Evaluator"}
# The operator looks for this container and this port.
CONTAINER, PORTS = "tensorflow", [{"name": "tfjob-port", "containerPort": PORT}]


def render(plan: JobPlan) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the TFJob, and what it could not hold."""
    name = tfjob_name(plan)
    types = {role: WRITTEN[word] for role, word in operator_types(plan).items()}
    specs = replica_specs(plan, name, types, container=CONTAINER, ports=PORTS)
    body = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": metadata(plan, name),
        "spec": {"runPolicy": run_policy(plan), "tfReplicaSpecs": specs},
    }
    return body, [*findings(plan, name), *without_reducers(plan, "TFJob"), *_too_long(plan, name)]


def replica_specs(
    plan: JobPlan, name: str, types: dict[Role, str], *, container: str, ports: list[dict[str, Any]]
) -> dict[str, Any]:
    """Returns the operator's replica specs by the type that each role has there; a role without one is left out."""
    return {
        types[pool.role]: {
            "replicas": pool.replica_count,
            "restartPolicy": restart_policy(plan),
            "template": pod_template(plan, pool, name, container=container, ports=ports),
        }
        for pool in plan.pools
        if pool.role in types
    }


def restart_policy(plan: JobPlan) -> str:
    """Returns ExitCode: a replica that a signal ended (128 and above) starts again, one that failed itself does not."""
    return "Never" if plan.job.scheduling and plan.job.scheduling.disable_retries else "ExitCode"


def run_policy(plan: JobPlan) -> dict[str, Any]:
    """Returns the policy of the whole job: once the primary has ended, the replicas that still run are stopped."""
    seconds = deadline(plan)
    return {"cleanPodPolicy": "Running", **({"activeDeadlineSeconds": seconds} if seconds else {})}


def findings(plan: JobPlan, name: str) -> list[Finding]:
    """Returns what no job of the operator can hold."""
    found = [*name_findings(plan, name), *kubernetes_findings(plan)]
    if plan.job.scheduling and plan.job.scheduling.restart_job_on_worker_restart:
        path = f"{plan.path}." if plan.path else ""
        found.append(
            not_carried(
                f"{path}scheduling.restartJobOnWorkerRestart",
                "the operator restarts single replicas only",
                "render it as jobset",
            )
        )
    return found


def _too_long(plan: JobPlan, name: str) -> list[Finding]:
    counts = replica_counts(plan)
    task = operator_types(plan)["primary"]
    if not counts.get(task):
        return []
    host = operator_host(name, plan.job.namespace)
    return length_findings(plan, replica_environment(counts, task, 0, host=host))
