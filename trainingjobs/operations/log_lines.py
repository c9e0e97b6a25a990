"""The lines that replicas write: of Vertex AI from Cloud Logging, in the sandbox from its server, of pods from the API.

Each source gives what came after what was read before, so that it can be followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.vertex.job_logs import sandbox_log
from trainingjobs.clients.vertex.jobs import JobName, parse_name
from trainingjobs.clients.vertex.service import call, local_endpoint
from trainingjobs.operations import pods
from trainingjobs.operations.observed_job import ObservedJob
from trainingjobs.operations.services import operation
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.roles import POSITION, Role
from trainingjobs.spec.stack import Stack

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Replica:
    """One replica of a job; `trial` is of a tuning job."""

    role: Role
    index: int
    trial: str | None = None


@dataclass(slots=True)
class Reader:
    """Reads one replica's log piece by piece."""

    fetch: Callable[[Reader], list[str]]
    characters: int = 0
    since: str = ""
    at_since: set[str] = field(default_factory=set)

    def more(self) -> list[str]:
        """Returns the lines that came since the last call. Raises ServiceError."""
        return self.fetch(self)


def reader(plan: JobPlan, stack: Stack, job: ObservedJob, replica: Replica) -> Reader:
    """Returns the reader of a replica's log. Raises ServiceError where the job's service keeps none."""
    if plan.job.platform != "vertex":
        return Reader(lambda log_reader: _whole_lines(log_reader, _pod_log(plan, stack, replica)))
    name = parse_name(job.id)
    if name is None:
        raise ServiceError(f"{job.id!r} is no job's name")
    if local_endpoint():
        return Reader(lambda log_reader: _whole_lines(log_reader, _sandbox_log(name, replica)))
    return Reader(lambda log_reader: _logging_lines(log_reader, name, replica))


def _whole_lines(log_reader: Reader, text: str) -> list[str]:
    """The new lines of a text that only grows; half a line waits for its end."""
    if len(text) < log_reader.characters:
        # The replica was started anew, and its log with it.
        log_reader.characters = 0
    new = text[log_reader.characters :]
    complete = new[: new.rfind("\n") + 1]
    log_reader.characters += len(complete)
    return complete.splitlines()


def _pod_log(plan: JobPlan, stack: Stack, replica: Replica) -> str:
    api = pods.connected(stack)
    for pod in pods.pods(api, plan):
        if (pod.role, pod.index) == (replica.role, replica.index):
            return pods.log(api, pod)
    return ""


def _sandbox_log(name: JobName, replica: Replica) -> str:
    trial = f"-{replica.trial}" if replica.trial else ""
    return sandbox_log(f"{name.number}{trial}", f"workerpool{POSITION[replica.role]}-{replica.index}")


def _logging_lines(log_reader: Reader, name: JobName, replica: Replica) -> list[str]:
    words = [
        'resource.type="ml_job"',
        f'resource.labels.job_id="{name.number}"',
        f'resource.labels.task_name="workerpool{POSITION[replica.role]}-{replica.index}"',
    ]
    words += [f'labels."ml.googleapis.com/trial_id"="{replica.trial}"'] if replica.trial else []
    words += [f'timestamp>="{log_reader.since}"'] if log_reader.since else []
    body: dict[str, Any] = {
        "resourceNames": [f"projects/{name.project}"],
        "filter": " AND ".join(words),
        "orderBy": "timestamp asc",
        "pageSize": PAGE,
    }
    lines: list[str] = []
    while True:
        url = "https://logging.googleapis.com/v2/entries:list"
        answer = call(operation(), "POST", url, "reading the log", body=body, project=name.project)
        lines += [line for entry in answer.get("entries", []) if (line := _line(log_reader, entry)) is not None]
        token = answer.get("nextPageToken")
        if not token:
            return lines
        body["pageToken"] = token


def _line(log_reader: Reader, entry: dict[str, Any]) -> str | None:
    time, number = str(entry.get("timestamp", "")), str(entry.get("insertId", ""))
    if time == log_reader.since and number in log_reader.at_since:
        return None
    if time != log_reader.since:
        log_reader.since, log_reader.at_since = time, set()
    log_reader.at_since.add(number)
    payload = entry.get("jsonPayload")
    return str(entry.get("textPayload") or (payload.get("message") if isinstance(payload, dict) else "") or "")
