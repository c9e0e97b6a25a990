from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from pyte.streams import Stream

from dev.terminal_screen import ROWS, Screen, typed


def shown(text: str, columns: int = 20) -> Screen:
    screen = Screen(columns)
    Stream(screen).feed(text)
    return screen


@pytest.mark.parametrize("red", ["31", "91", "38;5;1", "38;5;9"])
def test_colours_become_spans_and_text_is_escaped(red: str) -> None:
    assert shown(f"\x1b[{red}mno\x1b[0m <b>").html() == '<span style="color:var(--error);">no</span> &lt;b&gt;'


def test_grey_bold_and_underlined_text_is_styled() -> None:
    assert (
        shown("\x1b[90;1;4mok")
        .html()
        .startswith('<span style="color:var(--muted);font-weight:bold;text-decoration:underline;">ok</span>')
    )


def test_rows_that_have_scrolled_away_are_kept() -> None:
    numbers = [str(number) for number in range(3 * ROWS)]
    assert shown("\r\n".join(numbers)).text().splitlines() == numbers


def test_the_last_rows_alone() -> None:
    assert shown("1\r\n2\r\n3\r\n").html(2) == "2\n3"


def test_a_command_has_a_terminal_of_that_width_and_runs_to_its_end(tmp_path: Path) -> None:
    program = (
        "import os, sys, time\n"
        "print(sys.stdout.isatty(), os.get_terminal_size().columns, flush=True)\n"
        "time.sleep(0.3); print('é later', flush=True); open('ended', 'w').close()"
    )
    command = [sys.executable, "-c", program]
    early = typed(command, tmp_path, os.environ, 33, lambda text: "33" in text)
    assert early.text().split() == ["True", "33"]
    assert (tmp_path / "ended").exists()
    assert "é later" in typed(command, tmp_path, os.environ, 33).text()
