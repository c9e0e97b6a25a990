"""What suits a terminal: tables and lines that fit its width, and colour where it is wanted.

A file or a pipe gets whole lines without colour, whatever the width.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import TextIO

SPACE = "  "
NARROWEST = 8
USUAL = 80
RED, YELLOW, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[0m"
ADVICE = "advice:"
WORDS, SHADES = re.compile(r"(\s*)(\S+)"), re.compile(r"\x1b\[[0-9;]*m")
RULE = re.compile(r"\[[a-z-]+\]$")


def width(stream: TextIO | None = None) -> int | None:
    """Returns the terminal's columns, None where the stream (standard output) is none: nothing is cut in a pipe."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return int(columns)
    try:
        # 0 where the terminal does not know.
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:
        return USUAL


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None = None) -> str:
    """Returns a table as lines.

    Where the terminal, or `columns`, is too narrow the last column is cut first, then the widest of the others.
    """
    available = columns or width()
    sizes = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    if available is not None:
        room = available - len(SPACE) * (len(sizes) - 1)
        sizes[-1] = min(sizes[-1], max(NARROWEST, room - sum(sizes[:-1])))
        while sum(sizes) > room and max(sizes) > NARROWEST:
            sizes[sizes.index(max(sizes))] -= 1
    return "\n".join(
        SPACE.join(_cut(cell, size).ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()
        for row in (heads, *rows)
    )


def _cut(text: str, size: int) -> str:
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= size else f"{text[: size - 1]}…"


def findings_text(text: str, stream: TextIO) -> str:
    """Returns the lines of findings as the stream's reader sees them best: broken between words, the rule in colour."""
    columns = width(stream)
    if columns is None:
        return text
    folds = [fill(line, columns, 2) for line in text.splitlines()]
    return "\n".join(_coloured(fold) for fold in folds) if has_colour(stream) else "\n".join(folds)


def folded(text: str, indent: int, stream: TextIO | None = None) -> str:
    """Returns lines that fit the stream's terminal: what is too long goes on `indent` columns to the right.

    A word is never broken: a path, an image or a command has to be copied.
    """
    columns = width(stream)
    return text if columns is None else "\n".join(fill(line, columns, indent) for line in text.splitlines())


def fill(line: str, columns: int, indent: int) -> str:
    """Returns a line broken between words, its colours not counted.

    A word that fits on no line stays where it is: the terminal breaks it, so that it can be copied whole.
    """
    room = max(2 * indent, 20, columns)
    lines, at = [""], 0
    for gap, word in WORDS.findall(line):
        length = len(SHADES.sub("", word))
        if lines[-1] and at + len(gap) + length > room and indent + length <= room:
            lines.append(" " * indent + word)
            at = indent + length
        else:
            lines[-1] += gap + word
            at += len(gap) + length
            at = at if at <= room else (at - 1) % room + 1
    return "\n".join(lines)


def marked(word: str, colour: str, stream: TextIO | None = None) -> str:
    """Returns a word in a colour where the stream has any."""
    return f"{colour}{word}{PLAIN}" if has_colour(stream or sys.stdout) else word


def has_colour(stream: TextIO) -> bool:
    """Returns whether the stream is a terminal whose user has not asked for plain text (NO_COLOR, TERM=dumb)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured(line: str) -> str:
    tint = YELLOW if line.startswith(ADVICE) else RED
    line = RULE.sub(lambda match: f"{tint}{match[0]}{PLAIN}", line)
    return line.replace(ADVICE, f"{tint}{ADVICE}{PLAIN}", 1) if tint == YELLOW else line
