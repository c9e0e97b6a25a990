"""read, refresh, import, delete, and what the service's answers become in the user's words."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, Engine, Plugin
from tests.provider.vertex_proxy import Proxy

GONE = "projects/acme-ml-sandbox/locations/us-central1/customJobs/1"


def test_a_refresh_changes_only_what_a_jobs_life_changes(plugin: Plugin) -> None:
    given = bodies.inputs(bodies.SHORT, document=bodies.document())
    job_id, outputs = plugin.create(given)
    plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    read_id, refreshed, inputs = plugin.read(job_id, outputs, given)
    assert (read_id, inputs) == (job_id, given)
    changed = {key for key in outputs.keys() | refreshed.keys() if outputs.get(key) != refreshed.get(key)}
    assert changed == {"state", "startTime", "endTime"}
    assert refreshed["state"] == "JOB_STATE_SUCCEEDED"


def test_a_job_that_is_gone_is_gone(plugin: Plugin) -> None:
    assert plugin.read(GONE, {"name": GONE}, bodies.inputs())[0] == ""
    plugin.delete(GONE, {"name": GONE})
    assert plugin.read(f"{GONE}/completion", {"job": GONE, "waitFor": "running"}, {}, COMPLETION)[0] == ""


def test_an_import_fills_the_inputs_and_shows_no_change(plugin: Plugin) -> None:
    given = bodies.inputs(bodies.SHORT, jobSpec=bodies.body(bodies.SHORT, workers=1), environment=None, usdPerHour=None)
    job_id, _ = plugin.create(given)
    _, outputs, inputs = plugin.read(job_id)
    assert inputs == {**given, "run": 1}
    assert plugin.check(inputs) == []
    answer = plugin.diff(job_id, outputs, given, old_inputs=inputs)
    assert (list(answer.diffs), list(answer.replaces)) == ([], [])


def test_a_job_that_somebody_started_by_hand_is_imported(
    plugin: Plugin, proxy: Proxy, environment: dict[str, str]
) -> None:
    wanted = {"displayName": "by hand", "jobSpec": bodies.body(bodies.LONG)}
    where = f"/v1/projects/{bodies.PROJECT}/locations/{bodies.LOCATION}/customJobs"
    headers = {"Authorization": f"Bearer {environment['TRAINING_VERTEX_TOKEN']}"}
    request = urllib.request.Request(proxy.target + where, json.dumps(wanted).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        job_id = json.load(answer)["name"]
    _, outputs, inputs = plugin.read(job_id)
    assert plugin.check(inputs) == []
    assert "labels" not in inputs
    declared = bodies.inputs(displayName="by hand", document=bodies.document())
    assert list(plugin.diff(job_id, outputs, declared, old_inputs=declared).replaces) == []
    outputs = plugin.update(job_id, outputs, declared)
    # From now on the document decides.
    changed = {**declared, "document": bodies.document(framework="jax")}
    assert list(plugin.diff(job_id, outputs, changed).replaces) == ["document"]
    plugin.delete(job_id, outputs)
    assert proxy.submissions() == []


@pytest.mark.parametrize("job_id", ["1", "projects/p/locations/l/customJobs/x", GONE.replace("customJobs", "jobs")])
def test_an_import_by_something_else_is_refused(plugin: Plugin, job_id: str) -> None:
    with pytest.raises(grpc.RpcError, match="customJobs/N"):
        plugin.read(job_id)


def test_a_delete_cancels_a_live_job_waits_and_removes_the_record(plugin: Plugin, proxy: Proxy) -> None:
    job_id, outputs = plugin.create(bodies.inputs())
    plugin.delete(job_id, outputs)
    calls = [f"{sent.method} {sent.path.rpartition('/')[2].partition(':')[2]}" for sent in proxy.sent]
    assert calls.count("POST cancel") == 1
    assert "DELETE " in calls
    assert plugin.read(job_id, outputs, bodies.inputs())[0] == ""


def test_an_ended_jobs_record_is_kept_where_that_is_said(plugin: Plugin, proxy: Proxy) -> None:
    given = bodies.inputs(bodies.SHORT, retainRecord=True)
    job_id, outputs = plugin.create(given)
    plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    plugin.delete(job_id, outputs)
    assert not any(sent.method == "DELETE" or ":cancel" in sent.path for sent in proxy.sent)
    assert plugin.read(job_id, outputs, given)[0] == job_id


def test_a_delete_gives_up_after_its_timeout_and_goes_on_the_next_time(plugin: Plugin, proxy: Proxy) -> None:
    job_id, outputs = plugin.create(bodies.inputs())
    with pytest.raises(grpc.RpcError, match="is still"):
        plugin.delete(job_id, outputs, timeout=0.001)
    # However short its time, a delete has asked the job to stop: it must not go on costing money.
    assert sum(":cancel" in sent.path for sent in proxy.sent) == 1
    plugin.delete(job_id, outputs)
    assert plugin.read(job_id, outputs, bodies.inputs())[0] == ""


def test_cancel_of_the_run_never_cancels_a_job(own_plugin: Plugin, proxy: Proxy) -> None:
    job_id, outputs = own_plugin.create(bodies.inputs())
    own_plugin.cancel()
    assert own_plugin.read(job_id, outputs, bodies.inputs())[1]["state"] in ("JOB_STATE_PENDING", "JOB_STATE_RUNNING")
    assert not any(":cancel" in sent.path for sent in proxy.sent)


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        pytest.param(401, "Request had invalid authentication credentials.", "application-default login", id="login"),
        pytest.param(403, "Permission 'aiplatform.customJobs.create' denied", "roles/aiplatform.user", id="vertex"),
        pytest.param(403, "lacks iam.serviceAccounts.actAs on x@y", "roles/iam.serviceAccountUser", id="act as"),
        pytest.param(403, "Vertex AI API has not been used in project 1", "gcloud services enable", id="api off"),
        pytest.param(404, "not found", "project acme-ml-sandbox", id="no project"),
        pytest.param(400, "List of found errors: 1.Field: x", "Field: x", id="invalid"),
    ],
)
def test_a_refusal_says_what_to_do(plugin: Plugin, proxy: Proxy, status: int, message: str, advice: str) -> None:
    proxy.faults = {"POST": [("refuse", status, {}, message)]}
    with pytest.raises(grpc.RpcError) as refused:
        plugin.create(bodies.inputs())
    assert advice in refused.value.details()
    assert message in refused.value.details()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"TRAINING_VERTEX_ENDPOINT": ""}, id="a sandbox without an endpoint"),
        pytest.param({"TRAINING_VERTEX_ENDPOINT": "http://192.0.2.1:80"}, id="another machine"),
        pytest.param({"TRAINING_VERTEX_ENDPOINT": "http://127.0.0.1.example.com"}, id="a name that looks local"),
    ],
)
def test_the_endpoint_is_on_this_machine_or_googles(
    environment: dict[str, str], engine: Engine, change: dict[str, Any]
) -> None:
    misconfigured = Plugin({**environment, **change}, engine)
    with pytest.raises(grpc.RpcError, match="TRAINING_VERTEX_ENDPOINT"):
        misconfigured.create(bodies.inputs())
    misconfigured.close()


def test_without_credentials_nothing_is_sent_and_the_login_is_named(engine: Engine, tmp_path: Path) -> None:
    # NO_GCE_CHECK: google-auth does not look for a metadata server.
    bare = Plugin({"NO_GCE_CHECK": "true", "HOME": str(tmp_path), "CLOUDSDK_CONFIG": str(tmp_path)}, engine)
    with pytest.raises(grpc.RpcError, match="gcloud auth application-default login"):
        bare.create(bodies.inputs())
    bare.close()
