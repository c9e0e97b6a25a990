"""What suits a terminal: tables and lines that fit its width, and colour where it is wanted.

A file or a pipe gets whole lines without colour, whatever the width.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TextIO

SPACE = "  "
NARROWEST = 8
RED, YELLOW, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[0m"
ADVICE = "advice:"
RULE = re.compile(r"\[[a-z-]+\]$")


def width() -> int | None:
    """Returns the terminal's columns, None where standard output is none: nothing is cut in a file or a pipe."""
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else None


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None = None) -> str:
    """Returns a table as lines; the last column is cut where the terminal, or `columns`, is too narrow."""
    most = columns or width()
    sizes = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    if most is not None:
        before = sum(sizes[:-1]) + len(SPACE) * (len(sizes) - 1)
        sizes[-1] = min(sizes[-1], max(NARROWEST, most - before))
    return "\n".join(
        SPACE.join(_cut(cell, size).ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()
        for row in (heads, *rows)
    )


def _cut(text: str, size: int) -> str:
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= size else f"{text[: size - 1]}…"


def findings(text: str, stream: TextIO) -> str:
    """Returns the lines of findings as the stream's reader sees them best: broken between words, the rule in colour."""
    if not text or not stream.isatty():
        return text
    columns = shutil.get_terminal_size((80, 24)).columns
    lines = []
    for line in text.splitlines():
        folded = textwrap.fill(
            line, max(20, columns), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        lines.append(_coloured(folded) if has_colour(stream) else folded)
    return "\n".join(lines)


def folded(text: str, indent: int) -> str:
    """Returns lines that fit standard output's terminal: what is too long goes on `indent` columns to the right."""
    columns = width()
    if columns is None:
        return text
    return "\n".join(
        textwrap.fill(
            line, max(2 * indent, columns), subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True
        )
        for line in text.splitlines()
    )


def has_colour(stream: TextIO) -> bool:
    """Returns whether the stream is a terminal whose user has not asked for plain text (NO_COLOR, TERM=dumb)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured(line: str) -> str:
    tint = YELLOW if line.startswith(ADVICE) else RED
    line = RULE.sub(lambda match: f"{tint}{match[0]}{PLAIN}", line)
    return line.replace(ADVICE, f"{tint}{ADVICE}{PLAIN}", 1) if tint == YELLOW else line
