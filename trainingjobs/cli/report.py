"""`report`: a stack on one page for a reviewer, or its topology alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trainingjobs.core.findings import Finding
from trainingjobs.project.files import write_whole
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.report.layout import stack_drawing
from trainingjobs.report.mermaid import mermaid
from trainingjobs.report.svg import svg
from trainingjobs.report.view import StackView, stack_view
from trainingjobs.terminal.output import UsageError, complain, print_json, refuse, status_of

FORMS = ("html", "svg", "png", "mermaid")
EXAMPLES = ("prod -o report.html", "prod --compare=staging -o report.html", "prod --as=svg -o topology.svg")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", help="the stack to draw")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead of standard output")
    parser.add_argument("--as", dest="form", choices=FORMS, help="default: html; the others are the topology alone")
    parser.add_argument("--compare", metavar="STACK", help="show the difference to another stack; html only")


def run(args: argparse.Namespace) -> int:
    """Writes the report. Returns the exit status: 1 where the stack has an error, which the page shows."""
    form = args.form or "html"
    if args.compare and form != "html":
        raise UsageError("--compare: only the page shows a difference; leave out --as")
    if args.json and not args.output:
        raise UsageError("--json: name a file for the report, -o report.html")
    if form == "png" and not args.output and sys.stdout.isatty():
        raise UsageError("--as=png: a terminal shows no picture; name a file, -o topology.png")
    view, findings = _view(args.stack)
    other = None
    if args.compare and view is not None:
        other, unread = _view(args.compare)
        if other is None:
            findings = unread
    if view is None or (args.compare and other is None):
        return refuse(args, findings)
    _write(_made(form, view, other), args.output)
    if args.json:
        print_json({"ok": status_of(findings) == 0, "file": args.output, "as": form})
    complain(finding for finding in findings if finding.severity == "error")
    return status_of(findings)


def _view(name: str) -> tuple[StackView | None, tuple[Finding, ...]]:
    judgement = judge_stack_named(name)
    if judgement.stack is None:
        return None, judgement.findings
    prefix = f"{judgement.source}: "
    notes = tuple(note.removeprefix(prefix) for note in judgement.notes)
    return stack_view(name, judgement.stack, judgement.plans, judgement.findings, notes), judgement.findings


def _made(form: str, view: StackView, other: StackView | None) -> bytes:
    if form == "mermaid":
        return mermaid(view).encode()
    if form == "svg":
        return f"{svg(stack_drawing(view), 'topology', alone=True)}\n".encode()
    try:
        if form == "png":
            from trainingjobs.report.png import png

            return png(stack_drawing(view))
        from trainingjobs.report.page import page

        return page(view, other).encode()
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        raise UsageError("the charts need matplotlib: pip install 'trainingjobs[report]'") from None


def _write(content: bytes, output: str | None) -> None:
    if output is None:
        sys.stdout.buffer.write(content)
        return
    path = Path(output)
    if not path.parent.is_dir():
        raise UsageError(f"--output: {path.parent} is no folder")
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"--output: {output} cannot be written: {error.strerror or error}") from None
