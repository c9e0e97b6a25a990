"""`status` and `logs` of jobs that run in the sandbox, as a user calls them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from typing import Any

import pytest

from tests.sandbox.vertex_sandbox import PYTHON, ROOT, Sandbox, until
from trainingjobs.clients.vertex.identity import LABEL


def infra(vertex: Sandbox, *words: str, exported: bool = False) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in vertex.environment.items() if exported or not key.startswith("TRAINING_VERTEX")
    }
    return subprocess.run(
        [sys.executable, "-m", "trainingjobs", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def body(program: str, *, workers: int = 0, labelled: bool = True) -> dict[str, Any]:
    def pool(count: int) -> dict[str, Any]:
        container = {"imageUri": PYTHON, "args": ["-c", program]}
        return {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": count, "containerSpec": container}

    pools = [pool(1), *([pool(workers)] if workers else [])]
    labels = {LABEL: "0" * 32} if labelled else {}
    return {"displayName": "digits", "labels": labels, "jobSpec": {"workerPoolSpecs": pools}}


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Any:
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    sandbox.start()
    yield sandbox
    sandbox.verb("stop")


def job_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    job: dict[str, Any] = json.loads(done.stdout)["stacks"][0]["jobs"][0]
    return job


def test_the_newest_job_that_is_ours_is_shown(fresh: Sandbox) -> None:
    assert job_of(infra(fresh, "status", "sandbox", "--json"))["state"] == "ABSENT"
    fresh.run(body("print('first')"))
    ended = fresh.run(body("print('second')"))
    fresh.run(body("print('somebody else')", labelled=False))
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


def test_a_worker_that_failed_is_seen_in_its_log_and_in_the_error_of_the_job(fresh: Sandbox) -> None:
    gate = fresh.modules / "gate"
    program = (
        "import json, os, pathlib, time\n"
        "if json.loads(os.environ['CLUSTER_SPEC'])['task']['type'] == 'workerpool1': raise SystemExit(4)\n"
        f"while not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.02)\n"
        "raise SystemExit(1)"
    )
    record = fresh.create(body(program, workers=1))
    until(lambda: "status 4" in infra(fresh, "logs", "sandbox", "digits", "--role=worker", "--index=0").stdout)
    gate.touch()
    fresh.wait(record["name"])
    job = job_of(infra(fresh, "status", "sandbox", "--json"))
    assert job["state"] == "FAILED"
    assert "workerpool1-0 (status 4)" in job["error"]


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


@pytest.mark.parametrize("words", [("status", "sandbox"), ("logs", "sandbox", "digits")])
@pytest.mark.parametrize("exported", [False, True])
def test_a_sandbox_that_was_killed_is_said_at_once(fresh: Sandbox, words: tuple[str, ...], exported: bool) -> None:
    api = fresh.api
    if exported:
        fresh.environment |= {"TRAINING_VERTEX_ENDPOINT": api["endpoint"], "TRAINING_VERTEX_TOKEN": api["token"]}
    os.kill(api["pid"], signal.SIGKILL)
    until(lambda: fresh.verb("status").returncode == 1)
    done = infra(fresh, *words, exported=exported)
    assert done.returncode == 1
    assert "python -m sandbox start" in done.stderr
    assert "HTTP" not in done.stderr


def test_variables_of_an_earlier_sandbox_are_said(fresh: Sandbox) -> None:
    earlier = fresh.api
    fresh.verb("stop")
    # So that the next one gets another port.
    with socket.create_server(("127.0.0.1", int(earlier["endpoint"].rpartition(":")[2]))):
        fresh.start()
    fresh.environment |= {"TRAINING_VERTEX_ENDPOINT": earlier["endpoint"], "TRAINING_VERTEX_TOKEN": earlier["token"]}
    done = infra(fresh, "status", "sandbox", exported=True)
    assert done.returncode == 1
    assert earlier["endpoint"] in done.stderr and fresh.api["endpoint"] in done.stderr


def test_a_sandbox_that_does_not_answer_well_is_asked_again(fresh: Sandbox) -> None:
    fresh.run(body("print('first')"))
    for fault in ({"kind": "reset"}, {"kind": "status", "status": 503}):
        fresh.request("POST", "/sandbox/faults", [{"match": "GET customJobs", **fault}])
        assert job_of(infra(fresh, "status", "sandbox", "--json"))["state"] == "SUCCEEDED"


def test_a_job_that_failed_before_it_wrote_says_why(fresh: Sandbox) -> None:
    fresh.run(body("raise SystemExit(3)"))
    for quiet in ((), ("--quiet",)):
        done = infra(fresh, "logs", "sandbox", "digits", *quiet)
        assert (done.returncode, done.stdout) == (0, "")
        assert "FAILED" in done.stderr and "status of 3" in done.stderr
    fresh.run(body("pass"))
    assert "SUCCEEDED" in infra(fresh, "logs", "sandbox", "digits", "--role=all", "--follow").stderr
    assert infra(fresh, "logs", "sandbox", "digits", "--quiet").stderr == ""


def test_a_cluster_that_does_not_run_is_said_and_no_other_is_asked(fresh: Sandbox) -> None:
    home = fresh.modules.parent / "home"
    (home / ".kube").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as theirs:
        port = theirs.getsockname()[1]
        kubeconfig = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{port}"}}],
            "users": [{"name": "c", "user": {"token": "t"}}],
        }
        (home / ".kube" / "config").write_text(json.dumps(kubeconfig))
        fresh.environment |= {"HOME": str(home)}
        fresh.environment.pop("KUBECONFIG", None)
        absent = infra(fresh, "status", "sandbox-gke")
    # As after a stop of the cluster: its kubeconfig is there, and nobody listens.
    (fresh.state / "kubernetes").mkdir()
    (fresh.state / "kubernetes" / "kubeconfig").write_text(json.dumps(kubeconfig))
    stopped = infra(fresh, "status", "sandbox-gke")
    for done in (absent, stopped):
        assert done.returncode == 1
        assert "make up" in done.stderr
        assert "Errno" not in done.stderr and "kubeconfig" not in done.stderr
