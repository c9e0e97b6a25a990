"""create: a job is submitted exactly once, whatever is lost on the way, and is never another person's."""

from __future__ import annotations

import json
import time
from typing import Any
from unittest.mock import ANY

import grpc
import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf import json_format

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, CUSTOM_JOB, Engine, Plugin
from tests.provider.vertex_proxy import Proxy

LOSE = ("lose",)


def refuse(status: int, message: str = "busy", **headers: str) -> tuple[Any, ...]:
    return ("refuse", status, {key.replace("_", "-"): value for key, value in headers.items()}, message)


def end(plugin: Plugin, job_id: str, wait_for: str = "succeeded") -> None:
    plugin.create({"job": job_id, "waitFor": wait_for}, COMPLETION)


def created(proxy: Proxy) -> int:
    """How many calls the service took as a new job, heard of or not."""
    return sum(sent.status in (0, 200) for sent in proxy.submissions())


def test_a_preview_submits_nothing_and_knows_no_id(plugin: Plugin, proxy: Proxy, engine: Engine) -> None:
    job_id, outputs = plugin.create(bodies.inputs(), preview=True)
    assert job_id == ""
    assert repr(outputs["name"]) == "unknown"
    assert outputs["displayName"] == "bert"
    assert proxy.sent == []
    assert engine.logged("at most 5.00 USD")


def test_what_is_sent_parses_strictly_and_what_returns_is_the_job(plugin: Plugin, proxy: Proxy, engine: Engine) -> None:
    given = bodies.inputs(bodies.SHORT, jobSpec=bodies.body(bodies.SHORT, workers=2), document=bodies.document())
    job_id, outputs = plugin.create(given)
    (sent,) = proxy.submissions()
    json_format.ParseDict(sent.body, types.CustomJob()._pb, ignore_unknown_fields=False)
    assert '"replicaCount": 2}' in json.dumps(sent.body), "whole numbers must not become doubles"
    own = {"trainingjobs-key": outputs["submittedHash"], "trainingjobs-declaration": ANY}
    assert sent.body["labels"] == {"team": "nlp", **own}
    assert {key: outputs[key] for key in given} == given
    assert outputs["name"] == job_id
    assert job_id.endswith(outputs["consoleUrl"].rpartition("/")[2].partition("?")[0])
    assert outputs["state"].startswith("JOB_STATE_")
    assert engine.logged("1 x n1-standard-4 + 2 x n1-standard-4; 2.50 USD an hour")


def test_an_unknown_price_is_said(plugin: Plugin, engine: Engine) -> None:
    plugin.create(bodies.inputs(bodies.SHORT, usdPerHour=None))
    assert engine.logged("price unknown")


@pytest.mark.parametrize("lost_answers", [1, 2])
def test_a_lost_answer_is_looked_up_before_another_try(
    plugin: Plugin, proxy: Proxy, engine: Engine, lost_answers: int
) -> None:
    # The first answer is lost although the job was made; with two, the look-up's answer is lost as well.
    proxy.faults = {"POST": [LOSE], "GET": [("pass",), LOSE][:lost_answers]}
    job_id, _ = plugin.create(bodies.inputs(bodies.SHORT))
    assert created(proxy) == 1
    assert engine.logged(job_id)


def test_a_job_that_failed_before_it_was_looked_up_is_not_submitted_again(plugin: Plugin, proxy: Proxy) -> None:
    given = bodies.inputs(bodies.FAILING)
    earlier, _ = plugin.create(given)
    with pytest.raises(grpc.RpcError):
        end(plugin, earlier)
    proxy.faults = {"POST": [LOSE]}
    job_id, _ = plugin.create(given)
    assert job_id != earlier
    assert created(proxy) == 2


def test_an_unavailable_service_is_tried_again_when_it_says(plugin: Plugin, proxy: Proxy) -> None:
    proxy.faults = {"POST": [refuse(503, Retry_After="1"), refuse(429, Retry_After="1")]}
    plugin.create(bodies.inputs(bodies.SHORT))
    assert [sent.status for sent in proxy.submissions()] == [503, 429, 200]


def test_a_refusal_is_final_and_says_what_to_do(plugin: Plugin, proxy: Proxy) -> None:
    message = "The following quota metrics exceed quota limits: aiplatform.googleapis.com/custom_model_training_a100"
    proxy.faults = {"POST": [refuse(429, message)]}
    with pytest.raises(grpc.RpcError) as refused:
        plugin.create(bodies.inputs())
    assert "quota aiplatform.googleapis.com/custom_model_training_a100" in refused.value.details()
    assert len(proxy.submissions()) == 1


def test_a_refusal_after_a_lost_answer_still_finds_the_job(plugin: Plugin, proxy: Proxy) -> None:
    # The lost call's own job took the quota that the second call is refused for; the list shows it late.
    hidden = ("answer", {"customJobs": []})
    proxy.faults = {"POST": [LOSE, refuse(400, "no capacity left")], "GET": [("pass",), hidden]}
    plugin.create(bodies.inputs(bodies.SHORT))
    assert created(proxy) == 1


