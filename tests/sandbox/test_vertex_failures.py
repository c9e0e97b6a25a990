"""Replicas that fail beside the primary: it decides, and what became of them is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.vertex_sandbox import Sandbox, job, pool, until

WAITS = "import os, time\nwhile not os.path.exists(os.environ['AIP_MODEL_DIR'] + 'go'): time.sleep(0.02)\n"
FAILS = "import sys; print('no data'); sys.exit(4)"


def begin(vertex: Sandbox, folder: str, *pools: dict[str, Any], **spec: object) -> dict[str, Any]:
    output = {"outputUriPrefix": f"gs://acme-out/{folder}"}
    return vertex.create(job(*pools, baseOutputDirectory=output, **spec))


def last_line(vertex: Sandbox, made: dict[str, Any], replica: str) -> str:
    """Returns the line that the sandbox adds to the log of a replica that has failed."""

    def added_line() -> str:
        try:
            lines = vertex.log(made, replica).splitlines()
        except FileNotFoundError:
            return ""
        return lines[-1] if lines and replica in lines[-1] else ""

    return str(until(added_line))


def go(vertex: Sandbox, folder: str) -> None:
    """Lets the primary go on."""
    (vertex.state / "gcs/acme-out" / folder / "model/go").touch()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_replica_that_fails_is_reported_in_its_log_and_the_primary_decides(vertex: Sandbox, number: int) -> None:
    folder, replica = f"decides-{number}", f"workerpool{number}-0"
    made = begin(vertex, folder, pool(WAITS), *[{}] * (number - 1), pool(FAILS))
    assert "status 4" in last_line(vertex, made, replica)
    vertex.wait(made["name"], "RUNNING")
    go(vertex, folder)
    ran = vertex.wait(made["name"])
    assert ran["state"] == "JOB_STATE_SUCCEEDED"
    assert "error" not in ran
    lines = vertex.log(made, replica).splitlines()
    assert (len(lines), lines[0]) == (2, "no data")


def test_a_replica_killed_by_a_signal_is_reported_on_a_line_of_its_own(vertex: Sandbox) -> None:
    killed = "import os; print('half', end='', flush=True); os.kill(os.getpid(), 9)"
    made = begin(vertex, "signal", pool(WAITS), pool(killed))
    line = last_line(vertex, made, "workerpool1-0")
    assert "137" in line and "SIGKILL" in line
    assert vertex.log(made, "workerpool1-0") == f"half\n{line}\n"
    go(vertex, "signal")
    assert vertex.wait(made["name"])["state"] == "JOB_STATE_SUCCEEDED"


def test_the_error_of_a_primary_that_fails_names_the_replicas_that_failed_before_it(vertex: Sandbox) -> None:
    made = begin(vertex, "before", pool(WAITS + "raise SystemExit('lost a worker')"), pool(FAILS), {}, pool("pass"))
    last_line(vertex, made, "workerpool1-0")
    go(vertex, "before")
    ran = vertex.wait(made["name"])
    assert ran["state"] == "JOB_STATE_FAILED"
    message = ran["error"]["message"]
    for part in ("workerpool0-0 exited with a non-zero status of 1", "workerpool1-0 (status 4)", "lost a worker"):
        assert part in message
    assert "workerpool3-0" not in message


def test_the_error_does_not_name_hundreds(vertex: Sandbox) -> None:
    made = begin(vertex, "many", pool(WAITS + "raise SystemExit(1)"), pool(command=["sh", "-c", "exit 4"], replicas=12))
    for index in range(12):
        last_line(vertex, made, f"workerpool1-{index}")
    go(vertex, "many")
    message = vertex.wait(made["name"])["error"]["message"]
    assert (message.count("status 4"), "2 more" in message) == (10, True)


def test_a_job_that_waits_for_a_failed_replica_until_its_timeout_names_it(vertex: Sandbox) -> None:
    failing = pool(command=["sh", "-c", "exit 4"])
    made = begin(vertex, "timeout", pool(WAITS), failing, scheduling={"timeout": "3s"})
    error = vertex.wait(made["name"])["error"]
    assert error["code"] == 4
    assert "workerpool1-0 (status 4)" in error["message"]


def test_restart_on_worker_restart_starts_all_replicas_again_once(vertex: Sandbox) -> None:
    # The worker fails once the primary has said that it is there.
    primary = "print('started', flush=True); import os; open(os.environ['AIP_MODEL_DIR'] + 'up', 'w').close()\n" + WAITS
    worker = WAITS.replace("'go'", "'up'") + "os.remove(os.environ['AIP_MODEL_DIR'] + 'up')\n" + FAILS
    made = begin(vertex, "again", pool(primary), pool(worker), scheduling={"restartJobOnWorkerRestart": True})
    vertex.wait(made["name"], "RUNNING")
    until(lambda: vertex.log(made, "workerpool1-0").count("status 4") == 2)
    go(vertex, "again")
    assert vertex.wait(made["name"])["state"] == "JOB_STATE_SUCCEEDED"
    assert vertex.log(made).count("started") == 2
    first, restarted, second, decided = vertex.log(made, "workerpool1-0").splitlines()
    assert first == second
    assert restarted != decided


def test_without_retries_nothing_starts_again(vertex: Sandbox) -> None:
    scheduling = {"restartJobOnWorkerRestart": True, "disableRetries": True}
    made = begin(vertex, "once", pool("print('started', flush=True)\n" + WAITS), pool(FAILS), scheduling=scheduling)
    last_line(vertex, made, "workerpool1-0")
    go(vertex, "once")
    assert vertex.wait(made["name"])["state"] == "JOB_STATE_SUCCEEDED"
    assert vertex.log(made) == "started\n"


def test_a_worker_that_cannot_be_started_fails_the_job(vertex: Sandbox) -> None:
    made = begin(vertex, "missing", pool(WAITS), pool(command=["/nowhere/train"]))
    ran = vertex.wait(made["name"])
    assert ran["state"] == "JOB_STATE_FAILED"
    assert "workerpool1-0" in ran["error"]["message"]
