"""What a kubelet says of a pod in its status: waiting, running, ended. Sending it is another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True)
class Ended:
    """How a container ended: its exit code, and the message that goes with it, such as the end of its log."""

    code: int
    message: str = ""
    reason: str = ""


def now() -> str:
    """Returns this second as Kubernetes writes times."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def waiting(pod: Object, reason: str, message: str) -> Object:
    """Returns the status of a pod whose containers cannot start, for a reason in Kubernetes' words."""
    return {
        "phase": "Pending",
        "containerStatuses": [
            _container(spec, ready=False, state={"waiting": {"reason": reason, "message": message}})
            for spec in pod["spec"]["containers"]
        ],
    }


def running(pod: Object, address: str, time: str, restarts: Mapping[str, int] | None = None) -> Object:
    """Returns the status of a pod whose containers all run and are ready; `restarts` counts them by container."""
    terminated = {"exitCode": 0, "reason": "Completed", "startedAt": time, "finishedAt": time}
    counts = restarts or {}
    return {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": time,
        "conditions": _conditions(time, ready=True),
        "initContainerStatuses": [
            _container(spec, ready=True, state={"terminated": terminated})
            for spec in pod["spec"].get("initContainers", [])
        ],
        "containerStatuses": [
            _container(spec, ready=True, state={"running": {"startedAt": time}}, restarts=counts.get(spec["name"], 0))
            for spec in pod["spec"]["containers"]
        ],
    }


def ended(pod: Object, ends: Mapping[str, Ended], time: str) -> Object:
    """Returns the status of a pod whose containers all ended, each as `ends` says by its name: Succeeded or Failed."""
    previous_statuses = {status["name"]: status for status in pod.get("status", {}).get("containerStatuses", [])}
    statuses = []
    for spec in pod["spec"]["containers"]:
        end, previous = ends[spec["name"]], previous_statuses.get(spec["name"], {})
        terminated = {
            "exitCode": end.code,
            "reason": end.reason or ("Error" if end.code else "Completed"),
            "message": end.message,
            "startedAt": previous.get("state", {}).get("running", {}).get("startedAt", time),
            "finishedAt": time,
        }
        restarts = previous.get("restartCount", 0)
        statuses.append(_container(spec, ready=False, state={"terminated": terminated}, restarts=restarts))
    failed = any(end.code for end in ends.values())
    return {
        "phase": "Failed" if failed else "Succeeded",
        "conditions": _conditions(time, ready=False, reason="PodFailed" if failed else "PodCompleted"),
        "containerStatuses": statuses,
    }


def _conditions(time: str, *, ready: bool, reason: str = "") -> list[Object]:
    flags = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
    return [
        {
            "type": condition,
            "status": str(flag),
            "lastTransitionTime": time,
            **({"reason": reason} if reason and not flag else {}),
        }
        for condition, flag in flags.items()
    ]


def _container(spec: Object, *, ready: bool, state: Object, restarts: int = 0) -> Object:
    return {
        "name": spec["name"],
        "image": spec["image"],
        "imageID": "",
        "ready": ready,
        "started": "running" in state,
        "restartCount": restarts,
        "state": state,
    }
