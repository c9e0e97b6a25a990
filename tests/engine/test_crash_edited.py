"""A run killed at submission, and a stack that is edited before the next one: what was on its way is no orphan.

A killed engine leaves a pending operation in the state. A killed plugin leaves nothing there: the engine forgets the
creation, so the job is found by the label of its declaration alone.
"""

from __future__ import annotations

import json

import pytest

from tests.engine.clone import Clone
from tests.engine.crashes import HELD, LATE, SUBMISSION, assert_settled, held, job, kill_when, up
from tests.records import record

OTHER = {"bert": job("import time; time.sleep(302)")}
PROD = {"labels": {"team": "nlp", "cost-center": "research"}}


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_another_document_replaces_what_was_on_its_way(clone: Clone, victim: str) -> None:
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, *SUBMISSION)
    clone.write(OTHER)
    assert_settled(clone, clone.make("up"))
    [left] = clone.jobs()
    assert "302" in json.dumps(left["jobSpec"])
    then = "the job on its way is cancelled and replaced"
    record("kills", killed=victim, when="at submit, then another document", then=then, records=1)


@pytest.mark.parametrize("victim", ["engine", "plugin"])
def test_a_job_that_left_the_stack_is_stopped(clone: Clone, victim: str) -> None:
    clone.declare({"bert": job()})
    kill_when(clone, "up", victim, *SUBMISSION)
    clone.write({})
    done = clone.make("up")
    assert done.returncode == 0, done.stdout
    assert (clone.jobs(), clone.known()) == ([], []), done.stdout
    then = "the job on its way is cancelled and deleted"
    record("kills", killed=victim, when="at submit, then taken out of the stack", then=then, records=0)


@pytest.mark.parametrize(("victim", "edited"), [("engine", False), ("plugin", False), ("plugin", True)])
def test_down_leaves_no_job(clone: Clone, victim: str, edited: bool) -> None:
    clone.declare({"bert": job()})
    # It arrives after the first look for it.
    kill_when(clone, "up", victim, held("POST customJobs", LATE))
    if edited:
        clone.write(OTHER)
    done = clone.make("down")
    assert done.returncode == 0, done.stdout
    clone.exports()
    assert clone.jobs() == [], done.stdout
    assert not clone.deployment().get("resources")
    assert not clone.deployment().get("pending_operations")
    when = "at submit, then another document, then `make down`" if edited else "at submit, then `make down`"
    record("kills", killed=victim, when=when, then="the job on its way is cancelled and deleted", records=0)


def test_in_prod_another_document_stops_no_job_that_nobody_named(clone: Clone) -> None:
    clone.declare({"bert": job(**PROD)}, "prod")
    kill_when(clone, "up", "plugin", *SUBMISSION)
    changed = job("import time; time.sleep(302)", **PROD)
    clone.write({"bert": changed}, "prod")
    refused = clone.make("up")
    [left] = clone.live()
    assert refused.returncode != 0
    assert left in refused.stdout
    assert "allowReplaceWhileRunning" in refused.stdout
    clone.write({"bert": {**changed, "allowReplaceWhileRunning": True}}, "prod")
    assert_settled(clone, clone.make("up"))
    assert clone.known() != [left]
    then = "refused, says how to stop the job; allowed by name, it is cancelled and replaced"
    record("kills", killed="plugin", when="at submit in prod, then another document", then=then, records=1)


@pytest.mark.parametrize("seconds", [HELD, LATE])
def test_in_prod_a_job_that_left_the_stack_is_named_and_may_be_kept(clone: Clone, seconds: float) -> None:
    clone.declare({"bert": job(**PROD)}, "prod")
    # Also where it arrives after the first look for it: a run that went on would take what names it out of the state.
    kill_when(clone, "up", "plugin", held("POST customJobs", seconds))
    clone.write({}, "prod")
    for verb in ("up", "down"):
        refused = clone.make(verb)
        [left] = clone.live()
        assert refused.returncode == 1
        assert f"gcloud ai custom-jobs cancel {left.rpartition('/')[2]} " in refused.stdout
        assert f"training:keepJobs: [{left}]" in refused.stdout
    clone.write({}, "prod", keepJobs=[left])
    assert clone.make("up").returncode == 0
    assert (clone.live(), clone.known()) == ([left], [])
    then = "named with how to stop it; kept where `training:keepJobs` says so"
    when = "at submit in prod, then taken out of the stack" + ("; it arrives late" if seconds == LATE else "")
    record("kills", killed="plugin", when=when, then=then, records=1)


def test_a_second_job_that_came_late_is_stopped(clone: Clone) -> None:
    """What was on its way may arrive after the run that looked for it and submitted another one."""
    clone.declare({"bert": job()})
    up(clone)
    [known] = clone.jobs()
    body = {key: known[key] for key in ("displayName", "jobSpec", "labels")}
    late = clone.call("POST", f"/v1/{known['name'].rpartition('/')[0]}", body)["name"]
    assert len(clone.live()) == 2
    done = clone.make("up")
    assert late in done.stdout
    assert_settled(clone, done)
    assert clone.known() == [known["name"]]


def test_a_job_that_was_taken_out_of_the_state_is_kept_by_name(clone: Clone) -> None:
    clone.declare({"bert": job()})
    assert clone.make("up").returncode == 0
    [own] = clone.known()
    [urn] = [resource["urn"] for resource in clone.deployment()["resources"] if resource.get("id") == own]
    words = ("pulumi", "state", "delete", urn, "--stack", clone.stack, "--target-dependents", "--yes")
    forgotten = clone.finished(clone.start(*words, environment=clone.exports(), folder=clone.state / "project"))
    assert forgotten.returncode == 0, forgotten.stdout
    clone.write({"gpt": job()}, keepJobs=[own])
    assert clone.make("up").returncode == 0
    assert set(clone.live()) == {own, *clone.known()}
    clone.write({"gpt": job()})
    done = clone.make("up")
    assert own in done.stdout
    assert_settled(clone, done)
