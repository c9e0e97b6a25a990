"""The sandbox as the commands know it: its own commands, which run beside, and the logs of its jobs.

The sandbox is not part of the library: a project that has one has it as the package `sandbox` in its root.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from trainingjobs.operations.errors import StackError
from trainingjobs.project.sandbox_folder import (
    SANDBOX_VARIABLE,
    SERVER_LOCK,
    is_still,
    project_root,
    removed,
    state_folder,
)
from trainingjobs.terminal.interrupt import INTERRUPTED
from trainingjobs.workloads.kubernetes import by_resource

# The roles' words of the controllers for the replica whose log tells how a job went.
PRIMARY_NAMES: Final = ("primary", "chief", "master")


def start(*, cluster: bool, quiet: bool = False) -> tuple[str, dict[str, str]]:
    """Starts what does not run of the sandbox, its cluster too where it is asked for.

    Returns a message for the user, and the environment of a run in it. Raises StackError.
    """
    options = [*(["--cluster"] if cluster else []), *(["--quiet"] if quiet else [])]
    answer = _ask("start", *options)
    return answer["message"], {**os.environ, **answer["variables"]}


def stop() -> str:
    """Stops the sandbox; returns a message for the user. Raises StackError."""
    return str(_ask("stop")["message"])


def environment(base: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment in which the running sandbox answers; nothing is started. Raises StackError."""
    variables: dict[str, str] = _ask("env", base=base)["variables"]
    # Also where it is not there: the user's own cluster must not answer for the sandbox's.
    kubeconfig = Path(variables[SANDBOX_VARIABLE]) / "kubernetes" / "kubeconfig"
    return {"KUBECONFIG": str(kubeconfig), **base, **variables}


def _ask(*words: str, base: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Returns what a command of the sandbox answers; how far it is goes to standard error. Raises StackError."""
    root = project_root()
    if not (root / "sandbox" / "__main__.py").is_file():
        raise StackError(f"the stack's environment is sandbox, and {root} has no sandbox; change training:environment")
    completed = subprocess.run(
        [sys.executable, "-m", "sandbox", *words, "--json"],
        cwd=root,
        env={SANDBOX_VARIABLE: str(state_folder()), **(base or os.environ)},
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    if completed.returncode == INTERRUPTED:
        raise KeyboardInterrupt
    answer = json.loads(completed.stdout) if completed.stdout else {"error": f"python -m sandbox {words[0]} failed"}
    if "error" in answer:
        raise StackError(str(answer["error"]))
    return dict(answer)


@contextmanager
def in_place(folder: Path) -> Iterator[None]:
    """Within it, the removal of the sandbox's state folder is the one reason that is given for a failure."""
    lock = folder / SERVER_LOCK
    with lock.open() as lock_file:
        try:
            yield
        except (StackError, OSError):
            if is_still(lock, lock_file.fileno()):
                raise
            raise StackError(removed(folder)) from None
        if not is_still(lock, lock_file.fileno()):
            raise StackError(removed(folder))


def primary_log(state: Path, job_id: str) -> Path:
    """Returns where the log of a job's primary is, the newest where it was restarted."""
    parts = job_id.split("/")
    if len(parts) != 4 or parts[0] != "namespaces":
        return state / "logs" / parts[-1] / "workerpool0-0.log"
    folder = state / "kubernetes" / "logs" / parts[1]
    kind = by_resource(parts[2])
    # Of bare pods the primary's own name stands for the job.
    name = parts[3] if kind is None or kind.has_controller else parts[3].rsplit("-", 2)[0]
    logs = [log for word in PRIMARY_NAMES for log in folder.glob(f"{name}-{word}-*/*.log")]
    return max(logs, key=lambda log: log.stat().st_mtime, default=folder / name)
