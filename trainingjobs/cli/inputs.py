"""What verbs share about their input: the one job that the options name, and what is told of an input."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import did_you_mean, quote
from trainingjobs.core.paths import FieldPath
from trainingjobs.judge.judgement import Judgement
from trainingjobs.plan.job import JobPlan
from trainingjobs.project.judged import judge_file, judge_stack_named
from trainingjobs.terminal.output import note, say


def one_job(args: argparse.Namespace) -> tuple[JobPlan | None, Judgement]:
    """Returns the job that `--stack S --job J` or `--file F` names, None where there is none, and its input."""
    if args.file:
        judgement = judge_file(args.file)
        return (judgement.plans[0] if judgement.plans else None), judgement
    judgement = judge_stack_named(args.stack)
    plan = judgement.of_job(args.job)
    if plan is None:
        return None, _without_job(judgement, args.job)
    findings = tuple(
        finding
        for finding in judgement.findings
        if FieldPath(finding.path).within(plan.path) or "training:" not in finding.path
    )
    return plan, replace(judgement, plans=(plan,), findings=findings)


def _without_job(judgement: Judgement, job: str) -> Judgement:
    if judgement.stack is None:
        # What cannot be read may hold the job.
        return judgement
    names = [plan.name for plan in judgement.plans]
    nearest = did_you_mean(job, names)
    fix = f"did you mean {nearest}?" if nearest else f"there are {', '.join(names) or 'none'}"
    missing = DocumentError(f"no such job: {quote(job)}", fix, "training:jobs").finding.at(judgement.source)
    return replace(judgement, plans=(), findings=(missing,))


def tell_notes(args: argparse.Namespace, judgement: Judgement) -> None:
    """Prints the notes on standard error; --quiet leaves the hints out, never that a rule is lowered."""
    note(args, *judgement.hints)
    for line in judgement.lowered:
        say(line)


def dump(value: Any) -> str:
    """Returns a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
