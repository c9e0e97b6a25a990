"""`drift`: what of a stack is not what its state says, sorted by how bad that is. Nothing is changed."""

from __future__ import annotations

import argparse
import json
from typing import Any

from trainingjobs.core.findings import did_you_mean, quote
from trainingjobs.operations.drift import Drift, drift_of
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.services import in_sandbox
from trainingjobs.project.files import STACK_NAME, project, stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.terminal.output import UsageError, engines_words, note, print_json, stop
from trainingjobs.terminal.text import RED, YELLOW, folded, marked

EXAMPLES = ("prod", "prod --json")
TINTS = {"dangerous": RED, "changed-by-hand": YELLOW}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", help="the stack to compare with reality")


def run(args: argparse.Namespace) -> int:
    """Prints the findings. Returns 0 for none or harmless ones, 1 for others, 2 where the engine cannot be asked."""
    path = project().stack_file(args.stack)
    if not STACK_NAME.fullmatch(args.stack) or not path.is_file():
        nearest = did_you_mean(args.stack, stack_names())
        raise UsageError(f"no stack {quote(args.stack)}" + (f"; did you mean {nearest}?" if nearest else ""))
    note(args, f"comparing the state of {args.stack} with what is there, resource by resource")
    try:
        stack = judge_stack_named(args.stack).stack
        sandbox = in_sandbox(stack.environment if stack else None)
        findings = found(Engine.asked(args.stack, in_sandbox=sandbox), path.read_text(encoding="utf-8"))
    except StackError as problem:
        return stop(args, f"drift {args.stack}: {engines_words(problem)}", 2)
    ok = is_harmless(findings)
    if args.json:
        print_json({"ok": ok, "findings": [finding.as_json() for finding in findings]})
    else:
        _say(args.stack, findings, quiet=args.quiet)
    return 0 if ok else 1


def found(engine: Engine, text: str) -> list[Drift]:
    """Returns the drift of a stack whose file says `text`. Raises StackError where it cannot be known."""
    if engine.state() is None:
        raise StackError("the back end has no such stack: nothing was declared yet")
    refreshed = engine.refreshed(text)
    if refreshed.status:
        raise StackError(f"the state cannot be compared with reality:\n{refreshed.output.strip()}")
    return drift_of(refreshed.events)


def is_harmless(findings: list[Drift]) -> bool:
    """Returns whether nothing but harmless differences is among the findings."""
    return all(finding.kind == "harmless" for finding in findings)


def line(finding: Drift) -> str:
    """Returns a finding as one line."""
    resource = "::".join(finding.urn.split("::")[2:]).rpartition("$")[2]
    reason = f" ({finding.why})" if finding.why else ""
    return f"{finding.kind}: {resource}: {finding.path}: was {_shown(finding.was)}, is {_shown(finding.is_)}{reason}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else quote(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _say(stack: str, findings: list[Drift], *, quiet: bool) -> None:
    for finding in findings:
        text = folded(line(finding), 2)
        print(
            text.replace(finding.kind, marked(finding.kind, TINTS[finding.kind]), 1) if finding.kind in TINTS else text
        )
    counts = {
        kind: sum(finding.kind == kind for finding in findings) for kind in ("dangerous", "changed-by-hand", "harmless")
    }
    summary = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    if summary or not quiet:
        print(f"{stack}: {summary or 'no drift'}")
