"""A tuning job and a training pipeline on the real engine, run by the sandbox: declared, waited for, destroyed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.lab import DIGEST, PYTHON, ROOT, Lab

# Each replica writes what it was given; the primary reports its metric as cloudml-hypertune does. A trial ends with
# its primary, so that waits until the worker has written.
TRIAL = """
import json, os, sys, time
spec, config = (json.loads(os.environ[name]) for name in ("CLUSTER_SPEC", "TF_CONFIG"))
assert spec["task"]["trial"] == config["task"]["trial"]
(given,) = [word for word in sys.argv[1:] if word.startswith("--lr=")]
print(json.dumps({"trial": spec["task"]["trial"], "lr": float(given[5:]), "task": config["task"]["type"]}), flush=True)
met = os.path.join(MEETING, spec["task"]["trial"])
if config["task"]["type"] == "chief":
    while not os.path.exists(met):
        time.sleep(0.05)
    path = os.environ["CLOUD_ML_HP_METRIC_FILE"]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(json.dumps({"accuracy": str(float(given[5:])), "global_step": "1"}))
else:
    open(met, "w").close()
    time.sleep(60)
"""
TUNING = {
    "metrics": [{"metricId": "accuracy", "goal": "MINIMIZE"}],
    "parameters": [
        {
            "parameterId": "lr",
            "doubleValueSpec": {"minValue": 0.001, "maxValue": 0.1},
            "scaleType": "UNIT_LOG_SCALE",
        }
    ],
    "maxTrialCount": 3,
    "parallelTrialCount": 2,
}
CPU = {"machineType": "n1-standard-4"}


def document(code: str, **fields: Any) -> dict[str, Any]:
    return {
        "framework": "tensorflow",
        "container": {"imageUri": PYTHON + DIGEST, "args": [code]},
        "waitFor": "succeeded",
        **fields,
    }


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("tuning"))
    made.start()
    yield made
    made.sandbox("stop")


def outputs(lab: Lab, stack: str) -> dict[str, Any]:
    words = ["pulumi", "stack", "output", "-s", stack, "--json"]
    done = subprocess.run(words, cwd=ROOT, env=lab.environment, check=True, capture_output=True, text=True)
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def logged(lab: Lab, number: str, trial: int, replica: str) -> dict[str, Any]:
    log: Path = lab.state / "logs" / f"{number}-{trial}" / f"{replica}.log"
    entry: dict[str, Any] = json.loads(log.read_text())
    return entry


def test_a_tuning_job_runs_its_trials_and_tells_the_best(lab: Lab, tmp_path: Path) -> None:
    pools = {"primary": CPU, "workers": {"replicaCount": 1}}
    trial = f"MEETING = {str(tmp_path)!r}\n{TRIAL}"
    lab.write("tuned", {"search": document(trial, kind="hyperparameterTuningJob", tuning=TUNING, pools=pools)})
    done = lab.up("tuned")
    assert done.returncode == 0, done.stdout

    job = outputs(lab, "tuned")["jobs"]["search"]
    assert "/hyperparameterTuningJobs/" in job["jobId"]
    number = job["jobId"].rpartition("/")[2]
    runs = {trial: logged(lab, number, trial, "workerpool0-0") for trial in (1, 2, 3)}
    assert {trial: run["trial"] for trial, run in runs.items()} == {1: "1", 2: "2", 3: "3"}
    assert logged(lab, number, 2, "workerpool1-0") == {**runs[2], "task": "worker"}
    lowest = min(runs.values(), key=lambda run: run["lr"])
    assert job["bestTrials"] == [
        {"id": lowest["trial"], "parameters": {"lr": lowest["lr"]}, "metrics": {"accuracy": lowest["lr"]}}
    ]

    again = lab.up("tuned")
    assert again.returncode == 0, again.stdout
    assert outputs(lab, "tuned")["jobs"]["search"] == job
    assert lab.pulumi("destroy", "tuned", "--yes", "--skip-preview").returncode == 0
    assert lab.listed("hyperparameterTuningJobs") == []


def test_a_pipeline_uploads_its_model(lab: Lab) -> None:
    model = {"displayName": "bert", "containerSpec": {"imageUri": "a/b", "env": {"A": "1"}}}
    given = document("print('trained')", kind="trainingPipeline", pools={"primary": CPU}, modelToUpload=model)
    lab.write("piped", {"train": given})
    done = lab.up("piped")
    assert done.returncode == 0, done.stdout
    assert "/models/" in outputs(lab, "piped")["jobs"]["train"]["modelName"]
    [pipeline] = lab.listed("trainingPipelines")
    assert pipeline["state"] == "PIPELINE_STATE_SUCCEEDED"
    assert pipeline["modelToUpload"]["containerSpec"]["env"] == [{"name": "A", "value": "1"}]
    assert lab.pulumi("destroy", "piped", "--yes", "--skip-preview").returncode == 0
    assert lab.listed("trainingPipelines") == []


def test_a_faulty_tuning_job_is_stopped_in_the_preview(lab: Lab) -> None:
    pools = {"primary": {**CPU, "replicaCount": 2}}
    lab.write("faulty", {"search": document(TRIAL, kind="hyperparameterTuningJob", tuning=TUNING, pools=pools)})
    done = lab.pulumi("preview", "faulty")
    assert done.returncode != 0
    assert "[one-primary-replica]" in done.stdout
