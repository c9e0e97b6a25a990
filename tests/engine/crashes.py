"""Kills at a chosen point of a run: the job API holds a request, and the kill comes while it is held."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from tests.engine.clone import Clone, descendants, kill, until
from tests.engine.lab import DIGEST, PYTHON

# Seconds for which a request is held: longer than a kill takes, shorter than the next run takes to look for it.
HELD = 1.5
# Longer than that: only a second look finds it.
LATE = 4.0


_SECONDS = count(400)


def held(match: str, seconds: float = HELD) -> dict[str, Any]:
    """Returns a fault: the next request that matches is carried out after the seconds."""
    return {"match": match, "kind": "slow", "seconds": seconds}


def passed(match: str, times: int = 1) -> dict[str, Any]:
    """Returns a fault that does nothing: the one after it waits for the request after these."""
    return {"match": match, "kind": "slow", "seconds": 0, "times": times}


SUBMISSION = [held("POST customJobs")]
# Carried out, the answer lost; then the look at what became of it is held.
SUBMITTED = [
    passed("GET customJobs"),
    {"match": "POST customJobs", "kind": "drop-answer"},
    held("GET customJobs"),
]


def job(code: str = "import time; time.sleep(300)", **changes: Any) -> dict[str, Any]:
    """Returns a job of one replica that runs a line of Python."""
    return {
        "framework": "custom",
        "container": {"imageUri": PYTHON + DIGEST, "args": [code]},
        "pools": {"primary": {"machineType": "n1-standard-4"}},
        **changes,
    }


def another(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document of a job with other code: another one each time."""
    return {**document, "container": job(f"import time; time.sleep({next(_SECONDS)})")["container"]}


def run_again(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document with `run` raised."""
    return {**document, "run": document.get("run", 1) + 1}


def kill_when(
    clone: Clone, verb: str, victim: str, *faults: dict[str, Any], at: Callable[[], Any] | None = None
) -> None:
    """Runs the engine with the faults, and kills the victim when they have all come.

    The victim is the engine, the plugin, the sandbox, or `make`: then it is what `make up` or `make down` runs.
    """
    clone.faults(*faults)
    process = clone.making("down" if verb == "destroy" else verb) if victim == "make" else clone.update(verb)
    try:
        until(at or (lambda: not clone.faults_left()))
        kill(_process_of(victim, clone, process))
        if victim == "sandbox":
            # The run would go on trying for two minutes: its user stops it.
            os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            kill(process.pid)
            process.communicate()


def _process_of(victim: str, clone: Clone, run: subprocess.Popen[str]) -> int:
    if victim == "sandbox":
        return clone.server()
    plugin_pids = [pid for pid, args in descendants(run.pid).items() if f"{clone.root}/trainingjobs/provider " in args]
    return run.pid if victim in ("engine", "make") else plugin_pids[-1]


def up(clone: Clone) -> None:
    """Brings the stack up, quickly and undisturbed."""
    done = clone.finished(clone.update("up"))
    assert done.returncode == 0, done.stdout


def unsettled(clone: Clone, count: int = 1) -> list[str]:
    """Returns what is not in order: as many jobs run, the state knows them and no other, nothing pending or locked."""
    live, known = sorted(clone.live()), sorted(clone.known())
    problems = {
        f"{live} run and the state knows {known}": live != known,
        f"not {count} but {len(known)} in the state": len(known) != count,
        "operations are pending": bool(clone.deployment().get("pending_operations")),
        "the stack is locked": bool(locks(clone)),
    }
    return [what for what, is_so in problems.items() if is_so]


def assert_settled(clone: Clone, done: subprocess.CompletedProcess[str], count: int = 1) -> None:
    """Asserts that as many jobs run, that the state knows them and no other, and that nothing is pending or locked."""
    assert done.returncode == 0, done.stdout
    assert unsettled(clone, count) == [], done.stdout


def locks(clone: Clone) -> list[Path]:
    """Returns the stack's locks."""
    return list((clone.state / "pulumi" / ".pulumi" / "locks" / "organization" / "training" / clone.stack).glob("*"))


def waits(clone: Clone) -> int:
    """Returns how many waits for a job are under way."""
    pending = clone.deployment().get("pending_operations") or [] if clone.checkpoint().exists() else []
    return sum(operation["resource"]["type"] == "trainingjobs:index:Completion" for operation in pending)
