"""Which jobs a stack may have left behind: where they are looked for, and which of those found are its own."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.unit.jobs import gpu_job, judge_document
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import declaration
from trainingjobs.operations.orphaned_jobs import Traces, is_declared, live_jobs, on_the_way, traces, without
from trainingjobs.operations.pending_submissions import LATE
from trainingjobs.spec.stack import Stack

STACK = Stack(project="acme-ml-dev", region="us-central1")
HEAD = "urn:pulumi:dev::training::"
COMPONENT = {"type": "training:vertex:VertexJob", "urn": f"{HEAD}training:vertex:VertexJob::bert"}
PROVIDER = {
    "type": "pulumi:providers:trainingjobs",
    "urn": f"{HEAD}pulumi:providers:trainingjobs::default",
    "id": "0f0e",
}
JOB_URN = f"{HEAD}training:vertex:VertexJob$trainingjobs:vertex:CustomJob::bert"
WHERE = "projects/123/locations/us-central1"
JOB = {
    "type": "trainingjobs:vertex:CustomJob",
    "urn": JOB_URN,
    "id": f"{WHERE}/customJobs/7",
    "parent": COMPONENT["urn"],
    "inputs": {"project": "acme-ml-dev", "location": "europe-west4"},
}
MARK = declaration(JOB_URN, "0f0e")


def state(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"resources": list(resources)}


def test_a_stack_that_submitted_nothing_is_not_looked_for() -> None:
    assert traces(state(), STACK, ()).parents == frozenset()
    assert traces(state(COMPONENT), STACK, ()).parents == frozenset()
    # The provider waits for jobs in a cluster too: its project may have no Vertex AI at all.
    assert traces(state(PROVIDER), STACK, ()).parents == frozenset()


def test_jobs_are_looked_for_where_the_stack_and_its_state_have_them() -> None:
    home, abroad = ("acme-ml-dev", "us-central1"), ("acme-ml-dev", "europe-west4")
    complete = traces(state(PROVIDER, COMPONENT, JOB), STACK, ())
    assert (complete.parents, complete.failed) == ({home, abroad}, frozenset())
    assert MARK.startswith(tuple(complete.marks))
    # A component without its job: the creation failed, or was cut off.
    bert = frozenset({"bert"})
    cut_off = traces(state(PROVIDER, COMPONENT), STACK, ())
    assert cut_off == Traces(complete.marks, frozenset(), frozenset({home}), failed=bert)


def test_a_submission_is_on_its_way_for_a_while_after_the_run_ended() -> None:
    cut_off, whole = state(PROVIDER, COMPONENT), state(PROVIDER, COMPONENT, JOB)
    left = traces(cut_off, STACK, ())
    assert on_the_way(cut_off, left) == LATE
    now = datetime.now(UTC)
    waits = {
        days: on_the_way({**cut_off, "manifest": {"time": (now + timedelta(days=days)).isoformat()}}, left)
        for days in (-1, 0, 1)
    }
    assert (waits[-1], waits[1]) == (0, LATE)
    assert 0 < waits[0] <= LATE
    assert on_the_way(whole, traces(whole, STACK, ())) == 0
    assert on_the_way(state(COMPONENT), traces(state(COMPONENT), STACK, ())) == 0


def test_a_declared_job_is_the_runs_own() -> None:
    plan, _ = judge_document(gpu_job())
    left = traces(state(PROVIDER), STACK, [plan])
    own = declaration(JOB_URN.replace("bert", plan.name), "0f0e")
    assert left.declared == {own}
    assert is_declared(job(7, mark=own), left)
    component = {**COMPONENT, "urn": COMPONENT["urn"].replace("bert", plan.name)}
    again = traces(state(PROVIDER, component), STACK, [plan])
    assert again.failed == {plan.name}
    # Where the state has a job of that name, nothing is created: another one beside it is nobody's.
    known = {**JOB, "urn": JOB_URN.replace("bert", plan.name)}
    assert not traces(state(PROVIDER, COMPONENT, known), STACK, [plan]).declared
    assert not is_declared(job(7), left)


@pytest.mark.parametrize("flag", ["pendingReplacement", "delete"])
def test_a_job_whose_replacement_was_cut_off_is_created_by_the_next_run(flag: str) -> None:
    plan, _ = judge_document(gpu_job())
    urn = JOB_URN.replace("bert", plan.name)
    component = {**COMPONENT, "urn": COMPONENT["urn"].replace("bert", plan.name)}
    old = {**JOB, "urn": urn, "parent": component["urn"], flag: True}
    left = traces(state(PROVIDER, component, old), STACK, [plan])
    assert (left.declared, left.failed) == ({declaration(urn, "0f0e")}, {plan.name})
    # Its jobs are looked for where it was.
    assert ("acme-ml-dev", "europe-west4") in left.parents


def job(number: int, collection: str = "customJobs", mark: str = MARK, state: str = "JOB_STATE_RUNNING") -> jobs.Job:
    name = f"{WHERE}/{collection}/{number}"
    return {"name": name, "state": state, "labels": {"trainingjobs-declaration": mark}}


LISTED = [
    job(7),
    job(8),
    job(9, state="JOB_STATE_CANCELLING"),
    job(10, mark=declaration(JOB_URN, "another state")),
    job(11, mark=declaration(JOB_URN.replace(":dev:", ":prod:"), "0f0e")),
    job(12, mark="f" * 33),
    {"name": f"{WHERE}/customJobs/13", "state": "JOB_STATE_RUNNING"},
]


def live_jobs_and_urls(monkeypatch: pytest.MonkeyPatch, listed: list[jobs.Job]) -> tuple[list[jobs.Job], list[str]]:
    """What is found where the service has the jobs, and the addresses that were asked."""
    asked: list[str] = []

    def call(op: Operation, method: str, url: str, *words: Any, **more: Any) -> dict[str, Any]:
        asked.append(url)
        collection = urlsplit(url).path.rpartition("/")[2]
        return {collection: [listed_job for listed_job in listed if f"/{collection}/" in listed_job["name"]]}

    monkeypatch.setattr(jobs, "call", call)
    operation = Operation("", lambda *_: None, threading.Event())
    return live_jobs(operation, traces(state(PROVIDER, COMPONENT), STACK, ())), asked


def test_live_jobs_of_the_state_and_its_stack_are_found_by_one_call_a_collection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, asked = live_jobs_and_urls(monkeypatch, LISTED)
    assert own == [job(7), job(8)]
    collections = sorted(urlsplit(url).path.rpartition("/")[2] for url in asked)
    assert collections == ["customJobs", "hyperparameterTuningJobs", "trainingPipelines"]
    words = {parse_qs(urlsplit(url).query)["filter"][0].partition(" ")[0] for url in asked}
    assert words == {"labels.trainingjobs-declaration:*"}


def test_the_custom_job_that_does_a_pipelines_work_is_the_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = job(14, "trainingPipelines", state="PIPELINE_STATE_RUNNING")
    assert live_jobs_and_urls(monkeypatch, [pipeline, job(15)])[0] == [pipeline]


def test_a_job_is_the_same_by_its_projects_id_and_number() -> None:
    names = [job(7)["name"].replace("123", "acme-ml-dev"), "not a job"]
    assert without([job(7), job(8)], names) == [job(8)]
