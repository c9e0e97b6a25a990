"""`render`: a job in another language; nothing is printed of a job with an error."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from infra.cli.inputs import one_job, tell_notes
from infra.cli.output import UsageError, complain, print_json, refuse
from infra.dialects import gcloud, vertex
from infra.dialects.losses import machines_missing
from infra.plan.job_plan import JobPlan
from infra.problems import Finding, has_errors

LANGUAGES = ("custom-job", "gcloud", "ai-platform", "tfjob", "pytorchjob", "jobset", "pods")
Rendering = tuple[Any, list[Finding]]
EXAMPLES = ("--stack=prod --job=bert-large --as=gcloud", "--file=job.yaml --as=custom-job")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_job_options(parser)
    parser.add_argument("--as", dest="language", required=True, choices=LANGUAGES, help="the language")


def add_job_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that name one job."""
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--stack", metavar="S", help="the stack that has the job")
    where.add_argument("--file", metavar="F", help="a file with the job")
    parser.add_argument("--job", metavar="J", help="the job's name in the stack")


def check_job_options(args: argparse.Namespace) -> None:
    """Raises UsageError where the options name no one job."""
    if args.stack and not args.job:
        raise UsageError("--job is missing: which job of the stack?")
    if args.file and args.job:
        raise UsageError("--job goes with --stack; a file holds one job")


def run(args: argparse.Namespace) -> int:
    """Prints the body. Returns the exit status."""
    check_job_options(args)
    plan, judged = one_job(args)
    tell_notes(args, judged)
    if plan is None or has_errors(judged.findings):
        return refuse(args, judged.findings)
    body, losses = renderer(args.language)(plan)
    findings = [*judged.findings, *(loss.at(judged.source) for loss in losses)]
    if has_errors(findings):
        return refuse(args, findings)
    complain(findings)
    if isinstance(body, str):
        print_json({"command": body}) if args.json else print(body)
    else:
        print_json(body)
    return 0


def renderer(language: str) -> Callable[[JobPlan], Rendering]:
    """Returns the function that renders a plan in a language, with what could not be carried over."""
    if language == "custom-job":
        return lambda plan: (vertex.vertex_job(plan), list(machines_missing(plan, "Vertex AI")))
    if language == "gcloud":
        return lambda plan: (gcloud.render(plan), gcloud.losses(plan))
    from importlib import import_module

    module = import_module(f"infra.dialects.{language.replace('-', '_')}")
    render: Callable[[JobPlan], Rendering] = module.render
    return render
