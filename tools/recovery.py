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
from typing import TYPE_CHECKING

from infra.plan.job_plan import JobPlan
from infra.provider import jobs
from infra.provider.errors import Interrupted, ServiceError
from infra.provider.job import delete
from infra.spec.stack import Stack
from tools.doubts import Doubt, arrived, asking, is_stopped, is_submission, service_of, submitted
from tools.known_ids import known_id
from tools.locks import Lock, is_held, is_here, locks
from tools.pending import CREATING, DELETING, Deployment, Pending, inputs_of, pending_operations, resources, settled
from tools.strays import Traces, described, is_declared, live_jobs, on_the_way, traces, without

if TYPE_CHECKING:
    from tools.stack_engine import Engine


class RecoveryError(Exception):
    """Why the stack cannot be used yet, and what to do; one message."""


def free(engine: Engine, say: Callable[[str], None]) -> None:
    """Clears the lock of a run that is dead. RecoveryError where it is alive, or another machine's."""
    found = refuse_held(engine)
    if found:
        say(f"an earlier run was killed and left the stack locked ({', '.join(map(str, found))}): clearing the lock")
        done = engine.quiet("cancel", "--yes", "--stack", engine.stack)
        if done.returncode:
            raise RecoveryError(f"the lock cannot be cleared: {done.stderr.strip()}")


def refuse_held(engine: Engine) -> list[Lock]:
    """Returns the stack's locks, of dead runs all. RecoveryError where one is of a live run, or another machine's."""
    try:
        found = locks(engine.back_end(), engine.stack)
    except ValueError as problem:
        raise RecoveryError(f"{problem}; `pulumi cancel --yes --stack {engine.stack}` clears it") from None
    for lock in found:
        if not is_here(lock):
            raise RecoveryError(
                f"the stack is locked by {lock}, and this machine cannot see whether that still runs; "
                f"wait for its end, or if it is dead: `pulumi cancel --yes --stack {engine.stack}`"
            )
        if is_held(lock):
            raise RecoveryError(f"the stack is locked by {lock}, which still runs; wait for its end, or stop it")
    return found


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a stack before a run, for the sweep after it.

    `doubtful`: the service has a job that neither the state nor the run knows, or the state lacks one.
    """

    stack: Stack
    left: Traces
    doubtful: bool


def settle(
    engine: Engine,
    state: Deployment,
    stack: Stack,
    plans: Iterable[JobPlan],
    say: Callable[[str], None],
    *,
    down: bool,
) -> Before:
    """Settles what the last run left pending in the state. Returns what `sweep` needs.

    RecoveryError where it cannot, and in prod where a job runs that the state does not know and that the run will
    neither take over nor replace: there no job is stopped that nobody named.
    """
    pending = pending_operations(state)
    doubts: dict[str, Doubt] = {}
    if any(map(is_submission, pending)):
        # Keys are made of what the user wrote, secrets included: they go nowhere from here.
        shown = pending_operations(engine.exported("--show-secrets"))
        doubts.update({one.urn: one for one in submitted(shown)})
    if pending:
        with _asking(engine, "an earlier run was cut off, and what it left cannot be settled"):
            adopted, ended = _looked_up(state, pending, doubts, say, down=down)
        state = settled(state, adopted, ended)
        _import(engine, state)
    # Before the run: it may take the provider's resource out of the state, and with it what its jobs are known by.
    left = traces(state, stack, () if down else plans)
    _until_arrived(state, left, say)
    strays = [job for job in _unknown(engine, stack, left, state, say) if not is_declared(job, left)]
    _refuse_in_prod(stack, strays)
    for job in strays:
        say(f"{described(job)}; it is stopped once the run is done (docs/operating.md says how such a job is kept)")
    return Before(stack, left, doubtful=bool(strays or left.failed))


def sweep(engine: Engine, before: Before, state: Deployment, say: Callable[[str], None]) -> None:
    """Stops the live jobs of the stack that its state does not know: the state after a run that is done.

    RecoveryError in prod, where it stops none, and where the service cannot be asked.
    """
    if not before.doubtful:
        return
    # The run may have taken over what was none of its own before, and what was on its way may have come meanwhile.
    strays = _unknown(engine, before.stack, before.left, state, say)
    _refuse_in_prod(before.stack, strays)
    for job in strays:
        say(f"{described(job)}; cancelling and deleting it")
        with _asking(engine, f"{job['name']} cannot be stopped"):
            delete(asking(say), str(job["name"]), {})


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
    known = (str(one.get("id")) for one in resources(state))
    with _asking(engine, "whether jobs of this stack were left behind cannot be looked up"):
        return without(live_jobs(asking(say), left), (*known, *(stack.keep_jobs or ())))


def _refuse_in_prod(stack: Stack, strays: Iterable[jobs.Job]) -> None:
    said = [
        f"{described(job)}. In prod it is yours to judge: stop it with `{jobs.name_of(job).cancel_command}`, "
        f"or keep it by `training:keepJobs: [{job['name']}]` in the stack's file"
        for job in strays
    ]
    if said and stack.environment == "prod":
        raise RecoveryError("\n".join(said))


def _looked_up(
    state: Deployment,
    pending: Iterable[Pending],
    doubts: Mapping[str, Doubt],
    say: Callable[[str], None],
    *,
    down: bool,
) -> tuple[dict[str, str], set[str]]:
    """Returns the ids of what was being created, by URN, and the URNs of jobs that only have to be deleted."""
    adopted: dict[str, str] = {}
    ended: set[str] = set()
    for one in pending:
        cut_off = f"an earlier run was cut off while {one.what} {one.name}"
        if one.what == CREATING:
            say(cut_off)
            found = _id_of(one, state, doubts, say)
            if found is not None:
                adopted[one.urn] = found
                say(f"{found}: taken into the state")
        elif one.what == DELETING and not down and is_stopped(one, say):
            say(f"{cut_off}: it is stopped already, its deletion will be finished")
            ended.add(one.urn)
        else:
            say(f"{cut_off}: it is looked at first")
    return adopted, ended


def _id_of(one: Pending, state: Deployment, doubts: Mapping[str, Doubt], say: Callable[[str], None]) -> str | None:
    if is_submission(one):
        return arrived(doubts[one.urn], say)
    provider = inputs_of(str(one.resource.get("provider", "")), state)
    return known_id(str(one.resource["type"]), one.resource.get("inputs") or {}, provider)


def _import(engine: Engine, deployment: Deployment) -> None:
    with tempfile.TemporaryDirectory(prefix="training-state-") as folder:
        path = Path(folder) / "state.json"
        path.write_text(json.dumps({"version": 3, "deployment": deployment}), encoding="utf-8")
        done = engine.quiet("stack", "import", "--stack", engine.stack, "--file", str(path))
    if done.returncode:
        refuse_held(engine)
        raise RecoveryError(f"the state cannot be settled: {done.stderr.strip()}; docs/operating.md says how by hand")


@contextmanager
def _asking(engine: Engine, otherwise: str) -> Iterator[None]:
    try:
        with service_of(engine.environment):
            yield
    except (ServiceError, Interrupted) as problem:
        raise RecoveryError(f"{otherwise}: {problem}") from None
