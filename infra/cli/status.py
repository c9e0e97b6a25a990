"""`status`: where the jobs of stacks stand now, asked of the services that run them."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from infra.cli.inputs import judged_stack
from infra.cli.output import complain, print_json, refusal, say, status_of
from infra.cli.terminal import table
from infra.plan.job_plan import JobPlan
from infra.problems import Finding
from infra.project_files import stack_names
from infra.provider.errors import ServiceError
from infra.provider.operation import duration
from infra.spec.stack import Stack
from infra.watch.lines import Replica, reader
from infra.watch.seen import Seen, seen
from infra.watch.services import reached

EXAMPLES = ("", "prod", "prod --json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", nargs="?", help="left out: every stack")


def run(args: argparse.Namespace) -> int:
    """Prints every job's state. Returns 1 where a service cannot be asked."""
    now = datetime.now(UTC)
    shown, status = [], 0
    unreadable: list[Finding] = []
    faults: dict[str, list[str]] = {}
    for name in [args.stack] if args.stack else stack_names():
        judged = judged_stack(name)
        if judged.stack is None:
            complain(judged.findings)
            unreadable += judged.findings
            continue
        try:
            with reached(judged.stack.environment):
                found = [_json(plan, judged.stack, seen(plan, judged.stack), now) for plan in judged.plans]
            shown.append({"stack": name, "jobs": found})
        except ServiceError as failure:
            if args.json:
                shown.append({"stack": name, "jobs": [], "error": str(failure)})
            faults.setdefault(str(failure), []).append(name)
            status = max(status, 1)
    for text, names in faults.items():
        say(f"stack {', '.join(names)}: {text}")
    if args.json:
        failed = refusal(unreadable) if unreadable else {}
        print_json({"stacks": shown, **failed} if shown or not failed else failed)
    else:
        _say(shown, quiet=args.quiet)
    return max(status, status_of(unreadable))


def _json(plan: JobPlan, stack: Stack, job: Seen, now: datetime) -> dict[str, Any]:
    elapsed = job.elapsed(now)
    return {
        "job": plan.name,
        "platform": plan.job.platform,
        "state": job.state,
        "id": job.id,
        "createTime": job.created,
        "startTime": job.started,
        "endTime": job.ended,
        "elapsedSeconds": None if elapsed is None else round(elapsed),
        "replicas": {"declared": sum(pool.replica_count for pool in plan.pools), "running": job.running},
        "error": job.error,
        "lastLine": "" if job.state == "ABSENT" else _last_line(plan, stack, job),
    }


def _last_line(plan: JobPlan, stack: Stack, job: Seen) -> str:
    trial = "1" if plan.kind == "hyperparameterTuningJob" else None
    try:
        lines = reader(plan, stack, job, Replica("primary", 0, trial)).more()
    except ServiceError:
        # The log is a courtesy: a caller without the right to read it still learns the state.
        return ""
    return next((line for line in reversed(lines) if line.strip()), "")


def _say(shown: list[dict[str, Any]], *, quiet: bool) -> None:
    rows = [
        (
            stack["stack"], job["job"], job["state"], _elapsed(job["elapsedSeconds"]), _replicas(job["replicas"]),
            job["error"] or job["lastLine"] or ("(nothing yet)" if job["state"] == "RUNNING" else ""),
        )
        for stack in shown
        for job in stack["jobs"]
    ]  # fmt: skip
    if rows:
        print(table(("stack", "job", "state", "for", "replicas", "last line"), rows))
    elif shown and not quiet:
        print("no jobs")


def _replicas(count: dict[str, int | None]) -> str:
    return str(count["declared"]) if count["running"] is None else f"{count['running']} of {count['declared']}"


def _elapsed(seconds: int | None) -> str:
    return "" if seconds is None else duration(seconds)
