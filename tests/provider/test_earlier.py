"""create finds what an earlier attempt at its declaration left: a job that no state knows, of another document."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from tests.provider import bodies
from tests.provider.plugin_process import CUSTOM_JOB, Engine, Plugin
from tests.provider.test_kinds import PIPELINE, TUNING
from tests.provider.vertex_proxy import Proxy

EDITED = bodies.document(framework="jax")
KINDS = [
    pytest.param(CUSTOM_JOB, bodies.inputs, id="custom job"),
    pytest.param(TUNING, bodies.tuning, id="tuning job"),
    pytest.param(PIPELINE, bodies.pipeline, id="pipeline"),
]


def written(**more: Any) -> dict[str, Any]:
    return bodies.inputs(document=bodies.document(), **more)


def stopped(proxy: Proxy) -> list[str]:
    """The jobs whose cancellation was asked for."""
    asked = [sent.path for sent in proxy.sent if sent.path.endswith(":cancel")]
    return [path.removeprefix("/v1/").removesuffix(":cancel") for path in asked]


def lists(proxy: Proxy) -> int:
    return sum(sent.method == "GET" and "filter=" in sent.path for sent in proxy.sent)


@pytest.mark.parametrize(("token", "inputs"), KINDS)
def test_a_live_one_is_stopped_before_the_new_one_is_submitted(
    plugin: Plugin, proxy: Proxy, engine: Engine, token: str, inputs: Any
) -> None:
    left, _ = plugin.create(inputs(document=bodies.document()), token)
    proxy.sent.clear()
    job_id, outputs = plugin.create(inputs(document=EDITED), token)
    assert job_id != left
    assert stopped(proxy) == [left]
    assert plugin.read(left, {"name": left}, {}, token)[0] == ""
    assert engine.logged(left)
    assert lists(proxy) == 1
    posts = [sent.path for sent in proxy.sent if sent.method == "POST"]
    assert posts[0].endswith(":cancel")
    plugin.delete(job_id, outputs, token)


def test_in_prod_it_is_refused_unless_it_is_allowed_by_name(plugin: Plugin, proxy: Proxy) -> None:
    left, _ = plugin.create(written(environment="prod"))
    edited = {**written(environment="prod"), "document": EDITED}
    with pytest.raises(grpc.RpcError) as refused:
        plugin.create(edited)
    number = left.rpartition("/")[2]
    for part in (left, f"gcloud ai custom-jobs cancel {number} ", "allowReplaceWhileRunning"):
        assert part in refused.value.details()
    assert stopped(proxy) == []
    assert len(proxy.submissions()) == 1
    job_id, outputs = plugin.create({**edited, "allowReplaceWhileRunning": True})
    assert stopped(proxy) == [left]
    plugin.delete(job_id, outputs)


def test_in_prod_the_job_itself_is_taken_over_whatever_else_there_is(
    plugin: Plugin, proxy: Proxy, engine: Engine
) -> None:
    """Refused, its id would never come to the state."""
    left, outputs = plugin.create({**written(environment="dev"), "document": EDITED})
    given = written(environment="prod")
    proxy.faults = {"GET": [("answer", {"customJobs": []})]}
    own, _ = plugin.create(given)
    assert plugin.create(given)[0] == own
    assert engine.logged(left)
    assert stopped(proxy) == []
    plugin.next_run()
    plugin.delete(left, outputs)
    plugin.delete(own, outputs)


def test_one_that_has_ended_is_left_as_it_is(plugin: Plugin, proxy: Proxy) -> None:
    left, outputs = plugin.create(written(retainRecord=True))
    plugin.delete(left, {**outputs, "retainRecord": True})
    proxy.sent.clear()
    job_id, outputs = plugin.create({**written(), "document": EDITED})
    assert stopped(proxy) == []
    plugin.delete(job_id, outputs)


def test_other_declarations_and_other_states_are_left_alone(
    plugin: Plugin, proxy: Proxy, environment: dict[str, str], engine: Engine
) -> None:
    other = Plugin(environment, engine, state_id="somebody else's state")
    theirs = other.create(written())
    sibling = plugin.create(written(), name="other")
    proxy.sent.clear()
    job = plugin.create({**written(), "document": EDITED})
    assert stopped(proxy) == []
    for created in (theirs, sibling, job):
        plugin.delete(*created)
    other.close()


def test_a_list_that_answers_more_than_was_asked_is_not_believed(plugin: Plugin, proxy: Proxy) -> None:
    where = "projects/p/locations/us-central1/customJobs"
    foreign = [
        {"name": f"{where}/9", "state": "JOB_STATE_RUNNING", "labels": {"trainingjobs-declaration": "0" * 16}},
        {"name": f"{where}/8", "state": "JOB_STATE_RUNNING"},
    ]
    proxy.faults = {"GET": [("answer", {"customJobs": foreign})]}
    job = plugin.create(written())
    assert stopped(proxy) == []
    plugin.delete(*job)


def test_a_job_of_an_earlier_version_is_taken_over_by_its_key_alone(plugin: Plugin, proxy: Proxy) -> None:
    given = written()
    job_id, outputs = plugin.create(given)
    old = {"name": job_id, "state": "JOB_STATE_RUNNING", "labels": {"trainingjobs-key": outputs["submittedHash"]}}
    proxy.faults = {"GET": [("answer", {"customJobs": [old]})]}
    assert plugin.create(given)[0] == job_id
    plugin.next_run()
    plugin.delete(job_id, outputs)


def test_a_preview_asks_nothing(plugin: Plugin, proxy: Proxy) -> None:
    job = plugin.create(written())
    proxy.sent.clear()
    plugin.create({**written(), "document": EDITED}, preview=True)
    assert proxy.sent == []
    plugin.delete(*job)
