"""A job's object and pods in a cluster, through its API server and the user's kubeconfig."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from infra.dialects import jobset, kubeflow_env
from infra.dialects import pods as bare
from infra.dialects.kube_names import GROUPS, operator_types
from infra.dialects.pod_template import JOB_LABEL, ROLE_LABEL
from infra.plan.job_plan import JobPlan
from infra.plan.roles import Role
from infra.provider.errors import ServiceError
from infra.provider.kubernetes_access import Cluster, connect
from infra.provider.kubernetes_wait import KubernetesJob, observed, pod_log
from infra.provider.service import SANDBOX_VARIABLE
from infra.spec.stack import Stack
from infra.watch.services import KUBECONFIG, NO_CLUSTER, refuses

__all__ = ["Cluster", "Pod", "connected", "job_of", "log", "observed", "pods"]

RESOURCES = {"jobset": "jobsets", "tfjob": "tfjobs", "pytorchjob": "pytorchjobs", "pods": "pods"}
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
    named = stack.cluster
    kubeconfig, context = (named.kubeconfig, named.context) if named else (None, None)
    if kubeconfig is not None or SANDBOX_VARIABLE not in os.environ:
        return connect(kubeconfig, context)
    if not Path(os.environ.get(KUBECONFIG, "").split(os.pathsep)[0]).is_file():
        raise ServiceError(NO_CLUSTER)
    api = connect(None, context)
    if refuses(api.server):
        raise ServiceError(NO_CLUSTER)
    return api


def job_of(plan: JobPlan) -> KubernetesJob:
    """Returns the object that stands for the job; of bare pods, the primary's."""
    name = name_of(plan)
    if plan.kind == "pods":
        name = f"{name}-{GROUPS['primary']}-0"
    return KubernetesJob(plan.job.namespace, RESOURCES[plan.kind], name, "")


def name_of(plan: JobPlan) -> str:
    """Returns the name that the job's pods carry as a label."""
    names = {
        "jobset": jobset.jobset_name,
        "tfjob": kubeflow_env.tfjob_name,
        "pytorchjob": kubeflow_env.pytorchjob_name,
        "pods": bare.pods_name,
    }
    return names[plan.kind](plan)


def pods(api: Cluster, plan: JobPlan) -> list[Pod]:
    """Returns the job's pods by role and index; of two for one replica the newer one. Raises ServiceError."""
    name, namespace = name_of(plan), plan.job.namespace
    path = f"/api/v1/namespaces/{namespace}/pods?labelSelector={JOB_LABEL}%3D{name}"
    answer = api.get(path, f"reading the pods of {namespace}/{name}") or {}
    roles: dict[str, Role] = {word: role for words in (operator_types(plan), GROUPS) for role, word in words.items()}
    found: dict[tuple[Role, int], Pod] = {}
    for item in sorted(answer.get("items", []), key=lambda one: str(one["metadata"].get("creationTimestamp", ""))):
        labels = item["metadata"].get("labels") or {}
        role = roles.get(labels.get(ROLE_LABEL, ""))
        index = _index(labels, str(item["metadata"]["name"]))
        if role is not None and index is not None:
            phase = str((item.get("status") or {}).get("phase", ""))
            found[role, index] = Pod(str(item["metadata"]["name"]), namespace, role, index, phase)
    return [found[key] for key in sorted(found)]


def log(api: Cluster, pod: Pod) -> str:
    """Returns what the pod has written so far, "" where nothing can be had."""
    return pod_log(api, pod.namespace, pod.name)


def _index(labels: dict[str, str], name: str) -> int | None:
    said = next((labels[label] for label in INDEX_LABELS if label in labels), None)
    if said is None:
        end = re.search(r"-([0-9]+)$", name)
        said = end[1] if end else None
    return int(said) if said is not None and said.isdigit() else None
