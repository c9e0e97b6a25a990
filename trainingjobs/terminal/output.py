"""What every verb prints: JSON or the result on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterable
from typing import Any

from trainingjobs.core.findings import SYNTAX, Finding, has_errors, render_findings, shortened
from trainingjobs.terminal.text import findings_text, folded


class UsageError(Exception):
    """Wrong words on the command line; the message is one line."""


def print_json(value: Any) -> None:
    """Prints a value as JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def complain(findings: Iterable[Finding]) -> None:
    """Prints findings on standard error."""
    text = render_findings(findings)
    if text:
        print(findings_text(text, sys.stderr), file=sys.stderr)


def say(text: str) -> None:
    """Prints a message on standard error, in lines that fit its terminal."""
    print(folded(text, 2, sys.stderr), file=sys.stderr)


def note(args: Namespace, *texts: str) -> None:
    """Prints messages that are neither findings nor a result: --quiet leaves them out."""
    for text in () if args.quiet else texts:
        say(text)


def refuse(args: Namespace, findings: Iterable[Finding]) -> int:
    """Prints the findings for which a verb gives no result; returns the exit status, never 0."""
    all_findings = list(findings)
    if args.json:
        print_json(refusal(all_findings))
    complain(all_findings)
    return status_of(all_findings) or 1


def refusal(findings: Iterable[Finding]) -> dict[str, Any]:
    """Returns what a verb that could not do its work prints as JSON."""
    return {"ok": False, "findings": [finding.as_json() for finding in shortened(findings)]}


def engines_words(problem: object) -> str:
    """Returns the engine's words, with what to do where it has no state back end."""
    if "PULUMI_ACCESS_TOKEN" not in str(problem):
        return str(problem)
    return (
        f"{problem}; a state back end is needed: `pulumi login` (docs/state.md); "
        'the sandbox\'s: eval "$(python -m sandbox env)"'
    )


def stop(args: Namespace, message: str, status: int) -> int:
    """Prints why a verb cannot go on where no document is at fault: a service, the engine; returns the exit status."""
    if args.json:
        print_json(refusal([_unreadable(message)]))
    say(message)
    return status


def complain_of_usage(message: str, help_command: str, *, as_json: bool) -> int:
    """Prints what is wrong with the words of a command line; returns the exit status."""
    if as_json:
        print_json(refusal([_unreadable(message)]))
    say(f"{message} ({help_command})")
    return 2


def _unreadable(message: str) -> Finding:
    return Finding(rule=SYNTAX, severity="error", path="", message=message)


def status_of(findings: Iterable[Finding]) -> int:
    """Returns the exit status: 2 where an input could not be read, 1 for any other error, else 0."""
    all_findings = list(findings)
    if any(finding.rule == SYNTAX for finding in all_findings):
        return 2
    return 1 if has_errors(all_findings) else 0
