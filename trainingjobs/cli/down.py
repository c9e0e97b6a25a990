"""`down`: destroys what a stack's state holds; a sandbox stack's sandbox is stopped too."""

from __future__ import annotations

import argparse

from trainingjobs.cli.stack_verbs import YES, add_stack, run_verb

EXAMPLES = ("dev", "sandbox --yes")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    add_stack(parser, "the stack to destroy; its file may be broken or gone")
    parser.add_argument("--yes", action="store_true", help=YES)


def run(args: argparse.Namespace) -> int:
    """Runs `pulumi destroy`. Returns the exit status."""
    return run_verb("down", args, yes=args.yes)
