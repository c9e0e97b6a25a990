"""TensorFlow itself, started by the launcher in real processes: the world that it sees, a step that needs it all."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trainingjobs.workloads.vertex_environment import replica_environment

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-frameworks" / "bin" / "python"
SECONDS = 120


@dataclass
class Job:
    """A running job: its replicas by pool and index, and its world as TF_CONFIG's cluster."""

    world: dict[str, list[str]]
    replicas: dict[tuple[int, int], subprocess.Popen[str]] = field(default_factory=dict)

    def report(self, pool: int, index: int) -> dict[str, Any]:
        """What a replica that ends by itself says it saw."""
        replica = self.replicas[pool, index]
        out, err = replica.communicate(timeout=SECONDS)
        assert replica.returncode == 0, err[-3000:]
        report: dict[str, Any] = json.loads(out.splitlines()[-1])
        return report

    def first_report(self, pool: int, index: int) -> dict[str, Any]:
        """What a replica that never ends by itself has said first."""
        out = self.replicas[pool, index].stdout
        assert out is not None
        report: dict[str, Any] = json.loads(out.readline())
        return report


def addresses(counts: tuple[int, ...]) -> list[list[str]]:
    """An address for each replica, by pool. Their ports differ: TensorFlow listens on its port at every address."""
    pools: list[list[str]] = []
    with ExitStack() as held:
        for count in counts:
            pool = []
            for _ in range(count):
                probe = held.enter_context(socket.socket())
                number = sum(map(len, pools)) + len(pool) + 1
                probe.bind((f"127.0.0.{number}", 0))
                pool.append(f"127.0.0.{number}:{probe.getsockname()[1]}")
            pools.append(pool)
    return pools


@contextmanager
def running(script: str, counts: tuple[int, ...], **instead: str) -> Iterator[Job]:
    """Starts every replica with Vertex AI's variables; `instead` are variables of the test's own."""
    assert PYTHON.exists(), "no .venv-frameworks: make it with `python -m venv` and tests/frameworks/requirements.txt"
    hosts = addresses(counts)
    pools = [{"replicaCount": count, "containerSpec": {"imageUri": "own/image"}} for count in counts]
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    quiet = {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "1", "CUDA_VISIBLE_DEVICES": ""}
    program = [str(PYTHON), str(Path(__file__).with_name(script))]
    job = Job(dict(zip(("chief", "worker", "ps"), hosts, strict=False)))
    with ExitStack() as ending:
        for pool, index in ((pool, index) for pool, count in enumerate(counts) for index in range(count)):
            variables = replica_environment(
                {"workerPoolSpecs": pools}, pool, index, host=lambda pool, index: hosts[pool][index]
            )
            replica = subprocess.Popen(
                [str(PYTHON), "-m", "trainingjobs.launcher", "--framework=tensorflow", "--", *program],
                env={**kept, **variables, **quiet, **instead}, text=True, cwd="/",
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            ending.callback(replica.communicate)
            ending.callback(replica.kill)
            job.replicas[pool, index] = replica
        yield job


def test_mirrored_workers_train_a_step_together() -> None:
    # An empty variable is none: the launcher makes TF_CONFIG from CLUSTER_SPEC.
    with running("mirrored.py", (1, 2), TF_CONFIG="") as job:
        reports = {place: job.report(*place) for place in job.replicas}
    assert [report.pop("task") for report in reports.values()] == [["chief", 0], ["worker", 0], ["worker", 1]]
    # The ranks add up to 0 + 1 + 2; the mean gradient of (4 - rank)² is 6, a tenth of which is taken off the weight.
    expected = {"cluster": job.world, "replicas": 3, "ranks": 3.0, "weight": pytest.approx(3.4)}
    assert list(reports.values()) == [expected] * 3


def test_a_chief_trains_on_workers_with_its_variables_on_a_parameter_server() -> None:
    with running("parameter_server.py", (1, 2, 1)) as job:
        chief = job.report(0, 0)
        others = {place: job.first_report(*place) for place in ((1, 0), (1, 1), (2, 0))}
    assert others == {
        (1, 0): {"task": ["worker", 0], "cluster": job.world},
        (1, 1): {"task": ["worker", 1], "cluster": job.world},
        (2, 0): {"task": ["ps", 0], "cluster": job.world},
    }
    assert (chief["task"], chief["cluster"]) == (["chief", 0], job.world)
    assert chief["devices"] == ["job:chief/task:0", "job:ps/task:0", "job:worker/task:0", "job:worker/task:1"]
    assert "/job:ps/" in chief["variable"]
    # Four steps, each of which halves the weight's distance to 3.
    assert chief["weight"] == pytest.approx(3 - 2 / 2**4)
