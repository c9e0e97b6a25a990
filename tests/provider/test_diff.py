"""diff: which change replaces the job, which updates its bookkeeping, which is only reported."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, UNKNOWN, Engine, Plugin

# A job that the service does not have: a diff by the properties alone.
GONE = "projects/acme-ml-sandbox/locations/us-central1/customJobs/1"
NONE, SOME = provider_pb2.DiffResponse.DIFF_NONE, provider_pb2.DiffResponse.DIFF_SOME
OLD = bodies.inputs(document=bodies.document(), run=1, name=GONE, state="JOB_STATE_RUNNING", submittedHash="x")
OLD_BODY_ONLY = {key: value for key, value in OLD.items() if key != "document"}
NEW = bodies.inputs(document=bodies.document(), run=1)
NEW_BODY_ONLY = {key: value for key, value in NEW.items() if key != "document"}
FOUR_WORKERS = bodies.document(pools={"primary": {"machineType": "n1-standard-4"}, "workers": {"replicaCount": 4}})


@pytest.mark.parametrize(
    ("change", "path"),
    [
        pytest.param({"document": FOUR_WORKERS}, "document.pools.workers.replicaCount", id="document"),
        pytest.param({"document": bodies.document(framework="jax")}, "document.framework", id="a key more"),
        pytest.param({"run": 2}, "run", id="run"),
        pytest.param({"project": "other"}, "project", id="project"),
        pytest.param({"location": "europe-west4"}, "location", id="location"),
        pytest.param({"encryptionSpec": {"kmsKeyName": "k"}}, "encryptionSpec.kmsKeyName", id="key"),
    ],
)
def test_what_the_user_wrote_replaces(plugin: Plugin, change: dict[str, Any], path: str) -> None:
    answer = plugin.diff(GONE, OLD, {**NEW, **change})
    assert answer.changes == SOME
    assert answer.deleteBeforeReplace
    assert list(answer.replaces) == [path.partition(".")[0]]
    kinds = {provider_pb2.PropertyDiff.UPDATE_REPLACE, provider_pb2.PropertyDiff.ADD_REPLACE}
    assert [key for key, value in answer.detailedDiff.items() if value.kind in kinds] == [path]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"document": bodies.document(waitFor="running", labels={"a": "b"})}, id="keys not of content"),
        pytest.param({"project": "123456789"}, id="the project's number"),
    ],
)
def test_what_changes_nothing_is_no_change(plugin: Plugin, change: dict[str, Any]) -> None:
    answer = plugin.diff(GONE, OLD, {**NEW, **change})
    assert (answer.changes, list(answer.replaces)) == (NONE, [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"jobSpec": bodies.body(["other"], workers=3)}, "next run", id="derived"),
        pytest.param({"labels": {"team": "cv"}}, "labels.team", id="labels"),
        pytest.param({"displayName": "bert 2"}, "displayName", id="display name"),
    ],
)
def test_what_cannot_reach_a_job_is_reported(
    plugin: Plugin, engine: Engine, change: dict[str, Any], message: str
) -> None:
    assert plugin.diff(GONE, OLD, {**NEW, **change}).changes == NONE
    assert engine.logged(message)


@pytest.mark.parametrize(
    "change",
    [
        {"retainRecord": True},
        {"allowReplaceWhileRunning": True},
        {"environment": "staging"},
        {"limits": {"maxUsdPerHour": 3}},
        {"usdPerHour": 3.5},
    ],
)
def test_bookkeeping_updates_and_the_submitted_job_stays(plugin: Plugin, change: dict[str, Any]) -> None:
    news = {**NEW, **change, "jobSpec": bodies.body(["other"])}
    answer = plugin.diff(GONE, OLD, news)
    assert (answer.changes, list(answer.replaces), list(answer.diffs)) == (SOME, [], list(change))
    assert plugin.update(GONE, OLD, news) == {**OLD, **change}


def test_without_a_document_the_body_is_what_the_user_wrote(plugin: Plugin) -> None:
    assert plugin.diff(GONE, OLD_BODY_ONLY, NEW_BODY_ONLY).changes == NONE
    answer = plugin.diff(GONE, OLD_BODY_ONLY, {**NEW_BODY_ONLY, "jobSpec": bodies.body(["sleep", "301"])})
    assert list(answer.replaces) == ["jobSpec"]
    assert list(answer.detailedDiff) == ["jobSpec.workerPoolSpecs[0].containerSpec.command[1]"]


def test_old_inputs_do_not_decide(plugin: Plugin) -> None:
    # A run without changes overwrites them with what is derived today.
    drifted = {**NEW_BODY_ONLY, "jobSpec": bodies.body(["other"])}
    assert plugin.diff(GONE, OLD_BODY_ONLY, NEW_BODY_ONLY, old_inputs=drifted).changes == NONE


@pytest.mark.parametrize(
    ("old", "change"),
    [
        pytest.param(OLD_BODY_ONLY, {"jobSpec": UNKNOWN}, id="body"),
        pytest.param(OLD_BODY_ONLY, {"encryptionSpec": UNKNOWN}, id="key"),
        pytest.param(OLD_BODY_ONLY, {"jobSpec": {**bodies.body(bodies.LONG), "serviceAccount": UNKNOWN}}, id="account"),
    ],
)
def test_what_is_not_known_yet_never_replaces(plugin: Plugin, old: dict[str, Any], change: dict[str, Any]) -> None:
    answer = plugin.diff(GONE, old, {**NEW_BODY_ONLY, **change})
    assert (answer.changes, list(answer.replaces)) == (SOME, [])


def test_a_derived_value_that_is_not_known_yet_is_no_change(plugin: Plugin) -> None:
    assert plugin.diff(GONE, OLD, {**NEW, "jobSpec": UNKNOWN}).changes == NONE


def test_an_imported_job_takes_up_its_document(plugin: Plugin) -> None:
    # The import knows only the body; the program's document comes with the first run after it.
    assert plugin.diff(GONE, OLD_BODY_ONLY, NEW).changes == NONE
    answer = plugin.diff(GONE, OLD_BODY_ONLY, NEW, old_inputs=NEW)
    assert (answer.changes, list(answer.replaces)) == (SOME, [])
    assert plugin.update(GONE, OLD_BODY_ONLY, NEW)["document"] == NEW["document"]


COMPLETION_OLD = {"job": GONE, "waitFor": "running", "run": 1, "state": "JOB_STATE_RUNNING"}


@pytest.mark.parametrize(
    ("change", "changes", "replaces"),
    [
        pytest.param({}, NONE, [], id="nothing"),
        pytest.param({"waitFor": "succeeded"}, SOME, [], id="waitFor"),
        pytest.param({"timeout": "60s"}, SOME, [], id="timeout"),
        pytest.param({"run": 2}, SOME, ["run"], id="run"),
        pytest.param({"job": GONE + "2"}, SOME, ["job"], id="job"),
        pytest.param({"job": UNKNOWN}, SOME, ["job"], id="a job that is being replaced"),
    ],
)
def test_a_completion_waits_again_for_another_job(
    plugin: Plugin, change: dict[str, Any], changes: int, replaces: list[str]
) -> None:
    news = {"job": GONE, "waitFor": "running", "run": 1, **change}
    answer = plugin.diff(f"{GONE}/completion", COMPLETION_OLD, news, COMPLETION)
    assert (answer.changes, list(answer.replaces)) == (changes, replaces)


@pytest.fixture
def live(plugin: Plugin) -> tuple[str, dict[str, Any]]:
    return plugin.create(bodies.inputs(environment="prod", document=bodies.document()))


def test_in_prod_a_live_job_is_not_cancelled_by_a_change(plugin: Plugin, live: tuple[str, dict[str, Any]]) -> None:
    changed = bodies.inputs(environment="prod", document=FOUR_WORKERS)
    with pytest.raises(grpc.RpcError) as refused:
        plugin.diff(*live, changed)
    assert live[0] in refused.value.details()
    assert "allowReplaceWhileRunning" in refused.value.details()
    assert plugin.diff(*live, {**changed, "allowReplaceWhileRunning": True}).replaces == ["document"]
    # Leaving prod in the same change is no way round.
    with pytest.raises(grpc.RpcError):
        plugin.diff(*live, {**changed, "environment": "dev"})
    plugin.delete(*live)
    assert plugin.diff(*live, changed).replaces == ["document"]


def test_outside_prod_a_live_job_is_replaced(plugin: Plugin) -> None:
    job_id, outputs = plugin.create(bodies.inputs(document=bodies.document()))
    assert plugin.diff(job_id, outputs, bodies.inputs(document=FOUR_WORKERS)).replaces == ["document"]
    plugin.delete(job_id, outputs)


def test_a_failed_job_says_how_to_run_it_again(plugin: Plugin, engine: Engine) -> None:
    given = bodies.inputs(bodies.FAILING)
    job_id, outputs = plugin.create(given)
    with pytest.raises(grpc.RpcError):
        plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    assert plugin.diff(job_id, outputs, given).changes == NONE
    assert engine.logged("raise `run`")
