"""`trainingjobs down`: destroys what a stack's state holds, also where the stack's file is broken or gone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainingjobs.core.findings import did_you_mean, render_findings
from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations import display, recovery, sandbox, services
from trainingjobs.operations.display import say
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.pending_operations import Deployment, pending_operations, resources
from trainingjobs.operations.project_folders import sandbox_project, secrets_of, write_project
from trainingjobs.operations.protection import refusal
from trainingjobs.operations.run_environment import own_environment
from trainingjobs.operations.state_file import discard_commands, missing_state_fix, sandbox_backend, state_file
from trainingjobs.plan.stack import StackPlan
from trainingjobs.project.files import project, stack_names
from trainingjobs.project.sandbox_folder import state_folder
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.terminal.interrupt import INTERRUPTED

GOOGLE = "pulumi:providers:gcp"


def down(stack: str, judgement: Judgement, *, yes: bool) -> int:
    """Destroys the stack, and stops the sandbox where it is in it; returns the engine's exit status.

    Nothing to destroy is no error. Raises StackError where something of the stack is protected, before anything is
    touched, and for a misspelled name.
    """
    in_sandbox = _is_in_sandbox(stack, judgement.stack)
    if not in_sandbox:
        return _destroy(stack, judgement, own_environment(), yes=yes, in_sandbox=False)
    if not _has_state(stack):
        return _nothing(stack, in_sandbox=True)
    environment = _started(cluster=False)
    with sandbox.in_place(state_folder()):
        return _destroy(stack, judgement, environment, yes=True, in_sandbox=True)


def _started(*, cluster: bool) -> dict[str, str]:
    message, environment = sandbox.start(cluster=cluster, quiet=display.is_quiet())
    if not cluster:
        say(f"sandbox: {message}")
    return environment


def _destroy(stack: str, judgement: Judgement, environment: dict[str, str], *, yes: bool, in_sandbox: bool) -> int:
    with _project_folder(stack, judgement.stack, in_sandbox=in_sandbox) as folder:
        engine = Engine(stack, environment, folder)
        recovery.free(engine, say)
        state = _state(engine)
        if not (resources(state) or pending_operations(state)):
            return _nothing(stack, in_sandbox=in_sandbox)
        if judgement.stack is None:
            say(f"the stack's file cannot be used, its state is enough:\n{render_findings(judgement.findings)}")
        if in_sandbox and _has_cluster(state):
            engine.environment = _started(cluster=True)
        plan = judgement.plan if judgement.stack else StackPlan(stack=_stack_of(state), jobs=judgement.plans)
        before = recovery.settle(engine, state, plan, say, down=True)
        # A job that nobody named is told first: both have to be put right.
        if protected := refusal(stack, state, judgement):
            raise StackError(f"{protected}{f'; or: {discard_commands(state_folder())}' if in_sandbox else ''}")
        status = engine.run("destroy", *(("--yes", "--skip-preview") if yes else ()))
        if status == 0:
            recovery.sweep(engine, before, engine.exported(), say)
        elif status != INTERRUPTED:
            recovery.refuse_held(engine)
    if in_sandbox and status == 0:
        _stop()
    return status


def _is_in_sandbox(stack: str, spec: Stack | None) -> bool:
    return services.in_sandbox(spec.environment) if spec else services.in_sandbox(None) or _has_state(stack)


def _has_state(stack: str) -> bool:
    """Returns whether the sandbox's back end has a state of the stack."""
    return state_file(sandbox_backend(state_folder()), stack) is not None


def _state(engine: Engine) -> Deployment:
    """Returns the stack's state, empty where there is none."""
    try:
        return engine.state() or {}
    except StackError:
        _refuse_misspelled(engine.stack)
        raise


def _refuse_misspelled(stack: str) -> None:
    names = stack_names()
    nearest = None if stack in names or _has_state(stack) else did_you_mean(stack, names)
    if nearest:
        raise StackError(f"no such stack: {stack}; did you mean {nearest}?")


def _nothing(stack: str, *, in_sandbox: bool) -> int:
    _refuse_misspelled(stack)
    if in_sandbox and (reason := missing_state_fix(state_folder())):
        raise StackError(reason)
    say(f"nothing to destroy: {'the sandbox' if in_sandbox else 'the state back end'} holds nothing of {stack}")
    if in_sandbox and state_folder().exists():
        _stop()
    return 0


def _stop() -> None:
    say(f"sandbox: {sandbox.stop()}")


@contextmanager
def _project_folder(stack: str, spec: Stack | None, *, in_sandbox: bool) -> Iterator[Path]:
    """Yields the project folder: one with a bare file of the stack where its own cannot be used."""
    if spec is not None:
        yield sandbox_project(stack, state_folder(), spec.environment) if in_sandbox else project().root
        return
    file = state_folder() / "project" / f"Pulumi.{stack}.yaml" if in_sandbox else project().stack_file(stack)
    text = "config: {}\n" + "".join(secrets_of(file))
    with tempfile.TemporaryDirectory(prefix="training-project-") as folder:
        yield write_project(Path(folder), stack, text)


def _has_cluster(state: Deployment) -> bool:
    return any(str(resource["type"]).startswith("kubernetes:") for resource in resources(state))


def _stack_of(state: Deployment) -> Stack:
    """Returns what a state says of its stack. In doubt it is prod: there no job is stopped that nobody named."""
    all_resources = resources(state)
    google = next((resource.get("inputs") or {} for resource in all_resources if resource["type"] == GOOGLE), {})
    environments = (
        str(environment)
        for resource in all_resources
        if (environment := (resource.get("inputs") or {}).get("environment"))
    )
    document = {
        "project": google.get("project", ""),
        "region": google.get("region", ""),
        "environment": next(environments, "prod"),
    }
    reading = read_model(Stack, document)
    if not isinstance(reading.value, Stack):
        raise StackError("the state does not say its project: pulumi destroy (docs/operating.md)")
    return reading.value
