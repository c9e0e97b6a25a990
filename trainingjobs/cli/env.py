"""`env`: the environment that one replica gets; nothing is printed of a job with an error.

Each variable is one line that a shell reads, whatever the terminal's width.
"""

from __future__ import annotations

import argparse
import shlex

from trainingjobs.cli.inputs import one_job, tell_notes
from trainingjobs.cli.render import add_job_options, check_job_options
from trainingjobs.convert.environments import ReplicaError, replica_environment
from trainingjobs.core.findings import has_errors
from trainingjobs.plan.structure import machines_missing
from trainingjobs.terminal.output import UsageError, complain, print_json, refuse

EXAMPLES = (
    "--stack=prod --job=bert-large --task=worker:0",
    "--file=job.yaml --task=chief:0 --dialect=ai-platform --json",
)
# Where a job of one's own cluster is asked about as if it ran there, it needs what it needs there.
SERVICES = {"vertex": "Vertex AI", "ai-platform": "AI Platform"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_job_options(parser)
    parser.add_argument(
        "--task",
        required=True,
        metavar="POOL:INDEX",
        help="which replica, counted from 0: workerpool0 to workerpool3, or a role: primary, worker, reducer, ps, "
        "chief, master, evaluator …",
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
    plan, judgement = one_job(args)
    tell_notes(args, judgement)
    if plan is None or has_errors(judgement.findings):
        return refuse(args, judgement.findings)
    missing = list(machines_missing(plan.pools, SERVICES[args.dialect])) if args.dialect in SERVICES else []
    if missing:
        return refuse(args, [*judgement.findings, *(finding.at(judgement.source) for finding in missing)])
    try:
        variables = replica_environment(plan, pool, int(index), dialect=args.dialect, trial=args.trial)
    except ReplicaError as error:
        refuse(args, [error.finding])
        return 2
    complain(judgement.findings)
    if args.json:
        print_json(variables)
    else:
        print("\n".join(f"{name}={shlex.quote(value)}" for name, value in variables.items()))
    return 0
