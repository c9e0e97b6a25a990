"""`preview`: what `up` would do, and what would be lost by it."""

from __future__ import annotations

import argparse

from trainingjobs.cli.stack_verbs import add_stack, run_verb

EXAMPLES = ("prod", "prod --json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_stack(parser, "the stack to preview")
    parser.add_argument("--without-pack", action="store_true", help="leave the policy pack out")


def run(args: argparse.Namespace) -> int:
    """Runs `pulumi preview` with the policy pack. Returns the exit status."""
    return run_verb("preview", args, pack=not args.without_pack)
