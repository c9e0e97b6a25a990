"""Strays: live jobs that a stack submitted and that its state does not know.

A run whose plugin was killed at submission leaves one: the engine forgets a creation whose call has failed. Where the
job is still declared, the next creation takes it over or replaces it; where it is not, nobody else would stop it.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from infra.components.tokens import VERTEX_JOB
from infra.plan.job_plan import JobPlan
from infra.provider import jobs
from infra.provider.fields import PACKAGE
from infra.provider.identity import DECLARATION_LABEL, declaration, state_mark
from infra.provider.kinds import KINDS
from infra.provider.operation import Operation
from infra.spec.stack import Stack
from tools.doubts import LATE
from tools.locks import age
from tools.pending import Deployment, resources

PROVIDER: Final = f"pulumi:providers:{PACKAGE}"
# Vertex AI's states of jobs and of pipelines differ in their first word.
_FIRST_WORDS: Final = {"trainingPipelines": "PIPELINE"}


@dataclass(frozen=True, slots=True)
class Traces:
    """What a state says of the jobs that its stack may have submitted.

    `marks`: how their declarations begin. `declared`: the declarations whose job a run creates, which takes an earlier
    attempt over or replaces it. `places`: where the jobs are, by project and location. `failed`: names of components
    whose job is missing from the state, as after a submission that was cut off.
    """

    marks: frozenset[str]
    declared: frozenset[str]
    places: frozenset[tuple[str, str]]
    failed: frozenset[str]


def traces(state: Deployment, stack: Stack, plans: Iterable[JobPlan]) -> Traces:
    """Returns the traces in a state; without marks where the stack has submitted nothing to Vertex AI yet."""
    found, vertex = resources(state), [plan for plan in plans if plan.job.platform == "vertex"]
    ids = {one["urn"]: str(one["id"]) for one in found if one["type"] == PROVIDER and one.get("id")}
    marks = {state_mark(urn, state_id) for urn, state_id in ids.items()}
    submitted = [one for one in found if one["type"] in KINDS]
    # What is deleted, or will be, in a replacement that was cut off is no job that the state has.
    kept = [one for one in submitted if not (one.get("delete") or one.get("pendingReplacement"))]
    known = {one["urn"] for one in kept}
    declared = {
        declaration(job_urn, state_id)
        for urn, state_id in ids.items()
        for plan in vertex
        # Nothing is created where the state has a job already: one beside it would run on.
        if (job_urn := _urn(plan, urn)) not in known
    }
    components = {one["urn"] for one in found if one["type"] == VERTEX_JOB}
    places = {(str(one["inputs"]["project"]), str(one["inputs"]["location"])) for one in submitted}
    if components or vertex:
        places.add((stack.project, stack.region))
    missing = components - {str(one.get("parent")) for one in kept}
    failed = frozenset(urn.rpartition("::")[2] for urn in missing)
    return Traces(frozenset(marks), frozenset(declared), frozenset(places if marks else ()), failed)


def _urn(plan: JobPlan, beside: str) -> str:
    """Returns the URN of a plan's job in the stack of another resource."""
    token = next(token for token, kind in KINDS.items() if kind.collection == f"{plan.kind}s")
    return f"{'::'.join(beside.split('::')[:2])}::{VERTEX_JOB}${token}::{plan.name}"


def on_the_way(state: Deployment, left: Traces) -> float:
    """Returns the seconds until a submission that was on its way when the last run ended has arrived, 0 where none was.

    The engine writes the state, with the time, when a run ends: after a failed submission too.
    """
    if not (left.failed and left.marks):
        return 0.0
    ended = (state.get("manifest") or {}).get("time")
    # Another machine's clock may be ahead.
    return max(0.0, min(LATE, LATE - age(ended))) if ended else LATE


def live_jobs(operation: Operation, left: Traces) -> list[jobs.Job]:
    """Returns the live jobs that the stack has submitted: those with a mark of the traces. One list call a place."""
    places = [jobs.Place(*place, kind.collection) for place in sorted(left.places) for kind in KINDS.values()]
    if not places:
        return []
    with ThreadPoolExecutor(len(places)) as at_once:
        found = list(at_once.map(lambda place: _live(operation, place, left.marks), places))
    # A pipeline's work is done by a custom job, which may have its labels: that one ends with the pipeline.
    above = {_mark(job) for place, listed in zip(places, found, strict=True) for job in listed if _is_above(place)}
    return [
        job
        for place, listed in zip(places, found, strict=True)
        for job in listed
        if _is_above(place) or _mark(job) not in above
    ]


def without(found: Iterable[jobs.Job], names: Iterable[str]) -> list[jobs.Job]:
    """Returns the jobs that none of the names is of."""
    named = {_identity(name) for name in names}
    return [job for job in found if _identity(str(job["name"])) not in named]


def is_declared(job: jobs.Job, left: Traces) -> bool:
    """Returns whether the run creates what the job was submitted for: it takes the job over, or replaces it."""
    return _mark(job) in left.declared


def described(job: jobs.Job) -> str:
    """Returns the job's name, state and age, and why nobody knows it."""
    return (
        f"{job['name']} ({job.get('displayName', 'no name')}, {jobs.state_of(job)} since {job.get('createTime', '?')}) "
        f"was submitted by this stack and its state does not know it: a run was cut off while it submitted the job, or "
        f"the job was taken out of the state"
    )


def _live(operation: Operation, place: jobs.Place, marks: frozenset[str]) -> list[jobs.Job]:
    first = _FIRST_WORDS.get(place.collection, "JOB")
    ended = "".join(f" AND state!={first}_STATE_{word}" for word in ("SUCCEEDED", "FAILED", "CANCELLED"))
    words = f"labels.{DECLARATION_LABEL}:*{ended}"
    found = jobs.listed(operation, place, words, "looking for jobs that the state does not know")
    return [job for job in found if _mark(job).partition("-")[0] in marks and jobs.is_live(jobs.state_of(job))]


def _mark(job: jobs.Job) -> str:
    return jobs.label(job, DECLARATION_LABEL)


def _is_above(place: jobs.Place) -> bool:
    return place.collection != "customJobs"


def _identity(name: str) -> tuple[str, ...]:
    # A project may be written as its id or its number.
    parts = jobs.parse_name(name)
    return (parts.location, parts.collection, parts.number) if parts else (name,)
