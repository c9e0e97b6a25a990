"""Jobs at the service: their names, their states, and the calls that read, find, submit, cancel and delete one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus

from infra.provider.errors import Interrupted, ServiceError
from infra.provider.identity import LABEL
from infra.provider.operation import Operation
from infra.provider.service import BUDGET, SANDBOX_VARIABLE, call, retry_delay, vertex_url

Job = dict[str, Any]

# gcloud's command groups for jobs.
_GCLOUD: Final = {"customJobs": "custom-jobs", "hyperparameterTuningJobs": "hp-tuning-jobs"}
COLLECTIONS: Final = ("customJobs", "hyperparameterTuningJobs", "trainingPipelines")
PROJECT: Final = re.compile(r"([a-z0-9.-]+:)?[a-z0-9-]{1,63}")
LOCATION: Final = re.compile(r"[a-z]+(-[a-z]+)+[0-9]+")
_NAME: Final = re.compile(
    rf"projects/(?P<project>{PROJECT.pattern})/locations/(?P<location>{LOCATION.pattern})"
    rf"/(?P<collection>{'|'.join(COLLECTIONS)})/(?P<number>[0-9]+)"
)

ENDED: Final = frozenset({"SUCCEEDED", "PARTIALLY_SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})
SUCCEEDED: Final = frozenset({"SUCCEEDED", "PARTIALLY_SUCCEEDED"})
UNSUCCESSFUL: Final = ENDED - SUCCEEDED

# Seconds between two looks at a job that is waited for.
FIRST_LOOK: Final = 0.3
LONGEST_LOOK: Final = 15.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where jobs of one kind are at the service."""

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
            return (logs / self.number if self.collection == "customJobs" else logs).as_uri()
        return (
            f"https://console.cloud.google.com/vertex-ai/locations/{self.location}/training/{self.number}"
            f"?project={self.project}"
        )

    @property
    def cancel_command(self) -> str:
        """Returns the shell command that stops the job."""
        group = _GCLOUD.get(self.collection)
        if group:
            return f"gcloud ai {group} cancel {self.number} --project {self.project} --region {self.location}"
        # gcloud has no group for training pipelines.
        address = f"https://{self.location}-aiplatform.googleapis.com/v1/{self.full}:cancel"
        return f'curl -X POST -H "Authorization: Bearer $(gcloud auth print-access-token)" -d "" {address}'


def parse_name(name: object) -> JobName | None:
    """Returns the parts of a job's name, None where it is not one."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return JobName(**match.groupdict()) if match else None


def state_of(job: Mapping[str, Any]) -> str:
    """Returns the job's state without its prefix: RUNNING for JOB_STATE_RUNNING and PIPELINE_STATE_RUNNING."""
    return str(job.get("state", "")).rpartition("STATE_")[2] or "UNSPECIFIED"


def is_live(state: str) -> bool:
    """Returns whether a job in that state costs money, or soon will, and nobody has asked it to stop."""
    return state not in ENDED and state != "CANCELLING"


def get(op: Operation, name: JobName, *, tries: int = 1000) -> Job | None:
    """Returns the job, None where the service has none of that name."""
    try:
        url = vertex_url(name.location, name.full)
        return call(op, "GET", url, f"reading {name.full}", project=name.project, tries=tries)
    except ServiceError as failure:
        if failure.code == 404:
            return None
        raise


def with_key(op: Operation, place: Place, key: str) -> list[Job]:
    """Returns all jobs of a place that carry the key, oldest first."""
    found = listed(op, place, f"labels.{LABEL}={key}", "looking for an earlier attempt at this job")
    # Another person's job must never be taken for this one, whatever a filter lets through.
    return [job for job in found if label(job, LABEL) == key]


def listed(op: Operation, place: Place, words: str, doing: str) -> list[Job]:
    """Returns all jobs of a place that the filter's words let through, oldest first."""
    found: list[Job] = []
    page = ""
    while True:
        query = f"filter={quote_plus(words)}&pageSize=100{f'&pageToken={page}' if page else ''}"
        answer = call(op, "GET", f"{place.url}?{query}", doing, project=place.project)
        found += answer.get(place.collection, [])
        page = quote_plus(str(answer.get("nextPageToken", "")))
        if not page:
            return sorted(found, key=lambda job: (str(job.get("createTime", "")), str(job.get("name", ""))))


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

    place: Place
    body: Mapping[str, Any]
    key: str
    known: frozenset[str]


def submit(op: Operation, wanted: Submission) -> tuple[Job, bool]:
    """Submits the job once, whatever becomes of the answers. Returns the job, and whether an answer had been lost.

    A call whose answer is lost may have taken effect: before another one, the job is looked for by its key.
    """
    doubt = False
    attempt = 0
    while True:
        try:
            where = wanted.place
            job = call(op, "POST", where.url, "submitting the job", body=wanted.body, project=where.project, tries=1)
            if parse_name(job.get("name")) is None:
                raise ServiceError("submitting the job: the answer names no job", retryable=True)
        except ServiceError as failure:
            doubt = doubt or failure.lost
            delay = retry_delay(failure, attempt)
            if delay is not None and op.elapsed() + delay > BUDGET:
                delay = None
            found = _after_loss(op, wanted, delay or 0.0) if doubt else None
            if found is not None:
                return found, True
            if delay is None:
                raise
            if not doubt:
                op.status(f"the service is busy; submitting again in {delay:.0f} s")
                op.pause(delay)
            attempt += 1
        else:
            return (_settled(op, wanted, job), True) if doubt else (job, False)


def _new(op: Operation, wanted: Submission) -> Job | None:
    new = [job for job in with_key(op, wanted.place, wanted.key) if job.get("name") not in wanted.known]
    # One that has failed already is this submission's too: a second one would be paid as well.
    return standing(op, new) or next(iter(new), None)


def _settled(op: Operation, wanted: Submission, job: Job) -> Job:
    try:
        return _new(op, wanted) or job
    except (ServiceError, Interrupted) as problem:
        # The job exists: failing here would lose its id.
        op.warn(f"could not look whether a lost answer left a second job beside {job['name']}: {problem}")
        return job


def _after_loss(op: Operation, wanted: Submission, delay: float) -> Job | None:
    op.status("the answer to the submission was lost; looking whether the job is there")
    next_time = "the next `pulumi up` takes the job over if it was submitted, and submits it otherwise"
    try:
        op.pause(delay)
        return _new(op, wanted)
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
        for delay in looks():
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


def looks() -> Iterator[float]:
    """Yields the seconds until the next look at something that is waited for, for ever."""
    delay = FIRST_LOOK
    while True:
        yield delay
        delay = min(delay * 1.5, LONGEST_LOOK)


def name_of(job: Mapping[str, Any]) -> JobName:
    """Returns the name of a job that the service lists. ServiceError where it cannot be read."""
    name = parse_name(job.get("name"))
    if name is None:
        raise ServiceError(f"the service lists a job without a name that can be read: {job.get('name')!r}")
    return name
