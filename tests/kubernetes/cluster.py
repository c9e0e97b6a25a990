"""What tests do with a cluster: make objects, wait for what the controllers make of them, play the kubelet."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sandbox.kubernetes.client import Client, KubernetesError
from sandbox.kubernetes.pod_status import Ended, ended, now, running

Object = dict[str, Any]
T = TypeVar("T")
# No scheduler answers to it: even on a cluster that has one, and nodes, the test alone decides how a pod fares.
SCHEDULER = "played-by-a-test"
SECONDS = 30.0


def until(question: Callable[[], T], what: str) -> T:
    """Returns the first answer that is true; fails after half a minute."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if answer := question():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"waited {SECONDS:.0f} s in vain: {what}")


@dataclass(frozen=True)
class Cluster:
    """A namespace of a cluster."""

    client: Client
    namespace: str
    kubeconfig: Path

    def apply(self, item: Object, *, dry_run: bool = False) -> Object:
        meta = {**item["metadata"], "namespace": self.namespace}
        return self.client.apply({**item, "metadata": meta}, dry_run=dry_run)

    def get(self, api_version: str, kind: str, name: str) -> Object | None:
        try:
            return self.client.get(api_version, kind, name, self.namespace)
        except KubernetesError as error:
            if error.reason != "NotFound":
                raise
            return None

    def items(self, api_version: str, kind: str, labels: str = "") -> dict[str, Object]:
        """Returns the objects by their names."""
        listed = self.client.items(api_version, kind, self.namespace, labels)
        return {item["metadata"]["name"]: item for item in listed}

    def pods(self, count: int) -> dict[str, Object]:
        """Returns the pods by their names once there are so many."""
        return until(lambda: len(pods := self.items("v1", "Pod")) >= count and pods, f"{count} pods")

    def run(self, *pods: Object) -> None:
        """Makes the pods run."""
        for number, pod in enumerate(pods, start=1):
            self.client.patch_status(pod, running(pod, f"10.1.0.{number}", now()))

    def end(self, pod: Object, code: int = 0, message: str = "") -> None:
        """Ends all containers of a pod with this exit code."""
        current = self.client.get("v1", "Pod", pod["metadata"]["name"], self.namespace)
        ends = {spec["name"]: Ended(code, message) for spec in current["spec"]["containers"]}
        self.client.patch_status(current, ended(current, ends, now()))

    def condition(self, api_version: str, kind: str, name: str, wanted: str) -> Object:
        """Returns the object's condition of this type once it is true."""

        def find() -> Object | None:
            conditions = (self.get(api_version, kind, name) or {}).get("status", {}).get("conditions") or []
            return next((each for each in conditions if each["type"] == wanted and each["status"] == "True"), None)

        return until(find, f"{kind} {name} is {wanted}")
