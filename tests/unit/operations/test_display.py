"""What the make targets show, of engines that are small programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev.terminal_screen import typed
from trainingjobs.operations.display import findings_of

ROOT = Path(__file__).resolve().parents[3]
COLOURED = "\x1b[0m\x1b[38;5;2m            consoleUrl: \x1b[0m\x1b[38;5;2m" + "u" * 50 + "\x1b[0m"
ENGINE = "print('a ' * 60); print('Policies:\\n    - [advisory]  a-rule  (x)\\n\\nResources:'); sys.exit({status})"


def program(
    status: int, *options: str, quiet: bool = False, verb: str = "up", code: str = ENGINE, own: str = ""
) -> list[str]:
    """A process that runs such an engine as `make` does for the verb."""
    engine = f"import sys; {code.format(status=status)}"
    lines = [
        "import os, sys",
        "from pathlib import Path",
        "from trainingjobs.operations import display",
        "display.be_quiet()" if quiet else "",
        "display.say('hint'); display.tell('result')",
        f"options = {options!r}",
        own,
        f"words = [sys.executable, '-c', {engine!r}, {verb!r}, *options, *display.engine_options({verb!r}, options)]",
        "print(words[3:])",
        "sys.exit(display.run_engine(words, Path.cwd(), os.environ, lambda engine: engine.wait()))",
    ]
    return [sys.executable, "-c", "\n".join(lines)]


def in_a_pipe(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("status", [0, 3])
def test_quietly_hints_go_and_findings_results_and_failures_stay(status: int) -> None:
    done = in_a_pipe(program(status, "--yes", quiet=True))
    assert done.returncode == status
    assert "hint" not in done.stdout
    assert "result" in done.stdout and "a-rule" in done.stdout
    assert ("a a a" in done.stdout) is (status != 0)


def test_a_narrow_terminal_gets_folded_lines_of_a_run_that_asks_nothing() -> None:
    text = typed(program(0, "--yes"), ROOT, os.environ, 80).text()
    assert "--non-interactive" in text
    assert [line for line in text.splitlines() if line.startswith("    a a")]


def test_a_wide_terminal_and_a_run_that_asks_keep_the_engines_own_display() -> None:
    assert "--non-interactive" not in typed(program(0, "--yes"), ROOT, os.environ, 160).text()
    asking = typed(program(0), ROOT, os.environ, 80).text()
    assert "--non-interactive" not in asking
    assert "trainingjobs status" in " ".join(asking.split())


@pytest.mark.parametrize(("verb", "own"), [("preview", ""), ("destroy", ""), ("up", "os.environ['TERM'] = 'dumb'")])
def test_where_nothing_is_waited_for_or_drawn_nothing_is_shown_as_cut(verb: str, own: str) -> None:
    text = typed(program(0, verb=verb, own=own), ROOT, os.environ, 80).text()
    assert "trainingjobs status" not in " ".join(text.split())
    assert ("--non-interactive" in text) is (verb == "preview")


def test_coloured_outputs_stay_nested_in_a_narrow_terminal() -> None:
    lines = typed(program(0, "--yes", code=f"print({COLOURED!r})"), ROOT, os.environ, 60).text().splitlines()
    at = next(number for number, line in enumerate(lines) if "consoleUrl" in line)
    assert lines[at].startswith(" " * 12 + "consoleUrl")
    assert all(line.strip() for line in lines[:at])
    assert lines[at + 1].startswith("u") or lines[at + 1].startswith(" " * 16)


@pytest.mark.parametrize("columns", [None, 160])
def test_how_to_forget_a_stack_that_is_down_is_left_out(columns: int | None) -> None:
    code = "print('gone\\nIf you want to remove the stack completely, run `pulumi stack rm x`.')"
    words = program(0, "--yes", verb="destroy", code=code)
    text = typed(words, ROOT, os.environ, columns).text() if columns else in_a_pipe(words).stdout
    assert "gone" in text
    assert "stack rm" not in text


def test_a_pipe_gets_whole_lines_without_dots() -> None:
    done = in_a_pipe(program(0, "--yes"))
    assert "--suppress-progress" in done.stdout
    assert max(map(len, done.stdout.splitlines())) > 100


def test_policies_that_say_nothing_are_left_out() -> None:
    assert findings_of("Policies:\n    ok training@v1.0.0\n\nResources:\n") == ""
