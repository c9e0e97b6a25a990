"""`status`: where the jobs of stacks stand now, asked of the services that run them."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import Any

from infra.cli.inputs import judged_stack
from infra.cli.output import complain, print_json, status_of
from infra.cli.terminal import table
from infra.plan.job_plan import JobPlan
from infra.project_files import stack_names
from infra.provider.errors import ServiceError
from infra.spec.stack import Stack
from infra.watch.lines import Replica, reader
from infra.watch.seen import Seen, seen
from infra.watch.services import reached


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", nargs="?", help="left out: every stack")


def run(args: argparse.Namespace) -> int:
    """Prints every job's state. Returns 1 where a service cannot be asked."""
    now = datetime.now(UTC)
    shown, status = [], 0
    for name in [args.stack] if args.stack else stack_names():
        judged = judged_stack(name)
        if judged.stack is None:
            complain(judged.findings)
            status = max(status, status_of(judged.findings))
            continue
        try:
            with reached(judged.stack.environment):
                found = [_json(plan, judged.stack, seen(plan, judged.stack), now) for plan in judged.plans]
            shown.append({"stack": name, "jobs": found})
        except ServiceError as failure:
            print(f"stack {name}: {failure}", file=sys.stderr)
            status = max(status, 1)
    print_json({"stacks": shown}) if args.json else _say(shown)
    return status


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


def _say(shown: list[dict[str, Any]]) -> None:
    rows = [
        (
            stack["stack"], job["job"], job["state"], duration(job["elapsedSeconds"]), _replicas(job["replicas"]),
            job["error"] or job["lastLine"] or job["id"],
        )
        for stack in shown
        for job in stack["jobs"]
    ]  # fmt: skip
    if rows:
        print(table(("stack", "job", "state", "for", "replicas", "last line"), rows))
    elif shown:
        print("no jobs")


def _replicas(count: dict[str, int | None]) -> str:
    return str(count["declared"]) if count["running"] is None else f"{count['running']} of {count['declared']}"


def duration(seconds: int | None) -> str:
    """Returns a time in words: 7s, 3m07s, 5h02m."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    return f"{seconds // 3600}h{seconds % 3600 // 60:02d}m"
