"""Commands in a terminal of a given width: what stands on its screen, as text and as HTML in the report's colours."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from pyte.graphics import FG_AIXTERM, FG_ANSI, FG_BG_256
from pyte.screens import Char, HistoryScreen
from pyte.streams import ByteStream

ROWS = 50
SCROLLED_ROWS = 10_000
REPORT_COLOURS = {
    "red": "error",
    "green": "good",
    "brown": "warn",
    "blue": "link",
    "magenta": "primary",
    "cyan": "reducers",
    "brightblack": "muted",
}
# pyte gives the first colours of 256, which the engine asks for, as hexadecimal numbers.
NAMES = dict(zip(FG_BG_256, [*list(FG_ANSI.values())[:8], *FG_AIXTERM.values()], strict=False))


class Screen(HistoryScreen):
    """A terminal's screen with the rows that have scrolled out of it."""

    def __init__(self, columns: int) -> None:
        super().__init__(columns, ROWS, history=SCROLLED_ROWS)

    def rows(self) -> list[list[Char]]:
        """Returns the rows down to the last one that shows something."""
        lines = [*self.history.top, *(self.buffer[number] for number in range(self.lines))]
        rows = [[line[column] for column in range(self.columns)] for line in lines]
        while rows and not _text(rows[-1]):
            rows.pop()
        return rows

    def text(self) -> str:
        """Returns what stands there without colours."""
        return "\n".join(map(_text, self.rows()))

    def html(self, last: int = 0) -> str:
        """Returns the rows, or the `last` ones, as HTML."""
        return "\n".join(map(_html, self.rows()[-last:]))


def _text(row: list[Char]) -> str:
    return "".join(cell.data for cell in row).rstrip()


def _html(row: list[Char]) -> str:
    parts = [(css, escape("".join(cell.data for cell in cells))) for css, cells in groupby(row, _css)]
    return "".join(f'<span style="{css}">{text}</span>' if css else text for css, text in parts).rstrip()


def _css(cell: Char) -> str:
    name = NAMES.get(cell.fg, cell.fg)
    colour = REPORT_COLOURS.get(name) or REPORT_COLOURS.get(name.removeprefix("bright"))
    return (
        (f"color:var(--{colour});" if colour else "")
        + ("font-weight:bold;" if cell.bold else "")
        + ("text-decoration:underline;" if cell.underscore else "")
    )


def typed(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    columns: int,
    until: Callable[[str], bool] = lambda _: False,
) -> Screen:
    """Returns the screen of a command in a real terminal: at its end, or as it was when `until` liked its text.

    The command runs to its end in either case.
    """
    parent_fd, child_fd = pty.openpty()
    termios.tcsetwinsize(child_fd, (ROWS, columns))
    screen, reached = Screen(columns), False
    stream = ByteStream(screen)
    inherited = {key: value for key, value in environment.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**inherited, "TERM": "xterm-256color"},
        stdin=child_fd,
        stdout=child_fd,
        stderr=child_fd,
    ):
        os.close(child_fd)
        while chunk := _read(parent_fd):
            if not reached:
                stream.feed(chunk)
                reached = until(screen.text())
    os.close(parent_fd)
    return screen


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        # Linux answers the end of the last writer with an error.
        return b""
