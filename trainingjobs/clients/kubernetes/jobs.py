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

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex.jobs import poll_intervals
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.workloads.kubernetes import by_object_kind, by_resource
from trainingjobs.workloads.kubernetes_names import GROUPS
from trainingjobs.workloads.pod_template import JOB_LABEL, ROLE_LABEL
from trainingjobs.workloads.states import REACHED

if TYPE_CHECKING:
    from trainingjobs.clients.kubernetes.access import Cluster

FORM: Final = re.compile(r"namespaces/([a-z0-9-]{1,63})/([a-z]+)/([a-z0-9.-]{1,253})(?:#([0-9a-f-]{1,64}))?")
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
        kind = by_resource(self.resource)
        version = kind.api_version if kind else "v1"
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        return f"{root}/namespaces/{self.namespace}/{self.resource}/{self.name}"


def parse(job: object) -> KubernetesJob | None:
    """Returns the parts of a job's id, None where it is not one of a cluster."""
    match = FORM.fullmatch(job) if isinstance(job, str) else None
    if match is None or by_resource(match[2]) is None:
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
    body = _get(_cluster(outputs), job)
    return None if body is None else observed(body)


def _cluster(inputs: Mapping[str, Any]) -> Cluster:
    # Loaded where a cluster is waited for: a stack on Vertex AI does without YAML.
    from trainingjobs.clients.kubernetes.access import connect

    config, context = inputs.get("kubeconfig"), inputs.get("context")
    return connect(config if isinstance(config, str) else None, context if isinstance(context, str) else None)


def _get(cluster: Cluster, job: KubernetesJob) -> dict[str, Any] | None:
    body = cluster.get(job.path, f"reading {job.full}")
    if body is not None and job.uid and body.get("metadata", {}).get("uid") != job.uid:
        # Another job of the same name: the one that is waited for was replaced.
        return None
    return body


def _reach(op: Operation, job: KubernetesJob, cluster: Cluster, wait_for: str, limit: float) -> dict[str, object]:
    failures = 0
    for delay in poll_intervals():
        try:
            body = _get(cluster, job)
            pods = _pods(cluster, job)
            failures = 0
        except ServiceError as failure:
            failures += 1
            if not failure.retryable or failures > LOST_LIMIT:
                raise
            op.progress(f"{failure}; asking again")
            op.pause(delay)
            continue
        if body is None:
            raise ServiceError(f"{job.full} is gone; run `pulumi refresh`, the next `pulumi up` then makes it again")
        state = state_of(body)
        if state in REACHED[wait_for]:
            return observed(body)
        if state == "FAILED":
            raise ServiceError(_failure(cluster, job, body, pods))
        if limit and op.elapsed() + delay > limit:
            raise ServiceError(
                f"{job.full} is {state}, not {wait_for} within {limit:g} s; the job is not touched and goes on, "
                f"the next `pulumi up` waits again"
            )
        last_line = partial(_last_line, cluster, job, pods)
        op.progress(f"{state}, {progress(pods)}waiting for {wait_for}{held_up(pods)}", last_line)
        op.pause(delay)
    raise AssertionError("unreachable: poll_intervals() never ends")


def state_of(body: Mapping[str, Any]) -> str:
    """Returns the job's state: PENDING, QUEUED (suspended by a queue), RUNNING, SUCCEEDED or FAILED."""
    kind = by_object_kind(body.get("kind"))
    return kind.state(body) if kind else "PENDING"


