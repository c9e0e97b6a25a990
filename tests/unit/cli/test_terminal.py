from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs.clients.operation import duration
from trainingjobs.terminal.text import fill, table

ROOT = Path(__file__).resolve().parents[3]
V100 = "machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
SAMPLE = "tests/samples/reducer-bandwidth/disallowed_one_too_few.yaml"


def in_a_terminal(*words: str, columns: int = 80, **environment: str) -> str:
    """What a verb prints in a real terminal."""
    controller, terminal = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "trainingjobs", *words],
        cwd=ROOT,
        env={**kept, "COLUMNS": str(columns), "TERM": "xterm", **environment},
        # A question that a verb should not have asked ends at once instead of hanging the suite.
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    pieces = []
    try:
        while piece := os.read(controller, 1 << 16):
            pieces.append(piece)
    except OSError:
        pass
    process.wait()
    os.close(controller)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_colour_is_for_terminals_that_want_it() -> None:
    words = ("validate", "--file", SAMPLE)
    assert "\x1b[31m" in in_a_terminal(*words)
    assert "\x1b" not in in_a_terminal(*words, NO_COLOR="1")
    assert "\x1b" not in in_a_terminal(*words, TERM="dumb")
    piped = subprocess.run(
        [sys.executable, "-m", "trainingjobs", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "\x1b" not in piped.stdout + piped.stderr


COMMANDS = (
    ("validate", "--file", SAMPLE),
    ("size", f"--worker-pool-spec={V100}"),
    ("size", f"--worker-pool-spec={V100}", "--platform=aws"),
    ("cost",),
    ("cost", "--stack=nowhere"),
    ("render", "--as=gcloud", "--file", SAMPLE),
    ("env", "--stack=prod", "--job=nobody", "--task=worker:0"),
    ("promote", "--list"),
    ("promote", "dev", "staging", "--dry-run"),
    ("drift", "prod"),
    ("status", "sandbox"),
    ("logs", "sandbox", "digits"),
    ("report", "nowhere"),
    ("init", "new", "--project=a", "--image=a", "--region=nowhere", "--environment=dev", "--machines=4xa2-highgpu-8g"),
    ("convert", "nothing.yaml"),
    ("--help",),
    ("size", "--help"),
    ("sise",),
)


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_lines_fit_the_terminal(tmp_path: Path, words: tuple[str, ...], columns: int) -> None:
    nowhere = {"TRAINING_SANDBOX": str(tmp_path), "PULUMI_BACKEND_URL": f"file://{tmp_path}/none"}
    lines = plain(in_a_terminal(*words, columns=columns, **nowhere)).splitlines()
    assert lines
    # A path, an image or a command is never broken: it has to be copied.
    words_of = [(line, max(map(len, line.split()))) for line in lines if len(line) > columns]
    assert [line for line, longest in words_of if longest < columns - 24 and "python -m trainingjobs" not in line] == []


def test_a_long_word_stays_where_it_is_and_the_rest_goes_on_below() -> None:
    image = "us-docker.pkg.dev/acme/" + "a" * 40
    assert fill(f"image  {image}", 30, 8) == f"image  {image}"
    assert fill("one two three four", 20, 4) == "one two three four"
    assert fill("one two three four five", 20, 4) == "one two three four\n    five"
    assert fill("\x1b[31mone\x1b[0m two three four", 20, 4) == "\x1b[31mone\x1b[0m two three four"


def test_a_narrow_table_cuts_the_widest_column_when_the_last_is_at_its_least() -> None:
    lines = table(("stack", "job", "state"), [("dev", "j" * 60, "RUNNING and more")], columns=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith("dev")


def test_a_pipe_gets_whole_lines() -> None:
    words = [sys.executable, "-m", "trainingjobs", "validate", "--file", SAMPLE]
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


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0s"), (7, "7s"), (187, "3m07s"), (18_120, "5h02m")])
def test_durations(seconds: int | None, words: str) -> None:
    assert duration(seconds) == words
