"""The process that runs the replicas of one job or of one trial, and ends with them.

Reads one JSON line (sandbox/vertex/launch.py) on standard input, then waits there for the line `cancel` or for the end
of input, which means that the server is gone. Writes JSON lines: {"running": true}, then {"result": {...}}.
A process of its own, so that a killed server leaves no replica behind; single-threaded, so that the code between fork
and exec is safe. Linux only: it adopts what its replicas leave behind.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from sandbox.state_folder import RUNNERS_LOCK, take_lock
from sandbox.vertex.addresses import Addresses, NoAddress
from sandbox.vertex.ends import End, Failure, end_result, log_failure
from sandbox.vertex.errors import job_error
from sandbox.vertex.images import ImageError
from sandbox.vertex.metrics import read_measurements
from sandbox.vertex.replica import Replica, plan_replicas, replica_count

# Seconds between SIGTERM and SIGKILL.
_GRACE_SECONDS = 3.0
_DEFAULT_TIMEOUT_SECONDS = 7 * 24 * 3600.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None)


class Control:
    """What the server says and what the replicas do: wakes up on either."""

    def __init__(self) -> None:
        self.cancelled = self.abandoned = False
        self._unread = b""
        wake_reader, wake_writer = os.pipe()
        for descriptor in (wake_reader, wake_writer):
            os.set_blocking(descriptor, False)
        self._wake_reader = wake_reader
        signal.set_wakeup_fd(wake_writer)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._abandon)
        self._selector = selectors.DefaultSelector()
        self._selector.register(wake_reader, selectors.EVENT_READ)
        self._selector.register(0, selectors.EVENT_READ)

    def read_launch(self) -> dict[str, Any]:
        """Returns the first line. Exits where there is none: the server ended before it could say anything."""
        while b"\n" not in self._unread:
            data = os.read(0, 65536)
            if not data:
                sys.exit(0)
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        # A cancel may have come with the same read: nothing would wake the wait for it.
        self.cancelled = b"cancel\n" in self._unread
        launch: dict[str, Any] = json.loads(line)
        return launch

    def wait(self, seconds: float) -> None:
        """Waits until something happens, at most `seconds`."""
        for key, _ in self._selector.select(max(seconds, 0)):
            if key.fd == self._wake_reader:
                os.read(self._wake_reader, 4096)
                continue
            data = os.read(0, 65536)
            self._unread += data
            if not data:
                self.abandoned = True
                self._selector.unregister(0)
        self.cancelled = self.cancelled or b"cancel\n" in self._unread

    def _abandon(self, *_: object) -> None:
        self.abandoned = True


def say(event: dict[str, object]) -> None:
    """Tells the server; a server that is gone hears nothing."""
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return


def main() -> None:
    """Runs the job that standard input describes."""
    control = Control()
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    launch = control.read_launch()
    lock = take_lock(Path(launch["state"]), RUNNERS_LOCK, shared=True)
    try:
        # Named, since the ports are reserved for as long as this object lives.
        addresses = Addresses(replica_count(launch["jobSpec"]))
        replicas = plan_replicas(launch, addresses.members)
    except (ImageError, NoAddress) as error:
        say({"result": {"state": "FAILED", "error": job_error("INVALID_ARGUMENT", str(error))}})
        return
    result = run_job(replicas, launch["jobSpec"].get("scheduling", {}), control)
    result["measurements"] = read_measurements(replicas[0].metric_file)
    shutil.rmtree(Path(launch["state"]) / "scratch" / launch["run"], ignore_errors=True)
    if not control.abandoned:
        say({"result": result})
    if lock is not None:
        os.close(lock)


def run_job(replicas: list[Replica], scheduling: dict[str, Any], control: Control) -> dict[str, object]:
    """Returns {"state", "error"} of the job once nothing of it runs any more.

    The primary decides. With restartJobOnWorkerRestart another replica's failure starts the whole job again, once.
    """
    timeout = float(scheduling.get("timeout", f"{_DEFAULT_TIMEOUT_SECONDS}s").removesuffix("s"))
    deadline = time.monotonic() + timeout
    restarts = bool(scheduling.get("restartJobOnWorkerRestart")) and not scheduling.get("disableRetries")
    while True:
        processes: dict[int, Replica] = {}
        try:
            for replica in replicas:
                processes[start(replica)] = replica
            say({"running": True})
            end = wait_for_end(processes, deadline, control, restarts=restarts)
        except OSError as error:
            return {"state": "FAILED", "error": job_error("INVALID_ARGUMENT", _cannot_start(replica, error))}
        finally:
            stop(control)
        if end.kind != "RESTART":
            return end_result(end, timeout)
        restarts = False


def start(replica: Replica) -> int:
    """Returns the process id. Raises OSError where it cannot start."""
    if not replica.argv:
        raise FileNotFoundError(2, "the image has no entrypoint here and the job gives no command")
    with replica.log.open("ab") as log:
        process = subprocess.Popen(
            replica.argv,
            cwd=replica.cwd,
            env=replica.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0),
        )
    # The runner reaps its children itself, also those that it adopts: Popen must not wait for this one.
    process.returncode = 0
    return process.pid


def wait_for_end(processes: dict[int, Replica], deadline: float, control: Control, *, restarts: bool) -> End:
    """Returns how the job ended: by its primary, its timeout or a request, or where `restarts` by a failed replica.

    What another replica's failure means is written to that replica's log.
    """
    others: list[Failure] = []
    while True:
        ended = [(processes.pop(pid), status) for pid, status in reap() if pid in processes]
        failed = [(replica, status) for replica, status in ended if status and not replica.primary]
        others += failed
        primary = next(((replica, status) for replica, status in ended if replica.primary), None)
        restart = bool(failed) and restarts and primary is None
        for replica, status in failed:
            log_failure(replica, status, "the whole job starts again" if restart else "the primary decides")
        if primary is not None:
            return End("FAILED" if primary[1] else "SUCCEEDED", *primary, others)
        if restart:
            return End("RESTART")
        if control.cancelled or control.abandoned:
            return End("CANCELLED")
        if time.monotonic() >= deadline:
            return End("TIMEOUT", others=others)
        control.wait(deadline - time.monotonic())


def reap() -> list[tuple[int, int]]:
    """Returns the children that have ended with their exit statuses, 128 + the signal as containers count it."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        code = os.waitstatus_to_exitcode(status)
        ended.append((pid, code if code >= 0 else 128 - code))


def stop(control: Control) -> None:
    """Ends every process of the job: SIGTERM to all, SIGKILL after the grace time to whatever is left."""
    send(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_SECONDS
    while children(os.getpid()):
        reap()
        if time.monotonic() >= deadline:
            send(signal.SIGKILL)
        control.wait(0.02 if children(os.getpid()) else 0)


def send(signal_number: signal.Signals) -> None:
    """Sends the signal to every process below this one, whatever group it put itself in."""
    pids = children(os.getpid())
    for pid in pids:
        pids.extend(children(pid))
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except ProcessLookupError:
            continue


def children(pid: int) -> list[int]:
    """Returns the ids of a process's children, ended ones that nobody has reaped included."""
    pids: list[int] = []
    for children_file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids.extend(map(int, children_file.read_text(encoding="ascii").split()))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return pids


def _cannot_start(replica: Replica, error: OSError) -> str:
    command = " ".join(replica.argv[:1]) or "(no command)"
    return f"The replica {replica.name} cannot be started: {command}: {error.strerror}."


if __name__ == "__main__":
    main()
