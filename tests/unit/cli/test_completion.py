"""What a shell completes, asked as a shell asks: bash by its own code, the others by the variables that theirs set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.lab import ROOT

COMMAND = Path(sys.executable).with_name("trainingjobs")


def completions(line: str, output: Path, folder: Path = ROOT) -> set[str]:
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(output),
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([COMMAND], cwd=folder, env=environment, check=True, capture_output=True)
    return set(output.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("trainingjobs val", "validate"),
        ("trainingjobs validate --stack p", "prod"),
        ("trainingjobs report p", "prod"),
        ("trainingjobs logs sandbox ", "digits"),
        ("trainingjobs validate --fi", "--file"),
        ("trainingjobs report prod --as=s", "svg"),
        ("trainingjobs completion z", "zsh"),
    ],
)
def test_verbs_options_stacks_and_jobs_are_completed(line: str, word: str, tmp_path: Path) -> None:
    assert word in {each.removeprefix("--as=") for each in completions(line, tmp_path / "words")}


def test_a_folder_without_stacks_completes_none(tmp_path: Path) -> None:
    assert "prod" not in completions("trainingjobs report p", tmp_path / "words", tmp_path)


def test_bash_completes_by_the_code_that_is_printed() -> None:
    script = f"""
    source <({COMMAND} completion bash)
    COMP_LINE='trainingjobs promo' COMP_POINT=18 COMP_TYPE=9 COMP_WORDS=(trainingjobs promo) COMP_CWORD=1
    _python_argcomplete_trainingjobs trainingjobs promo trainingjobs 2>/dev/null || _python_argcomplete trainingjobs
    echo "${{COMPREPLY[@]}}"
    """
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env={**os.environ, "PATH": path}, check=True, capture_output=True, text=True
    )
    assert "promote" in shell.stdout.split()


@pytest.mark.parametrize(
    ("shell", "text"), [("zsh", "#compdef trainingjobs"), ("fish", "complete --command trainingjobs")]
)
def test_zsh_and_fish_get_code_of_their_own(shell: str, text: str) -> None:
    code = subprocess.run([COMMAND, "completion", shell], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert text in code
