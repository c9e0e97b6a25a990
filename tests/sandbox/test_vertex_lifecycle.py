"""Starting and stopping: one server a folder, no orphans, and records that survive."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.kubernetes.bed_settings import bed_folder
from sandbox.kubernetes.processes import process_id, start_process
from sandbox.state_folder import take_lock
from tests.sandbox.vertex_sandbox import ROOT, WAITS, Sandbox, job, pool, until
from trainingjobs.project.sandbox_folder import SERVER_LOCK


def test_start_is_idempotent_and_stop_leaves_nothing(own_vertex: Sandbox) -> None:
    own_vertex.start()
    first = own_vertex.api
    again = own_vertex.verb("start")
    assert (again.returncode, own_vertex.api) == (0, first)
    assert "already running" in again.stdout
    assert own_vertex.verb("status").returncode == 0
    assert own_vertex.verb("stop").returncode == 0
    assert not (own_vertex.state / "api.json").exists()
    assert own_vertex.verb("status").returncode == 1
    assert own_vertex.verb("stop").returncode == 0
    assert own_vertex.processes() == []


def test_two_starts_at_once_make_one_server(own_vertex: Sandbox) -> None:
    with ThreadPoolExecutor(3) as pool_:
        results = list(pool_.map(own_vertex.verb, ["start"] * 3))
    assert [result.returncode for result in results] == [0, 0, 0], results
    assert len({result.stdout.split("at ")[1].split()[0] for result in results}) == 1
    until(lambda: len(own_vertex.processes()) == 1)


def test_the_token_is_for_the_owner_only(own_vertex: Sandbox) -> None:
    own_vertex.start()
    assert (own_vertex.state / "api.json").stat().st_mode & 0o077 == 0
    assert own_vertex.state.stat().st_mode & 0o077 == 0


def test_stop_ends_the_replicas_and_their_jobs_count_as_failed(own_vertex: Sandbox) -> None:
    own_vertex.start()
    name = own_vertex.create(job(pool(WAITS), pool(WAITS, replicas=2)))["name"]
    until(lambda: own_vertex.get(name)["state"] == "JOB_STATE_RUNNING")
    assert own_vertex.verb("stop").returncode == 0
    assert own_vertex.processes() == []
    assert "JOB_STATE_FAILED" in own_vertex.verb("status").stdout
    own_vertex.start()
    stopped = own_vertex.get(name)
    assert stopped["state"] == "JOB_STATE_FAILED"
    assert "the sandbox was stopped" in stopped["error"]["message"]


def test_a_killed_server_leaves_no_replica_and_the_next_knows_its_jobs(own_vertex: Sandbox) -> None:
    own_vertex.start()
    ended = own_vertex.run(job(pool("pass"), name="ended"))
    name = own_vertex.create(job(pool(WAITS), pool(WAITS)))["name"]
    own_vertex.wait(name, "RUNNING")
    old = own_vertex.api
    os.kill(old["pid"], signal.SIGKILL)
    until(lambda: not own_vertex.processes())
    assert own_vertex.verb("env").returncode == 1
    own_vertex.start()
    assert own_vertex.api["token"] != old["token"]
    assert own_vertex.get(name)["state"] == "JOB_STATE_FAILED"
    assert own_vertex.get(ended["name"]) == ended


def test_a_killed_runner_takes_its_replicas_along_and_fails_the_job(own_vertex: Sandbox) -> None:
    own_vertex.start()
    name = own_vertex.create(job(pool("import os; print(os.getppid(), flush=True)\n" + WAITS)))["name"]
    running = own_vertex.wait(name, "RUNNING")
    log = until(lambda: own_vertex.log(running).split()[1:] and own_vertex.log(running))
    os.kill(int(log.split()[0]), signal.SIGKILL)
    assert own_vertex.wait(name)["state"] == "JOB_STATE_FAILED"
    until(lambda: own_vertex.processes() == [own_vertex.api["pid"]])


def test_a_server_whose_folder_is_removed_ends_with_its_replicas_and_makes_no_new_one(
    own_vertex: Sandbox,
) -> None:
    own_vertex.start()
    name = own_vertex.create(job(pool(WAITS), pool(WAITS, replicas=2)))["name"]
    own_vertex.wait(name, "RUNNING")
    shutil.rmtree(own_vertex.state)
    until(lambda: not own_vertex.processes())
    assert not own_vertex.state.exists()


def test_a_folder_that_is_removed_and_made_again_at_once_gets_a_server_of_its_own(own_vertex: Sandbox) -> None:
    own_vertex.start()
    old = own_vertex.api["pid"]
    shutil.rmtree(own_vertex.state)
    own_vertex.start()
    until(lambda: own_vertex.processes() == [own_vertex.api["pid"]])
    assert own_vertex.api["pid"] != old
    assert own_vertex.run(job(pool("pass")))["state"] == "JOB_STATE_SUCCEEDED"


def test_stop_clears_what_a_crash_left(own_vertex: Sandbox) -> None:
    own_vertex.start()
    os.kill(own_vertex.api["pid"], signal.SIGKILL)
    until(lambda: own_vertex.verb("status").returncode == 1)
    assert own_vertex.verb("stop").returncode == 0
    assert not (own_vertex.state / "api.json").exists()


def test_stop_ends_the_api_server_of_a_cluster_too(own_vertex: Sandbox) -> None:
    own_vertex.start()
    folder = bed_folder(own_vertex.state)
    folder.mkdir()
    for words in ("stopped", "not running"):
        start_process(folder, "kube-apiserver", ["sleep", "60"], dict(os.environ))
        done = own_vertex.verb("stop")
        assert done.returncode == 0
        assert done.stdout.startswith(f"{words}; ")
        assert process_id(folder, "kube-apiserver") is None


def test_a_process_id_of_somebody_else_is_not_taken_for_the_server(own_vertex: Sandbox) -> None:
    own_vertex.state.mkdir()
    stale = json.dumps({"endpoint": "http://127.0.0.1:1", "pid": os.getpid(), "token": "t", "startedAt": ""})
    (own_vertex.state / "api.json").write_text(stale)
    assert own_vertex.verb("stop").returncode == 0
    (own_vertex.state / "api.json").write_text(stale)
    own_vertex.start()
    assert own_vertex.api["pid"] != os.getpid()


def test_a_server_that_cannot_be_reached_is_said(own_vertex: Sandbox) -> None:
    own_vertex.state.mkdir()
    held = take_lock(own_vertex.state, SERVER_LOCK)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        endpoint = "http://{}:{}".format(*nobody.getsockname())
        api = {"endpoint": endpoint, "pid": 1, "token": "t", "startedAt": ""}
        (own_vertex.state / "api.json").write_text(json.dumps(api))
        done = own_vertex.verb("start")
    assert held is not None
    os.close(held)
    assert done.returncode == 1
    assert endpoint in done.stderr


@pytest.mark.parametrize("damage", ["{", "[]", '{"endpoint": "x", "pid": "y", "token": "z"}', None])
def test_a_server_whose_api_json_is_damaged_is_named_and_can_be_stopped(
    own_vertex: Sandbox, damage: str | None
) -> None:
    own_vertex.start()
    pid = own_vertex.api["pid"]
    if damage is None:
        (own_vertex.state / "api.json").unlink()
    else:
        (own_vertex.state / "api.json").write_text(damage)
    for verb in ("start", "status", "env") if damage else ("status", "env"):
        done = own_vertex.verb(verb)
        assert done.returncode == 1
        assert str(pid) in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert own_vertex.verb("stop").returncode == 0
    assert own_vertex.processes() == []
    own_vertex.start()
    assert own_vertex.verb("status").returncode == 0


def test_stop_ends_nobody_but_the_folders_server(own_vertex: Sandbox) -> None:
    own_vertex.state.mkdir()
    held = take_lock(own_vertex.state, SERVER_LOCK)
    assert held is not None
    # Of a process that is no server, and of a server of another folder.
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "-m", "sandbox.server", "/"])
    try:
        for pid in (os.getpid(), bystander.pid):
            os.pwrite(held, f"{pid}\n".encode(), 0)
            done = own_vertex.verb("stop")
            assert done.returncode == 1
            assert str(own_vertex.state / SERVER_LOCK) in done.stderr
            assert bystander.poll() is None
    finally:
        os.close(held)
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("verb", ["start", "status", "env"])
def test_a_reader_that_has_left_is_no_fault_of_the_folder(vertex: Sandbox, verb: str) -> None:
    command = [sys.executable, "-m", "sandbox", verb]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=vertex.environment, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("verb", ["start", "status", "stop"])
def test_a_state_folder_that_cannot_be_is_one_message(own_vertex: Sandbox, verb: str) -> None:
    own_vertex.state.write_text("a file")
    done = own_vertex.verb(verb)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    if verb == "start":
        assert done.returncode == 1
        assert str(own_vertex.state) in done.stderr


def test_env_is_what_a_shell_can_take(own_vertex: Sandbox) -> None:
    assert own_vertex.verb("env").returncode == 1
    own_vertex.start()
    done = own_vertex.verb("env")
    names = "TRAINING_SANDBOX TRAINING_VERTEX_ENDPOINT TRAINING_VERTEX_TOKEN PULUMI_BACKEND_URL PULUMI_HOME PATH"
    show = "import os, sys; print(*[os.environ[name] for name in sys.argv[1:]], sep=chr(10))"
    script = f"{done.stdout}\n{shlex.quote(sys.executable)} -c {shlex.quote(show)} {names}"
    shell = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, check=True)
    state, endpoint, token, backend, home, path = shell.stdout.splitlines()
    api = own_vertex.api
    assert (state, endpoint, token) == (str(own_vertex.state), api["endpoint"], api["token"])
    assert (backend, home) == (f"file://{own_vertex.state}/pulumi", f"{own_vertex.state}/home")
    assert path.split(":")[0] == str(ROOT / "sandbox" / "bin")


def test_two_sandboxes_do_not_meet(own_vertex: Sandbox, vertex: Sandbox) -> None:
    own_vertex.start()
    code = "import json, os; print(json.loads(os.environ['CLUSTER_SPEC'])['cluster'])"
    first, second = own_vertex.run(job(pool(code))), vertex.run(job(pool(code)))
    assert own_vertex.log(first) != vertex.log(second)
    assert vertex.request("GET", f"/v1/{first['name']}").status == 404
    assert own_vertex.request("GET", "/sandbox/faults", token=vertex.api["token"]).status == 401
