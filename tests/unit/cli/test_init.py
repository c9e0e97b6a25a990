from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs.cli.main import main
from trainingjobs.core.findings import has_errors
from trainingjobs.project.judged import judge_stack_named

IMAGE = "us-docker.pkg.dev/acme/train/bert@sha256:" + "0" * 64
GIVEN = ["--project=acme-ml-dev", f"--image={IMAGE}"]


@pytest.fixture
def stacks(project_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    return project_folder / "stacks"


def roles(name: str) -> dict[str, int]:
    judged = judge_stack_named(name)
    assert not has_errors(judged.findings)
    return {pool.role: pool.replica_count for pool in judged.plans[0].pools}


@pytest.mark.parametrize(
    ("machines", "expected"),
    [
        ("4xa2-highgpu-8g", {"primary": 1, "workers": 3, "reducers": 13}),
        # Two nodes gain nothing, GPU network interfaces lose, and processors have no NCCL.
        ("2xa2-highgpu-8g", {"primary": 1, "workers": 1}),
        ("8xa3-highgpu-8g", {"primary": 1, "workers": 7}),
        ("4xn1-standard-8", {"primary": 1, "workers": 3}),
        ("1xg2-standard-12", {"primary": 1}),
    ],
)
def test_what_is_written_validates_and_has_reducers_where_they_pay(
    stacks: Path, machines: str, expected: dict[str, int]
) -> None:
    assert main(["init", "own", *GIVEN, f"--machines={machines}"]) == 0
    assert roles("own") == expected


@pytest.mark.parametrize("name", ["null", "yes", "on", "y"])
def test_words_that_yaml_reads_otherwise_are_quoted(stacks: Path, name: str) -> None:
    assert main(["init", "own", *GIVEN, f"--job={name}"]) == 0
    assert judge_stack_named("own").plans[0].name == name


def test_a_file_that_is_there_is_not_touched(stacks: Path) -> None:
    kept = stacks / "Pulumi.own.yaml"
    kept.write_text("config: {}\n")
    assert main(["init", "own", *GIVEN]) == 2
    assert kept.read_text() == "config: {}\n"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--image=bert:latest", "--environment=prod", "--project=acme-ml-dev"], 1),
        ([*GIVEN, "--environment=production"], 1),
        ([*GIVEN, "--job=Not Legal"], 1),
        ([*GIVEN, "--machines=many"], 2),
        ([*GIVEN, "--machines=4xa2-highgpu-9g"], 2),
        (["--project=acme-ml-dev"], 2),
    ],
)
def test_nothing_is_written_that_does_not_validate(
    stacks: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int
) -> None:
    assert main(["init", "own", *words]) == status
    assert list(stacks.iterdir()) == []
    assert capsys.readouterr().err


def test_a_terminal_is_asked_five_questions(project_folder: Path) -> None:
    controller, terminal = pty.openpty()
    # A wrong answer is asked for again, with the nearest right one.
    answers = [
        "Acme",
        "acme-ml-dev",
        "us-centrall1",
        "",
        "prodd",
        "dev",
        "",
        IMAGE,
        "8xa2-highgpu-8h",
        "8xa2-highgpu-8g",
    ]
    os.write(controller, "".join(f"{answer}\n" for answer in answers).encode())
    done = subprocess.run(
        [sys.executable, "-m", "trainingjobs", "init", "own"],
        cwd=project_folder,
        stdin=terminal,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 0, done.stderr
    for suggestion in ("us-central1", "prod", "a2-highgpu-8g"):
        assert f"did you mean {suggestion}?" in done.stderr
    text = (project_folder / "stacks" / "Pulumi.own.yaml").read_text()
    assert "gcp:project: acme-ml-dev" in text and "replicaCount: 7" in text
