"""Which files a verb reads: regular ones, and streams that its caller has open; it never waits for another program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.jobs import gpu_job

ROOT = Path(__file__).resolve().parents[3]


def bash(words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", words],
        cwd=ROOT,
        env={**os.environ, "INFRA": f"{sys.executable} -m trainingjobs", **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.fixture
def job(tmp_path: Path) -> str:
    (tmp_path / "job.json").write_text(json.dumps(gpu_job()))
    return str(tmp_path / "job.json")


@pytest.mark.parametrize(
    "words",
    [
        "cat $JOB | $INFRA validate --file=/dev/stdin",
        "$INFRA validate --file=/dev/stdin < $JOB",
        "$INFRA validate --file <(cat $JOB)",
        "$INFRA validate --file <(cat $JOB) --file <(cat $JOB)",
        "$INFRA render --as=gcloud --file <(cat $JOB)",
    ],
)
def test_streams_that_the_caller_has_open_are_read(job: str, words: str) -> None:
    done = bash(words, JOB=job)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout


def test_convert_reads_a_stream(job: str) -> None:
    body = bash("$INFRA render --as=custom-job --file=$JOB", JOB=job).stdout
    for words in ('$INFRA convert <(echo "$BODY") --json', 'echo "$BODY" | $INFRA convert - --json'):
        assert json.loads(bash(words, BODY=body).stdout)["pools"]["primary"]["machineType"] == "n1-highmem-96"


@pytest.mark.parametrize("verb", ["validate --file", "convert", "render --as=pods --file"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "/dev/zero", "/dev/null", "missing", "loop"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, verb: str, kind: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = tmp_path / kind
    done = bash(f"$INFRA {verb} $GIVEN", GIVEN=str(path))
    assert done.returncode == 2
    assert str(path) in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["$INFRA validate --file=/dev/stdin", "$INFRA convert -"])
def test_a_stream_without_end_is_not_read_to_its_end(words: str) -> None:
    done = bash(f"{words} < /dev/zero")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
