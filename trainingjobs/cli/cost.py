"""`cost`: what the pools of stacks cost an hour, what is not known of that, and what the reducers buy."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from textwrap import wrap

from trainingjobs import catalog
from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.report.cost_table import AMOUNT, LABEL, WIDTH, StackCost, as_json, notes, stack_cost, table
from trainingjobs.terminal.output import UsageError, complain, print_json, refusal, status_of
from trainingjobs.terminal.text import folded, width

EXAMPLES = ("", "--stack=prod --json", "--prices=our-contract.csv")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("--stack", action="append", default=[], metavar="S", help="a stack; may be repeated")
    parser.add_argument(
        "--prices",
        metavar="FILE",
        help="a CSV file of prices in USD an hour in place of the catalogue's, with its columns: "
        "trainingjobs/catalog/data/prices.csv",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the cost of every stack that is named, else of all. Returns the exit status."""
    try:
        prices = catalog.load_prices(Path(args.prices) if args.prices else None)
    except catalog.PriceFileError as error:
        raise UsageError(f"--prices: {error}") from None
    inputs = {name: judge_stack_named(name) for name in args.stack or stack_names()}
    errors = [finding for judgement in inputs.values() for finding in judgement.findings if finding.severity == "error"]
    stacks = [cost for name, judgement in inputs.items() if (cost := stack_cost(name, judgement, prices)) is not None]
    if args.json:
        failed = refusal(errors) if len(stacks) < len(inputs) else {}
        print_json({"stacks": [as_json(stack) for stack in stacks], **failed} if stacks or not failed else failed)
    elif stacks:
        _say(stacks, quiet=args.quiet)
    complain(errors)
    return status_of(errors)


def _say(stacks: list[StackCost], *, quiet: bool) -> None:
    columns = width()
    room = LABEL if columns is None else max(AMOUNT, min(LABEL, columns - (WIDTH - LABEL)))
    print("\n\n".join(folded("\n".join(table(stack, room)), 8) for stack in stacks))
    if not quiet:
        lines = [line for note in notes(stacks) for line in wrap(note, columns or WIDTH, subsequent_indent="  ")]
        print("\n" + "\n".join(lines))
    # In a terminal the findings stand below.
    sys.stdout.flush()
