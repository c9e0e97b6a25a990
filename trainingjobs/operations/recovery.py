"""After a run that was cut off: `make up` and `make down` clear its lock, settle what it left pending, and go on.

A lock is cleared only when its process is dead on this machine. A job that the cut-off run may have submitted is taken
into the state, or stopped, and never submitted a second time. docs/operating.md, "After a crash", has the same by hand.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.vertex import jobs
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.locks import Lock, is_held, is_here, locks
from trainingjobs.operations.orphaned_jobs import Traces, described, is_declared, live_jobs, on_the_way, traces, without
from trainingjobs.operations.pending_operations import (
    CREATING,
    DELETING,
    Deployment,
    Pending,
    inputs_of,
    pending_operations,
    resources,
    settled,
)
from trainingjobs.operations.pending_submissions import (
    PendingSubmission,
    arrived,
    is_stopped,
    is_submission,
    operation_of,
    service_of,
    submitted,
)
from trainingjobs.operations.resource_ids import known_id
from trainingjobs.plan.stack import StackPlan
from trainingjobs.provider.job import delete
from trainingjobs.spec.stack import Stack


def free(engine: Engine, say: Callable[[str], None]) -> None:
    """Clears the lock of a run that is dead. StackError where it is alive, or another machine's."""
    dead_locks = refuse_held(engine)
    if dead_locks:
        names = ", ".join(map(str, dead_locks))
        say(f"an earlier run was killed and left the stack locked ({names}): clearing the lock")
        completed = engine.quiet("cancel", "--yes", "--stack", engine.stack)
        if completed.returncode:
            raise StackError(f"the lock cannot be cleared: {completed.stderr.strip()}")


