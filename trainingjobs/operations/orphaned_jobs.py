"""Orphaned jobs: live jobs that a stack submitted and that its state does not know.

A run whose plugin was killed at submission leaves one: the engine forgets a creation whose call has failed. Where the
job is still declared, the next creation takes it over or replaces it; where it is not, nobody else would stop it.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import DECLARATION_LABEL, declaration, state_mark
from trainingjobs.components.tokens import VERTEX_JOB
from trainingjobs.operations.locks import age
from trainingjobs.operations.pending_operations import Deployment, Resource, resources
from trainingjobs.operations.pending_submissions import LATE
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.states import is_live
from trainingjobs.workloads.vertex import VertexWorkload, by_token, vertex_workload, vertex_workloads
from trainingjobs.workloads.vertex_resources import PACKAGE

PROVIDER: Final = f"pulumi:providers:{PACKAGE}"


@dataclass(frozen=True, slots=True)
class Traces:
    """What a state says of the jobs that its stack may have submitted.

    `marks`: how their declarations begin. `declared`: the declarations whose job a run creates, which takes an earlier
    attempt over or replaces it. `parents`: where the jobs are, by project and location. `failed`: names of components
    whose job is missing from the state, as after a submission that was cut off.
    """

    marks: frozenset[str]
    declared: frozenset[str]
    parents: frozenset[tuple[str, str]]
    failed: frozenset[str]


def traces(state: Deployment, stack: Stack, plans: Iterable[JobPlan]) -> Traces:
    """Returns the traces in a state; without marks where the stack has submitted nothing to Vertex AI yet."""
    all_resources, vertex = resources(state), [plan for plan in plans if plan.job.platform == "vertex"]
    ids = {resource["urn"]: str(resource["id"]) for resource in all_resources if _is_provider(resource)}
    marks = {state_mark(urn, state_id) for urn, state_id in ids.items()}
    submitted = [resource for resource in all_resources if by_token(resource["type"]) is not None]
    # What is deleted, or will be, in a replacement that was cut off is no job that the state has.
    kept_jobs = [job for job in submitted if not (job.get("delete") or job.get("pendingReplacement"))]
    known = {job["urn"] for job in kept_jobs}
    declared = {
        declaration(job_urn, state_id)
        for urn, state_id in ids.items()
        for plan in vertex
        # Nothing is created where the state has a job already: one beside it would run on.
        if (job_urn := _urn(plan, urn)) not in known
    }
    components = {resource["urn"] for resource in all_resources if resource["type"] == VERTEX_JOB}
    parents = {(str(job["inputs"]["project"]), str(job["inputs"]["location"])) for job in submitted}
    if components or vertex:
        parents.add((stack.project, stack.region))
    missing = components - {str(job.get("parent")) for job in kept_jobs}
    failed = frozenset(urn.rpartition("::")[2] for urn in missing)
    return Traces(frozenset(marks), frozenset(declared), frozenset(parents if marks else ()), failed)


def _is_provider(resource: Resource) -> bool:
    return resource["type"] == PROVIDER and bool(resource.get("id"))


def _urn(plan: JobPlan, sibling: str) -> str:
    """Returns the URN of a plan's job in the stack of another resource."""
    kind = vertex_workload(plan)
    return f"{'::'.join(sibling.split('::')[:2])}::{VERTEX_JOB}${kind.token}::{plan.name}"


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
    """Returns the live jobs that the stack has submitted: those with a mark of the traces. One list call a parent."""
    questions = [
        (kind, jobs.Parent(*parent, kind.collection)) for parent in sorted(left.parents) for kind in vertex_workloads()
    ]
    if not questions:
        return []
    with ThreadPoolExecutor(len(questions)) as at_once:
        answers = list(at_once.map(lambda question: _live(operation, question[0], question[1], left.marks), questions))
    # A pipeline's work is done by a custom job, which may have its labels: that one ends with the pipeline.
    own_jobs = [
        job for (kind, _), answer in zip(questions, answers, strict=True) for job in answer if not kind.backs_others
    ]
    marks_of_own = {_mark(job) for job in own_jobs}
    return [
        job
        for (kind, _), answer in zip(questions, answers, strict=True)
        for job in answer
        if not kind.backs_others or _mark(job) not in marks_of_own
    ]


def without(listed: Iterable[jobs.Job], names: Iterable[str]) -> list[jobs.Job]:
    """Returns the jobs that none of the names is of."""
    named = {_identity(name) for name in names}
    return [job for job in listed if _identity(str(job["name"])) not in named]


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


def _live(operation: Operation, kind: VertexWorkload, parent: jobs.Parent, marks: frozenset[str]) -> list[jobs.Job]:
    ended = "".join(f" AND state!={kind.state_prefix}{word}" for word in ("SUCCEEDED", "FAILED", "CANCELLED"))
    words = f"labels.{DECLARATION_LABEL}:*{ended}"
    labelled_jobs = jobs.listed(operation, parent, words, "looking for jobs that the state does not know")
    return [job for job in labelled_jobs if _mark(job).partition("-")[0] in marks and is_live(jobs.state_of(job))]


def _mark(job: jobs.Job) -> str:
    return jobs.label(job, DECLARATION_LABEL)


def _identity(name: str) -> tuple[str, ...]:
    # A project may be written as its id or its number.
    parts = jobs.parse_name(name)
    return (parts.location, parts.collection, parts.number) if parts else (name,)
