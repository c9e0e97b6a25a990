"""Jobs at the service: their names, their states, and the calls that read, find, submit, cancel and delete one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex.identity import LABEL
from trainingjobs.clients.vertex.service import BUDGET, call, retry_delay, vertex_url
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.workloads.states import SUCCEEDED, is_live
from trainingjobs.workloads.vertex import by_collection

Job = dict[str, Any]

PROJECT: Final = re.compile(r"([a-z0-9.-]+:)?[a-z0-9-]{1,63}")
LOCATION: Final = re.compile(r"[a-z]+(-[a-z]+)+[0-9]+")
_NAME: Final = re.compile(
    rf"projects/(?P<project>{PROJECT.pattern})/locations/(?P<location>{LOCATION.pattern})"
    r"/(?P<collection>[A-Za-z]+)/(?P<number>[0-9]+)"
)

# Seconds between two questions about a job that is waited for.
FIRST_POLL: Final = 0.3
LONGEST_POLL: Final = 15.0


@dataclass(frozen=True, slots=True)
class Parent:
    """Where jobs of one kind are at the service: the `parent` of Vertex AI's calls, with the collection."""

    project: str
    location: str
    collection: str

    @property
    def url(self) -> str:
        """Returns the address of the collection."""
        path = f"projects/{self.project}/locations/{self.location}/{self.collection}"
        return vertex_url(self.location, path)


@dataclass(frozen=True, slots=True)
class JobName:
    """A job's name at the service, taken apart."""

    project: str
    location: str
    collection: str
    number: str

    @property
    def full(self) -> str:
        """Returns projects/P/locations/L/COLLECTION/N."""
        return f"projects/{self.project}/locations/{self.location}/{self.collection}/{self.number}"

    @property
    def console_url(self) -> str:
        """Returns the job's page in the Google Cloud console; the sandbox has none: there, the folder of its logs."""
        if sandbox := os.environ.get(SANDBOX_VARIABLE):
            # Other jobs than custom ones run as several, each with a folder of its own.
            logs = Path(sandbox).absolute() / "logs"
            kind = by_collection(self.collection)
            return (logs / self.number if kind and kind.backs_others else logs).as_uri()
        return (
            f"https://console.cloud.google.com/vertex-ai/locations/{self.location}/training/{self.number}"
            f"?project={self.project}"
        )

    @property
    def cancel_command(self) -> str:
        """Returns the shell command that stops the job."""
        kind = by_collection(self.collection)
        if kind and kind.gcloud_group:
            return (
                f"gcloud ai {kind.gcloud_group} cancel {self.number} --project {self.project} --region {self.location}"
            )
        address = f"https://{self.location}-aiplatform.googleapis.com/v1/{self.full}:cancel"
        return f'curl -X POST -H "Authorization: Bearer $(gcloud auth print-access-token)" -d "" {address}'


def parse_name(name: object) -> JobName | None:
    """Returns the parts of a job's name, None where it is not one."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return JobName(**match.groupdict()) if match and by_collection(match["collection"]) else None


def state_of(job: Mapping[str, Any]) -> str:
    """Returns the job's state without its prefix: RUNNING for JOB_STATE_RUNNING and PIPELINE_STATE_RUNNING."""
    return str(job.get("state", "")).rpartition("STATE_")[2] or "UNSPECIFIED"


def get(op: Operation, name: JobName, *, tries: int = 1000) -> Job | None:
    """Returns the job, None where the service has none of that name."""
    try:
        url = vertex_url(name.location, name.full)
        return call(op, "GET", url, f"reading {name.full}", project=name.project, tries=tries)
    except ServiceError as failure:
        if failure.code == 404:
            return None
        raise


def with_key(op: Operation, parent: Parent, key: str) -> list[Job]:
    """Returns all jobs of a parent that carry the key, oldest first."""
    jobs = listed(op, parent, f"labels.{LABEL}={key}", "looking for an earlier attempt at this job")
    # Another person's job must never be taken for this one, whatever a filter lets through.
    return [job for job in jobs if label(job, LABEL) == key]


def listed(op: Operation, parent: Parent, words: str, doing: str) -> list[Job]:
    """Returns all jobs of a parent that the filter's words let through, oldest first."""
    jobs: list[Job] = []
    page = ""
    while True:
        query = f"filter={quote_plus(words)}&pageSize=100{f'&pageToken={page}' if page else ''}"
        answer = call(op, "GET", f"{parent.url}?{query}", doing, project=parent.project)
        jobs += answer.get(parent.collection, [])
        page = quote_plus(str(answer.get("nextPageToken", "")))
        if not page:
            return sorted(jobs, key=lambda job: (str(job.get("createTime", "")), str(job.get("name", ""))))


def label(job: Mapping[str, Any], key: str) -> str:
    """Returns the value of a job's label, "" where it has none of that key."""
    return str((job.get("labels") or {}).get(key, ""))


