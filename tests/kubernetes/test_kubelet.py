"""Pods as local processes: a job's replicas reach each other, and what becomes of them becomes of the pods."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes.cluster import Cluster, Object, until
from tests.kubernetes.jobs import TFJOB, pod_template, tfjob

ROOT = Path(__file__).resolve().parents[2]

# A parameter server that answers, and replicas that end once it did; the worker stays, as its chief's end is the job's.
MEET = """
import json, os, socket, time
described = json.loads(os.environ["TF_CONFIG"])
host, port = described["cluster"]["ps"][0].rsplit(":", 1)
if described["task"]["type"] == "ps":
    server = socket.create_server((host, int(port)))
    while True:
        server.accept()[0].sendall(b"parameters")
while True:
    try:
        print(socket.create_connection((host, int(port)), timeout=5).recv(100).decode(), flush=True)
        break
    except OSError:
        time.sleep(0.05)
if described["task"]["type"] == "worker":
    time.sleep(600)
"""


@pytest.fixture
def played(cluster: Cluster, tmp_path: Path) -> Iterator[Cluster]:
    """A namespace whose pods run as processes of this test."""
    (tmp_path / "images.json").write_text(json.dumps({"train": {"entrypoint": ["{python}", "-c"]}}))
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.kubernetes.kubelet", cluster.kubeconfig, tmp_path, cluster.namespace],
        cwd=ROOT,
        env={**os.environ, "TRAINING_SANDBOX_IMAGES": str(tmp_path / "images.json")},
    )
    yield cluster
    process.terminate()
    assert process.wait(20) == 0


def single(cluster: Cluster, code: str, **fields: object) -> None:
    template = pod_template("trainer", args=[code])
    spec = {**template["spec"], **fields}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec})


def status(cluster: Cluster, phase: str) -> Object:
    current = lambda: (cluster.get("v1", "Pod", "one") or {}).get("status", {})  # noqa: E731
    return until(lambda: (each := current()).get("phase") == phase and each, f"the pod is {phase}")


def test_a_jobs_replicas_reach_each_other_and_its_chief_ends_it(played: Cluster, tmp_path: Path) -> None:
    played.apply(tfjob("demo", {"Chief": 1, "Worker": 1, "PS": 1}, args=[MEET]))
    played.condition(*TFJOB, "demo", "Succeeded")
    logs = tmp_path / "logs" / played.namespace
    assert (logs / "demo-chief-0" / "tensorflow.log").read_text() == "parameters\n"
    until(lambda: played.items("v1", "Pod").keys() == {"demo-chief-0"}, "the other pods are gone")
    until(lambda: len(list((tmp_path / "scratch").iterdir())) == 1, "their processes and folders are gone")


def test_a_failure_says_the_end_of_the_log(played: Cluster) -> None:
    single(played, "import sys; print('no such bucket'); sys.exit(3)")
    (container,) = status(played, "Failed")["containerStatuses"]
    assert container["state"]["terminated"]["exitCode"] == 3
    assert "no such bucket" in container["state"]["terminated"]["message"]


def test_a_container_that_fails_starts_again_if_its_pod_says_so(played: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    single(
        played,
        f"import pathlib, sys; p = pathlib.Path({str(mark)!r}); sys.exit(0 if p.exists() else p.touch() or 1)",
        restartPolicy="OnFailure",
    )
    (container,) = status(played, "Succeeded")["containerStatuses"]
    assert container["restartCount"] == 1


def test_a_pod_that_is_deleted_ends_its_process(played: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    single(played, f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    status(played, "Running")
    pid = int(until(lambda: mark.exists() and mark.read_text(), "it runs"))
    played.client.delete("v1", "Pod", "one", played.namespace)
    until(lambda: not Path(f"/proc/{pid}").exists(), "the process is gone")


def test_an_image_that_is_not_mapped_is_an_image_that_cannot_be_pulled(played: Cluster) -> None:
    template = pod_template("trainer")
    template["spec"]["containers"][0]["image"] = "registry.example/none:1"
    played.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, **template})

    def reason() -> str | None:
        statuses = (played.get("v1", "Pod", "one") or {}).get("status", {}).get("containerStatuses", [])
        return statuses[0]["state"]["waiting"]["reason"] if statuses else None

    assert until(reason, "it says why") == "ErrImagePull"
