"""A planned job as a Kubeflow PyTorchJob (kubeflow.org/v1).

Source: kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1. Ranks and addresses are the operator's affair.
The operator gives workers an init container of its own without a security context, which a namespace of the restricted
profile refuses: there the operator needs a template for it (--pytorch-init-container-template-file).
"""

from __future__ import annotations

from typing import Any

from infra.dialects.kubeflow_env import PYTORCH_PORT, pytorchjob_name
from infra.dialects.kubernetes_losses import needs_primary, without_reducers
from infra.dialects.pod_template import metadata
from infra.dialects.tfjob import findings, replica_specs, run_policy
from infra.plan.job_plan import JobPlan
from infra.plan.roles import Role
from infra.problems import Finding

TYPES: dict[Role, str] = {"primary": "Master", "workers": "Worker"}
CONTAINER, PORTS = "pytorch", [{"name": "pytorchjob-port", "containerPort": PYTORCH_PORT}]


def render(plan: JobPlan) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the PyTorchJob, and what it could not hold."""
    name = pytorchjob_name(plan)
    specs = replica_specs(plan, name, TYPES, container=CONTAINER, ports=PORTS)
    body = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": metadata(plan, name),
        "spec": {"runPolicy": run_policy(plan), "pytorchReplicaSpecs": specs},
    }
    lost = [*without_reducers(plan, "PyTorchJob"), *needs_primary(plan, frozenset(TYPES), "PyTorchJob")]
    return body, [*findings(plan, name), *lost]
