"""Lines of Cloud Logging, whose answers are the documented ones: no service is asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import gpu_job, judge_document
from trainingjobs.operations import log_lines as lines
from trainingjobs.operations.log_lines import Replica, reader
from trainingjobs.operations.observed_job import ObservedJob
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS

JOB = ObservedJob(id="projects/acme-ml-dev/locations/us-central1/customJobs/42", state="RUNNING")


class Service:
    """Entries of a log, given page by page as entries:list gives them."""

    def __init__(self, page: int) -> None:
        self.entries: list[dict[str, Any]] = []
        self.page = page
        self.filters: list[str] = []

    def write(self, time: str, number: str, text: str, *, as_json: bool = False) -> None:
        payload = {"jsonPayload": {"message": text}} if as_json else {"textPayload": text}
        self.entries.append({"timestamp": time, "insertId": number, **payload})

    def call(self, op: object, method: str, url: str, doing: str, *, body: Any, project: str) -> dict[str, Any]:
        assert (method, url, project) == ("POST", "https://logging.googleapis.com/v2/entries:list", "acme-ml-dev")
        self.filters.append(body["filter"])
        since = body["filter"].partition('timestamp>="')[2].rstrip('"')
        matching = [entry for entry in self.entries if entry["timestamp"] >= since]
        start = int(body.get("pageToken", 0))
        more = {"nextPageToken": str(start + self.page)} if start + self.page < len(matching) else {}
        return {"entries": matching[start : start + self.page], **more}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = Service(page=2)
    monkeypatch.setattr(lines, "call", made.call)
    monkeypatch.delenv("TRAINING_VERTEX_ENDPOINT", raising=False)
    monkeypatch.delenv("TRAINING_SANDBOX", raising=False)
    return made


def opened(replica: Replica) -> lines.Reader:
    plan: JobPlan = judge_document(gpu_job())[0]
    stack = read_model(Stack, {"project": "acme-ml-dev"}, renamed=PATHS).value
    assert isinstance(stack, Stack)
    return reader(plan, stack, JOB, replica)


def test_every_line_comes_once_in_order(service: Service) -> None:
    log = opened(Replica("workers", 3))
    for i in range(5):
        service.write(f"2026-01-01T00:00:0{i // 2}Z", str(i), f"line {i}", as_json=bool(i % 2))
    assert log.more() == [f"line {i}" for i in range(5)]
    assert log.more() == []
    # Of the same moment as the last one, and later.
    service.write("2026-01-01T00:00:02Z", "5", "line 5")
    service.write("2026-01-01T00:00:03Z", "6", "line 6")
    assert log.more() == ["line 5", "line 6"]


def test_the_replica_and_the_trial_are_asked_for(service: Service) -> None:
    opened(Replica("workers", 3)).more()
    opened(Replica("reducers", 0, "7")).more()
    assert 'resource.labels.job_id="42"' in service.filters[0]
    assert 'resource.labels.task_name="workerpool1-3"' in service.filters[0]
    assert 'resource.labels.task_name="workerpool2-0"' in service.filters[1]
    assert '"7"' in service.filters[1] and '"7"' not in service.filters[0]
