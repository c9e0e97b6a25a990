"""The kind pytorchjob: a Kubeflow PyTorchJob, whose operator sets ranks and addresses.

Source: kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1. The operator gives workers an init container of its
own without a security context, which a namespace of the restricted profile refuses: there the operator needs a template
for it (--pytorch-init-container-template-file).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainingjobs.workloads.kubeflow import OperatorWorkload
from trainingjobs.workloads.kubeflow_environment import PYTORCH_PORT, pytorch_environment
from trainingjobs.workloads.kubernetes_limits import needs_primary, without_reducers
from trainingjobs.workloads.kubernetes_names import MASTER, object_name
from trainingjobs.workloads.registry import Rendering, UnknownRoleError

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.spec.roles import Role

TYPES: dict[Role, str] = {"primary": "Master", "workers": "Worker"}


class PyTorchJob(OperatorWorkload):
    """A PyTorchJob."""

    kind = "pytorchjob"
    title = "PyTorchJob"
    object_kind = "PyTorchJob"
    resource = "pytorchjobs"
    specs_key = "pytorchReplicaSpecs"
    container = "pytorch"
    ports = [{"name": "pytorchjob-port", "containerPort": PYTORCH_PORT}]  # noqa: RUF012 (a constant of the class)
    framework = "pytorch"
    types = {"chief": "primary", "master": "primary", "worker": "workers"}  # noqa: RUF012
    type_names = "Master or Worker"

    def name(self, plan: JobPlan) -> str:
        """Returns the name of the job's PyTorchJob."""
        return object_name(plan, {"primary": MASTER, "workers": "worker"}, 0)

    def render(self, plan: JobPlan) -> Rendering:
        """Returns the PyTorchJob, and what it could not hold."""
        body, findings = self.object_body(plan, TYPES)
        missing = [*without_reducers(plan, "PyTorchJob"), *needs_primary(plan, frozenset(TYPES), "PyTorchJob")]
        return body, [*findings, *missing]

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:  # noqa: ARG002
        """Returns rank, world size and the primary's address as the operator sets them."""
        if pool.role not in TYPES:
            raise UnknownRoleError("A PyTorchJob", pool.role)
        nodes = sum(group.replica_count for group in plan.pools if group.role in TYPES)
        return pytorch_environment(self.name(plan), nodes, index + (pool.role == "workers"))
