"""`validate`: stacks and files judged by everything that needs no engine and no network."""

from __future__ import annotations

import argparse
import sys

from infra.cli import terminal
from infra.cli.inputs import Judged, judged_file, judged_stack, tell_notes
from infra.cli.output import print_json, status_of
from infra.problems import has_errors, render_findings, shortened, sort_findings
from infra.project_files import stack_names

EXAMPLES = ("", "--stack=prod", "--file=job.yaml --file=config.yaml --json", "--file=/dev/stdin < job.yaml")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("--stack", action="append", default=[], metavar="S", help="a stack; may be repeated")
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="F",
        help="a job document, a Vertex CustomJob, an AI Platform config.yaml, a TFJob or a PyTorchJob; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the findings of every input; all stacks where none is named. Returns the exit status."""
    stacks = args.stack if args.stack or args.file else stack_names()
    # Named twice, an input is judged once.
    inputs = [*map(judged_stack, dict.fromkeys(stacks)), *map(judged_file, dict.fromkeys(args.file))]
    findings = sort_findings(finding for one in inputs for finding in one.findings)
    for one in inputs:
        tell_notes(args, one)
    if args.json:
        print_json({"ok": not has_errors(findings), "findings": [finding.as_json() for finding in shortened(findings)]})
    else:
        _say(inputs, quiet=args.quiet)
    return status_of(findings)


def _say(inputs: list[Judged], *, quiet: bool) -> None:
    for one in inputs:
        if one.findings:
            print(terminal.findings(render_findings(one.findings), sys.stdout))
        if not quiet:
            verdict = "not valid" if has_errors(one.findings) else "valid"
            print(f"{one.source}: {verdict}, {len(one.plans)} job{'' if len(one.plans) == 1 else 's'}")
