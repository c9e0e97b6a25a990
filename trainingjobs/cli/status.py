"""`status`: where the jobs of stacks stand now, asked of the services that run them."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.operation import duration
from trainingjobs.core.findings import Finding
from trainingjobs.operations.log_lines import Replica, reader
from trainingjobs.operations.observed_job import ObservedJob, observe
from trainingjobs.operations.services import reached
from trainingjobs.plan.job import JobPlan
from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.spec.stack import Stack
from trainingjobs.terminal.output import complain, print_json, refusal, say, status_of
from trainingjobs.terminal.text import table
from trainingjobs.workloads.registry import workload

EXAMPLES = ("", "prod", "prod --json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", nargs="?", help="left out: every stack")


def run(args: argparse.Namespace) -> int:
    """Prints every job's state. Returns 1 where a service cannot be asked."""
    now = datetime.now(UTC)
    stacks, status = [], 0
    unreadable: list[Finding] = []
    failures: dict[str, list[str]] = {}
    for name in [args.stack] if args.stack else stack_names():
        judgement = judge_stack_named(name)
        if judgement.stack is None:
            complain(judgement.findings)
            unreadable += judgement.findings
            continue
        try:
            with reached(judgement.stack.environment):
                jobs = [_json(plan, judgement.stack, observe(plan, judgement.stack), now) for plan in judgement.plans]
            stacks.append({"stack": name, "jobs": jobs})
        except ServiceError as failure:
            if args.json:
                stacks.append({"stack": name, "jobs": [], "error": str(failure)})
            failures.setdefault(str(failure), []).append(name)
            status = max(status, 1)
    for text, names in failures.items():
        say(f"stack {', '.join(names)}: {text}")
    if args.json:
        failed = refusal(unreadable) if unreadable else {}
        print_json({"stacks": stacks, **failed} if stacks or not failed else failed)
    else:
        _say(stacks, quiet=args.quiet)
    return max(status, status_of(unreadable))


def _json(plan: JobPlan, stack: Stack, job: ObservedJob, now: datetime) -> dict[str, Any]:
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


def _last_line(plan: JobPlan, stack: Stack, job: ObservedJob) -> str:
    trial = "1" if workload(plan.kind).runs_trials else None
    try:
        lines = reader(plan, stack, job, Replica("primary", 0, trial)).more()
    except ServiceError:
        # The log is a courtesy: a caller without the right to read it still learns the state.
        return ""
    return next((line for line in reversed(lines) if line.strip()), "")


def _say(stacks: list[dict[str, Any]], *, quiet: bool) -> None:
    rows = [
        (
            stack["stack"], job["job"], job["state"], _elapsed(job["elapsedSeconds"]), _replicas(job["replicas"]),
            job["error"] or job["lastLine"] or ("(nothing yet)" if job["state"] == "RUNNING" else ""),
        )
        for stack in stacks
        for job in stack["jobs"]
    ]  # fmt: skip
    if rows:
        print(table(("stack", "job", "state", "for", "replicas", "last line"), rows))
    elif stacks and not quiet:
        print("no jobs")


def _replicas(count: dict[str, int | None]) -> str:
    return str(count["declared"]) if count["running"] is None else f"{count['running']} of {count['declared']}"


def _elapsed(seconds: int | None) -> str:
    return "" if seconds is None else duration(seconds)
