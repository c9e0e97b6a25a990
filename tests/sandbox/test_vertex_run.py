"""How the sandbox runs custom jobs: processes, environment, states, ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sandbox.vertex_sandbox import EXECUTOR, REDUCER, WAITS, Sandbox, job, number, pool, until

DUMP = "import json, os; print(json.dumps(dict(os.environ)), flush=True)"


def environment(sandbox: Sandbox, ran: dict, replica: str = "workerpool0-0") -> dict[str, str]:
    return json.loads(sandbox.log(ran, replica).splitlines()[0])


def test_a_job_that_exits_0_succeeds_and_shows_its_times(vertex: Sandbox) -> None:
    made = vertex.create(job(pool("print('hello')"), labels={"team": "a"}))
    assert made["state"] == "JOB_STATE_PENDING"
    assert made["name"].startswith("projects/acme-ml-sandbox/locations/us-central1/customJobs/")
    assert len(number(made)) == 19
    ran = vertex.wait(made["name"])
    assert ran["state"] == "JOB_STATE_SUCCEEDED"
    assert ran["createTime"] <= ran["startTime"] <= ran["endTime"] <= ran["updateTime"]
    assert ran["labels"] == {"team": "a"}
    assert "error" not in ran
    assert vertex.log(ran) == "hello\n"


def test_a_primary_that_fails_fails_the_job_with_its_status_and_its_last_lines(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool("import sys; print('step 7'); sys.exit('out of ideas')")))
    assert ran["state"] == "JOB_STATE_FAILED"
    assert ran["error"]["code"] == 3
    for part in ("workerpool0-0", "status of 1", "step 7", "out of ideas"):
        assert part in ran["error"]["message"]


def test_a_primary_killed_by_a_signal_counts_128_and_the_signal(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool("import os; os.kill(os.getpid(), 9)")))
    assert "status of 137" in ran["error"]["message"]


def test_every_replica_knows_the_cluster_and_can_reach_it(vertex: Sandbox) -> None:
    listens = (
        "import json, os, socket\n"
        "spec = json.loads(os.environ['CLUSTER_SPEC']); task = spec['task']\n"
        "host, port = spec['cluster'][task['type']][task['index']].split(':')\n"
        "server = socket.create_server((host, int(port)))\n"
        f"{DUMP}\n"
        "while True: server.accept()[0].sendall(task['type'].encode())\n"
    )
    primary = (
        "import json, os, socket, time\n"
        f"{DUMP}\n"
        "spec = json.loads(os.environ['CLUSTER_SPEC'])\n"
        "for key, members in spec['cluster'].items():\n"
        "    for member in members if key != 'workerpool0' else []:\n"
        "        host, port = member.split(':')\n"
        "        while True:\n"
        "            try: peer = socket.create_connection((host, int(port))); break\n"
        "            except ConnectionRefusedError: time.sleep(0.02)\n"
        "        if key != 'workerpool2': assert peer.recv(99).decode() == key\n"
    )
    ran = vertex.run(job(pool(primary), pool(listens, replicas=2), pool(image=REDUCER, replicas=2), pool(listens)))
    assert ran["state"] == "JOB_STATE_SUCCEEDED", ran
    primary_env = environment(vertex, ran)
    cluster = json.loads(primary_env["CLUSTER_SPEC"])["cluster"]
    assert {key: len(members) for key, members in cluster.items()} == {
        "workerpool0": 1,
        "workerpool1": 2,
        "workerpool2": 2,
        "workerpool3": 1,
    }
    addresses = [member for members in cluster.values() for member in members]
    assert len(set(addresses)) == 6
    hosts, ports = zip(*(address.split(":") for address in addresses), strict=True)
    assert all(host.startswith("127.") for host in hosts)
    # Each its own: one that listens on every address leaves the others theirs.
    assert (len(set(hosts)), len(set(ports))) == (6, 6)
    worker = environment(vertex, ran, "workerpool1-1")
    assert json.loads(worker["CLUSTER_SPEC"])["cluster"] == cluster
    assert json.loads(worker["CLUSTER_SPEC"])["task"] == {"type": "workerpool1", "index": 1}
    assert json.loads(worker["TF_CONFIG"])["task"]["type"] == "worker"
    assert json.loads(environment(vertex, ran, "workerpool3-0")["TF_CONFIG"])["task"]["type"] == "evaluator"


def test_a_replica_count_with_a_decimal_point_is_the_whole_number(vertex: Sandbox) -> None:
    ran = vertex.run(job({**pool(DUMP), "replicaCount": 1.0}, {**pool("pass"), "replicaCount": 2.0}))
    assert ran["state"] == "JOB_STATE_SUCCEEDED", ran
    variables = environment(vertex, ran)
    described = [ran["jobSpec"], *(json.loads(variables[name])["job"] for name in ("CLUSTER_SPEC", "TF_CONFIG"))]
    for spec in described:
        # An int64 of the proto, which its JSON form writes as text.
        assert [given["replicaCount"] for given in spec["workerPoolSpecs"]] == ["1", "2"]
    assert len(json.loads(variables["CLUSTER_SPEC"])["cluster"]["workerpool1"]) == 2


def test_a_single_replica_has_a_cluster_but_no_tf_config(vertex: Sandbox) -> None:
    variables = environment(vertex, vertex.run(job(pool(DUMP))))
    assert "CLUSTER_SPEC" in variables
    assert "TF_CONFIG" not in variables


def test_a_replica_gets_nothing_of_the_server_s_environment(vertex: Sandbox) -> None:
    variables = environment(vertex, vertex.run(job(pool(DUMP))))
    assert not [name for name in variables if name.startswith(("TRAINING_", "PULUMI_", "PYTEST_"))]
    assert not [name for name in variables if name.startswith("AIP_")]


def test_container_variables_expand_what_is_defined_before_them(vertex: Sandbox) -> None:
    entries = [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "$(A)$(CLOUD_ML_PROJECT_ID)$(NONE)$$(A)"},
        {"name": "EMPTY"},
    ]
    variables = environment(vertex, vertex.run(job(pool(DUMP, env=entries))))
    assert variables["B"] == "1acme-ml-sandbox$(NONE)$(A)"
    assert variables["EMPTY"] == ""


def test_the_output_folders_are_the_bucket_s_on_disk(vertex: Sandbox) -> None:
    code = "import os; open(os.environ['AIP_MODEL_DIR'] + 'weights', 'w').write('w')"
    ran = vertex.run(job(pool(code), baseOutputDirectory={"outputUriPrefix": "gs://acme-out/run/1"}))
    assert ran["state"] == "JOB_STATE_SUCCEEDED", ran
    assert (vertex.state / "gcs/acme-out/run/1/model/weights").read_text() == "w"
    assert (vertex.state / "gcs/acme-out/run/1/checkpoints").is_dir()


def test_the_command_replaces_the_entrypoint_and_arguments_follow(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool(command=["sh", "-c", 'echo "$0" "$1"'], args=["a b", "c"])))
    assert vertex.log(ran) == "a b c\n"


def test_a_python_package_runs_as_a_module_of_its_executor(vertex: Sandbox) -> None:
    (vertex.modules / "trainer.py").write_text("import sys; print(sys.argv[1:])")
    package = {
        "executorImageUri": f"{EXECUTOR}:latest",
        "packageUris": ["gs://acme-out/trainer.tar.gz"],
        "pythonModule": "trainer",
        "args": ["--epochs=2"],
    }
    body = {"replicaCount": 1, "machineSpec": {"machineType": "n1-standard-4"}, "pythonPackageSpec": package}
    assert vertex.log(vertex.run(job(body))) == "['--epochs=2']\n"


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("registry.example/nobody/knows:1", "registry.example/nobody/knows"),
        ("registry.example/test/elsewhere:1", "missing"),
        ("registry.example/test/empty@sha256:00", "no entrypoint"),
    ],
)
def test_an_image_that_stands_for_nothing_fails_the_job(vertex: Sandbox, image: str, message: str) -> None:
    ran = vertex.run(job(pool(image=image)))
    assert ran["state"] == "JOB_STATE_FAILED"
    assert message in ran["error"]["message"]
    assert "startTime" not in ran


def test_an_unknown_image_of_any_pool_names_the_map(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool("pass"), pool(image="registry.example/nobody/knows:1")))
    assert "images.json" in ran["error"]["message"]


def test_the_end_of_the_primary_ends_the_others_and_what_they_started(vertex: Sandbox) -> None:
    stubborn = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "print(os.getpid(), subprocess.Popen(child, start_new_session=True).pid, flush=True)\n"
        "open(os.environ['AIP_MODEL_DIR'] + 'ready', 'w').close()\n"
        "time.sleep(600)"
    )
    primary = "import os, time\nwhile not os.path.exists(os.environ['AIP_MODEL_DIR'] + 'ready'): time.sleep(0.02)"
    output = {"outputUriPrefix": "gs://acme-out/stubborn"}
    ran = vertex.run(job(pool(primary), pool(stubborn), baseOutputDirectory=output))
    assert ran["state"] == "JOB_STATE_SUCCEEDED"
    started = [int(part) for part in vertex.log(ran, "workerpool1-0").split()]
    assert len(started) == 2
    assert not [pid for pid in started if alive(pid)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_worker_that_ends_well_before_the_primary_is_fine(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool("import time; time.sleep(0.3)"), pool("pass")))
    assert ran["state"] == "JOB_STATE_SUCCEEDED"


def test_the_timeout_ends_the_job(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool(WAITS), scheduling={"timeout": "0.2s"}))
    assert ran["state"] == "JOB_STATE_FAILED"
    assert ran["error"]["code"] == 4


def test_a_cancelled_job_passes_through_cancelling(vertex: Sandbox) -> None:
    name = vertex.create(job(pool("import signal\nsignal.signal(15, signal.SIG_IGN)\n" + WAITS), pool(WAITS)))["name"]
    running = vertex.wait(name, "RUNNING")
    until(lambda: "up" in vertex.log(running))
    assert vertex.request("POST", f"/v1/{name}:cancel", {}).body == {}
    assert vertex.get(name)["state"] == "JOB_STATE_CANCELLING"
    ran = vertex.wait(name)
    assert ran["state"] == "JOB_STATE_CANCELLED"
    assert ran["error"]["code"] == 1
    again = vertex.request("POST", f"/v1/{name}:cancel", {})
    assert (again.status, again.body["error"]["status"]) == (400, "FAILED_PRECONDITION")


def test_jobs_beyond_those_that_run_at_once_are_queued_and_follow(vertex: Sandbox) -> None:
    first = [vertex.create(job(pool(WAITS)))["name"] for _ in range(8)]
    last = vertex.create(job(pool("pass")))
    queued = vertex.create(job(pool(WAITS)))
    assert last["state"] == "JOB_STATE_QUEUED"
    vertex.request("POST", f"/v1/{queued['name']}:cancel", {})
    assert vertex.wait(queued["name"])["state"] == "JOB_STATE_CANCELLED"
    assert vertex.get(last["name"])["state"] == "JOB_STATE_QUEUED"
    for name in first:
        vertex.request("POST", f"/v1/{name}:cancel", {})
    assert vertex.wait(last["name"])["state"] == "JOB_STATE_SUCCEEDED"
    for name in first:
        vertex.wait(name)


def test_web_access_shows_the_logs_while_the_job_runs(vertex: Sandbox) -> None:
    name = vertex.create(job(pool(WAITS), enableWebAccess=True))["name"]
    running = vertex.wait(name, "RUNNING")
    uri = running["webAccessUris"]["workerpool0-0"]
    path = uri.removeprefix(vertex.api["endpoint"])
    until(lambda: vertex.request("GET", path).text == "up\n")
    vertex.request("POST", f"/v1/{name}:cancel", {})
    assert "webAccessUris" not in vertex.wait(name)
