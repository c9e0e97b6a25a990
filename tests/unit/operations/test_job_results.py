"""What `make up` says of the jobs once the engine is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainingjobs.operations.job_results import show_results
from trainingjobs.operations.promotion.checks import STACK

ID = "projects/acme-ml-dev/locations/us-central1/customJobs/7"
# As the engine writes an output that holds a secret.
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}


def state(jobs: dict[str, Any]) -> dict[str, Any]:
    return {"resources": [{"type": STACK, "urn": "urn", "outputs": {"jobs": jobs}}]}


@pytest.mark.parametrize("deployment", [{}, state({}), state(SECRET)], ids=["new", "none", "secret"])
def test_a_stack_that_shows_no_jobs_has_no_ends(
    deployment: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_results("dev", {"TRAINING_SANDBOX": str(tmp_path)}, deployment)
    assert capsys.readouterr().out == ""


def test_the_last_lines_of_a_sandboxs_job_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "logs" / "7" / "workerpool0-0.log"
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"line {number}\n" for number in range(5)))
    # Nobody answers there: whether the job failed cannot be asked.
    nowhere = {"TRAINING_VERTEX_ENDPOINT": "http://127.0.0.1:1", "TRAINING_VERTEX_TOKEN": "t"}
    show_results("dev", {"TRAINING_SANDBOX": str(tmp_path), **nowhere}, state({"bert": {"jobId": ID}}))
    out = capsys.readouterr().out
    assert [line.partition("bert: ")[2] for line in out.splitlines()] == ["line 2", "line 3", "line 4"]
