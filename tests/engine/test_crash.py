"""kill -9 of engine, plugin and sandbox at every point of a job's life: the next `make up` ends in the wished state.

Never two jobs for one declaration, no job that the state does not know, no id lost. Where a run stands is not left to
chance: the job API holds a request, and the kill comes while it is held.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.engine.clone import Clone
from tests.engine.crashes import (
    SUBMISSION,
    SUBMITTED,
    another,
    assert_settled,
    held,
    job,
    kill_when,
    locks,
    passed,
    run_again,
    up,
    waits,
)
from tests.records import record

TAKEN_OVER = ("taken into the state", "nothing new is submitted")
VICTIMS = ("engine", "plugin", "sandbox")
CANCEL_PASSES = passed("POST :cancel")

# The requests at which a run is killed that makes the first job.
FIRST: dict[str, list[dict[str, Any]]] = {
    "at submit": SUBMISSION,
    "after submit": SUBMITTED,
    "looking for earlier attempts": [held("GET customJobs")],
}
# Beside a job: what runs, what becomes of the job's document, and the request at which the run is killed.
LATER: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]], list[dict[str, Any]]]] = {
    "in replace, looking at the old job": ("up", another, [held("GET customJobs")]),
    "in replace, cancelling": ("up", another, [held("POST :cancel")]),
    "in replace, deleting the record": ("up", another, [held("DELETE customJobs")]),
    "in replace, submitting": ("up", another, [CANCEL_PASSES, *SUBMISSION]),
    "after `run` was raised, submitting": ("up", run_again, [CANCEL_PASSES, *SUBMISSION]),
    "in delete": ("destroy", dict, [held("DELETE customJobs")]),
}
# A deletion that failed, as against one that was cut off, leaves an ended job: see below.
ENGINE_ALONE = ("in delete", "after `run` was raised, submitting")
# Where nothing is under way at the service, its end is that of any call without an answer.
NOT_THE_SANDBOX = ("looking for earlier attempts", "in replace, looking at the old job")


def lives_on(points: Iterable[str]) -> list[tuple[str, str]]:
    return [
        (victim, point)
        for victim in VICTIMS
        for point in points
        if victim == "engine" or point not in ENGINE_ALONE
        if victim != "sandbox" or point not in NOT_THE_SANDBOX
    ]


@pytest.mark.parametrize(("victim", "point"), lives_on(FIRST))
def test_killed(clone: Clone, victim: str, point: str) -> None:
    clone.declare({"bert": job()})
    killed(clone, "up", victim, point, FIRST[point])


@pytest.mark.parametrize(("victim", "point"), lives_on(LATER))
def test_killed_beside_a_job(running: Clone, victim: str, point: str) -> None:
    verb, change, faults = LATER[point]
    running.declare({"bert": change(running.declared()["bert"])})
    killed(running, verb, victim, point, faults)


def killed(clone: Clone, verb: str, victim: str, point: str, faults: list[dict[str, Any]]) -> None:
    before, ended = clone.known(), {each["name"] for each in clone.jobs()} - set(clone.live())
    kill_when(clone, verb, victim, *faults)
    left = [] if victim == "sandbox" else clone.live()
    done = clone.make("up")
    assert_settled(clone, done)
    [name] = clone.known()
    assert name not in before
    submitted = len({each["name"] for each in clone.jobs()} - ended)
    then = "submitted" if name not in left and not any(word in done.stdout for word in TAKEN_OVER) else "taken over"
    record("kills", killed=victim, when=point, then=f"one job runs and the state knows it: {then}", records=submitted)


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_killed_while_waiting(clone: Clone, victim: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    code = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.1)"
    names = ["bert", "gpt"]
    clone.declare({name: job(code, waitFor="succeeded") for name in names})
    kill_when(clone, "up", victim, at=lambda: waits(clone) == len(names))
    running = sorted(clone.live())
    assert sorted(clone.known()) == running
    gate.touch()
    done = clone.make("up")
    assert done.returncode == 0, done.stdout
    assert sorted(clone.known()) == running
    assert [each["state"] for each in clone.jobs()] == ["JOB_STATE_SUCCEEDED"] * len(names)
    then = "the same jobs are waited for until they succeed"
    record("kills", killed=victim, when="while waiting for two jobs", then=then, records=len(names))


# The job is cancelled and its record not yet deleted.
CANCELLED = [passed("GET customJobs"), CANCEL_PASSES, held("GET customJobs")]


@pytest.mark.parametrize(
    ("victim", "when"), [("sandbox", "while waiting"), ("sandbox", "in delete"), ("plugin", "in delete")]
)
def test_a_job_that_has_ended_is_reported_and_runs_again_when_asked(clone: Clone, victim: str, when: str) -> None:
    clone.declare({"bert": job(waitFor="succeeded") if when == "while waiting" else job()})
    if when == "in delete":
        up(clone)
        kill_when(clone, "destroy", victim, *CANCELLED)
    else:
        kill_when(clone, "up", victim, at=lambda: waits(clone))
    [ended] = clone.known()
    clone.write({"bert": job()})
    done = clone.make("up")
    assert "`run`" in done.stdout
    assert (clone.known(), clone.live(), len(clone.jobs())) == ([ended], [], 1)
    clone.write({"bert": job(run=2)})
    assert_settled(clone, clone.make("up"))
    then = "the job has ended: said, and not run again by itself; `run: 2` submits it again"
    record("kills", killed=victim, when=when, then=then, records=len(clone.jobs()))


def test_a_lock_of_a_live_process_or_of_another_machine_is_left_alone(clone: Clone) -> None:
    clone.declare({"bert": job()})
    folder = clone.state / "pulumi" / ".pulumi" / "locks" / "organization" / "training" / clone.stack
    folder.mkdir(parents=True, exist_ok=True)
    own = {"pid": os.getpid(), "username": "root", "hostname": socket.gethostname(), "timestamp": _now()}
    for changed in ({}, {"pid": 2**22 - 1, "hostname": "another-machine"}):
        lock = {**own, **changed}
        (folder / "one.json").write_text(json.dumps(lock))
        done = clone.make("up")
        assert done.returncode == 1
        assert f"process {lock['pid']} of root on {lock['hostname']}" in done.stdout
        assert "Traceback" not in done.stdout
        assert len(locks(clone)) == 1
    assert clone.jobs() == []


def _now() -> str:
    return datetime.now(UTC).isoformat()


def test_resources_whose_creation_was_cut_off(running: Clone) -> None:
    """One that exists is taken into the state, one that does not is made: the engine by itself does neither."""
    checkpoint = json.loads(running.checkpoint().read_text())
    latest = checkpoint["checkpoint"]["latest"]
    cut_off = [
        resource for resource in latest["resources"] if resource["type"] == "gcp:artifactregistry/repository:Repository"
    ]
    [repository] = cut_off
    known = repository.pop("id")
    repository.pop("outputs")
    latest["resources"].remove(repository)
    inputs = {**repository["inputs"], "repositoryId": "never-made"}
    absent = {**repository, "urn": f"{repository['urn']}-absent", "inputs": inputs}
    latest["pending_operations"] = [{"type": "creating", "resource": resource} for resource in (repository, absent)]
    running.checkpoint().write_text(json.dumps(checkpoint))
    done = running.make("up")
    assert_settled(running, done)
    urns = {resource["urn"]: resource.get("id") for resource in running.deployment()["resources"]}
    assert urns[repository["urn"]] == known
    assert absent["urn"] not in urns
