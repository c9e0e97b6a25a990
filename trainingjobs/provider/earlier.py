"""Earlier attempts at a declaration: jobs of runs that were cut off at submission, which its state does not know.

An attempt at the same document carries the same key and stands for the job. One at another document (edited since)
carries the declaration's mark only: it makes way, as the old job of a replacement does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import DECLARATION_LABEL, LABEL
from trainingjobs.clients.vertex.jobs import Job, Parent
from trainingjobs.workloads.states import is_live


def attempts(op: Operation, parent: Parent, key: str, mark: str) -> tuple[list[Job], list[Job]]:
    """Returns the jobs that carry the key, and the live ones of the same declaration with another key; oldest first."""
    # One list for both: jobs that earlier versions submitted carry the key alone.
    words = f"labels.{LABEL}={key} OR labels.{DECLARATION_LABEL}={mark}"
    candidates = jobs.listed(op, parent, words, "looking for an earlier attempt at this job")
    # Another person's job must never be taken for this one, whatever a filter lets through.
    with_key = [job for job in candidates if jobs.label(job, LABEL) == key]
    other_attempts = [job for job in candidates if jobs.label(job, DECLARATION_LABEL) == mark and job not in with_key]
    return with_key, [job for job in other_attempts if is_live(jobs.state_of(job))]


def in_the_way(op: Operation, others: Sequence[Job], inputs: Mapping[str, object], *, taken_over: bool) -> list[Job]:
    """Returns those of the other attempts that are to be stopped before the job is submitted; says what they are.

    In prod none is, unless the inputs allow it: ServiceError, but a warning where an attempt at the job itself is taken
    over, since its id must come to the state.
    """
    guarded = inputs.get("environment") == "prod" and inputs.get("allowReplaceWhileRunning") is not True
    for job in others:
        name = jobs.name_of(job)
        description = (
            f"{name.full} ({jobs.state_of(job)}) was submitted for this declaration by an earlier run that was cut off"
        )
        if not guarded:
            op.warn(f"{description}, as another document said then; it is cancelled and deleted")
            continue
        refusal = (
            f"{description}, and would be cancelled in prod; stop it with `{name.cancel_command}`, wait for its end, "
            f"or set allowReplaceWhileRunning: true on the job"
        )
        if not taken_over:
            raise ServiceError(refusal)
        op.warn(refusal)
    return [] if guarded else list(others)
