"""`env`: the environment that one replica gets; nothing is printed of a job with an error."""

from __future__ import annotations

import argparse
import sys

from infra.cli.inputs import one_job
from infra.cli.main import UsageError
from infra.cli.output import complain, print_json, status_of
from infra.cli.render import add_job_options, check_job_options
from infra.dialects.environments import ReplicaError, replica_environment
from infra.problems import has_errors


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_job_options(parser)
    parser.add_argument(
        "--task",
        required=True,
        metavar="POOL:INDEX",
        help="workerpool0 to workerpool3, or a role: primary, worker, reducer, ps, chief, master, evaluator …",
    )
    parser.add_argument("--trial", metavar="N", help="of a tuning job; default 1")
    parser.add_argument(
        "--dialect", choices=("vertex", "ai-platform", "kubeflow"), help="default: the job's platform's"
    )


def run(args: argparse.Namespace) -> int:
    """Prints the variables. Returns the exit status."""
    check_job_options(args)
    pool, colon, index = args.task.rpartition(":")
    if not colon or not index.isascii() or not index.isdigit() or len(index) > 6:
        raise UsageError(f"--task: {args.task[:80]!r} is not POOL:INDEX, as in worker:0")
    plan, judged = one_job(args)
    for note in judged.notes:
        print(note, file=sys.stderr)
    complain(judged.findings)
    if plan is None or has_errors(judged.findings):
        return status_of(judged.findings) or 1
    try:
        variables = replica_environment(plan, pool, int(index), dialect=args.dialect, trial=args.trial)
    except ReplicaError as error:
        complain([error.finding])
        return 2
    print_json(variables) if args.json else print("\n".join(f"{name}={value}" for name, value in variables.items()))
    return 0
