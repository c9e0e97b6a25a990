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
for name in ("infra.problems", "infra.spec", "infra.catalog", "infra.plan", "infra.dialects"):
    package = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(package, "__path__", []), name + "."):
        importlib.import_module(found.name)
from infra.spec.reading import read_job
from infra.plan.plan import judged_job
read_job({})  # the first use of a model makes its validator, and pydantic looks for plug-ins then
opened.clear()
image = "a@sha256:" + "0" * 64
pools = {"primary": {"machineType": "a2-highgpu-8g"}, "workers": {"replicaCount": 3}, "reducers": {"replicaCount": 13}}
job = read_job({"container": {"imageUri": image}, "pools": pools})
judged_job("x", job.value)
print(json.dumps({"modules": sorted(sys.modules), "opened": opened}))
"""


@pytest.fixture(scope="module")
def trace() -> dict[str, list[str]]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, check=True, text=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_nothing_of_pulumi_is_loaded(trace: dict[str, list[str]]) -> None:
    assert [name for name in trace["modules"] if name.split(".")[0] in ("pulumi", "grpc")] == []


def test_planning_opens_nothing_but_the_catalogues_data(trace: dict[str, list[str]]) -> None:
    data = str(ROOT / "infra" / "catalog" / "data")
    strangers = [path for path in trace["opened"] if not path.startswith(data) and ".py" not in path]
    assert strangers == []


def test_infra_itself_imports_nothing() -> None:
    assert (ROOT / "infra" / "__init__.py").read_text() == ""
