"""`schema`: the JSON Schema of the stack files, for editors."""

from __future__ import annotations

import argparse
from pathlib import Path

from trainingjobs.cli.inputs import dump
from trainingjobs.project.files import write_whole
from trainingjobs.spec.json_schema import stack_file_schema
from trainingjobs.terminal.output import UsageError, print_json
from trainingjobs.workloads.registry import kinds

EXAMPLES = ("", "--output=stacks/schema.json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Prints or writes the schema. Returns the exit status."""
    text = dump(stack_file_schema(kinds())) + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    try:
        write_whole(Path(args.output), text)
    except OSError as error:
        raise UsageError(f"--output: {args.output} cannot be written: {error.strerror or error}") from None
    if args.json:
        print_json({"ok": True, "file": args.output})
    return 0
