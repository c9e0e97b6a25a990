"""`drift`: what of a stack is not what its state says, sorted by how bad that is. Nothing is changed."""

from __future__ import annotations

import argparse
import json
from typing import Any

from infra.cli.inputs import STACK_NAME, judged_stack
from infra.cli.output import UsageError, engines_words, note, print_json, stop
from infra.cli.terminal import RED, YELLOW, folded, marked
from infra.engine.stack_engine import EngineError, StackEngine
from infra.plan.drift import Drift, drift_of
from infra.problems import did_you_mean, quote
from infra.project_files import STACKS, stack_names
from infra.watch.services import in_sandbox

EXAMPLES = ("prod", "prod --json")
TINTS = {"dangerous": RED, "changed-by-hand": YELLOW}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", help="the stack to compare with reality")


def run(args: argparse.Namespace) -> int:
    """Prints the findings. Returns 0 for none or harmless ones, 1 for others, 2 where the engine cannot be asked."""
    path = STACKS / f"Pulumi.{args.stack}.yaml"
    if not STACK_NAME.fullmatch(args.stack) or not path.is_file():
        near = did_you_mean(args.stack, stack_names())
        raise UsageError(f"no stack {quote(args.stack)}" + (f"; did you mean {near}?" if near else ""))
    note(args, f"comparing the state of {args.stack} with what is there, resource by resource")
    try:
        stack = judged_stack(args.stack).stack
        sandbox = in_sandbox(stack.environment if stack else None)
        findings = found(StackEngine.of(args.stack, sandbox=sandbox), path.read_text(encoding="utf-8"))
    except EngineError as problem:
        return stop(args, f"drift {args.stack}: {engines_words(problem)}", 2)
    ok = is_harmless(findings)
    if args.json:
        print_json({"ok": ok, "findings": [one.as_json() for one in findings]})
    else:
        _say(args.stack, findings, quiet=args.quiet)
    return 0 if ok else 1


def found(engine: StackEngine, text: str) -> list[Drift]:
    """Returns the drift of a stack whose file says `text`. Raises EngineError where it cannot be known."""
    if engine.state() is None:
        raise EngineError("the back end has no such stack: nothing was declared yet")
    refreshed = engine.refreshed(text)
    if refreshed.status:
        raise EngineError(f"the state cannot be compared with reality:\n{refreshed.output.strip()}")
    return drift_of(refreshed.events)


def is_harmless(findings: list[Drift]) -> bool:
    """Returns whether nothing but harmless differences is among the findings."""
    return all(one.kind == "harmless" for one in findings)


def line(one: Drift) -> str:
    """Returns a finding as one line."""
    resource = "::".join(one.urn.split("::")[2:]).rpartition("$")[2]
    why = f" ({one.why})" if one.why else ""
    return f"{one.kind}: {resource}: {one.path}: was {_shown(one.was)}, is {_shown(one.is_)}{why}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else quote(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _say(stack: str, findings: list[Drift], *, quiet: bool) -> None:
    for one in findings:
        text = folded(line(one), 2)
        print(text.replace(one.kind, marked(one.kind, TINTS[one.kind]), 1) if one.kind in TINTS else text)
    counts = {kind: sum(one.kind == kind for one in findings) for kind in ("dangerous", "changed-by-hand", "harmless")}
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    if said or not quiet:
        print(f"{stack}: {said or 'no drift'}")
