"""kill -9 of engine, plugin and sandbox at every point of a job's life: the next `make up` ends in the wished state.

Never two jobs for one declaration, no job that the state does not know, no id lost. Where a run stands is not left to
chance: the job API holds a request, and the kill comes while it is held.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.engine.clone import Clone, descendants, kill, until
from tests.engine.lab import DIGEST, PYTHON
from tests.records import record

# Seconds for which a request is held: longer than a kill takes, shorter than a recovery waits for what is on its way.
HELD = 3.0
SUBMISSION = {"match": "POST customJobs", "kind": "slow", "seconds": HELD}
CANCEL = {"match": "POST :cancel", "kind": "slow", "seconds": HELD}
CANCEL_PASSES = {"match": "POST :cancel", "kind": "slow", "seconds": 0}
DELETE = {"match": "DELETE customJobs", "kind": "slow", "seconds": HELD}
# Carried out, the answer lost; then the look at what became of it is held.
LOOK_UP_PASSES = {"match": "GET customJobs", "kind": "slow", "seconds": 0}
SUBMITTED = [LOOK_UP_PASSES, {"match": "POST customJobs", "kind": "drop-answer"}, {**LOOK_UP_PASSES, "seconds": HELD}]

TAKEN_OVER = ("taken into the state", "nothing new is submitted")
VICTIMS = ("engine", "plugin", "sandbox")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    made = Clone(tmp_path_factory.mktemp("crash"))
    made.sandbox("start")
    yield made
    made.sandbox("stop")


@pytest.fixture
def clone(shared: Clone, request: pytest.FixtureRequest) -> Iterator[Clone]:
    """The project with a stack of the test's own."""
    shared.sandbox("start")
    words = "".join(letter if letter.isalnum() else "-" for letter in request.node.name.removeprefix("test_"))
    shared.stack = f"k{words.replace('--', '-').strip('-').lower()}"[:40].rstrip("-")
    yield shared
    shared.sandbox("start")
    shared.call("DELETE", "/sandbox/faults")
    for name in shared.live():
        shared.call("POST", f"/v1/{name}:cancel", {})


def job(code: str = "import time; time.sleep(300)", **changes: Any) -> dict[str, Any]:
    """Returns a job of one replica that runs a line of Python."""
    return {
        "framework": "custom",
        "container": {"imageUri": PYTHON + DIGEST, "args": [code]},
        "pools": {"primary": {"machineType": "n1-standard-4"}},
        **changes,
    }


def kill_when(
    clone: Clone, verb: str, victim: str, *faults: dict[str, Any], at: Callable[[], Any] | None = None
) -> None:
    """Runs the engine with the faults, and kills the victim when they have all come."""
    clone.faults(*faults)
    process = clone.update(verb)
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
    found = [pid for pid, args in descendants(run.pid).items() if f"{clone.root}/infra/provider " in args]
    return run.pid if victim == "engine" else found[-1]


def up(clone: Clone) -> None:
    """Brings the stack up, quickly and undisturbed."""
    done = clone.finished(clone.update("up"))
    assert done.returncode == 0, done.stdout


def assert_settled(clone: Clone, done: subprocess.CompletedProcess[str]) -> None:
    """Asserts that one job runs, that the state knows it and no other, and that nothing is pending or locked."""
    assert done.returncode == 0, done.stdout
    assert clone.live() == clone.known(), done.stdout
    assert len(clone.known()) == 1, done.stdout
    assert not clone.deployment().get("pending_operations")
    assert not locks(clone)


def locks(clone: Clone) -> list[Path]:
    return list((clone.state / "pulumi" / ".pulumi" / "locks" / "organization" / "training" / clone.stack).glob("*"))


POINTS = {
    "at submit": ("up", False, [SUBMISSION]),
    "after submit": ("up", False, SUBMITTED),
    "in replace, cancelling": ("up", True, [CANCEL]),
    "in replace, submitting": ("up", True, [CANCEL_PASSES, SUBMISSION]),
    "in delete": ("destroy", True, [DELETE]),
}
# A deletion that failed, as against one that was cut off, leaves an ended job: see below.
LIVES_ON = [(victim, point) for victim in VICTIMS for point in POINTS if point != "in delete" or victim == "engine"]


@pytest.mark.parametrize(("victim", "point"), LIVES_ON)
def test_killed(clone: Clone, victim: str, point: str) -> None:
    verb, exists, faults = POINTS[point]
    clone.declare({"bert": job()})
    if exists:
        up(clone)
    before = clone.known()
    if exists and verb == "up":
        clone.declare({"bert": job("import time; time.sleep(301)")})
    kill_when(clone, verb, victim, *faults)
    left = [] if victim == "sandbox" else clone.live()
    done = clone.make("up")
    assert_settled(clone, done)
    [name] = clone.known()
    assert name not in before
    submitted = len(clone.jobs())
    then = "submitted" if name not in left and not any(word in done.stdout for word in TAKEN_OVER) else "taken over"
    record("kills", killed=victim, when=point, then=f"one job runs and the state knows it: {then}", records=submitted)


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_killed_while_waiting(clone: Clone, victim: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    code = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.1)"
    clone.declare({"bert": job(code, waitFor="succeeded")})
    kill_when(clone, "up", victim, at=lambda: _waits(clone))
    [running] = clone.live()
    assert clone.known() == [running]
    gate.touch()
    done = clone.make("up")
    assert done.returncode == 0, done.stdout
    assert clone.known() == [running]
    assert [one["state"] for one in clone.jobs()] == ["JOB_STATE_SUCCEEDED"]
    record("kills", killed=victim, when="while waiting", then="the same job is waited for until it succeeds", records=1)