def observed(body: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs of a Completion: the state and the times that the controllers give."""
    status = body.get("status") or {}
    end_times = [
        condition.get("lastTransitionTime")
        for condition in status.get("conditions") or []
        if condition.get("status") == "True" and condition.get("type") in ("Failed", "Succeeded", "Completed")
    ]
    outputs = {
        "state": f"JOB_STATE_{state_of(body)}",
        "startTime": status.get("startTime") or body.get("metadata", {}).get("creationTimestamp"),
        "endTime": status.get("completionTime") or next(iter(end_times), None) or _pod_end(status),
    }
    return {key: value for key, value in outputs.items() if value is not None}


def _pod_end(status: Mapping[str, Any]) -> object:
    terminations = [
        container.get("state", {}).get("terminated", {}) for container in status.get("containerStatuses") or []
    ]
    return next((termination["finishedAt"] for termination in terminations if termination.get("finishedAt")), None)


def _pods(cluster: Cluster, job: KubernetesJob) -> list[dict[str, Any]]:
    """Returns the job's pods; of bare pods those that carry their job's label."""
    name, kind = job.name, by_resource(job.resource)
    if kind is not None and not kind.has_controller:
        pod = cluster.get(job.path, f"reading {job.full}") or {}
        name = pod.get("metadata", {}).get("labels", {}).get(JOB_LABEL, job.name)
    path = f"/api/v1/namespaces/{job.namespace}/pods?labelSelector={JOB_LABEL}%3D{name}"
    answer = cluster.get(path, f"reading the pods of {job.full}") or {}
    items: list[dict[str, Any]] = answer.get("items") or []
    return items


def progress(pods: list[dict[str, Any]]) -> str:
    """Returns how many of the job's pods run, as a message begins with it."""
    running = sum((pod.get("status") or {}).get("phase") == "Running" for pod in pods)
    return f"{running} of {len(pods)} replicas run, " if pods else ""


def held_up(pods: list[dict[str, Any]]) -> str:
    """Returns why the first pod that waits for a node, or for its image, does so."""
    for pod in sorted(pods, key=lambda pod: str(pod.get("metadata", {}).get("name"))):
        status = pod.get("status") or {}
        for condition in status.get("conditions") or []:
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                return f" ({pod['metadata']['name']}: {str(condition.get('message'))[:200]})"
        for container in status.get("containerStatuses") or []:
            reason = (container.get("state") or {}).get("waiting", {}).get("reason")
            if reason in ("ImagePullBackOff", "ErrImagePull", "InvalidImageName", "CreateContainerConfigError"):
                return f" ({pod['metadata']['name']}: {reason})"
    return ""


def _failure(cluster: Cluster, job: KubernetesJob, body: Mapping[str, Any], pods: list[dict[str, Any]]) -> str:
    status = body.get("status") or {}
    messages = [
        str(condition.get("message"))
        for condition in status.get("conditions") or []
        if condition.get("type") == "Failed"
    ]
    lines = [f"{job.full} ended as FAILED: {next(iter(messages), None) or 'its controller gives no reason'}"]
    for pod in pods:
        lines += [f"  | {line}" for line in _ended_badly(cluster, job, pod)]
    lines.append("  to run it again, raise the job's `run`, or change the job")
    return "\n".join(lines)


def _ended_badly(cluster: Cluster, job: KubernetesJob, pod: Mapping[str, Any]) -> list[str]:
    """Returns how a pod's container failed, with its last lines: its message, else its log."""
    name = pod["metadata"]["name"]
    for container in (pod.get("status") or {}).get("containerStatuses") or []:
        terminated = (container.get("state") or {}).get("terminated") or {}
        if not terminated.get("exitCode"):
            continue
        last = str(terminated.get("message") or "") or pod_log(cluster, job.namespace, name, LOG_LINES)
        head = f"{name}: {terminated.get('reason', 'Error')}, exit status {terminated['exitCode']}"
        return [head, *(line[:300] for line in last.splitlines()[-LOG_LINES:])]
    return []


def _last_line(cluster: Cluster, job: KubernetesJob, pods: list[dict[str, Any]]) -> str:
    """Returns what the primary wrote last, or another pod where none is told apart."""
    running = [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Running"]
    first = [pod for pod in running if (pod["metadata"].get("labels") or {}).get(ROLE_LABEL) == GROUPS["primary"]]
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
