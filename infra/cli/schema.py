"""`schema`: the JSON Schema of the stack files, for editors."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from infra.cli.inputs import dump
from infra.cli.output import UsageError, print_json
from infra.spec.json_schema import stack_file_schema

EXAMPLES = ("", "--output=stacks/schema.json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Prints or writes the schema. Returns the exit status."""
    text = dump(stack_file_schema()) + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    try:
        write_text(Path(args.output), text)
    except OSError as error:
        raise UsageError(f"--output: {args.output} cannot be written: {error.strerror or error}") from None
    if args.json:
        print_json({"ok": True, "file": args.output})
    return 0


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
