"""The kind tfjob: a Kubeflow TFJob, whose operator sets TF_CONFIG.

Source: TFJob guide; kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding
from trainingjobs.workloads.group_environment import length_findings
from trainingjobs.workloads.kubeflow import OperatorWorkload
from trainingjobs.workloads.kubeflow_environment import PORT, operator_host, replica_counts, replica_environment
from trainingjobs.workloads.kubernetes_limits import without_reducers
from trainingjobs.workloads.kubernetes_names import object_name, operator_types
from trainingjobs.workloads.registry import Rendering, UnknownRoleError

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.spec.job import Job

# The operator's types as its API writes them.
WRITTEN = {"chief": "Chief", "master": "Master", "worker": "Worker", "ps": "PS", "evaluator": "Evaluator"}


class TfJob(OperatorWorkload):
    """A TFJob."""

    kind = "tfjob"
    title = "TFJob"
    speaks_for_others = True
    object_kind = "TFJob"
    resource = "tfjobs"
    specs_key = "tfReplicaSpecs"
    container = "tensorflow"
    ports = [{"name": "tfjob-port", "containerPort": PORT}]  # noqa: RUF012 (a constant of the class)
    framework = "tensorflow"
    types = {  # noqa: RUF012
        "chief": "primary", "master": "primary", "worker": "workers", "ps": "parameterServers",
        "evaluator": "evaluators", "eval": "evaluators",
    }  # fmt: skip
    type_names = "Chief, Worker, PS or Evaluator"

    def name(self, plan: JobPlan) -> str:
        """Returns the name of the job's TFJob; the operator's pods and services are NAME-TYPE-INDEX."""
        return object_name(plan, operator_types(plan), 0)

    def render(self, plan: JobPlan) -> Rendering:
        """Returns the TFJob, and what it could not hold."""
        types = {role: WRITTEN[word] for role, word in operator_types(plan).items()}
        body, findings = self.object_body(plan, types)
        return body, [*findings, *without_reducers(plan, "TFJob"), *self._too_long(plan)]

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:  # noqa: ARG002
        """Returns TF_CONFIG as the operator sets it."""
        types = operator_types(plan)
        if pool.role not in types:
            raise UnknownRoleError("Kubeflow", pool.role)
        host = operator_host(self.name(plan), plan.job.namespace)
        return replica_environment(replica_counts(plan), types[pool.role], index, host=host)

    def names_master(self, job: Job) -> bool:
        """Returns whether the job's primary is of the operator's type Master."""
        return job.use_chief_in_tf_config is False

    def read_type(self, word: str, fields: dict[str, Any]) -> None:
        """Takes from a Master that TF_CONFIG names the primary so."""
        if word.lower() == "master":
            fields["useChiefInTfConfig"] = False

    def _too_long(self, plan: JobPlan) -> list[Finding]:
        counts = replica_counts(plan)
        task = operator_types(plan)["primary"]
        if not counts.get(task):
            return []
        host = operator_host(self.name(plan), plan.job.namespace)
        return length_findings(plan, replica_environment(counts, task, 0, host=host))
