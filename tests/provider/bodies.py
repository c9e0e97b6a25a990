"""Jobs for the tests: the sandbox runs their commands as they are."""

from __future__ import annotations

from typing import Any

IMAGE = "us-central1-docker.pkg.dev/acme-ml-sandbox/training/digits"
PROJECT = "acme-ml-sandbox"
LOCATION = "us-central1"

LONG = ["sleep", "300"]
SHORT = ["true"]
FAILING = ["sh", "-c", "echo the disk is full; exit 3"]


def body(command: list[str], workers: int = 0) -> dict[str, Any]:
    pools = [1, workers] if workers else [1]
    return {
        "workerPoolSpecs": [
            {
                "machineSpec": {"machineType": "n1-standard-4"},
                "replicaCount": count,
                "containerSpec": {"imageUri": IMAGE, "command": command},
            }
            for count in pools
        ],
        "scheduling": {"timeout": "7200s"},
    }


def inputs(command: list[str] | None = None, **more: Any) -> dict[str, Any]:
    given = {
        "project": PROJECT,
        "location": LOCATION,
        "displayName": "bert",
        "jobSpec": body(command or LONG),
        "labels": {"team": "nlp"},
        "environment": "dev",
        "usdPerHour": 2.5,
        **more,
    }
    return {key: value for key, value in given.items() if value is not None}


def document(**more: Any) -> dict[str, Any]:
    return {
        "platform": "vertex",
        "container": {"imageUri": IMAGE},
        "pools": {"primary": {"machineType": "n1-standard-4"}, "workers": {"replicaCount": 2}},
        **more,
    }


DEFINITION = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
# Reports its parameter as its metric, as cloudml-hypertune does.
MEASURED = [
    "sh",
    "-c",
    'mkdir -p "${CLOUD_ML_HP_METRIC_FILE%/*}"; echo "{\\"score\\": \\"${1#--lr=}\\"}" > "$CLOUD_ML_HP_METRIC_FILE"',
    "trial",
]
STUDY = {
    "metrics": [{"metricId": "score", "goal": "MAXIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.25, "maxValue": 0.75}}],
}


def tuning(command: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """The inputs of a tuning job."""
    content = {
        "studySpec": STUDY,
        # A trial's command takes its parameters as arguments.
        "trialJobSpec": body(command or ["sh", "-c", "sleep 300"]),
        "maxTrialCount": 3,
        "parallelTrialCount": 2,
    }
    return inputs(**{"jobSpec": None, **content, **more})


def pipeline(command: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """The inputs of a training pipeline."""
    content = {
        "trainingTaskDefinition": DEFINITION,
        "trainingTaskInputs": body(command or LONG),
        "modelToUpload": {"displayName": "bert"},
    }
    return inputs(**{"jobSpec": None, **content, **more})
