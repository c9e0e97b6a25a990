"""Kills of other kinds of job, of several jobs at once, twice in a row, and of the recovery itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.clone import Clone, until
from tests.engine.crashes import LATE, SUBMISSION, another, assert_settled, held, job, kill_when, passed, up
from tests.records import record

TUNING = {
    "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.001, "maxValue": 0.1}}],
    "maxTrialCount": 1,
    "parallelTrialCount": 1,
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "tuning job": ("hyperparameterTuningJobs", {"kind": "hyperparameterTuningJob", "tuning": TUNING}),
    "pipeline": ("trainingPipelines", {"kind": "trainingPipeline"}),
}
ANOTHER = "import time; time.sleep(303)"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("victim", "edited"), [("engine", False), ("plugin", True)])
def test_another_kind(clone: Clone, victim: str, kind: str, edited: bool) -> None:
    collection, keys = KINDS[kind]
    clone.declare({"bert": job(**keys)})
    kill_when(clone, "up", victim, held(f"POST {collection}"))
    clone.write({"bert": job(ANOTHER, **keys) if edited else job(**keys)})
    assert_settled(clone, clone.make("up"))
    assert len(clone.jobs()) == 1
    when = f"at submit of a {kind}{', then another document' if edited else ''}"
    then = "the job on its way is cancelled and replaced" if edited else "one job runs and the state knows it"
    record("kills", killed=victim, when=when, then=then, records=1)


@pytest.mark.parametrize("kind", KINDS)
def test_another_kind_in_replace(clone: Clone, kind: str) -> None:
    _, keys = KINDS[kind]
    clone.declare({"bert": job(**keys)})
    up(clone)
    clone.declare({"bert": job(ANOTHER, **keys)})
    kill_when(clone, "up", "engine", held("POST :cancel"))
    assert_settled(clone, clone.make("up"))
    then = "one job runs and the state knows it: submitted"
    record("kills", killed="engine", when=f"in replace of a {kind}, cancelling", then=then, records=1)


@pytest.mark.parametrize(("victim", "both"), [("engine", True), ("plugin", True), ("plugin", False)])
def test_two_jobs(clone: Clone, victim: str, both: bool) -> None:
    jobs = {"bert": job(), "gpt": job(ANOTHER)}
    clone.declare(jobs)
    first = held("POST customJobs") if both else passed("POST customJobs")
    kill_when(clone, "up", victim, first, held("POST customJobs"))
    assert_settled(clone, clone.make("up"), len(jobs))
    when = "at submit of two jobs" if both else "at submit of the second of two jobs"
    record("kills", killed=victim, when=when, then="two jobs run and the state knows both", records=len(clone.jobs()))


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_a_submission_that_arrives_late(clone: Clone, victim: str) -> None:
    """A run that did not wait for it would have submitted another one by then."""
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, held("POST customJobs", LATE))
    assert_settled(clone, clone.make("up"))
    assert len(clone.jobs()) == 1
    then = "one job runs and the state knows it: taken over"
    record("kills", killed=victim, when="at submit; it arrives late", then=then, records=1)


@pytest.mark.parametrize(("victim", "edited"), [("engine", False), ("plugin", False), ("plugin", True)])
def test_a_replacement_that_has_arrived(running: Clone, victim: str, edited: bool) -> None:
    """The state still names the job that it replaces: what has arrived is the run's own, and no stray."""
    before = running.live()
    running.declare({"bert": another(running.declared()["bert"])})
    kill_when(running, "up", victim, passed("POST :cancel"), *SUBMISSION)
    until(lambda: running.live() not in ([], before))
    [arrived] = running.live()
    if edited:
        running.write({"bert": another(running.declared()["bert"])})
    assert_settled(running, running.make("up"))
    assert (running.known() == [arrived]) != edited
    when = "in replace, submitting; it has arrived" + (", then another document" if edited else "")
    then = (
        "the job that arrived is cancelled and replaced"
        if edited
        else "one job runs and the state knows it: taken over"
    )
    record("kills", killed=victim, when=when, then=then, records=len(running.jobs()))


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_twice_in_a_row(clone: Clone, victim: str) -> None:
    """The second run is killed at the look that would find what the first one left."""
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, *SUBMISSION)
    record("kills", killed=victim, when="at submit", then="killed again: see below", records=1)
    if victim == "engine":
        clone.unlock()
    kill_when(clone, "up", victim, held("GET customJobs"))
    assert_settled(clone, clone.make("up"))
    then = "one job runs and the state knows it"
    record("kills", killed=victim, when="at submit, and the next run at its first look", then=then, records=1)


# What is on its way when the recovery begins, and the request of the recovery that is held.
RECOVERIES: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "looking for a job on its way": ("engine", "up", {"bert": job()}, held("GET customJobs")),
    "replacing a job on its way": ("plugin", "up", {"bert": job(ANOTHER)}, held("POST :cancel")),
    "stopping a job that left the stack": ("plugin", "up", {}, held("POST :cancel")),
    "deleting a job that left the stack": ("plugin", "up", {}, held("DELETE customJobs")),
    "looking for a job, going down": ("engine", "destroy", {"bert": job()}, held("GET customJobs")),
}


@pytest.mark.parametrize("point", RECOVERIES)
def test_the_recovery_itself(clone: Clone, point: str) -> None:
    victim, verb, jobs, fault = RECOVERIES[point]
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, *SUBMISSION)
    clone.write(jobs)
    kill_when(clone, verb, "make", fault)
    done = clone.make("down" if verb == "destroy" else "up")
    if verb == "destroy" or not jobs:
        assert done.returncode == 0, done.stdout
        clone.exports()
        assert (clone.live(), clone.known()) == ([], [])
    else:
        assert_settled(clone, done, len(jobs))
    then = "one job runs and the state knows it" if clone.known() else "no job is left"
    run = "down" if verb == "destroy" else "up"
    record("kills", killed=f"`make {run}`", when=f"recovering: {point}", then=then, records=len(clone.jobs()))


@pytest.mark.parametrize("victim", ["engine", "plugin", "sandbox"])
def test_down_again_finishes_what_was_cut_off(clone: Clone, victim: str) -> None:
    clone.declare({"bert": job()})
    up(clone)
    kill_when(clone, "destroy", victim, held("DELETE customJobs"))
    done = clone.make("down")
    assert done.returncode == 0, done.stdout
    clone.exports()
    assert (clone.jobs(), clone.deployment().get("resources")) == ([], None)
    record("kills", killed=victim, when="in delete, then `make down`", then="everything is deleted", records=0)