def refuse_held(engine: Engine) -> list[Lock]:
    """Returns the stack's locks, of dead runs all. StackError where one is of a live run, or another machine's."""
    try:
        stack_locks = locks(engine.back_end(), engine.stack)
    except ValueError as problem:
        raise StackError(f"{problem}; `pulumi cancel --yes --stack {engine.stack}` clears it") from None
    for lock in stack_locks:
        if not is_here(lock):
            raise StackError(
                f"the stack is locked by {lock}, and this machine cannot see whether that still runs; "
                f"wait for its end, or if it is dead: `pulumi cancel --yes --stack {engine.stack}`"
            )
        if is_held(lock):
            raise StackError(f"the stack is locked by {lock}, which still runs; wait for its end, or stop it")
    return stack_locks


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a stack before a run, for the sweep after it.

    `has_orphans`: the service has, or may have, a job that neither the state nor the run knows.
    """

    stack: Stack
    left: Traces
    has_orphans: bool


def settle(
    engine: Engine,
    state: Deployment,
    plan: StackPlan,
    say: Callable[[str], None],
    *,
    down: bool,
) -> Before:
    """Settles what the last run left pending in the state. Returns what `sweep` needs.

    StackError where it cannot, and in prod where a job runs that the state does not know and that the run will
    neither take over nor replace: there no job is stopped that nobody named.
    """
    pending = pending_operations(state)
    submissions: dict[str, PendingSubmission] = {}
    if any(map(is_submission, pending)):
        # Keys are made of what the user wrote, secrets included: they go nowhere from here.
        with_secrets = pending_operations(engine.exported("--show-secrets"))
        submissions.update({submission.urn: submission for submission in submitted(with_secrets)})
    if pending:
        with _asking(engine, "an earlier run was cut off, and what it left cannot be settled"):
            adopted, ended = _looked_up(state, pending, submissions, say, down=down)
        state = settled(state, adopted, ended)
        _import(engine, state)
    # Before the run: it may take the provider's resource out of the state, and with it what its jobs are known by.
    left = traces(state, plan.stack, () if down else plan.jobs)
    _until_arrived(state, left, say)
    orphans = [job for job in _unknown(engine, plan.stack, left, state, say) if not is_declared(job, left)]
    _refuse_in_prod(plan.stack, orphans)
    for job in orphans:
        say(f"{described(job)}; it is stopped once the run is done (docs/operating.md says how such a job is kept)")
    return Before(plan.stack, left, has_orphans=bool(orphans or left.failed))


def sweep(engine: Engine, before: Before, state: Deployment, say: Callable[[str], None]) -> None:
    """Stops the live jobs of the stack that its state does not know: the state after a run that is done.

    StackError in prod, where it stops none, and where the service cannot be asked.
    """
    if not before.has_orphans:
        return
    # The run may have taken over what was none of its own before, and what was on its way may have come meanwhile.
    orphans = _unknown(engine, before.stack, before.left, state, say)
    _refuse_in_prod(before.stack, orphans)
    for job in orphans:
        say(f"{described(job)}; cancelling and deleting it")
        with _asking(engine, f"{job['name']} cannot be stopped"):
            delete(operation_of(say), str(job["name"]), {})


def _until_arrived(state: Deployment, left: Traces, say: Callable[[str], None]) -> None:
    # A run that looks earlier would submit the job a second time.
    wait = on_the_way(state, left)
    if wait:
        names = ", ".join(sorted(left.failed))
        say(f"{names}: the state has no job of it; its submission may be on its way yet: looking in {wait:.0f} s")
        time.sleep(wait)


def _unknown(
    engine: Engine, stack: Stack, left: Traces, state: Deployment, say: Callable[[str], None]
) -> list[jobs.Job]:
    known = (str(resource.get("id")) for resource in resources(state))
    with _asking(engine, "whether jobs of this stack were left behind cannot be looked up"):
        return without(live_jobs(operation_of(say), left), (*known, *(stack.keep_jobs or ())))


def _refuse_in_prod(stack: Stack, orphans: Iterable[jobs.Job]) -> None:
    reasons = [
        f"{described(job)}. In prod it is yours to judge: stop it with `{jobs.name_of(job).cancel_command}`, "
        f"or keep it by `training:keepJobs: [{job['name']}]` in the stack's file"
        for job in orphans
    ]
    if reasons and stack.environment == "prod":
        raise StackError("\n".join(reasons))


def _looked_up(
    state: Deployment,
    pending: Iterable[Pending],
    submissions: Mapping[str, PendingSubmission],
    say: Callable[[str], None],
    *,
    down: bool,
) -> tuple[dict[str, str], set[str]]:
    """Returns the ids of what was being created, by URN, and the URNs of jobs that only have to be deleted."""
    adopted: dict[str, str] = {}
    ended: set[str] = set()
    for operation in pending:
        cut_off = f"an earlier run was cut off while {operation.what} {operation.name}"
        if operation.what == CREATING:
            say(cut_off)
            resource_id = _id_of(operation, state, submissions, say)
            if resource_id is not None:
                adopted[operation.urn] = resource_id
                say(f"{resource_id}: taken into the state")
        elif operation.what == DELETING and not down and is_stopped(operation, say):
            say(f"{cut_off}: it is stopped already, its deletion will be finished")
            ended.add(operation.urn)
        else:
            say(f"{cut_off}: it is looked at first")
    return adopted, ended


def _id_of(
    operation: Pending, state: Deployment, submissions: Mapping[str, PendingSubmission], say: Callable[[str], None]
) -> str | None:
    if is_submission(operation):
        return arrived(submissions[operation.urn], say)
    resource = operation.resource
    provider = inputs_of(str(resource.get("provider", "")), state)
    return known_id(str(resource["type"]), resource.get("inputs") or {}, provider)


def _import(engine: Engine, deployment: Deployment) -> None:
    with tempfile.TemporaryDirectory(prefix="training-state-") as folder:
        path = Path(folder) / "state.json"
        path.write_text(json.dumps({"version": 3, "deployment": deployment}), encoding="utf-8")
        completed = engine.quiet("stack", "import", "--stack", engine.stack, "--file", str(path))
    if completed.returncode:
        refuse_held(engine)
        raise StackError(f"the state cannot be settled: {completed.stderr.strip()}; docs/operating.md says how by hand")


@contextmanager
def _asking(engine: Engine, otherwise: str) -> Iterator[None]:
    try:
        with service_of(engine.environment):
            yield
    except (ServiceError, Interrupted) as problem:
        raise StackError(f"{otherwise}: {problem}") from None
