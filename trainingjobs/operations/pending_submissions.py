"""Pending submissions: jobs that a killed run was submitting, as the state's pending operations say.

Each is found again at the service by the key that its submission carries. Owns no state: see recovery.py. What the
state says nothing of is orphaned_jobs.py's.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import job_key
from trainingjobs.clients.vertex.service import ENDPOINT_VARIABLE, TOKEN_VARIABLE
from trainingjobs.engine.values import from_struct, to_struct
from trainingjobs.operations.pending_operations import CREATING, Pending
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.workloads.vertex import by_token

Say = Callable[[str], None]

# Seconds: a submission that was on its way when its run was cut off has arrived by then.
LATE: Final = 5.0
# The engine's mark of a secret value (sdk/v3/go/common/resource/properties.go).
SECRET_MARK: Final = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True, slots=True)
class PendingSubmission:
    """A job that may have been submitted."""

    urn: str
    project: str
    location: str
    key: str

    @property
    def name(self) -> str:
        """Returns the job's name in the configuration."""
        return self.urn.rpartition("::")[2]

    def attempts(self, operation: Operation) -> list[jobs.Job]:
        """Returns the jobs at the service that carry the key, oldest first."""
        kind = by_token(self.urn)
        if kind is None:
            return []
        return jobs.with_key(operation, jobs.Parent(self.project, self.location, kind.collection), self.key)


def is_submission(pending: Pending) -> bool:
    """Returns whether a job was being submitted."""
    return pending.what == CREATING and by_token(pending.resource["type"]) is not None


def submitted(pending: Iterable[Pending]) -> Iterator[PendingSubmission]:
    """Yields the jobs that were being submitted; secrets among their inputs have to be shown."""
    for submission in filter(is_submission, pending):
        inputs = from_struct(to_struct(_revealed(submission.resource["inputs"])))
        state_id = str(submission.resource["provider"]).rpartition("::")[2]
        key = job_key(submission.urn, inputs, state_id)
        yield PendingSubmission(submission.urn, str(inputs["project"]), str(inputs["location"]), key)


def arrived(submission: PendingSubmission, say: Say) -> str | None:
    """Returns the name of the job that stands for the submission, live or succeeded, after a second look; else None."""
    operation = operation_of(say, submission.urn)
    for wait in (0.0, LATE):
        time.sleep(wait)
        job = jobs.standing(operation, submission.attempts(operation))
        if job is not None:
            return str(job["name"])
        if not wait:
            say(f"{submission.name}: the service has no such job; looking once more in {LATE:.0f} s")
    return None


def is_stopped(pending: Pending, say: Say) -> bool:
    """Returns whether the job's deletion has taken effect so far that it will never go on."""
    name = jobs.parse_name(pending.resource.get("id"))
    if by_token(pending.resource["type"]) is None or name is None:
        return False
    job = jobs.get(operation_of(say, pending.urn), name)
    return job is not None and jobs.state_of(job) in ("CANCELLING", "CANCELLED")


@contextmanager
def service_of(environment: Mapping[str, str]) -> Iterator[None]:
    """Within it, calls go where those of a run with this environment go."""
    names = (ENDPOINT_VARIABLE, TOKEN_VARIABLE, SANDBOX_VARIABLE)
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: environment[name] for name in names if name in environment})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def operation_of(say: Say, urn: str = "") -> Operation:
    """Returns what a call of the provider's functions needs outside of the engine; its messages are said."""

    def log(severity: str, message: str, urn: str, ephemeral: bool) -> None:  # noqa: ARG001
        if not ephemeral:
            say(message)

    return Operation(urn, log, threading.Event())


def _revealed(value: Any) -> Any:
    if isinstance(value, dict):
        if SECRET_MARK in value:
            return _revealed(json.loads(value["plaintext"]))
        return {key: _revealed(part) for key, part in value.items()}
    return [_revealed(part) for part in value] if isinstance(value, list) else value
