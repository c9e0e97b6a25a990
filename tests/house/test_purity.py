"""The pure parts import nothing of Pulumi and do no input or output of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import importlib, json, pkgutil, sys
opened = []
WATCHED = ("open", "socket.connect", "subprocess.Popen")
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event in WATCHED else None)
for name in ("core", "catalog", "spec", "facts", "estimates", "rules", "plan", "workloads", "convert", "judge"):
    package = importlib.import_module(f"trainingjobs.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
from trainingjobs.spec.reading import read_job
from trainingjobs.judge.jobs import judge_job
read_job({})  # the first use of a model makes its validator, and pydantic looks for plug-ins then
opened.clear()
image = "a@sha256:" + "0" * 64
pools = {"primary": {"machineType": "a2-highgpu-8g"}, "workers": {"replicaCount": 3}, "reducers": {"replicaCount": 13}}
job = read_job({"container": {"imageUri": image}, "pools": pools})
judge_job("x", job.value)
print(json.dumps({"modules": sorted(sys.modules), "opened": opened}))
"""


@pytest.fixture(scope="module")
def trace() -> dict[str, list[str]]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, check=True, text=True)
    record: dict[str, list[str]] = json.loads(done.stdout)
    return record


def test_nothing_of_pulumi_is_loaded(trace: dict[str, list[str]]) -> None:
    assert [name for name in trace["modules"] if name.split(".")[0] in ("pulumi", "grpc")] == []


def test_planning_opens_nothing_but_the_catalogues_data(trace: dict[str, list[str]]) -> None:
    data = str(ROOT / "trainingjobs" / "catalog" / "data")
    strangers = [path for path in trace["opened"] if not path.startswith(data) and ".py" not in path]
    assert strangers == []
