"""Objects of a cluster that others declare for training and that are observed only: no job is rendered to them.

Sources: kubeflow/training-operator v1.9 and kubeflow/mpi-operator v2beta1; kubeflow/trainer v2, TrainJob; Kubernetes,
Job and CronJob.
"""

from __future__ import annotations

from trainingjobs.core.findings import Finding
from trainingjobs.facts.observed import Part
from trainingjobs.workloads.observed_kind import ObservedKind, role_of_label
from trainingjobs.workloads.operator_object import OperatorObject
from trainingjobs.workloads.pod_observation import ReplicaGroup
from trainingjobs.workloads.replicated_jobs import job_pods

# The Job's own default of how often a pod that failed is replaced is not 0.
DEFAULT_BACKOFF = 6


class MpiJob(OperatorObject):
    """An MPIJob, whose launcher starts a process on every worker."""

    object_kind = "MPIJob"
    specs_key = "mpiReplicaSpecs"
    types = {"launcher": "primary", "worker": "workers"}  # noqa: RUF012 (a constant of the class)
    first_worker_leads = False


class XgboostJob(OperatorObject):
    """An XGBoostJob."""

    object_kind = "XGBoostJob"
    specs_key = "xgbReplicaSpecs"
    types = {"master": "primary", "worker": "workers"}  # noqa: RUF012
    framework = "xgboost"


class PaddleJob(OperatorObject):
    """A PaddleJob."""

    object_kind = "PaddleJob"
    specs_key = "paddleReplicaSpecs"
    types = {"master": "primary", "worker": "workers"}  # noqa: RUF012


class JaxJob(OperatorObject):
    """A JAXJob, which has workers alone."""

    object_kind = "JAXJob"
    specs_key = "jaxReplicaSpecs"
    types = {"worker": "workers"}  # noqa: RUF012
    framework = "jax"


class BatchJob(ObservedKind):
    """A Job of Kubernetes itself, which may do anything."""

    api_version = "batch/v1"
    object_kind = "Job"
    always_trains = False
    is_replica = True

    def job_spec(self, body: Part) -> Part:
        """Returns the Job's spec."""
        return body.get("spec")

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the pods of the Job; without a label that says their role, the first of them is the primary."""
        job = self.job_spec(body)
        count, count_path, findings = job_pods(job)
        metadata = job.within("template", "metadata")
        group = ReplicaGroup(
            role=role_of_label(body.get("metadata")) or role_of_label(metadata),
            path=job.path,
            count=count,
            count_path=count_path,
            spec=job.within("template", "spec"),
            metadata=metadata,
        )
        return [group], findings

    def restarts(self, body: Part) -> bool:
        """Returns whether a pod that was lost is replaced."""
        limit = self.job_spec(body).get("backoffLimit").value
        return bool(DEFAULT_BACKOFF if limit is None else limit)


class CronJob(BatchJob):
    """A CronJob, which makes a Job at its times."""

    object_kind = "CronJob"
    is_replica = False

    def job_spec(self, body: Part) -> Part:
        """Returns the spec of the Jobs that it makes."""
        return body.within("spec", "jobTemplate", "spec")


class TrainJob(ObservedKind):
    """A TrainJob of Kubeflow's Trainer: what its runtime's object does not say. Node 0 is the primary."""

    api_version = "trainer.kubeflow.org/v1alpha1"
    object_kind = "TrainJob"
    declares_pods = False

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the nodes of the trainer; the initializers are further containers."""
        spec = body.get("spec")
        trainer, nodes = spec.get("trainer"), spec.within("trainer", "numNodes")
        count, findings = nodes.count(1)
        initializers = tuple(part for _, part in spec.get("initializer").entries())
        group = ReplicaGroup(
            role=None,
            path=trainer.path,
            count=count,
            count_path=nodes.path,
            spec=_overrides(spec),
            metadata=spec,
            main=trainer,
            resources=trainer.get("resourcesPerNode"),
            further=initializers,
        )
        return [group], findings


def _overrides(spec: Part) -> Part:
    """Returns what the object says of its pods' spec, in either of the interface's forms."""
    first = next(iter([*spec.get("podTemplateOverrides").items(), *spec.get("podSpecOverrides").items()]), None)
    if first is None:
        return Part(spec.value if spec.is_unknown else None, spec.path)
    inner = first.get("spec")
    return inner if inner.value is not None else first
