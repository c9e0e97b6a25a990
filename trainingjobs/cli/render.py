"""`render`: a job in another language; nothing is printed of a job with an error."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from trainingjobs.cli.inputs import one_job, tell_notes
from trainingjobs.convert import ai_platform, gcloud
from trainingjobs.convert.recognise import AI_PLATFORM, CUSTOM_JOB, GCLOUD
from trainingjobs.core.findings import Finding, has_errors
from trainingjobs.plan.job import JobPlan
from trainingjobs.terminal.output import UsageError, complain, print_json, refuse
from trainingjobs.workloads.kubernetes import kubernetes_workloads
from trainingjobs.workloads.registry import workload
from trainingjobs.workloads.vertex import kind_on_vertex

Rendering = tuple[Any, list[Finding]]
EXAMPLES = ("--stack=prod --job=bert-large --as=gcloud", "--file=job.yaml --as=custom-job")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_job_options(parser)
    parser.add_argument("--as", dest="language", required=True, choices=languages(), help="the language")


def add_job_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that name one job."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--stack", metavar="S", help="the stack that has the job")
    source.add_argument("--file", metavar="F", help="a file with the job")
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
    plan, judgement = one_job(args)
    tell_notes(args, judgement)
    if plan is None or has_errors(judgement.findings):
        return refuse(args, judgement.findings)
    body, losses = renderer(args.language)(plan)
    findings = [*judgement.findings, *(loss.at(judgement.source) for loss in losses)]
    if has_errors(findings):
        return refuse(args, findings)
    complain(findings)
    if isinstance(body, str):
        print_json({"command": body}) if args.json else print(body)
    else:
        print_json(body)
    return 0


def languages() -> tuple[str, ...]:
    """Returns what a job can be rendered in."""
    return (CUSTOM_JOB, GCLOUD, AI_PLATFORM, *(kind.kind for kind in kubernetes_workloads()))


def renderer(language: str) -> Callable[[JobPlan], Rendering]:
    """Returns the function that renders a plan in a language, with what could not be carried over."""
    if language == CUSTOM_JOB:
        return lambda plan: kind_on_vertex(plan).render(plan)
    if language == GCLOUD:
        return lambda plan: (gcloud.render(plan), gcloud.losses(plan))
    if language == AI_PLATFORM:
        return ai_platform.render
    return workload(language).render
