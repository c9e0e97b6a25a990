"""Runs the commands of the documentation and compares what they print: `python -m dev.doc_commands [--write]`.

A fenced `console` block holds commands behind `$ ` and their output, standard error included; a line `…` stands for any
lines. `<!-- file: NAME -->` before another fenced block makes it a file in the page's folder, where its commands run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FENCE = re.compile(r"(?:<!-- file: (?P<file>[\w.-]+) -->\n+)?```(?P<language>\w+)\n(?P<body>.*?)```", re.DOTALL)
SECONDS = 60
ANY = "…"


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a page: what is typed, and what the page says it prints."""

    typed: str
    says: str


def pages() -> list[Path]:
    """Returns the pages that hold commands."""
    paths = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in paths if "```console" in page.read_text(encoding="utf-8")]


def commands(block: str) -> list[Command]:
    """Returns the commands of a block."""
    parsed = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        typed, _, output = part.partition("\n")
        while typed.endswith("\\"):
            continuation, _, output = output.partition("\n")
            typed = f"{typed}\n{continuation}"
        parsed.append(Command(typed, output))
    return parsed


def run(typed: str, folder: Path) -> str:
    """Returns what a command prints in a terminal of 80 columns, standard error included."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "NO_COLOR": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    completed = subprocess.run(
        ["/bin/sh", "-c", typed],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return completed.stdout


def matches(expected: str, output: str) -> bool:
    """Returns whether an output is what a page says."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == ANY else re.escape(line).replace(re.escape(ANY), ".*") + r"\n"
        for line in expected.rstrip("\n").splitlines()
    )
    printed = "".join(f"{line.rstrip()}\n" for line in output.splitlines())
    return re.fullmatch(pattern, printed) is not None


@contextmanager
def _folder() -> Iterator[str]:
    """Yields a folder for a page's files, which has this project's stacks."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("Pulumi.yaml", "stacks", "policies"):
            (Path(folder) / name).symlink_to(ROOT / name)
        yield folder


def differences(page: Path) -> Iterator[tuple[str, str, str]]:
    """Yields (command, what the page says, what it prints) for each command that prints something else."""
    with _folder() as folder:
        for match in FENCE.finditer(page.read_text(encoding="utf-8")):
            if match["file"]:
                (Path(folder) / match["file"]).write_text(match["body"], encoding="utf-8")
            for command in commands(match["body"]) if match["language"] == "console" else ():
                output = run(command.typed, Path(folder))
                if not matches(command.says, output):
                    yield command.typed, command.says, output


def written(page: Path) -> str:
    """Returns the page with what its commands print; an output with a line `…` that still matches stays."""
    with _folder() as folder:

        def fence(match: re.Match[str]) -> str:
            if match["file"]:
                (Path(folder) / match["file"]).write_text(match["body"], encoding="utf-8")
            if match["language"] != "console":
                return match[0]
            return f"```console\n{''.join(rendered(command) for command in commands(match['body']))}```"

        def rendered(command: Command) -> str:
            output = run(command.typed, Path(folder))
            expected = command.says if command.says and matches(command.says, output) else output
            lines = "".join(f"{line.rstrip()}\n" for line in expected.splitlines())
            return f"$ {command.typed}\n{lines}"

        return FENCE.sub(fence, page.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    """Compares, or with --write puts the output into the pages. Returns the exit status."""
    difference_count = 0
    for page in pages():
        if arguments == ["--write"]:
            page.write_text(written(page), encoding="utf-8")
            continue
        for typed, _, output in differences(page):
            difference_count += 1
            print(f"{page.relative_to(ROOT)}: $ {typed}\n{output}")
    return 1 if difference_count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
