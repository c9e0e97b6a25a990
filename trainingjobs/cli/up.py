"""`up`: declares a stack and runs its jobs; a sandbox stack's on this machine."""

from __future__ import annotations

import argparse

from trainingjobs.cli.stack_verbs import YES, add_stack, run_verb

EXAMPLES = ("dev", "prod --yes --quiet")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_stack(parser, "the stack to declare")
    parser.add_argument("--yes", action="store_true", help=YES)


def run(args: argparse.Namespace) -> int:
    """Runs `pulumi up` with the policy pack. Returns the exit status."""
    return run_verb("up", args, yes=args.yes)
