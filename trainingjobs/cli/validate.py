"""`validate`: stacks and files judged by everything that needs no engine and no network."""

from __future__ import annotations

import argparse
import sys

from trainingjobs.cli.inputs import tell_notes
from trainingjobs.core.findings import has_errors, render_findings, shortened, sort_findings
from trainingjobs.judge.judgement import Judgement
from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_file, judge_stack_named
from trainingjobs.terminal.output import print_json, status_of
from trainingjobs.terminal.text import findings_text

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
    inputs = [*map(judge_stack_named, dict.fromkeys(stacks)), *map(judge_file, dict.fromkeys(args.file))]
    findings = sort_findings(finding for judgement in inputs for finding in judgement.findings)
    for judgement in inputs:
        tell_notes(args, judgement)
    if args.json:
        print_json({"ok": not has_errors(findings), "findings": [finding.as_json() for finding in shortened(findings)]})
    else:
        _say(inputs, quiet=args.quiet)
    return status_of(findings)


def _say(inputs: list[Judgement], *, quiet: bool) -> None:
    for judgement in inputs:
        if judgement.findings:
            print(findings_text(render_findings(judgement.findings), sys.stdout))
        if not quiet:
            verdict = "not valid" if has_errors(judgement.findings) else "valid"
            print(
                f"{judgement.source}: {verdict}, {len(judgement.plans)} job{'' if len(judgement.plans) == 1 else 's'}"
            )
