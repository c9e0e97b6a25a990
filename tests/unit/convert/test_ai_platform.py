"""A job as AI Platform's config.yaml, and what that cannot hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job
from tests.unit.workloads import golden
from tests.unit.workloads.samples import CPU, job, keys, planned
from trainingjobs.convert import ai_platform

PACKAGE = {
    "executorImageUri": "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-11:latest",
    "packageUris": ["gs://b/t.tar.gz"],
    "pythonModule": "t.task",
    "args": ["--job-dir=gs://b/out", "--steps=1"],
}


def rendered(document: dict[str, Any]) -> tuple[dict[str, Any], set[tuple[str, str, str]]]:
    body, findings = ai_platform.render(planned(document))
    return json.loads(json.dumps(body)), keys(findings)


def test_the_form() -> None:
    tuning = {
        "metrics": [{"metricId": "loss", "goal": "MINIMIZE"}],
        "parameters": [
            {"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}, "scaleType": "UNIT_LOG_SCALE"},
            {"parameterId": "n", "integerValueSpec": {"minValue": 1, "maxValue": 4}},
            {"parameterId": "o", "categoricalValueSpec": {"values": ["a", "b"]}},
            {"parameterId": "d", "discreteValueSpec": {"values": [1.0, 2.0]}},
        ],
        "maxTrialCount": 8, "parallelTrialCount": 2, "algorithm": "GRID_SEARCH",
    }  # fmt: skip
    body, findings = rendered(job(kind="hyperparameterTuningJob", tuning=tuning, labels={"team": "x"}))
    golden.check("ai-platform.json", body)
    assert findings == {("schema", "advice", "container.env")}


def test_a_package_with_its_job_dir() -> None:
    document = {
        "framework": "tensorflow", "pythonPackage": PACKAGE, "pools": {"primary": CPU, "workers": {"replicaCount": 1}},
        "baseOutputDirectory": {"outputUriPrefix": "gs://b/out"},
    }  # fmt: skip
    body, findings = rendered(document)
    inputs = body["trainingInput"]
    assert findings == set()
    assert (inputs["jobDir"], inputs["args"], inputs["runtimeVersion"]) == ("gs://b/out", ["--steps=1"], "2.11")
    assert (inputs["packageUris"], inputs["pythonModule"]) == (["gs://b/t.tar.gz"], "t.task")
    assert "masterConfig" not in inputs
    assert (inputs["workerType"], inputs["workerCount"]) == ("n1-standard-8", "1")


@pytest.mark.parametrize(
    ("document", "finding"),
    [
        (gpu_job(), ("schema", "advice", "pools.reducers")),
        (job(scheduling={"strategy": "SPOT"}), ("schema", "advice", "scheduling.strategy")),
        (job(scheduling={"disableRetries": True}), ("schema", "advice", "scheduling.disableRetries")),
        (job(tensorboard="projects/1/locations/l/tensorboards/2"), ("schema", "advice", "tensorboard")),
        (job(baseOutputDirectory={"outputUriPrefix": "gs://b/o"}), ("schema", "advice", "baseOutputDirectory")),
        (
            {"framework": "tensorflow", "container": {"imageUri": IMAGE}, "pools": {"primary": CPU}},
            ("deprecated-api", "advice", "useChiefInTfConfig"),
        ),
        (
            {"pythonPackage": PACKAGE, "pools": {"primary": CPU, "workers": {"container": {"imageUri": IMAGE}}}},
            ("schema", "error", "pools.workers.pythonPackage"),
        ),
    ],
)
def test_what_cannot_be_carried_over_is_reported(document: dict[str, Any], finding: tuple[str, str, str]) -> None:
    assert finding in rendered(document)[1]


def test_a_study_of_more_than_ai_platform_knows() -> None:
    inner = {"parameterId": "m", "discreteValueSpec": {"values": [1.0]}}
    tuning = {
        "metrics": [{"metricId": "a", "goal": "MINIMIZE"}, {"metricId": "b", "goal": "MAXIMIZE"}],
        "parameters": [
            {"parameterId": "o", "categoricalValueSpec": {"values": ["a"], "defaultValue": "a"},
             "conditionalParameterSpecs": [{"parameterSpec": inner, "parentCategoricalValues": {"values": ["a"]}}]},
        ],
        "observationNoise": "LOW", "medianAutomatedStoppingSpec": {},
        "maxTrialCount": 8, "parallelTrialCount": 2,
    }  # fmt: skip
    body, findings = rendered(job(kind="hyperparameterTuningJob", tuning=tuning))
    assert body["trainingInput"]["hyperparameters"]["enableTrialEarlyStopping"] is True
    assert {
        ("schema", "error", "tuning.metrics"),
        ("schema", "error", "tuning.parameters[0].conditionalParameterSpecs"),
        ("schema", "advice", "tuning.parameters[0]"),
        ("schema", "advice", "tuning.observationNoise"),
        ("schema", "advice", "tuning"),
    } <= findings
