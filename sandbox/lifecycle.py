"""Starting, stopping and describing the sandbox. The server itself is sandbox/server.py."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from dev.engine.cache import built_bin
from dev.engine.pins import load_group
from sandbox.kubernetes.bed_settings import bed_folder
from sandbox.kubernetes.lifecycle import stop as stop_cluster
from sandbox.state_folder import ROOT, RUNNERS_LOCK, SERVER_MODULE, is_locked, read_api, runners_left, server_process
from sandbox.vertex.records import Records, number_of
from trainingjobs.project.sandbox_folder import SERVER_LOCK

_POLL_SECONDS = 0.02
_START_SECONDS = 20.0
_STOP_SECONDS = 15.0


class SandboxError(Exception):
    """What a verb could not do, as one message for the user."""


def running(state: Path) -> dict[str, str] | None:
    """Returns api.json's content if the server that wrote it is alive, else None."""
    return read_api(state) if is_locked(state, SERVER_LOCK) else None


def start(state: Path) -> str:
    """Starts the server, detached, unless it runs. Returns the message for the user, with the endpoint.

    Raises SandboxError, with the end of the server's log, where it does not come up within 20 seconds.
    """
    _check_api(state)
    if (api := running(state)) is not None:
        _check_reachable(api)
        return f"already running at {api['endpoint']} (process {api['pid']}, state in {state})"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    _wait_for_runners(state)
    if not is_locked(state, SERVER_LOCK):
        (state / "api.json").unlink(missing_ok=True)
    for folder in ("pulumi", "home", "gcs", "logs"):
        (state / folder).mkdir(exist_ok=True)
    with (state / "server.log").open("ab") as log:
        log_start = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-m", SERVER_MODULE, str(state)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if (api := running(state)) is not None:
            _check_reachable(api)
            return f"started at {api['endpoint']} (process {api['pid']}, state in {state})"
        # Two starts at once: the other server won, and this one waits for its api.json.
        if process.poll() is not None and not is_locked(state, SERVER_LOCK):
            break
        time.sleep(_POLL_SECONDS)
    if is_locked(state, SERVER_LOCK) and server_process(state) != process.pid:
        raise SandboxError(_recovery_hint(state))
    lines = (state / "server.log").read_bytes()[log_start:].decode("utf-8", "replace").splitlines()[-15:]
    raise SandboxError("\n".join([f"the sandbox did not start ({state / 'server.log'}):", *lines]))


def _check_api(state: Path) -> None:
    """Raises SandboxError where a server runs whose api.json is damaged: it is written whole, so nobody repairs it."""
    if (state / "api.json").exists() and is_locked(state, SERVER_LOCK) and read_api(state) is None:
        raise SandboxError(_recovery_hint(state))


def _recovery_hint(state: Path) -> str:
    """Returns what to do about a server that cannot be asked."""
    pid, lock = server_process(state), state / SERVER_LOCK
    if pid is None:
        return f"another process holds {lock}: end it (`fuser -v {lock}` names it), then python -m sandbox start"
    return f"process {pid} serves {state}, but its api.json cannot be read: python -m sandbox stop"


def _check_reachable(api: dict[str, str]) -> None:
    """Raises SandboxError where the server cannot be reached: a run would ask it in vain for minutes."""
    try:
        socket.create_connection(("127.0.0.1", int(api["endpoint"].rpartition(":")[2])), timeout=5).close()
    except OSError as error:
        reason = error.strerror or error
        raise SandboxError(
            f"process {api['pid']} does not answer at {api['endpoint']} ({reason}): python -m sandbox stop"
        ) from None


def stop(state: Path) -> str:
    """Ends the server, its jobs and their replicas, and the sandbox's Kubernetes API server with its pods.

    Returns the message for the user; nothing running is fine. Raises SandboxError where what holds the folder is not
    its server, or does not end.
    """
    cluster = stop_cluster(bed_folder(state))
    message = _stop_server(state)
    return f"{message}; its Kubernetes API server is stopped too" if cluster else message


def _stop_server(state: Path) -> str:
    if not is_locked(state, SERVER_LOCK):
        _wait_for_runners(state)
        had_api_file = (state / "api.json").exists()
        (state / "api.json").unlink(missing_ok=True)
        return "not running" + (" (what an earlier one left is cleared)" if had_api_file else "")
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        pid = server_process(state)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_number)
        elif is_locked(state, SERVER_LOCK):
            raise SandboxError(_recovery_hint(state))
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline:
            if not is_locked(state, SERVER_LOCK):
                _wait_for_runners(state)
                (state / "api.json").unlink(missing_ok=True)
                return "stopped"
            time.sleep(_POLL_SECONDS)
    raise SandboxError(f"process {server_process(state)} does not end")


def status(state: Path) -> str:
    """Returns the endpoint and the jobs, newest first, as text."""
    lines = [_status_line(state), f"state in {state}"]
    jobs = [record for record in Records(state / "vertex").all() if "state" in record]
    for job in sorted(jobs, key=lambda record: (record["createTime"], record["name"]), reverse=True):
        collection = job["name"].split("/")[4]
        lines.append(
            f"{job['createTime']}  {collection}/{number_of(job['name'])}  {job['state']}  {job['displayName']}"
        )
    return "\n".join(lines)


def _status_line(state: Path) -> str:
    api = running(state)
    if api is not None:
        return f"running at {api['endpoint']} (process {api['pid']})"
    return _recovery_hint(state) if is_locked(state, SERVER_LOCK) else "not running: python -m sandbox start"


def variables(state: Path) -> dict[str, str]:
    """Returns the environment variables of a run in the sandbox, PATH whole. Raises SandboxError if it does not run."""
    api = running(state)
    if api is None:
        raise SandboxError(_status_line(state))
    return {
        "TRAINING_SANDBOX": str(state),
        "TRAINING_VERTEX_ENDPOINT": api["endpoint"],
        "TRAINING_VERTEX_TOKEN": api["token"],
        "PULUMI_BACKEND_URL": f"file://{state / 'pulumi'}",
        "PULUMI_CONFIG_PASSPHRASE": "sandbox",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_HOME": str(state / "home"),
        # Not credentials: the real provider cannot read it and so reaches nothing.
        "GOOGLE_CREDENTIALS": "sandbox-has-no-credentials",
        "PATH": os.pathsep.join([*_program_folders(), os.environ.get("PATH", os.defpath)]),
    }


def exports(state: Path) -> str:
    """Returns the shell's export lines for plain Pulumi. Raises SandboxError where the sandbox is not running."""
    values = variables(state)
    del values["PATH"]
    lines = [f"export {name}={shlex.quote(value)}" for name, value in values.items()]
    return "\n".join([*lines, f'export PATH={shlex.quote(os.pathsep.join(_program_folders()))}:"$PATH"'])


def _program_folders() -> list[str]:
    """Returns the folders of the sandbox's programs and, if one was built, of the engine: building takes minutes."""
    engine = built_bin(load_group("engine"))
    return [str(ROOT / "sandbox" / "bin"), *([str(engine)] if engine else [])]


def _wait_for_runners(state: Path) -> None:
    """Waits until the processes of a server that was killed have ended their replicas."""
    deadline = time.monotonic() + _STOP_SECONDS
    while runners_left(state):
        if time.monotonic() >= deadline:
            raise SandboxError(f"replicas of an earlier server still run; {state / RUNNERS_LOCK} is held")
        time.sleep(_POLL_SECONDS)
