"""What the make targets show, of engines that are small programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.display import findings_of
from tools.terminal_screen import typed

ROOT = Path(__file__).resolve().parents[3]
ENGINE = "print('a ' * 60); print('Policies:\\n    - [advisory]  a-rule  (x)\\n\\nResources:'); sys.exit({status})"


def program(status: int, *options: str, quiet: bool = False) -> list[str]:
    """A process that runs such an engine as `make up` does."""
    engine = f"import sys; {ENGINE.format(status=status)}"
    lines = [
        "import os, sys",
        "from pathlib import Path",
        "from tools import display",
        "display.be_quiet()" if quiet else "",
        "display.say('hint'); display.tell('result')",
        f"options = {options!r}",
        f"words = [sys.executable, '-c', {engine!r}, *options, *display.engine_options(options)]",
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
    assert "python -m infra status" in " ".join(asking.split())


def test_a_pipe_gets_whole_lines_without_dots() -> None:
    done = in_a_pipe(program(0, "--yes"))
    assert "--suppress-progress" in done.stdout
    assert max(map(len, done.stdout.splitlines())) > 100


def test_policies_that_say_nothing_are_left_out() -> None:
    assert findings_of("Policies:\n    ok training@v1.0.0\n\nResources:\n") == ""
