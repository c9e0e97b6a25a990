"""A stack's job as its service shows it: the newest of that name that this project submitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from trainingjobs.clients.kubernetes.jobs import observed
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import LABEL
from trainingjobs.operations import pods
from trainingjobs.operations.services import check_sandbox, operation
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.states import ENDED
from trainingjobs.workloads.vertex import vertex_workload


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedJob:
    """What a service says of a job; `state` is ABSENT where it has none, `running` None where it does not count or
    nothing runs any more."""

    id: str = ""
    state: str = "ABSENT"
    created: str = ""
    started: str = ""
    ended: str = ""
    error: str = ""
    running: int | None = None

    @property
    def has_ended(self) -> bool:
        """Returns whether nothing more will come of it."""
        return self.state in ENDED or self.state == "ABSENT"

    def elapsed(self, now: datetime) -> float | None:
        """Returns the seconds from start to end, or to now; None before the start."""
        start = _time(self.started)
        return None if start is None else max(0.0, ((_time(self.ended) or now) - start).total_seconds())


def observe(plan: JobPlan, stack: Stack) -> ObservedJob:
    """Returns the job as it is now. Raises ServiceError where the service cannot be asked."""
    return _in_vertex(plan, stack.project) if plan.job.platform == "vertex" else _in_cluster(plan, stack)


def _in_vertex(plan: JobPlan, project: str) -> ObservedJob:
    check_sandbox()
    name = (plan.job.display_name or plan.name).replace('"', '\\"')
    parent = jobs.Parent(project, plan.region, vertex_workload(plan).collection)
    path = f"projects/{project}/locations/{plan.region}/{parent.collection}"
    named_jobs = jobs.listed(operation(), parent, f'display_name="{name}"', f"listing {path}")
    # A job of the same name that somebody else submitted is not this one.
    own_jobs = [job for job in named_jobs if LABEL in (job.get("labels") or {})]
    if not own_jobs:
        return ObservedJob()
    job = max(own_jobs, key=lambda job: str(job.get("createTime", "")))
    return ObservedJob(
        id=str(job.get("name", "")),
        state=jobs.state_of(job),
        created=str(job.get("createTime", "")),
        started=str(job.get("startTime", "")),
        ended=str(job.get("endTime", "")),
        error=str((job.get("error") or {}).get("message", "")),
    )


def _in_cluster(plan: JobPlan, stack: Stack) -> ObservedJob:
    api = pods.connected(stack)
    name = pods.job_of(plan)
    body = api.get(name.path, f"reading {name.full}")
    if body is None:
        return ObservedJob()
    outputs: Mapping[str, Any] = observed(body)
    replicas = pods.pods(api, plan)
    state = str(outputs["state"]).removeprefix("JOB_STATE_")
    return ObservedJob(
        id=name.full,
        state=state,
        created=str(body["metadata"].get("creationTimestamp", "")),
        started=str(outputs.get("startTime", "")),
        ended=str(outputs.get("endTime", "")),
        running=None if state in ENDED else sum(pod.phase == "Running" for pod in replicas),
    )


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
