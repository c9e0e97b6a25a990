"""Completion: waits as it is told, fails with the job, and ends early without touching the job."""

from __future__ import annotations

import re
import time
from typing import Any

import grpc
import pytest

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, Engine, Plugin
from tests.provider.vertex_proxy import Proxy


@pytest.fixture
def live(plugin: Plugin) -> tuple[str, dict[str, Any]]:
    return plugin.create(bodies.inputs())


def test_it_waits_for_running_and_for_success(plugin: Plugin, engine: Engine) -> None:
    job_id, _ = plugin.create(bodies.inputs(["sh", "-c", "sleep 1"]))
    wait_id, outputs = plugin.create({"job": job_id, "waitFor": "running", "run": 1}, COMPLETION)
    assert wait_id.startswith(job_id)
    assert outputs["state"] == "JOB_STATE_RUNNING"
    assert outputs["startTime"]
    updated = plugin.update(wait_id, outputs, {"job": job_id, "waitFor": "succeeded", "run": 1}, COMPLETION)
    assert updated["state"] == "JOB_STATE_SUCCEEDED"
    assert updated["endTime"]
    assert engine.logged("waiting for succeeded", ephemeral=True)
    assert plugin.read(wait_id, outputs, {}, COMPLETION)[1]["state"] == "JOB_STATE_SUCCEEDED"


def test_a_wait_shows_state_time_replicas_and_the_last_line(plugin: Plugin, engine: Engine) -> None:
    job_id, _ = plugin.create(bodies.inputs(["sh", "-c", "echo step 7; sleep 4"]))
    plugin.create({"job": job_id, "waitFor": "succeeded", "run": 1}, COMPLETION)
    messages = [line.message for line in engine.lines if line.ephemeral and "step 7" in line.message]
    assert messages
    assert re.match(r"RUNNING, \d+ replicas?, waiting for succeeded \(\ds\): workerpool0-0: step 7$", messages[0])


def test_a_failed_job_fails_the_wait_with_its_reason(plugin: Plugin) -> None:
    job_id, _ = plugin.create(bodies.inputs(bodies.FAILING))
    with pytest.raises(grpc.RpcError) as failed:
        plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    for part in (job_id, "FAILED", "status of 3", "/logs/", "`run`"):
        assert part in failed.value.details()


def test_a_failed_jobs_last_log_lines_are_shown(plugin: Plugin, proxy: Proxy) -> None:
    job_id, _ = plugin.create(bodies.inputs(bodies.FAILING))
    entries = [
        {"resource": {"labels": {"task_name": "workerpool0-0"}}, "textPayload": text} for text in ("last", "first")
    ]
    proxy.faults = {"POST": [("answer", {"entries": entries})]}
    with pytest.raises(grpc.RpcError) as failed:
        plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    assert failed.value.details().index("workerpool0-0: first") < failed.value.details().index("workerpool0-0: last")


def test_a_preview_waits_for_nothing(plugin: Plugin, proxy: Proxy, live: tuple[str, Any]) -> None:
    before = len(proxy.sent)
    given = {"job": live[0], "waitFor": "succeeded"}
    wait_id, outputs = plugin.create(given, COMPLETION, preview=True)
    assert wait_id == ""
    assert repr(outputs["state"]) == "unknown"
    plugin.update("x", {**given, "waitFor": "running"}, given, COMPLETION, preview=True)
    assert len(proxy.sent) == before
    plugin.delete(*live)


def test_cancel_ends_a_wait_promptly_and_leaves_the_job(own_plugin: Plugin, proxy: Proxy) -> None:
    job_id, _ = own_plugin.create(bodies.inputs())
    thread, outcome = own_plugin.create_later({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    time.sleep(0.5)
    own_plugin.cancel()
    thread.join(timeout=3)
    assert not thread.is_alive()
    assert "goes on" in outcome[0].details()
    assert not any(":cancel" in sent.path for sent in proxy.sent)


def test_a_timeout_leaves_the_job(plugin: Plugin, proxy: Proxy, live: tuple[str, Any]) -> None:
    with pytest.raises(grpc.RpcError, match="within 1 s"):
        plugin.create({"job": live[0], "waitFor": "succeeded", "timeout": "1s"}, COMPLETION)
    assert not any(":cancel" in sent.path for sent in proxy.sent)
    plugin.delete(*live)


def test_its_delete_does_nothing(plugin: Plugin, proxy: Proxy, live: tuple[str, Any]) -> None:
    before = len(proxy.sent)
    plugin.delete(f"{live[0]}/completion", {"job": live[0], "waitFor": "succeeded"}, COMPLETION)
    assert len(proxy.sent) == before
    plugin.delete(*live)


def test_a_wait_outlives_a_service_that_is_away_for_a_moment(plugin: Plugin, proxy: Proxy) -> None:
    job_id, _ = plugin.create(bodies.inputs(bodies.SHORT))
    proxy.faults = {"GET": [("lose",), ("refuse", 503, {}, "away")]}
    assert plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)[1]["state"] == "JOB_STATE_SUCCEEDED"
