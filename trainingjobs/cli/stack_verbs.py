"""What `up`, `preview` and `down` share: one stack, run through the engine."""

from __future__ import annotations

import argparse

from trainingjobs.operations import display
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.run import Verb, run
from trainingjobs.terminal.interrupt import INTERRUPTED
from trainingjobs.terminal.output import print_json, stop

YES = "ask nothing"


def add_stack(parser: argparse.ArgumentParser, help_text: str) -> None:
    """Adds the stack to a verb's arguments."""
    parser.add_argument("stack", metavar="STACK", help=help_text)


def run_verb(verb: Verb, args: argparse.Namespace, *, yes: bool = False, pack: bool = True) -> int:
    """Runs the verb. Returns 0 where it is done, 1 where it is not, 130 where it was interrupted."""
    messages: list[str] = []
    if args.json:
        display.collect(messages)
    if args.quiet or args.json:
        display.be_quiet()
    try:
        status = run(verb, args.stack, yes=yes, pack=pack)
    except StackError as problem:
        return stop(args, f"{verb} {args.stack}: {problem}".replace("  ", " "), 1)
    if args.json:
        print_json({"ok": status == 0, "stack": args.stack, "messages": messages})
    return status if status in (0, INTERRUPTED) else 1
