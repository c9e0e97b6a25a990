"""`trainingjobs up`, `preview` and `down`: one stack through the engine, with the sandbox where it is asked for.

Nothing here that plain Pulumi could not do by hand (README, "Plain Pulumi"): it finds the engine, starts the sandbox of
a sandbox stack, tells once what there is to tell of the stack, runs the engine, and shows how the jobs ended.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from trainingjobs.core.findings import has_errors, quote, render_findings
from trainingjobs.engine import shown_findings
from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations import display, preview_summary, recovery, sandbox
from trainingjobs.operations.display import say
from trainingjobs.operations.down import down
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.job_results import show_results
from trainingjobs.operations.project_folders import sandbox_project
from trainingjobs.operations.run_environment import own_environment, pack_options
from trainingjobs.operations.services import in_sandbox
from trainingjobs.operations.state_file import missing_state_fix
from trainingjobs.project.files import STACK_NAME, project, stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.project.sandbox_folder import describe, state_folder
from trainingjobs.terminal.interrupt import INTERRUPTED
from trainingjobs.terminal.output import complain

Verb = Literal["up", "preview", "down"]


def run(verb: Verb, stack: str, *, yes: bool, pack: bool = True) -> int:
    """Runs `pulumi up`, `preview` or `destroy`; returns its exit status, 130 where it was interrupted.

    `yes` asks nothing, without `pack` the policy pack is left out. Raises StackError.
    """
    if not STACK_NAME.fullmatch(stack):
        named = f"{quote(stack)} is no stack's name" if stack else "STACK is empty"
        raise StackError(f"{named}; there are {', '.join(stack_names()) or 'none'}")
    try:
        return _judged(verb, judge_stack_named(stack), stack, yes=yes, pack=pack)
    except OSError as problem:
        raise StackError(describe(problem, state_folder())) from None


def _judged(verb: Verb, judgement: Judgement, stack: str, *, yes: bool, pack: bool) -> int:
    if verb == "down":
        return down(stack, judgement, yes=yes)
    if judgement.stack is None or has_errors(judgement.findings):
        raise StackError("the stack's configuration has to be fixed first:\n" + render_findings(judgement.findings))
    if not in_sandbox(judgement.stack.environment):
        return _run(verb, Engine(stack, own_environment(), project().root), judgement, yes=yes, pack=pack)
    if reason := missing_state_fix(state_folder()):
        raise StackError(reason)
    message, environment = sandbox.start(cluster=_needs_cluster(judgement), quiet=display.is_quiet())
    say(f"sandbox: {message}")
    with sandbox.in_place(state_folder()):
        folder = sandbox_project(stack, state_folder(), judgement.stack.environment)
        engine = Engine(stack, environment, folder)
        return _run(verb, engine, judgement, yes=True, pack=pack)


def _needs_cluster(judgement: Judgement) -> bool:
    return any(plan.job.platform != "vertex" for plan in judgement.plans)


def _run(verb: Verb, engine: Engine, judgement: Judgement, *, yes: bool, pack: bool) -> int:
    options = pack_options(engine.stack) if pack else []
    if verb == "preview":
        engine.select()
        with telling(judgement, engine):
            return preview_summary.previewed(engine, options, display.tell)
    recovery.free(engine, say)
    state = engine.state_or_new()
    with telling(judgement, engine):
        before = recovery.settle(engine, state, judgement.plan, say, down=False)
        status = engine.run("up", *options, *(("--yes",) if yes else ()))
    if status == 0:
        state = engine.exported()
        recovery.sweep(engine, before, state, say)
        show_results(engine.stack, engine.environment, state)
    elif status != INTERRUPTED:
        # Of two runs that began together the engine stops one, and names a command that would break the other.
        recovery.refuse_held(engine)
    return status


@contextmanager
def telling(judgement: Judgement, engine: Engine) -> Iterator[None]:
    """Tells what was found in the stack; within it the program and the pack do not repeat that, in no phase."""
    for note in judgement.notes:
        say(note)
    complain(judgement.findings)
    with tempfile.TemporaryDirectory(prefix="training-shown-") as folder:
        path = Path(folder) / "shown.json"
        shown_findings.write_shown(path, judgement.findings, judgement.notes)
        engine.environment[shown_findings.VARIABLE] = str(path)
        yield