def test_a_second_job_of_a_late_list_is_cancelled(plugin: Plugin, proxy: Proxy, engine: Engine) -> None:
    hidden = ("answer", {"customJobs": []})
    proxy.faults = {"POST": [LOSE], "GET": [("pass",), hidden]}
    job_id, outputs = plugin.create(bodies.inputs())
    assert created(proxy) == 2
    assert sum(sent.path.endswith(":cancel") for sent in proxy.sent) == 1
    assert engine.logged("submitted twice")
    assert plugin.read(job_id, outputs, bodies.inputs())[1]["state"] in ("JOB_STATE_RUNNING", "JOB_STATE_PENDING")
    plugin.delete(job_id, outputs)


def test_a_second_attempt_adopts_a_live_and_a_succeeded_job(plugin: Plugin, proxy: Proxy, engine: Engine) -> None:
    given = bodies.inputs(bodies.SHORT)
    job_id, _ = plugin.create(given)
    assert plugin.create(given)[0] == job_id
    end(plugin, job_id)
    again, outputs = plugin.create(given)
    assert (again, outputs["state"]) == (job_id, "JOB_STATE_SUCCEEDED")
    assert len(proxy.submissions()) == 1
    assert engine.logged("raise `run`")


def test_a_failed_or_cancelled_job_is_not_adopted(plugin: Plugin, proxy: Proxy) -> None:
    failing = bodies.inputs(bodies.FAILING)
    job_id, _ = plugin.create(failing)
    with pytest.raises(grpc.RpcError):
        end(plugin, job_id)
    assert plugin.create(failing)[0] != job_id
    long = bodies.inputs(retainRecord=True)
    job_id, outputs = plugin.create(long)
    plugin.delete(job_id, outputs)
    another, outputs = plugin.create(long)
    assert another != job_id
    plugin.delete(another, outputs)


def test_another_run_is_another_job(plugin: Plugin, proxy: Proxy) -> None:
    first, _ = plugin.create(bodies.inputs(bodies.SHORT))
    assert plugin.create(bodies.inputs(bodies.SHORT, run=2))[0] != first


def test_another_states_job_is_never_adopted(
    plugin: Plugin, environment: dict[str, str], engine: Engine, proxy: Proxy
) -> None:
    job_id, _ = plugin.create(bodies.inputs(bodies.SHORT))
    other = Plugin(environment, engine, state_id="somebody else's state")
    assert other.create(bodies.inputs(bodies.SHORT))[0] != job_id
    other.close()
    assert len(proxy.submissions()) == 2


def test_a_list_that_answers_more_than_was_asked_is_not_believed(plugin: Plugin, proxy: Proxy) -> None:
    foreign = {"name": "projects/p/locations/us-central1/customJobs/9", "state": "JOB_STATE_RUNNING", "labels": {}}
    proxy.faults = {"GET": [("answer", {"customJobs": [foreign]})]}
    assert plugin.create(bodies.inputs(bodies.SHORT))[0] != foreign["name"]


def test_without_an_id_of_the_state_nothing_is_submitted(
    environment: dict[str, str], engine: Engine, proxy: Proxy
) -> None:
    nameless = Plugin(environment, engine, state_id="")
    with pytest.raises(grpc.RpcError, match="no id"):
        nameless.create(bodies.inputs())
    nameless.close()
    assert proxy.sent == []


def test_an_earlier_attempt_is_found_on_a_later_page(plugin: Plugin, proxy: Proxy) -> None:
    job_id, outputs = plugin.create(bodies.inputs(bodies.SHORT))
    listed = {"name": job_id, "state": "JOB_STATE_RUNNING", "labels": {"trainingjobs-key": outputs["submittedHash"]}}
    proxy.faults = {"GET": [("answer", {"nextPageToken": "t/2"}), ("answer", {"customJobs": [listed]})]}
    assert plugin.create(bodies.inputs(bodies.SHORT))[0] == job_id
    assert proxy.sent[-1].path.endswith("pageToken=t%2F2")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        pytest.param(429, "nothing was submitted", id="refused for now"),
        pytest.param(503, "takes the job over if it was submitted", id="in doubt"),
    ],
)
def test_stopped_between_two_tries_it_says_where_things_are(
    own_plugin: Plugin, proxy: Proxy, status: int, message: str
) -> None:
    proxy.faults = {"POST": [refuse(status, Retry_After="30")]}
    thread, outcome = own_plugin.create_later(bodies.inputs(), CUSTOM_JOB)
    while not proxy.submissions():
        time.sleep(0.02)
    time.sleep(0.2)
    own_plugin.cancel()
    thread.join(timeout=3)
    assert message in outcome[0].details()
    assert len(proxy.submissions()) == 1
