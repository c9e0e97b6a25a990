"""What every verb prints: JSON or findings on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from infra.cli import terminal
from infra.problems import SYNTAX, Finding, has_errors, render_findings


def print_json(value: Any) -> None:
    """Prints a value as JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def complain(findings: Iterable[Finding]) -> None:
    """Prints findings on standard error."""
    text = render_findings(findings)
    if text:
        print(terminal.findings(text, sys.stderr), file=sys.stderr)


def status_of(findings: Iterable[Finding]) -> int:
    """Returns the exit status: 2 where an input could not be read, 1 for any other error, else 0."""
    found = list(findings)
    if any(finding.rule == SYNTAX for finding in found):
        return 2
    return 1 if has_errors(found) else 0
