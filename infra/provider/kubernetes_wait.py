"""Waiting for a job in a cluster: a TFJob, a PyTorchJob, a JobSet or a pod, by what their controllers say of them.

States have Vertex AI's names, so that a Completion reads alike on every platform. Nothing here touches a job.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infra.provider import jobs
from infra.provider.errors import Interrupted, ServiceError
from infra.provider.operation import Operation
from infra.provider.service import SANDBOX_VARIABLE

if TYPE_CHECKING:
    from infra.provider.kubernetes_access import Cluster

GROUPS: Final = {
    "tfjobs": "/apis/kubeflow.org/v1",
    "pytorchjobs": "/apis/kubeflow.org/v1",
    "jobsets": "/apis/jobset.x-k8s.io/v1alpha2",
    "pods": "/api/v1",
}
FORM: Final = re.compile(r"namespaces/([a-z0-9-]{1,63})/([a-z]+)/([a-z0-9.-]{1,253})(?:#([0-9a-f-]{1,64}))?")
REACHED: Final = {"running": ("RUNNING", "SUCCEEDED"), "succeeded": ("SUCCEEDED",)}
# A condition that is true → the state; the first of them that holds decides.
CONDITIONS: Final = (
    ("Failed", "FAILED"),
    ("Succeeded", "SUCCEEDED"),
    ("Completed", "SUCCEEDED"),
    ("Suspended", "QUEUED"),
    ("Restarting", "RUNNING"),
    ("Running", "RUNNING"),
)
PHASES: Final = {"Running": "RUNNING", "Succeeded": "SUCCEEDED", "Failed": "FAILED"}
LOG_LINES: Final = 10
# How often a lost connection is tried anew before the wait ends: the API server of a cluster that upgrades is away.
LOST_LIMIT: Final = 60


@dataclass(frozen=True, slots=True)
class KubernetesJob:
    """The parts of a job's id: namespaces/NAMESPACE/RESOURCE/NAME#UID."""

    namespace: str
    resource: str
    name: str
    uid: str

    @property
    def full(self) -> str:
        """Returns the id without the UID, as people read it."""
        return f"namespaces/{self.namespace}/{self.resource}/{self.name}"

    @property
    def path(self) -> str:
        """Returns the path of the object at the API server."""
        return f"{GROUPS[self.resource]}/namespaces/{self.namespace}/{self.resource}/{self.name}"


def parse(job: object) -> KubernetesJob | None:
    """Returns the parts of a job's id, None where it is not one of a cluster."""
    match = FORM.fullmatch(job) if isinstance(job, str) else None
    if match is None or match[2] not in GROUPS:
        return None
    return KubernetesJob(match[1], match[2], match[3], match[4] or "")


