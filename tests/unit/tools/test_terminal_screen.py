from __future__ import annotations

import os
import sys
from pathlib import Path

from tools.terminal_screen import Screen, typed


def shown(text: str, columns: int = 20) -> Screen:
    screen = Screen(columns)
    screen.write(text)
    return screen


def test_lines_that_are_drawn_over_show_their_last_state() -> None:
    assert shown("one\r\ntwo\r\n\x1b[2Aeins\x1b[K\r\nzwei").text() == "eins\nzwei\n"
    assert shown("waiting\rdone\x1b[K").text() == "done"


def test_what_is_too_long_goes_on_below() -> None:
    assert shown("abcdef", 4).text() == "abcd\nef"


def test_colours_become_spans_and_text_is_escaped() -> None:
    assert shown("\x1b[31mno\x1b[0m <b>").html() == '<span style="color:var(--error);">no</span> &lt;b&gt;'
    assert "font-weight:bold" in shown("\x1b[1m\x1b[38;5;2mok\x1b[0m").html()


def test_questions_to_the_terminal_leave_nothing() -> None:
    assert shown("\x1b]11;?\x07\x1b[?25la").text() == "a"


def test_the_last_rows_alone() -> None:
    assert shown("1\r\n2\r\n3\r\n").html(2) == "2\n3"


def test_a_command_has_a_terminal_of_that_width_and_runs_to_its_end(tmp_path: Path) -> None:
    program = (
        "import os, sys, time\n"
        "print(sys.stdout.isatty(), os.get_terminal_size().columns, flush=True)\n"
        "time.sleep(0.3); print('é later', flush=True); open('ended', 'w').close()"
    )
    words = [sys.executable, "-c", program]
    early = typed(words, tmp_path, os.environ, 33, lambda text: "33" in text)
    assert early.text().split() == ["True", "33"]
    assert (tmp_path / "ended").exists()
    assert "é later" in typed(words, tmp_path, os.environ, 33).text()
