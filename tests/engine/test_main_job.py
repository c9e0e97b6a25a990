"""The life of a stack on the real engine: declared, left alone, changed, run again, destroyed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.lab import ROOT, Lab, job


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("lab"))
    made.start()
    yield made
    made.sandbox("stop")


def test_up_again_changed_run_again_and_destroyed(lab: Lab) -> None:
    lab.write("life", {"bert": job(waitFor="succeeded")})
    done = lab.up("life")
    assert done.returncode == 0, done.stdout
    [first] = lab.jobs()
    assert first["state"] == "JOB_STATE_SUCCEEDED"
    assert [pool.get("replicaCount") for pool in first["jobSpec"]["workerPoolSpecs"]] == ["1", "2", "3"]

    again = lab.up("life")
    assert again.returncode == 0
    assert "unchanged" in again.stdout
    assert [each["name"] for each in lab.jobs()] == [first["name"]]

    lab.write("life", {"bert": job("print('other')", waitFor="succeeded")})
    assert lab.up("life").returncode == 0
    [second] = lab.jobs()
    assert second["name"] != first["name"]

    lab.write("life", {"bert": job("print('other')", waitFor="succeeded", run=2)})
    assert lab.up("life").returncode == 0
    [third] = lab.jobs()
    assert third["name"] not in (first["name"], second["name"])

    assert lab.pulumi("destroy", "life", "--yes", "--skip-preview").returncode == 0
    assert lab.jobs() == []
    assert list((lab.state / "gcs").iterdir()) == []


def test_a_failed_job_fails_the_update_and_says_how_to_run_it_again(lab: Lab) -> None:
    lab.write("fails", {"bert": job("raise SystemExit('out of luck')", waitFor="succeeded")})
    for _ in range(2):
        done = lab.up("fails")
        assert done.returncode != 0
        assert "run" in done.stdout
        assert len(lab.jobs()) == 1
    assert lab.pulumi("destroy", "fails", "--yes", "--skip-preview").returncode == 0


def test_a_forced_replacement_ends_with_one_running_job(lab: Lab) -> None:
    """Created before the old one is deleted, the new resource would adopt the running job and then lose it."""
    lab.write("forced", {"bert": job("import time; time.sleep(120)")})
    assert lab.up("forced").returncode == 0
    [first] = lab.jobs()
    urn = "urn:pulumi:forced::training::training:vertex:VertexJob$trainingjobs:vertex:CustomJob::bert"
    forced = lab.up("forced", "--replace", urn)
    assert forced.returncode == 0, forced.stdout
    [second] = lab.jobs()
    assert second["name"] != first["name"]
    assert second["state"] in ("JOB_STATE_PENDING", "JOB_STATE_RUNNING")
    assert second["name"] in forced.stdout
    assert lab.pulumi("destroy", "forced", "--yes", "--skip-preview").returncode == 0


PRIMARY = {"machineType": "a2-highgpu-1g"}
FAULTS = [
    ("one-primary-replica", {"primary": {**PRIMARY, "replicaCount": 2}}),
    ("reducer-bandwidth", {"reducers": {"machineType": "n1-highcpu-16", "replicaCount": 2}}),
    (
        "reducer-without-accelerator",
        {"reducers": {"machineType": "n1-highcpu-16", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}},
    ),
]


@pytest.mark.parametrize(("rule", "pools"), FAULTS, ids=[rule for rule, _ in FAULTS])
def test_a_faulty_stack_is_stopped_in_the_preview(lab: Lab, rule: str, pools: dict[str, Any]) -> None:
    document = job()
    lab.write("faulty", {"bert": {**document, "pools": {**document["pools"], **pools}}})
    done = lab.pulumi("preview", "faulty")
    assert done.returncode != 0
    assert f"[{rule}]" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_stack_without_jobs_is_legal(lab: Lab) -> None:
    lab.write("empty", {})
    done = lab.pulumi("preview", "empty", "--json")
    assert done.returncode == 0, done.stdout


def test_a_sandbox_stack_without_the_stand_in_reaches_nobody(lab: Lab, tmp_path: Path) -> None:
    lab.write("lost", {"bert": job()})
    bin_folder = str(ROOT / "sandbox" / "bin")
    path = ":".join(part for part in lab.environment["PATH"].split(":") if part != bin_folder)
    environment = {**lab.environment, "PATH": path, "PULUMI_HOME": str(tmp_path)}
    config = str(lab.project / "Pulumi.lost.yaml")
    subprocess.run(
        ["pulumi", "stack", "select", "--create", "lost"],
        cwd=lab.project,
        env=environment,
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        ["pulumi", "preview", "-s", "lost", "--config-file", config, "--non-interactive"],
        cwd=ROOT,
        env={**environment, "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0


def test_plain_pulumi_with_the_sandboxs_exports(lab: Lab) -> None:
    """As the README shows it: the exports, then the engine's own commands with the pack."""
    assert shutil.which("pulumi", path=lab.environment["PATH"])
    words = "--policy-pack policies --policy-pack-config policies/config/sandbox.json --yes --skip-preview"
    done = subprocess.run(
        ["sh", "-c", f"pulumi stack select --create sandbox && pulumi up -s sandbox {words}"],
        cwd=ROOT,
        env=lab.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(each["state"] == "JOB_STATE_SUCCEEDED" for each in lab.jobs())
    assert list((lab.state / "gcs").glob("*/digits/model/model.npz"))
    down = lab.pulumi("destroy", "sandbox", "--yes", "--skip-preview")
    assert down.returncode == 0, down.stdout
