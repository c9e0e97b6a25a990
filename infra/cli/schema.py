"""`schema`: the JSON Schema of the stack files, for editors."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from infra.cli.inputs import dump
from infra.spec.json_schema import stack_file_schema


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Prints or writes the schema. Returns the exit status."""
    text = dump(stack_file_schema()) + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    write_text(Path(args.output), text)
    return 0


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).chmod(0o644)
    Path(name).replace(path)
