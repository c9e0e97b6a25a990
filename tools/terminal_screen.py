"""A terminal of a given width: runs a command in it, and says what stands on its screen, as HTML.

It knows what the commands of the project and the engine write: colours, lines drawn over, wrapping. Owns no picture.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

ROWS = 50
CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[(?P<words>[?0-9;]*)(?P<letter>[A-Za-z])|(?P<move>[\r\n])"
)
# The report's colours by the terminal's numbers, those of 256 included.
COLOURS = {1: "error", 2: "good", 3: "warn", 4: "link", 5: "primary", 6: "reducers", 8: "muted"}
Cell = tuple[str, str]


class Screen:
    """What a terminal shows; `rows` are lists of (character, CSS)."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[list[Cell]] = [[]]
        self.row = self.column = 0
        self.style: dict[str, str] = {}

    def write(self, text: str) -> None:
        """Shows a text with its control sequences."""
        position = 0
        for match in CONTROL.finditer(text):
            self._characters(text[position : match.start()])
            position = match.end()
            if match["move"] == "\r":
                self.column = 0
            elif match["move"] == "\n":
                self._to(self.row + 1, self.column)
            elif match["letter"] == "m":
                self._colour([int(word or 0) for word in match["words"].split(";")])
            elif match["letter"] == "A":
                self._to(max(0, self.row - int(match["words"] or 1)), self.column)
            elif match["letter"] == "K":
                del self.rows[self.row][self.column :]
        self._characters(text[position:])

    def _characters(self, text: str) -> None:
        css = "".join(f"{key}:{value};" for key, value in sorted(self.style.items()))
        for character in text:
            if not character.isprintable() and character != "\t":
                continue
            if self.column == self.columns:
                self._to(self.row + 1, 0)
            row = self.rows[self.row]
            row += [(" ", "")] * (self.column + 1 - len(row))
            row[self.column] = (character, css)
            self.column += 1

    def _to(self, row: int, column: int) -> None:
        self.row, self.column = row, column
        while len(self.rows) <= row:
            self.rows.append([])

    def _colour(self, words: list[int]) -> None:
        if words[:2] == [38, 5] and len(words) == 3:
            words = [30 + words[2] % 8 + 60 * (words[2] > 7)]
        for word in words:
            if word == 0:
                self.style.clear()
            elif word == 1:
                self.style["font-weight"] = "bold"
            elif word == 4:
                self.style["text-decoration"] = "underline"
            elif 30 <= word <= 37 or 90 <= word <= 97:
                name = COLOURS.get(word % 10 if word < 90 or word % 10 else 8)
                self.style["color"] = f"var(--{name})" if name else "inherit"

    def text(self) -> str:
        """Returns what stands there without colours."""
        return "\n".join("".join(character for character, _ in row).rstrip() for row in self.rows)

    def html(self, last: int | None = None) -> str:
        """Returns the rows, or the `last` ones, as HTML."""
        end = len(self.rows)
        while end and not any(character.strip() for character, _ in self.rows[end - 1]):
            end -= 1
        rows = self.rows[max(0, end - (last or end)) : end]
        return "\n".join(_row(row) for row in rows)


def _row(row: list[Cell]) -> str:
    parts: list[tuple[str, str]] = []
    for character, css in row:
        if parts and parts[-1][1] == css:
            parts[-1] = (parts[-1][0] + character, css)
        else:
            parts.append((character, css))
    return "".join(f'<span style="{css}">{escape(text)}</span>' if css else escape(text) for text, css in parts)


def typed(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    columns: int,
    until: Callable[[str], bool] = lambda _: False,
) -> Screen:
    """Returns the screen of a command in a real terminal: at its end, or as it was when `until` liked its text.

    The command runs to its end in either case.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    screen, taken = Screen(columns), False
    own = {key: value for key, value in environment.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
    with subprocess.Popen(
        words, cwd=folder, env={**own, "TERM": "xterm-256color"}, stdin=theirs, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        rest = b""
        while piece := _read(ours):
            whole, rest = _whole(rest + piece)
            if not taken:
                screen.write(whole)
                taken = until(screen.text())
    os.close(ours)
    return screen


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        # Linux answers the end of the last writer with an error.
        return b""


def _whole(raw: bytes) -> tuple[str, bytes]:
    """Returns the text of the bytes, and the bytes of a character or control sequence that is not whole yet."""
    cut = len(raw)
    started = raw.rfind(b"\x1b", max(0, cut - 20))
    if started >= 0 and not CONTROL.match(raw[started:].decode(errors="replace")):
        cut = started
    while cut and cut > len(raw) - 4:
        try:
            return raw[:cut].decode(), raw[cut:]
        except UnicodeDecodeError:
            cut -= 1
    return raw[:cut].decode(errors="replace"), raw[cut:]
