"""A job of Kubeflow's training operator: what its kinds share.

Source: kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1. Ranks and addresses are the operator's affair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.kubeflow_reading import read_replicated_job
from trainingjobs.workloads.kubernetes import KubernetesWorkload
from trainingjobs.workloads.kubernetes_limits import kubernetes_findings
from trainingjobs.workloads.kubernetes_names import name_findings
from trainingjobs.workloads.operator_object import OperatorObject
from trainingjobs.workloads.pod_template import deadline, metadata, pod_template

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.wire import kubernetes


class OperatorWorkload(OperatorObject, KubernetesWorkload):
    """A kind of the operator.

    `ports` are those that the operator looks for, `type_names` the types of its replicas as people are told them.
    """

    framework: ClassVar[str]
    speaks = "kubeflow"
    deprecation = "is Kubeflow's v1 interface, which Kueue is about to drop"
    successor = "use jobset, whose replicas get a TF_CONFIG too"
    reads = True
    gangs = True
    ports: ClassVar[list[kubernetes.ContainerPort]]
    type_names: ClassVar[str]

    def object_body(self, plan: JobPlan, types: Mapping[Role, str]) -> tuple[dict[str, Any], list[Finding]]:
        """Returns the object with its replicas by the types of their roles, and what no such object holds."""
        name = self.name(plan)
        specs = {
            types[pool.role]: {
                "replicas": pool.replica_count,
                "restartPolicy": restart_policy(plan),
                "template": pod_template(plan, pool, name, container=self.container, ports=self.ports),
            }
            for pool in plan.pools
            if pool.role in types
        }
        body = {
            "apiVersion": self.api_version,
            "kind": self.object_kind,
            "metadata": metadata(plan, name),
            "spec": {"runPolicy": run_policy(plan), self.specs_key: specs},
        }
        findings = [*name_findings(plan, name), *kubernetes_findings(plan)]
        if plan.job.scheduling and plan.job.scheduling.restart_job_on_worker_restart:
            place = plan.path / "scheduling.restartJobOnWorkerRestart"
            findings.append(not_carried(place, "the operator restarts single replicas only", "render it as jobset"))
        return body, findings

    def run_policy(self, body: dict[str, Any]) -> dict[str, Any]:
        """Returns the object's runPolicy."""
        policy: dict[str, Any] = body["spec"]["runPolicy"]
        return policy

    def schedule_as_gang(self, body: dict[str, Any]) -> None:
        """Asks the operator's gang scheduler for all replicas at once or none."""
        total = sum(replicas["replicas"] for replicas in body["spec"][self.specs_key].values())
        self.run_policy(body)["schedulingPolicy"] = {"minAvailable": total}

    def read(self, document: Mapping[str, Any], name: str) -> tuple[dict[str, Any], list[Finding]]:
        """Returns the job document of somebody's object, and what is wrong with it or lost."""
        return read_replicated_job(self, document, name)

    def read_type(self, word: str, fields: dict[str, Any]) -> None:
        """Takes what the word of a replica type says of the whole job into the job document's fields."""


def restart_policy(plan: JobPlan) -> str:
    """Returns ExitCode: a replica that a signal ended (128 and above) starts again, one that failed itself does not."""
    return "Never" if plan.job.scheduling and plan.job.scheduling.disable_retries else "ExitCode"


def run_policy(plan: JobPlan) -> dict[str, Any]:
    """Returns the policy of the whole job: once the primary has ended, the replicas that still run are stopped."""
    seconds = deadline(plan)
    return {"cleanPodPolicy": "Running", **({"activeDeadlineSeconds": seconds} if seconds else {})}
