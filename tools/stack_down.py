"""`make down`: destroys what a stack's state holds, also where the stack's file is broken or gone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from infra.cli.inputs import Judged
from infra.problems import did_you_mean, render_findings
from infra.project_files import stack_names
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from infra.watch import services
from sandbox import lifecycle
from sandbox.state import state_folder
from tools import cluster, recovery
from tools.interrupt import INTERRUPTED
from tools.pending import Deployment, pending_operations, resources
from tools.protection import refusal
from tools.stack_engine import ROOT, Engine, StackError, say
from tools.stack_setting import (
    in_place,
    own_environment,
    sandbox_environment,
    sandbox_project,
    secrets_of,
    write_project,
)
from tools.state_file import forgetting, lost, sandbox_backend, state_file

GOOGLE = "pulumi:providers:gcp"


def down(stack: str, judged: Judged, *, yes: bool) -> int:
    """Destroys the stack, and stops the sandbox where it is in it; returns the engine's exit status.

    Nothing to destroy is no error. Raises StackError where something of the stack is protected, before anything is
    touched, and for a misspelled name.
    """
    in_sandbox = _is_in_sandbox(stack, judged.stack)
    if in_sandbox and not _has_state(stack):
        return _nothing(stack, in_sandbox=True)
    environment = sandbox_environment() if in_sandbox else own_environment()
    with ExitStack() as around:
        if in_sandbox:
            around.enter_context(in_place(state_folder()))
        return _destroy(stack, judged, environment, yes=yes or in_sandbox, in_sandbox=in_sandbox)


def _destroy(stack: str, judged: Judged, environment: dict[str, str], *, yes: bool, in_sandbox: bool) -> int:
    with _project(stack, judged.stack, environment, in_sandbox=in_sandbox) as project:
        engine = Engine(stack, project, environment)
        recovery.free(engine, say)
        state = _state(engine)
        if not (resources(state) or pending_operations(state)):
            return _nothing(stack, in_sandbox=in_sandbox)
        if judged.stack is None:
            say(f"the stack's file cannot be used, its state is enough:\n{render_findings(judged.findings)}")
        if in_sandbox and _has_cluster(state):
            engine.environment = cluster.cluster_environment(environment, say)
        before = recovery.settle(engine, state, judged.stack or _stack_of(state), judged.plans, say, down=True)
        # A job that nobody named is told first: both have to be put right.
        if protected := refusal(stack, state, judged):
            raise StackError(f"{protected}{f'; or: {forgetting(state_folder())}' if in_sandbox else ''}")
        status = engine.run("destroy", *(("--yes", "--skip-preview") if yes else ()))
        if status == 0:
            recovery.sweep(engine, before, engine.exported(), say)
        elif status != INTERRUPTED:
            recovery.refuse_held(engine)
    if in_sandbox and status == 0:
        _stop()
    return status


def _is_in_sandbox(stack: str, read: Stack | None) -> bool:
    return services.in_sandbox(read.environment) if read else services.in_sandbox(None) or _has_state(stack)


def _has_state(stack: str) -> bool:
    """Returns whether the sandbox's back end has a state of the stack."""
    return state_file(sandbox_backend(state_folder()), stack) is not None


def _state(engine: Engine) -> Deployment:
    """Returns the stack's state, empty where there is none."""
    try:
        return engine.state()
    except StackError:
        _refuse_misspelled(engine.stack)
        raise


def _refuse_misspelled(stack: str) -> None:
    names = stack_names()
    near = None if stack in names or _has_state(stack) else did_you_mean(stack, names)
    if near:
        raise StackError(f"no such stack: {stack}; did you mean {near}?")


def _nothing(stack: str, *, in_sandbox: bool) -> int:
    _refuse_misspelled(stack)
    if in_sandbox and (gone := lost(state_folder())):
        raise StackError(gone)
    say(f"nothing to destroy: {'the sandbox' if in_sandbox else 'the state back end'} holds nothing of {stack}")
    if in_sandbox and state_folder().exists():
        _stop()
    return 0


def _stop() -> None:
    say(f"sandbox: {lifecycle.stop(state_folder())}")


@contextmanager
def _project(stack: str, read: Stack | None, environment: dict[str, str], *, in_sandbox: bool) -> Iterator[Path]:
    """Yields the project folder: one with a bare file of the stack where its own cannot be used."""
    if read is not None:
        yield sandbox_project(stack, environment) if in_sandbox else ROOT
        return
    own = state_folder() / "project" if in_sandbox else ROOT / "stacks"
    text = "config: {}\n" + "".join(secrets_of(own / f"Pulumi.{stack}.yaml"))
    with tempfile.TemporaryDirectory(prefix="training-project-") as folder:
        yield write_project(Path(folder), stack, text)


def _has_cluster(state: Deployment) -> bool:
    return any(str(one["type"]).startswith("kubernetes:") for one in resources(state))


def _stack_of(state: Deployment) -> Stack:
    """Returns what a state says of its stack. In doubt it is prod: there no job is stopped that nobody named."""
    found = resources(state)
    google = next((one.get("inputs") or {} for one in found if one["type"] == GOOGLE), {})
    said = (str(environment) for one in found if (environment := (one.get("inputs") or {}).get("environment")))
    document = {
        "project": google.get("project", ""),
        "region": google.get("region", ""),
        "environment": next(said, "prod"),
    }
    reading = read_model(Stack, document)
    if not isinstance(reading.value, Stack):
        raise StackError("the state does not say its project: pulumi destroy (docs/operating.md)")
    return reading.value