def wait(op: Operation, job: KubernetesJob, inputs: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs once the job is where it is waited for. Raises ServiceError where it ends elsewhere."""
    wait_for = str(inputs["waitFor"])
    timeout = inputs.get("timeout")
    limit = float(timeout[:-1]) if isinstance(timeout, str) else op.timeout
    try:
        return _reach(op, job, _cluster(inputs), wait_for, limit)
    except Interrupted:
        raise ServiceError(
            f"stopped waiting for {job.full}; the job is not touched and goes on, the next `pulumi up` waits again"
        ) from None


def read(job: KubernetesJob, outputs: Mapping[str, Any]) -> dict[str, object] | None:
    """Returns what is seen of the job now, None where it is gone."""
    found = _get(_cluster(outputs), job)
    return None if found is None else observed(found)


def _cluster(inputs: Mapping[str, Any]) -> Cluster:
    # Loaded where a cluster is waited for: a stack on Vertex AI does without YAML.
    from infra.provider.kubernetes_access import connect

    config, context = inputs.get("kubeconfig"), inputs.get("context")
    return connect(config if isinstance(config, str) else None, context if isinstance(context, str) else None)


def _get(cluster: Cluster, job: KubernetesJob) -> dict[str, Any] | None:
    found = cluster.get(job.path, f"reading {job.full}")
    if found is not None and job.uid and found.get("metadata", {}).get("uid") != job.uid:
        # Another job of the same name: the one that is waited for was replaced.
        return None
    return found


def _reach(op: Operation, job: KubernetesJob, cluster: Cluster, wait_for: str, limit: float) -> dict[str, object]:
    lost = 0
    for delay in jobs.looks():
        try:
            found = _get(cluster, job)
            pods = _pods(cluster, job)
            lost = 0
        except ServiceError as failure:
            lost += 1
            if not failure.retryable or lost > LOST_LIMIT:
                raise
            op.progress(f"{failure}; asking again")
            op.pause(delay)
            continue
        if found is None:
            raise ServiceError(f"{job.full} is gone; run `pulumi refresh`, the next `pulumi up` then makes it again")
        state = state_of(found)
        if state in REACHED[wait_for]:
            return observed(found)
        if state == "FAILED":
            raise ServiceError(_failure(cluster, job, found, pods))
        if limit and op.elapsed() + delay > limit:
            raise ServiceError(
                f"{job.full} is {state}, not {wait_for} within {limit:g} s; the job is not touched and goes on, "
                f"the next `pulumi up` waits again"
            )
        last_line = partial(_last_line, cluster, job, pods)
        op.progress(f"{state}, {progress(pods)}waiting for {wait_for}{held_up(pods)}", last_line)
        op.pause(delay)
    raise AssertionError("unreachable: looks() never ends")


def state_of(found: Mapping[str, Any]) -> str:
    """Returns the job's state: PENDING, QUEUED (suspended by a queue), RUNNING, SUCCEEDED or FAILED."""
    status = found.get("status") or {}
    if found.get("kind") == "Pod":
        return PHASES.get(str(status.get("phase")), "PENDING")
    true = {one.get("type") for one in status.get("conditions") or [] if one.get("status") == "True"}
    for condition, state in CONDITIONS:
        if condition in true:
            return state
    ready = any(one.get("ready") or one.get("succeeded") for one in status.get("replicatedJobsStatus") or [])
    return "RUNNING" if ready else "PENDING"


def observed(found: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs of a Completion: the state and the times that the controllers give."""
    status = found.get("status") or {}
    ends = [
        one.get("lastTransitionTime")
        for one in status.get("conditions") or []
        if one.get("status") == "True" and one.get("type") in ("Failed", "Succeeded", "Completed")
    ]
    seen = {
        "state": f"JOB_STATE_{state_of(found)}",
        "startTime": status.get("startTime") or found.get("metadata", {}).get("creationTimestamp"),
        "endTime": status.get("completionTime") or next(iter(ends), None) or _pod_end(status),
    }
    return {key: value for key, value in seen.items() if value is not None}


def _pod_end(status: Mapping[str, Any]) -> object:
    ended = [one.get("state", {}).get("terminated", {}) for one in status.get("containerStatuses") or []]
    return next((one["finishedAt"] for one in ended if one.get("finishedAt")), None)


def _pods(cluster: Cluster, job: KubernetesJob) -> list[dict[str, Any]]:
    """Returns the job's pods; for a bare pod those that carry its job's label."""
    name = job.name
    if job.resource == "pods":
        own = cluster.get(job.path, f"reading {job.full}") or {}
        name = own.get("metadata", {}).get("labels", {}).get("training-job", job.name)
    path = f"/api/v1/namespaces/{job.namespace}/pods?labelSelector=training-job%3D{name}"
    answer = cluster.get(path, f"reading the pods of {job.full}") or {}
    items: list[dict[str, Any]] = answer.get("items") or []
    return items


def progress(pods: list[dict[str, Any]]) -> str:
    """Returns how many of the job's pods run, as a message begins with it."""
    running = sum((pod.get("status") or {}).get("phase") == "Running" for pod in pods)
    return f"{running} of {len(pods)} replicas run, " if pods else ""


def held_up(pods: list[dict[str, Any]]) -> str:
    """Returns why the first pod that waits for a node, or for its image, does so."""
    for pod in sorted(pods, key=lambda one: str(one.get("metadata", {}).get("name"))):
        status = pod.get("status") or {}
        for condition in status.get("conditions") or []:
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                return f" ({pod['metadata']['name']}: {str(condition.get('message'))[:200]})"
        for container in status.get("containerStatuses") or []:
            reason = (container.get("state") or {}).get("waiting", {}).get("reason")
            if reason in ("ImagePullBackOff", "ErrImagePull", "InvalidImageName", "CreateContainerConfigError"):
                return f" ({pod['metadata']['name']}: {reason})"
    return ""


def _failure(cluster: Cluster, job: KubernetesJob, found: Mapping[str, Any], pods: list[dict[str, Any]]) -> str:
    status = found.get("status") or {}
    said = [str(one.get("message")) for one in status.get("conditions") or [] if one.get("type") == "Failed"]
    lines = [f"{job.full} ended as FAILED: {next(iter(said), None) or 'its controller gives no reason'}"]
    for pod in pods:
        lines += [f"  | {line}" for line in _ended_badly(cluster, job, pod)]
    lines.append("  to run it again, raise the job's `run`, or change the job")
    return "\n".join(lines)


def _ended_badly(cluster: Cluster, job: KubernetesJob, pod: Mapping[str, Any]) -> list[str]:
    """Returns how a pod's container failed, with its last lines: its message, else its log."""
    name = pod["metadata"]["name"]
    for container in (pod.get("status") or {}).get("containerStatuses") or []:
        end = (container.get("state") or {}).get("terminated") or {}
        if not end.get("exitCode"):
            continue
        last = str(end.get("message") or "") or pod_log(cluster, job.namespace, name, LOG_LINES)
        head = f"{name}: {end.get('reason', 'Error')}, exit status {end['exitCode']}"
        return [head, *(line[:300] for line in last.splitlines()[-LOG_LINES:])]
    return []


def _last_line(cluster: Cluster, job: KubernetesJob, pods: list[dict[str, Any]]) -> str:
    """Returns what the primary wrote last, or another pod where none is told apart."""
    running = [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Running"]
    first = [pod for pod in running if (pod["metadata"].get("labels") or {}).get("training-role") == "primary"]
    for pod in (first or running)[:1]:
        lines = pod_log(cluster, job.namespace, str(pod["metadata"]["name"]), 1).splitlines()
        return "".join(character for character in "".join(lines[-1:]) if character.isprintable())[:300]
    return ""


def pod_log(cluster: Cluster, namespace: str, name: str, lines: int | None = None) -> str:
    """Returns what a pod has written, or at least its last `lines`; "" where nothing can be had."""
    tail = f"?tailLines={lines}" if lines else ""
    return cluster.text(f"/api/v1/namespaces/{namespace}/pods/{name}/log{tail}") or _sandbox_log(namespace, name)


def _sandbox_log(namespace: str, name: str) -> str:
    """The sandbox's API server has no nodes to ask: what its pods write is in files."""
    state = os.environ.get(SANDBOX_VARIABLE)
    folder = Path(state or "") / "kubernetes" / "logs" / namespace / name
    files = sorted(folder.glob("*.log"), key=lambda file: file.stat().st_mtime) if state else []
    return files[-1].read_text(encoding="utf-8", errors="replace") if files else ""
