"""`make up`, `make preview`, `make down`: one stack through the engine, with the sandbox where it is asked for.

Nothing here that plain Pulumi could not do by hand (README, "Plain Pulumi"): it finds the engine, starts the sandbox of
a sandbox stack, says once what there is to say of the stack, runs the engine, and shows how the jobs ended.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra import told
from infra.cli.inputs import STACK_NAME, Judged, judged_stack
from infra.cli.output import complain
from infra.problems import has_errors, quote, render_findings
from infra.project_files import stack_names
from infra.watch.services import in_sandbox
from sandbox.kubernetes.lifecycle import BedError
from sandbox.lifecycle import SandboxError
from sandbox.state import describe, state_folder
from tools import cluster, display, preview_summary, recovery
from tools.engine.gobuild import BuildFailed
from tools.interrupt import INTERRUPTED
from tools.job_ends import show_ends
from tools.stack_down import down
from tools.stack_engine import ROOT, Engine, StackError, say
from tools.stack_setting import in_place, own_environment, pack_options, sandbox_environment, sandbox_project
from tools.state_file import lost


def main(words: list[str]) -> int:
    """Runs one verb on a stack; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.stack", description=__doc__)
    parser.add_argument("verb", choices=("up", "preview", "down"))
    parser.add_argument("stack")
    parser.add_argument("--yes", action="store_true", help="ask nothing")
    parser.add_argument("--without-pack", action="store_true", help="preview only: leave the policy pack out")
    parser.add_argument("--quiet", action="store_true", help="findings, errors and results alone")
    args = parser.parse_args(words)
    if args.quiet:
        display.be_quiet()
    try:
        return run(args.verb, args.stack, yes=args.yes, pack=not args.without_pack)
    except (StackError, BuildFailed, BedError, SandboxError, recovery.RecoveryError) as problem:
        print(f"make {args.verb}: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"make {args.verb}: {describe(problem, state_folder())}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def run(verb: str, stack: str, *, yes: bool, pack: bool) -> int:
    """Runs `pulumi up`, `preview` or `destroy`; returns its exit status. Raises StackError."""
    if not STACK_NAME.fullmatch(stack):
        named = f"{quote(stack)} is no stack's name" if stack else "STACK is empty"
        raise StackError(f"{named}; there are {', '.join(stack_names()) or 'none'}")
    judged = judged_stack(stack)
    if verb == "down":
        return down(stack, judged, yes=yes)
    if judged.stack is None or has_errors(judged.findings):
        raise StackError("the stack's configuration has to be mended first:\n" + render_findings(judged.findings))
    if not in_sandbox(judged.stack.environment):
        return _run(verb, Engine(stack, ROOT, own_environment()), judged, yes=yes, pack=pack)
    if gone := lost(state_folder()):
        raise StackError(gone)
    environment = sandbox_environment()
    with in_place(state_folder()):
        if cluster.needs_cluster(judged.plans):
            environment = cluster.cluster_environment(environment, say)
        engine = Engine(stack, sandbox_project(stack, environment), environment)
        return _run(verb, engine, judged, yes=True, pack=pack)


def _run(verb: str, engine: Engine, judged: Judged, *, yes: bool, pack: bool) -> int:
    options = pack_options(engine.stack) if pack else ()
    if verb == "preview":
        engine.select()
        with telling(judged, engine):
            return preview_summary.previewed(engine, options, display.tell)
    recovery.free(engine, say)
    state = engine.state_or_new()
    with telling(judged, engine):
        before = recovery.settle(engine, state, judged.stack, judged.plans, say, down=False)
        status = engine.run("up", *options, *(("--yes",) if yes else ()))
    if status == 0:
        state = engine.exported()
        recovery.sweep(engine, before, state, say)
        show_ends(engine.stack, engine.environment, state)
    elif status != INTERRUPTED:
        # Of two runs that began together the engine stops one, and names a command that would break the other.
        recovery.refuse_held(engine)
    return status


@contextmanager
def telling(judged: Judged, engine: Engine) -> Iterator[None]:
    """Tells what was found in the stack; within it the program and the pack do not repeat that, in no phase."""
    notes = (*judged.hints, *judged.lowered)
    for note in notes:
        say(note)
    complain(judged.findings)
    with tempfile.TemporaryDirectory(prefix="training-told-") as folder:
        path = Path(folder) / "told.json"
        told.write_told(path, judged.findings, notes)
        engine.environment[told.VARIABLE] = str(path)
        yield
