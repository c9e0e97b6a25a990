"""Plays the kubelet for every pod of a cluster: runs its containers as local processes and reports its status.

`python -m sandbox.kubernetes.kubelet KUBECONFIG FOLDER [NAMESPACE]`; FOLDER takes logs and scratch folders, and of a
cluster that others use, the pods of a namespace alone are run. Single-threaded, so that the code between
fork and exec is safe; it asks for the pods a few times a second. What it started ends with it. Where FOLDER is removed
it ends, and ends the control plane that ran there: nobody else could any more. Linux only, as sandbox/vertex/runner.py
is.
"""

from __future__ import annotations

import ctypes
import http.client
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from sandbox.kubernetes.client import Client, KubernetesError
from sandbox.kubernetes.containers import Command, ConfigurationError, announced_address, command_of, decoded
from sandbox.kubernetes.pod_status import Ended, ended, now, running, waiting
from sandbox.kubernetes.processes import end_orphans, living
from sandbox.vertex.images import ImageError
from sandbox.vertex.runner import children, reap
from trainingjobs.project.sandbox_folder import is_still

Object = dict[str, Any]

_POLL_SECONDS = 0.25
_GRACE_SECONDS = 3.0
# Of the seconds before a container that failed starts again: the first wait and the longest; each is twice the last.
_BACK_OFF_SECONDS, _MAX_BACK_OFF_SECONDS = 1.0, 30.0
_LOG_TAIL_BYTES, _LOG_TAIL_LINES = 2048, 80
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None)


@dataclass
class Container:
    """One container of a pod: its process while it runs, how it ended once it will not start again."""

    command: Command
    pid: int | None = None
    end: Ended | None = None
    restarts: int = 0
    restart_at: float = 0.0


@dataclass
class Pod:
    """A pod whose containers run here. `reported`: whether its status says how it is.

    `kill_at`: when what is left of its processes after a deletion is ended by force.
    """

    item: Object
    containers: dict[str, Container]
    started: str
    reported: bool = False
    kill_at: float = 0.0


class Kubelet:
    """The pods of one cluster, or of one namespace of it, that run here, by their uid."""

    def __init__(self, client: Client, folder: Path, namespace: str | None) -> None:
        self._client, self._folder, self._namespace = client, folder, namespace
        self._pods: dict[str, Pod] = {}
        self._wait_messages: dict[str, str] = {}  # by uid: the last message of a pod that cannot start

    def step(self) -> None:
        """Does what is due: starts new pods, reports containers that ended, ends the processes of deleted pods."""
        items = {item["metadata"]["uid"]: item for item in self._client.items("v1", "Pod", self._namespace)}
        for pid, code in reap():
            self._container_ended(pid, code)
        for uid, pod in list(self._pods.items()):
            item = items.get(uid)
            if item is None or "deletionTimestamp" in item["metadata"]:
                self._end_pod(uid, pod)
            else:
                self._restart_due(pod)
        for uid, item in items.items():
            if uid not in self._pods and "deletionTimestamp" not in item["metadata"]:
                self._add_pod(item)
        self._wait_messages = {uid: text for uid, text in self._wait_messages.items() if uid in items}
        for pod in self._pods.values():
            self._report_if_changed(pod)

    def end_all(self) -> None:
        """Ends every process, by force after the grace time."""
        deadline = time.monotonic() + _GRACE_SECONDS
        for pod in self._pods.values():
            _signal_pod(pod, signal.SIGTERM)
        while children(os.getpid()) and time.monotonic() < deadline:
            reap()
            time.sleep(0.02)
        for pod in self._pods.values():
            _signal_pod(pod, signal.SIGKILL)

    def _add_pod(self, item: Object) -> None:
        phase = item.get("status", {}).get("phase")
        if phase == "Running":
            # It ran in an earlier life of this program: its processes ended with that.
            end = Ended(137, "The container could not be located", "ContainerStatusUnknown")
            self._report(item, ended(item, dict.fromkeys(_names(item), end), now()))
        if phase != "Pending" or item["spec"].get("schedulingGates"):
            return
        try:
            specs = item["spec"]["containers"]
            commands = {spec["name"]: command_of(item, spec, self._folder, self._lookup(item)) for spec in specs}
        except ImageError as error:
            self._report_waiting(item, "ErrImagePull", str(error))
            return
        except ConfigurationError as error:
            self._report_waiting(item, "CreateContainerConfigError", str(error))
            return
        pod = Pod(item, {name: Container(command) for name, command in commands.items()}, now())
        self._pods[item["metadata"]["uid"]] = pod
        for container in pod.containers.values():
            container.command.log.write_bytes(b"")  # an earlier pod of the name had one of its own
            _start(container)

    def _lookup(self, item: Object) -> Any:
        def lookup(kind: str, name: str) -> dict[str, str] | None:
            try:
                return decoded(self._client.get("v1", kind, name, item["metadata"]["namespace"]))
            except KubernetesError as error:
                if error.reason == "NotFound":
                    return None
                raise

        return lookup

    def _report_waiting(self, item: Object, reason: str, message: str) -> None:
        if self._wait_messages.get(item["metadata"]["uid"]) != message:
            self._report(item, waiting(item, reason, message))
            self._wait_messages[item["metadata"]["uid"]] = message

    def _container_ended(self, pid: int, code: int) -> None:
        for pod in self._pods.values():
            for container in pod.containers.values():
                if container.pid == pid:
                    _end_group(pid)
                    container.pid = None
                    _decide(pod, container, code)
                    pod.reported = False

    def _restart_due(self, pod: Pod) -> None:
        for container in pod.containers.values():
            if container.pid is None and container.end is None and time.monotonic() >= container.restart_at:
                container.restarts += 1
                _start(container)
                pod.reported = False

    def _report_if_changed(self, pod: Pod) -> None:
        if pod.reported:
            return
        ends = {name: container.end for name, container in pod.containers.items() if container.end is not None}
        if len(ends) == len(pod.containers):
            self._report(pod.item, ended(pod.item, ends, now()))
        else:
            restarts = {name: container.restarts for name, container in pod.containers.items()}
            self._report(pod.item, running(pod.item, announced_address(pod.item), pod.started, restarts))
        pod.reported = True

    def _end_pod(self, uid: str, pod: Pod) -> None:
        running_containers = [container for container in pod.containers.values() if container.pid is not None]
        if running_containers and not pod.kill_at:
            _signal_pod(pod, signal.SIGTERM)
            pod.kill_at = time.monotonic() + _GRACE_SECONDS
        elif running_containers and time.monotonic() >= pod.kill_at:
            _signal_pod(pod, signal.SIGKILL)
        elif not running_containers:
            # A Job's pod that was deleted stays until it has an end.
            for container in pod.containers.values():
                if container.end is None:
                    container.end, pod.reported = Ended(143), False
            self._report_if_changed(pod)
            del self._pods[uid]
            shutil.rmtree(self._folder / "scratch" / uid, ignore_errors=True)

    def _report(self, item: Object, status: Object) -> None:
        try:
            item["status"] = self._client.patch_status(item, status)["status"]
        except KubernetesError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise


