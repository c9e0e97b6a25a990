"""A stack's job as its service shows it: the newest of that name that this project submitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus

from infra.plan.job_plan import JobPlan
from infra.provider import jobs
from infra.provider.identity import LABEL
from infra.provider.service import call, vertex_url
from infra.spec.stack import Stack
from infra.watch import cluster
from infra.watch.services import check_sandbox, operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
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
        return self.state in jobs.ENDED or self.state == "ABSENT"

    def elapsed(self, now: datetime) -> float | None:
        """Returns the seconds from start to end, or to now; None before the start."""
        start = _time(self.started)
        return None if start is None else max(0.0, ((_time(self.ended) or now) - start).total_seconds())


def seen(plan: JobPlan, stack: Stack) -> Seen:
    """Returns the job as it is now. Raises ServiceError where the service cannot be asked."""
    return _in_vertex(plan, stack.project) if plan.job.platform == "vertex" else _in_cluster(plan, stack)


def _in_vertex(plan: JobPlan, project: str) -> Seen:
    check_sandbox()
    # Vertex AI's collections are its kinds in the plural.
    collection = f"{plan.kind}s"
    name = (plan.job.display_name or plan.name).replace('"', '\\"')
    where = f"projects/{project}/locations/{plan.region}/{collection}"
    words = quote_plus(f'display_name="{name}"')
    query = f"filter={words}&pageSize=100"
    found = call(operation(), "GET", vertex_url(plan.region, f"{where}?{query}"), f"listing {where}", project=project)
    # A job of the same name that somebody else submitted is not this one.
    own = [job for job in found.get(collection, []) if LABEL in (job.get("labels") or {})]
    if not own:
        return Seen()
    job = max(own, key=lambda one: str(one.get("createTime", "")))
    return Seen(
        id=str(job.get("name", "")),
        state=jobs.state_of(job),
        created=str(job.get("createTime", "")),
        started=str(job.get("startTime", "")),
        ended=str(job.get("endTime", "")),
        error=str((job.get("error") or {}).get("message", "")),
    )


def _in_cluster(plan: JobPlan, stack: Stack) -> Seen:
    api = cluster.connected(stack)
    name = cluster.job_of(plan)
    found = api.get(name.path, f"reading {name.full}")
    if found is None:
        return Seen()
    told: Mapping[str, Any] = cluster.observed(found)
    pods = cluster.pods(api, plan)
    state = str(told["state"]).removeprefix("JOB_STATE_")
    return Seen(
        id=name.full,
        state=state,
        created=str(found["metadata"].get("creationTimestamp", "")),
        started=str(told.get("startTime", "")),
        ended=str(told.get("endTime", "")),
        running=None if state in jobs.ENDED else sum(pod.phase == "Running" for pod in pods),
    )


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
