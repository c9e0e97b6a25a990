"""A job's object and pods in a cluster, through its API server and the user's kubeconfig."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.kubernetes.access import Cluster, connect
from trainingjobs.clients.kubernetes.jobs import KubernetesJob, pod_log
from trainingjobs.operations.services import KUBECONFIG, NO_CLUSTER, refuses
from trainingjobs.plan.job import JobPlan
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.spec.roles import Role
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.kubernetes import workload_in_cluster
from trainingjobs.workloads.kubernetes_names import GROUPS, operator_types
from trainingjobs.workloads.pod_template import JOB_LABEL, ROLE_LABEL

# A pod's index among its role's: a label of the controllers, else the end of its name.
INDEX_LABELS = ("batch.kubernetes.io/job-completion-index", "training.kubeflow.org/replica-index")


@dataclass(frozen=True, slots=True)
class Pod:
    """One replica."""

    name: str
    namespace: str
    role: Role
    index: int
    phase: str


def connected(stack: Stack) -> Cluster:
    """Returns the stack's cluster by the user's kubeconfig. Raises ServiceError."""
    cluster = stack.cluster
    kubeconfig, context = (cluster.kubeconfig, cluster.context) if cluster else (None, None)
    if kubeconfig is not None or SANDBOX_VARIABLE not in os.environ:
        return connect(kubeconfig, context)
    if not Path(os.environ.get(KUBECONFIG, "").split(os.pathsep)[0]).is_file():
        raise ServiceError(NO_CLUSTER)
    api = connect(None, context)
    if refuses(api.server):
        raise ServiceError(NO_CLUSTER)
    return api


def job_of(plan: JobPlan) -> KubernetesJob:
    """Returns the object that stands for the job."""
    kind = workload_in_cluster(plan)
    return KubernetesJob(plan.job.namespace, kind.resource, kind.head(plan), "")


def pods(api: Cluster, plan: JobPlan) -> list[Pod]:
    """Returns the job's pods by role and index; of two for one replica the newer one. Raises ServiceError."""
    name, namespace = workload_in_cluster(plan).name(plan), plan.job.namespace
    path = f"/api/v1/namespaces/{namespace}/pods?labelSelector={JOB_LABEL}%3D{name}"
    answer = api.get(path, f"reading the pods of {namespace}/{name}") or {}
    roles: dict[str, Role] = {word: role for words in (operator_types(plan), GROUPS) for role, word in words.items()}
    newest: dict[tuple[Role, int], Pod] = {}
    for item in sorted(answer.get("items", []), key=lambda pod: str(pod["metadata"].get("creationTimestamp", ""))):
        labels = item["metadata"].get("labels") or {}
        role = roles.get(labels.get(ROLE_LABEL, ""))
        index = _index(labels, str(item["metadata"]["name"]))
        if role is not None and index is not None:
            phase = str((item.get("status") or {}).get("phase", ""))
            newest[role, index] = Pod(str(item["metadata"]["name"]), namespace, role, index, phase)
    return [newest[key] for key in sorted(newest)]


def log(api: Cluster, pod: Pod) -> str:
    """Returns what the pod has written so far, "" where nothing can be had."""
    return pod_log(api, pod.namespace, pod.name)


def _index(labels: dict[str, str], name: str) -> int | None:
    index = next((labels[label] for label in INDEX_LABELS if label in labels), None)
    if index is None:
        match = re.search(r"-([0-9]+)$", name)
        index = match[1] if match else None
    return int(index) if index is not None and index.isdigit() else None