def _names(item: Object) -> list[str]:
    return [spec["name"] for spec in item["spec"]["containers"]]


def _start(container: Container) -> None:
    command = container.command
    with command.log.open("ab") as log:
        try:
            process = subprocess.Popen(
                command.argv or [""],
                cwd=command.cwd,
                env=command.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0),
            )
        except OSError as error:
            program = " ".join(command.argv[:1]) or "(no command)"
            container.end = Ended(127, f"{program} cannot be started: {error.strerror}", "StartError")
            return
    # This program reaps its children itself: Popen must not wait for this one.
    process.returncode = 0
    container.pid = process.pid


def _decide(pod: Pod, container: Container, code: int) -> None:
    """Notes the container's end, or when it starts again, as the pod's restart policy says."""
    policy = pod.item["spec"].get("restartPolicy", "Always")
    if not pod.kill_at and (policy == "Always" or (policy == "OnFailure" and code)):
        container.restart_at = time.monotonic() + min(_BACK_OFF_SECONDS * 2**container.restarts, _MAX_BACK_OFF_SECONDS)
    else:
        container.end = Ended(code, _last_lines(container.command.log) if code else "")


def _last_lines(log: Path) -> str:
    """Returns what Kubernetes shows of a failed container's log (terminationMessagePolicy FallbackToLogsOnError)."""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - _LOG_TAIL_BYTES, 0))
        return "\n".join(file.read().decode("utf-8", "replace").splitlines()[-_LOG_TAIL_LINES:])


def _signal_pod(pod: Pod, signal_number: signal.Signals) -> None:
    pids = [container.pid for container in pod.containers.values() if container.pid is not None]
    for pid in pids:
        pids.extend(children(pid))
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except ProcessLookupError:
            continue


def _end_group(pid: int) -> None:
    """Ends what a container's first process left behind: with that, a container is over."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def main(kubeconfig: Path, folder: Path, namespace: str | None = None) -> None:
    """Plays until it is asked to end, or its folder is removed."""
    signals: list[int] = []

    def on_signal(signal_number: int, _: FrameType | None) -> None:
        signals.append(signal_number)

    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, on_signal)
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    shutil.rmtree(folder / "scratch", ignore_errors=True)  # of an earlier life of this program: nothing of it runs
    kubelet = Kubelet(Client.of(kubeconfig), folder, namespace)
    folder_descriptor, pids = os.open(folder, os.O_RDONLY), living(folder)
    while not signals and is_still(folder, folder_descriptor):
        try:
            kubelet.step()
        except (KubernetesError, OSError, http.client.HTTPException) as error:
            print(f"{now()} {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            time.sleep(1)
        time.sleep(_POLL_SECONDS)
    kubelet.end_all()
    if not signals:
        end_orphans([pid for pid in pids if pid != os.getpid()], folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
