"""`logs`: what the replicas of a job write, as far as it was kept, or as it comes: their lines as they are."""

from __future__ import annotations

import argparse
import json
import sys
import time

from trainingjobs.clients.errors import ServiceError
from trainingjobs.core.findings import did_you_mean
from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations.log_lines import Reader, Replica, reader
from trainingjobs.operations.observed_job import ObservedJob, observe
from trainingjobs.operations.services import reach
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.spec.roles import ALIASES
from trainingjobs.terminal.output import UsageError, note, refuse, say, stop
from trainingjobs.workloads.registry import workload
from trainingjobs.workloads.states import UNSUCCESSFUL

POLL_SECONDS = 2.0

EXAMPLES = ("sandbox digits", "prod bert-large --role=worker --index=3 --follow", "prod bert-large --role=all --json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", help="the stack that has the job")
    parser.add_argument("job", metavar="JOB", help="the job's name in the stack")
    parser.add_argument("--role", default="primary", help="primary (default), worker, reducer, ps, evaluator or all")
    parser.add_argument("--index", type=int, metavar="N", help="which replica, from 0; left out: all of the role")
    parser.add_argument("--trial", metavar="N", help="of a tuning job; default 1")
    parser.add_argument("--follow", action="store_true", help="go on until the job has ended")


def run(args: argparse.Namespace) -> int:
    """Prints the lines, each with its replica where there are several. Returns the exit status."""
    judgement = judge_stack_named(args.stack)
    if judgement.stack is None:
        return refuse(args, judgement.findings)
    plan = _job(judgement, args.job)
    replicas = _replicas(plan, args)
    try:
        reach(judgement.stack.environment)
        job = observe(plan, judgement.stack)
        if job.state == "ABSENT":
            return stop(args, f"{args.job}: the service has no such job; `make up STACK={args.stack}` submits it", 1)
        readers = [(replica, reader(plan, judgement.stack, job, replica)) for replica in replicas]
        lines = _print(readers, args.json)
        while args.follow and not job.has_ended:
            time.sleep(POLL_SECONDS)
            job = observe(plan, judgement.stack)
            lines += _print(readers, args.json)
    except ServiceError as failure:
        return stop(args, f"{args.job}: {failure}", 1)
    if not lines:
        _say_why(args, job)
    return 0


def _say_why(args: argparse.Namespace, job: ObservedJob) -> None:
    """Says why there is no line: of a job that failed, silence would be no answer."""
    role = "replica" if args.role == "all" else args.role
    outcome = f"no {role} wrote" if args.index is None else f"{role} {args.index} did not write"
    if job.state in UNSUCCESSFUL:
        say(f"{args.job}: {job.state}, {outcome} a line: {job.error or 'the service gives no reason'}")
    else:
        note(args, f"{args.job}: {job.state}, {outcome} a line{'' if job.has_ended else ' yet'}")


def _print(readers: list[tuple[Replica, Reader]], as_json: bool) -> int:
    """Prints the new lines of each replica; returns how many there were."""
    count = 0
    names = [f"{replica.role}:{replica.index}" for replica, _ in readers]
    room = max(map(len, names))
    for name, (replica, log_reader) in zip(names, readers, strict=True):
        for line in log_reader.more():
            count += 1
            if as_json:
                print(json.dumps({"role": replica.role, "index": replica.index, "line": line}, ensure_ascii=False))
            else:
                print(f"{name:<{room}}  {line}" if len(readers) > 1 else line)
    sys.stdout.flush()
    return count


def _job(judgement: Judgement, name: str) -> JobPlan:
    names = [plan.name for plan in judgement.plans]
    if name in names:
        return judgement.plans[names.index(name)]
    nearest = did_you_mean(name, names)
    hint = f"did you mean {nearest}?" if nearest else f"there are {', '.join(names) or 'none'}"
    raise UsageError(f"{judgement.source} has no job {name!r}; {hint}")


def _replicas(plan: JobPlan, args: argparse.Namespace) -> list[Replica]:
    tuning = workload(plan.kind).runs_trials
    if args.trial is not None and not (tuning and args.trial.isascii() and args.trial.isdigit()):
        raise UsageError(
            f"--trial: {args.trial!r}; " + ("a number is needed" if tuning else "only tuning jobs have trials")
        )
    trial = (args.trial or "1") if tuning else None
    replicas = []
    for pool in _pools(plan, args.role):
        indices = range(pool.replica_count) if args.index is None else [args.index]
        if args.index is not None and not 0 <= args.index < pool.replica_count:
            raise UsageError(
                f"--index: {pool.role} has no replica {args.index}; there are 0 to {pool.replica_count - 1}"
            )
        replicas += [Replica(pool.role, index, trial) for index in indices]
    return replicas


def _pools(plan: JobPlan, word: str) -> list[PlannedPool]:
    pools = [pool for pool in plan.pools if pool.replica_count]
    if word == "all":
        return pools
    role = ALIASES.get(word.lower().replace("-", "").replace("_", ""))
    if role is None:
        nearest = did_you_mean(word, [*ALIASES, "all"])
        raise UsageError(f"--role: {word!r} is no role" + (f"; did you mean {nearest}?" if nearest else ""))
    matching = [pool for pool in pools if pool.role == role]
    if not matching:
        raise UsageError(f"--role: the job has no {role}; it has {', '.join(pool.role for pool in pools)}")
    return matching
