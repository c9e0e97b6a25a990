"""`status` and `logs` of jobs that run in the sandbox, as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from infra.provider.identity import LABEL
from tests.sandbox.vertex_sandbox import PYTHON, ROOT, Sandbox, until


def infra(vertex: Sandbox, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in vertex.environment.items() if not key.startswith("TRAINING_VERTEX")}
    return subprocess.run(
        [sys.executable, "-m", "infra", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def body(program: str, *, workers: int = 0, ours: bool = True) -> dict[str, Any]:
    def pool(count: int) -> dict[str, Any]:
        container = {"imageUri": PYTHON, "args": ["-c", program]}
        return {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": count, "containerSpec": container}

    pools = [pool(1), *([pool(workers)] if workers else [])]
    labels = {LABEL: "0" * 32} if ours else {}
    return {"displayName": "digits", "labels": labels, "jobSpec": {"workerPoolSpecs": pools}}


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Any:
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    sandbox.start()
    yield sandbox
    sandbox.verb("stop")


def job_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["stacks"][0]["jobs"][0]
    return found


def test_the_newest_job_that_is_ours_is_shown(fresh: Sandbox) -> None:
    assert job_of(infra(fresh, "status", "sandbox", "--json"))["state"] == "ABSENT"
    fresh.run(body("print('first')"))
    ended = fresh.run(body("print('second')"))
    fresh.run(body("print('somebody else')", ours=False))
    job = job_of(infra(fresh, "status", "sandbox", "--json"))
    assert (job["state"], job["id"], job["lastLine"]) == ("SUCCEEDED", ended["name"], "second")
    assert job["elapsedSeconds"] is not None
    shown = infra(fresh, "status", "sandbox").stdout
    assert "SUCCEEDED" in shown and "second" in shown


def test_a_failed_job_shows_its_error(fresh: Sandbox) -> None:
    fresh.run(body("raise SystemExit(3)"))
    job = job_of(infra(fresh, "status", "sandbox", "--json"))
    assert job["state"] == "FAILED"
    assert job["error"]


def test_lines_of_one_replica_and_of_several(fresh: Sandbox) -> None:
    # The primary's end ends the others: it waits until they have written.
    program = (
        "import json, os, pathlib, time\n"
        f"written = pathlib.Path({str(fresh.modules)!r})\n"
        "t = json.loads(os.environ['CLUSTER_SPEC'])['task']\n"
        "print(t['type'], t['index'], flush=True)\n"
        "if t['type'] == 'workerpool1': (written / f\"{t['index']}.written\").touch(); time.sleep(60)\n"
        "while len(list(written.glob('*.written'))) < 2: time.sleep(0.02)\n"
    )
    fresh.run(body(program, workers=2))
    assert infra(fresh, "logs", "sandbox", "digits").stdout == "workerpool0 0\n"
    assert infra(fresh, "logs", "sandbox", "digits", "--role=worker", "--index=1").stdout == "workerpool1 1\n"
    both = infra(fresh, "logs", "sandbox", "digits", "--role=workers")
    assert both.stdout == "workers:0  workerpool1 0\nworkers:1  workerpool1 1\n"
    lines = infra(fresh, "logs", "sandbox", "digits", "--role=workers", "--json").stdout.splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1]


def test_following_ends_with_the_job_and_loses_no_line(fresh: Sandbox) -> None:
    gate = fresh.modules / "gate"
    program = (
        "import pathlib, time; print('start', flush=True)\n"
        f"while not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.02)\n"
        "print('end')"
    )
    record = fresh.create(body(program))
    until(lambda: infra(fresh, "logs", "sandbox", "digits").stdout == "start\n")
    threading.Timer(1.0, gate.touch).start()
    followed = infra(fresh, "logs", "sandbox", "digits", "--follow")
    assert (followed.returncode, followed.stdout) == (0, "start\nend\n")
    assert fresh.get(record["name"])["state"] == "JOB_STATE_SUCCEEDED"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["logs", "sandbox", "digit"], 2),
        (["logs", "sandbox", "digits", "--role=captain"], 2),
        (["logs", "sandbox", "digits", "--role=ps"], 2),
        (["logs", "sandbox", "digits", "--index=7"], 2),
        (["logs", "sandbox", "digits", "--trial=1"], 2),
        (["logs", "nowhere", "digits"], 2),
        (["status", "nowhere"], 2),
    ],
)
def test_what_is_not_there_is_said(vertex: Sandbox, words: list[str], status: int) -> None:
    done = infra(vertex, *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr and "Traceback" not in done.stderr


def test_a_sandbox_that_does_not_run_is_said(own_vertex: Sandbox) -> None:
    done = infra(own_vertex, "status", "sandbox")
    assert done.returncode == 1
    assert "sandbox" in done.stderr and "Traceback" not in done.stderr