def _waits(clone: Clone) -> bool:
    pending = clone.deployment().get("pending_operations", []) if clone.checkpoint().exists() else []
    return any(one["resource"]["type"] == "trainingjobs:index:Completion" for one in pending)


# The job is cancelled and its record not yet deleted.
CANCELLED = [LOOK_UP_PASSES, CANCEL_PASSES, {**LOOK_UP_PASSES, "seconds": HELD}]


@pytest.mark.parametrize(
    ("victim", "when"), [("sandbox", "while waiting"), ("sandbox", "in delete"), ("plugin", "in delete")]
)
def test_a_job_that_has_ended_is_reported_and_runs_again_when_asked(clone: Clone, victim: str, when: str) -> None:
    clone.declare({"bert": job()})
    up(clone)
    [ended] = clone.known()
    if when == "in delete":
        kill_when(clone, "destroy", victim, *CANCELLED)
    else:
        clone.declare({"bert": job(waitFor="succeeded")})
        kill_when(clone, "up", victim, at=lambda: _waits(clone))
    clone.write({"bert": job()})
    done = clone.make("up")
    assert "`run`" in done.stdout
    assert (clone.known(), clone.live(), len(clone.jobs())) == ([ended], [], 1)
    clone.write({"bert": job(run=2)})
    assert_settled(clone, clone.make("up"))
    then = "the job has ended: said, and not run again by itself; `run: 2` submits it again"
    record("kills", killed=victim, when=when, then=then, records=len(clone.jobs()))


def test_a_document_changed_after_the_kill_replaces_what_was_on_its_way(clone: Clone) -> None:
    clone.declare({"bert": job()})
    kill_when(clone, "up", "engine", SUBMISSION)
    clone.write({"bert": job("import time; time.sleep(302)")})
    assert_settled(clone, clone.make("up"))
    [left] = clone.jobs()
    assert "302" in json.dumps(left["jobSpec"])
    record(
        "kills",
        killed="engine",
        when="at submit, then another document",
        then="the job on its way is taken over, cancelled and replaced",
        records=1,
    )


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_down_after_a_kill_leaves_no_job(clone: Clone, victim: str) -> None:
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, SUBMISSION)
    done = clone.make("down")
    assert done.returncode == 0, done.stdout
    clone.sandbox("start")
    assert clone.jobs() == [], done.stdout
    assert not clone.deployment().get("resources")
    assert not clone.deployment().get("pending_operations")
    record(
        "kills",
        killed=victim,
        when="at submit, then `make down`",
        then="the job on its way is cancelled and deleted",
        records=0,
    )


def test_a_lock_of_a_live_process_or_of_another_machine_is_left_alone(clone: Clone) -> None:
    clone.declare({"bert": job()})
    folder = clone.state / "pulumi" / ".pulumi" / "locks" / "organization" / "training" / clone.stack
    folder.mkdir(parents=True, exist_ok=True)
    own = {"pid": os.getpid(), "username": "root", "hostname": socket.gethostname(), "timestamp": _now()}
    for changed in ({}, {"pid": 2**22 - 1, "hostname": "another-machine"}):
        lock = {**own, **changed}
        (folder / "one.json").write_text(json.dumps(lock))
        for verb in ("up", "down"):
            done = clone.make(verb)
            assert done.returncode == 1
            assert f"process {lock['pid']} of root on {lock['hostname']}" in done.stdout
            assert "Traceback" not in done.stdout
            assert len(locks(clone)) == 1
    assert clone.jobs() == []


def _now() -> str:
    return datetime.now(UTC).isoformat()


def test_resources_whose_creation_was_cut_off(clone: Clone) -> None:
    """One that exists is taken into the state, one that does not is made: the engine by itself does neither."""
    clone.declare({"bert": job()})
    up(clone)
    checkpoint = json.loads(clone.checkpoint().read_text())
    latest = checkpoint["checkpoint"]["latest"]
    cut_off = [one for one in latest["resources"] if one["type"] == "gcp:artifactregistry/repository:Repository"]
    [repository] = cut_off
    known = repository.pop("id")
    repository.pop("outputs")
    latest["resources"].remove(repository)
    inputs = {**repository["inputs"], "repositoryId": "never-made"}
    absent = {**repository, "urn": f"{repository['urn']}-absent", "inputs": inputs}
    latest["pending_operations"] = [{"type": "creating", "resource": one} for one in (repository, absent)]
    clone.checkpoint().write_text(json.dumps(checkpoint))
    done = clone.make("up")
    assert_settled(clone, done)
    urns = {one["urn"]: one.get("id") for one in clone.deployment()["resources"]}
    assert urns[repository["urn"]] == known
    assert absent["urn"] not in urns
