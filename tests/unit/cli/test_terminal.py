from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from infra.cli.status import duration
from infra.cli.terminal import table

ROOT = Path(__file__).resolve().parents[3]
V100 = "machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
SAMPLE = "tests/samples/reducer-bandwidth/disallowed_one_too_few.yaml"


def in_a_terminal(*words: str, columns: int = 80, **environment: str) -> str:
    """What a verb prints in a real terminal."""
    ours, theirs = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "infra", *words],
        cwd=ROOT,
        env={**kept, "COLUMNS": str(columns), "TERM": "xterm", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 1 << 16):
            pieces.append(piece)
    except OSError:
        pass
    process.wait()
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_colour_is_for_terminals_that_want_it() -> None:
    words = ("validate", "--file", SAMPLE)
    assert "\x1b[31m" in in_a_terminal(*words)
    assert "\x1b" not in in_a_terminal(*words, NO_COLOR="1")
    assert "\x1b" not in in_a_terminal(*words, TERM="dumb")
    piped = subprocess.run(
        [sys.executable, "-m", "infra", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "\x1b" not in piped.stdout + piped.stderr


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_lines_fit_the_terminal(columns: int) -> None:
    for words in (("validate", "--file", SAMPLE), ("size", f"--worker-pool-spec={V100}")):
        lines = plain(in_a_terminal(*words, columns=columns)).splitlines()
        too_long = [line for line in lines if len(line) > columns]
        # A path or an image is never broken: it has to be copied.
        assert [line for line in too_long if len(line.split()) > 2] == []


def test_a_pipe_gets_whole_lines() -> None:
    words = [sys.executable, "-m", "infra", "validate", "--file", SAMPLE]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "40"}
    )
    assert max(map(len, done.stdout.splitlines())) > 80


def test_a_table_cuts_its_last_column_alone() -> None:
    rows = [("digits", "SUCCEEDED", "x" * 100)]
    lines = table(("job", "state", "last line"), rows, columns=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith("digits  SUCCEEDED  xxx")
    assert lines[1].endswith("…")


def test_a_table_shows_no_control_characters() -> None:
    assert "\x1b" not in table(("a",), [("\x1b[2Jgone",)], columns=40)


@pytest.mark.parametrize(("seconds", "words"), [(None, ""), (7, "7s"), (187, "3m07s"), (18_120, "5h02m")])
def test_durations(seconds: int | None, words: str) -> None:
    assert duration(seconds) == words
