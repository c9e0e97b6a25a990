"""Ctrl-C while a command is still importing: one line and exit status 130."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Stands for the user: interrupts the process when it looks for a module.
INTERRUPTS = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""
COMMANDS = [
    (("trainingjobs", "validate"), "trainingjobs.spec.reading"),
    (("infra", "validate"), "trainingjobs.spec.reading"),
    (("sandbox", "status"), "sandbox.lifecycle"),
    (("sandbox.kubernetes", "status"), "sandbox.kubernetes.client"),
    (("dev.engine", "--print-bin"), "dev.engine.on_path"),
    (("dev.control_plane", "build"), "dev.engine.gobuild"),
    (("trainingjobs", "up", "sandbox"), "trainingjobs.operations.engine"),
]


def run(folder: Path, at: str, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(INTERRUPTS)
    environment = {**os.environ, "PYTHONPATH": str(folder), "INTERRUPTED_AT": at}
    command = ["sh", "-c", f'{before} exec "$@"', "sh", sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(("words", "at"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_a_command_that_is_interrupted_while_it_imports_ends_with_a_line(
    tmp_path: Path, words: tuple[str, ...], at: str
) -> None:
    done = run(tmp_path, at, "-m", *words)
    assert done.returncode == 130
    assert len(done.stderr.splitlines()) <= 1
    assert "Traceback" not in done.stderr


def test_a_main_that_is_interrupted_ends_with_a_line(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("def main(words):\n    import never\n")
    done = run(tmp_path, "never", "-c", "from trainingjobs.terminal.interrupt import run_main; run_main('slow')")
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As in a shell's background: the terminal's Ctrl-C is meant for another command."""
    (tmp_path / "fine.py").write_text("import json.tool\n\ndef main(words):\n    return 3\n")
    code = "from trainingjobs.terminal.interrupt import run_main; run_main('fine')"
    done = run(tmp_path, "json.tool", "-c", code, before="trap '' INT;")
    assert (done.returncode, done.stderr) == (3, "")