def standing(op: Operation, attempts: Sequence[Job]) -> Job | None:
    """Returns the attempt that stands for the job: the oldest live one, else a succeeded one, else None."""
    live = [job for job in attempts if is_live(state_of(job))]
    for extra in live[1:]:
        # Two answers were lost and both calls had taken effect after all: one job is what was asked for.
        op.warn(f"{extra['name']} was submitted twice by a lost answer; it is cancelled, {live[0]['name']} stays")
        cancel(op, name_of(extra))
    return next(iter(live), None) or next((job for job in attempts if state_of(job) in SUCCEEDED), None)


@dataclass(frozen=True, slots=True)
class Submission:
    """A job to be submitted. `known` names the jobs that carried its key before."""

    parent: Parent
    body: Mapping[str, Any]
    key: str
    known: frozenset[str]


def submit(op: Operation, submission: Submission) -> tuple[Job, bool]:
    """Submits the job once, whatever becomes of the answers. Returns the job, and whether an answer had been lost.

    A call whose answer is lost may have taken effect: before another one, the job is looked for by its key.
    """
    answer_lost = False
    attempt = 0
    while True:
        try:
            parent = submission.parent
            job = call(
                op, "POST", parent.url, "submitting the job", body=submission.body, project=parent.project, tries=1
            )
            if parse_name(job.get("name")) is None:
                raise ServiceError("submitting the job: the answer names no job", retryable=True)
        except ServiceError as failure:
            answer_lost = answer_lost or failure.may_have_taken_effect
            delay = retry_delay(failure, attempt)
            if delay is not None and op.elapsed() + delay > BUDGET:
                delay = None
            submitted = _after_loss(op, submission, delay or 0.0) if answer_lost else None
            if submitted is not None:
                return submitted, True
            if delay is None:
                raise
            if not answer_lost:
                op.status(f"the service is busy; submitting again in {delay:.0f} s")
                op.pause(delay)
            attempt += 1
        else:
            return (_settled(op, submission, job), True) if answer_lost else (job, False)


def _new(op: Operation, submission: Submission) -> Job | None:
    new = [job for job in with_key(op, submission.parent, submission.key) if job.get("name") not in submission.known]
    # One that has failed already is this submission's too: a second one would be paid as well.
    return standing(op, new) or next(iter(new), None)


def _settled(op: Operation, submission: Submission, job: Job) -> Job:
    try:
        return _new(op, submission) or job
    except (ServiceError, Interrupted) as problem:
        # The job exists: failing here would lose its id.
        op.warn(f"could not look whether a lost answer left a second job beside {job['name']}: {problem}")
        return job


def _after_loss(op: Operation, submission: Submission, delay: float) -> Job | None:
    op.status("the answer to the submission was lost; looking whether the job is there")
    next_time = "the next `pulumi up` takes the job over if it was submitted, and submits it otherwise"
    try:
        op.pause(delay)
        return _new(op, submission)
    except Interrupted:
        raise Interrupted(f"the answer to the submission was lost and the run is being stopped; {next_time}") from None
    except ServiceError as failure:
        raise ServiceError(f"the answer to the submission was lost, and {failure}; {next_time}", failure.code) from None


def cancel(op: Operation, name: JobName) -> None:
    """Asks the service to stop the job; one that has ended or is gone is fine."""
    try:
        url = vertex_url(name.location, f"{name.full}:cancel")
        call(op, "POST", url, f"cancelling {name.full}", body={}, project=name.project)
    except ServiceError as failure:
        if failure.code not in (400, 404, 409):
            raise


def delete(op: Operation, name: JobName) -> None:
    """Deletes the record of an ended job and waits until that is done; one that is gone is fine."""
    doing = f"deleting {name.full}"
    try:
        operation = call(op, "DELETE", vertex_url(name.location, name.full), doing, project=name.project)
        for delay in poll_intervals():
            if operation.get("done", "name" not in operation):
                break
            op.pause(delay)
            url = vertex_url(name.location, str(operation["name"]))
            operation = call(op, "GET", url, doing, project=name.project)
    except ServiceError as failure:
        if failure.code != 404:
            raise
        return
    error = operation.get("error")
    if isinstance(error, dict) and error.get("code") != 5:
        raise ServiceError(f"{doing}: {error.get('message', 'the operation failed')}")


def poll_intervals() -> Iterator[float]:
    """Yields the seconds until the next question about something that is waited for, for ever."""
    delay = FIRST_POLL
    while True:
        yield delay
        delay = min(delay * 1.5, LONGEST_POLL)


def name_of(job: Mapping[str, Any]) -> JobName:
    """Returns the name of a job that the service lists. ServiceError where it cannot be read."""
    name = parse_name(job.get("name"))
    if name is None:
        raise ServiceError(f"the service lists a job without a name that can be read: {job.get('name')!r}")
    return name
