"""Jobs in doubt: those that a run which was cut off may have submitted without the state's knowledge.

Each is found again at the service by the key that its submission carries. Owns no state: see recovery.py.
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

from infra.components.tokens import VERTEX_JOB
from infra.plan.job_plan import JobPlan
from infra.provider import jobs
from infra.provider.fields import PACKAGE
from infra.provider.identity import job_key
from infra.provider.job import delete
from infra.provider.kinds import KINDS, kind_of
from infra.provider.operation import Operation
from infra.provider.service import ENDPOINT_VARIABLE, SANDBOX_VARIABLE, TOKEN_VARIABLE
from infra.provider.values import from_struct, to_struct
from infra.spec.stack import Stack
from tools.pending import CREATING, Deployment, Pending, resources

Say = Callable[[str], None]

# Seconds: a submission that was on its way when its run was cut off has arrived by then.
LATE: Final = 5.0
PROVIDER: Final = f"pulumi:providers:{PACKAGE}"
# The engine's mark of a secret value (sdk/v3/go/common/resource/properties.go).
SECRET_MARK: Final = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True, slots=True)
class Doubt:
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
        kind = kind_of(self.urn)
        return jobs.with_key(operation, self.project, self.location, self.key, kind.collection) if kind else []


def is_submission(one: Pending) -> bool:
    """Returns whether a job was being submitted."""
    return one.what == CREATING and one.resource["type"] in KINDS


def submitted(pending: Iterable[Pending]) -> Iterator[Doubt]:
    """Yields the jobs that were being submitted; secrets among their inputs have to be shown."""
    for one in filter(is_submission, pending):
        inputs = from_struct(to_struct(_revealed(one.resource["inputs"])))
        state_id = str(one.resource["provider"]).rpartition("::")[2]
        yield Doubt(one.urn, str(inputs["project"]), str(inputs["location"]), job_key(one.urn, inputs, state_id))


def declared(state: Deployment, stack: Stack, plans: Iterable[JobPlan]) -> Iterator[Doubt]:
    """Yields the declared Vertex AI jobs that the state does not know though it knows their components."""
    known = {one["urn"] for one in resources(state) if one["type"] in KINDS}
    provider = next((str(one["id"]) for one in resources(state) if one["type"] == PROVIDER), None)
    parents = {one["urn"].rpartition("::")[2]: one["urn"] for one in resources(state) if one["type"] == VERTEX_JOB}
    for plan in plans:
        parent = parents.get(plan.name)
        if provider is None or parent is None:
            continue
        urn = f"{parent.rpartition('::')[0]}${PACKAGE}:vertex:{plan.kind[0].upper()}{plan.kind[1:]}::{plan.name}"
        if urn not in known:
            yield Doubt(urn, stack.project, stack.region, job_key(urn, _content(plan), provider))


def _content(plan: JobPlan) -> dict[str, object]:
    """Returns what of the component's inputs decides on the key."""
    document = plan.job.model_dump(mode="json", by_alias=True, exclude_unset=True)
    content = {"document": document, "encryptionSpec": document.get("encryptionSpec"), "run": plan.job.run}
    return from_struct(to_struct(content))


def arrived(doubt: Doubt, say: Say) -> str | None:
    """Returns the name of the job that stands for the submission, live or succeeded, after a second look; else None."""
    operation = _operation(doubt.urn, say)
    for wait in (0.0, LATE):
        time.sleep(wait)
        job = jobs.standing(operation, doubt.attempts(operation))
        if job is not None:
            return str(job["name"])
        if not wait:
            say(f"{doubt.name}: the service has no such job; looking once more in {LATE:.0f} s")
    return None


def stop_strays(doubt: Doubt, known: Iterable[str], say: Say) -> None:
    """Cancels and deletes the live jobs of the doubt that are not among the known names."""
    operation = _operation(doubt.urn, say)
    kept = set(known)
    for job in doubt.attempts(operation):
        if jobs.is_live(jobs.state_of(job)) and job["name"] not in kept:
            say(f"{doubt.name}: {job['name']} was submitted by a run that was cut off; stopping it")
            delete(operation, str(job["name"]), {})


def is_stopped(one: Pending, say: Say) -> bool:
    """Returns whether the job's deletion has taken effect so far that it will never go on."""
    name = jobs.parse_name(one.resource.get("id"))
    if one.resource["type"] not in KINDS or name is None:
        return False
    job = jobs.get(_operation(one.urn, say), name)
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


def _operation(urn: str, say: Say) -> Operation:
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
