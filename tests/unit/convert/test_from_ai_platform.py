"""AI Platform's config.yaml and `gcloud ai-platform jobs submit training` as job documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import findings_of
from tests.unit.workloads.samples import converted, planned
from trainingjobs.core.documents import parse_document

MACHINES = {"scaleTier": "CUSTOM", "masterType": "n1-standard-8"}
IMAGE = {"masterConfig": {"imageUri": "gcr.io/p/train"}}
# AI Platform, "Specifying machine types": the page's own example, with an image.
PAGE = """
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-highcpu-16
  workerType: n1-highcpu-16
  parameterServerType: n1-highmem-8
  evaluatorType: n1-highcpu-16
  workerCount: 9
  parameterServerCount: 3
  evaluatorCount: 1
  masterConfig: {imageUri: gcr.io/p/train}
"""
COMMAND = """
gcloud ai-platform jobs submit training my_job \\
    --region us-central1 --scale-tier custom \\
    --master-image-uri gcr.io/p/master --worker-image-uri=gcr.io/p/worker --parameter-server-image-uri gcr.io/p/ps \\
    --master-machine-type n1-highcpu-16 --worker-machine-type n1-highcpu-16 \\
    --parameter-server-machine-type n1-highmem-8 --worker-count 9 --parameter-server-count 3 \\
    --master-accelerator count=2,type=nvidia-tesla-t4 --use-chief-in-tf-config=true \\
    -- \\
    --user_first_arg=first_arg_value --user_second_arg second
"""


def convert(**inputs: Any) -> tuple[dict[str, Any], set[tuple[str, str, str]]]:
    return converted("ai-platform", {"trainingInput": {**MACHINES, **inputs}})


def errors(findings: set[tuple[str, str, str]]) -> set[str]:
    return {path for _, severity, path in findings if severity == "error"}


def test_the_pages_example() -> None:
    document, findings = converted("ai-platform", parse_document(PAGE))
    assert findings == set()
    assert document["container"] == {"imageUri": "gcr.io/p/train"}
    assert document["pools"] == {
        "primary": {"machineType": "n1-highcpu-16"},
        "workers": {"machineType": "n1-highcpu-16", "replicaCount": 9},
        "parameterServers": {"machineType": "n1-highmem-8", "replicaCount": 3},
        "evaluators": {"machineType": "n1-highcpu-16", "replicaCount": 1},
    }
    planned(document)


def test_an_image_falls_back_to_the_masters_with_its_command() -> None:
    document, _ = convert(
        masterConfig={"imageUri": "a/m", "containerCommand": ["run"], "containerArgs": ["-x"]},
        workerType="n1-standard-8", workerCount="2",
        parameterServerType="n1-standard-8", parameterServerCount="1", parameterServerConfig={"imageUri": "a/ps"},
        evaluatorType="n1-standard-8", evaluatorCount=1, evaluatorConfig={"containerArgs": ["-e"]},
    )  # fmt: skip
    images = {pool.role: (pool.image, pool.container and pool.container.args) for pool in planned(document).pools}
    assert images == {
        "primary": ("a/m", ("-x",)),
        "workers": ("a/m", ("-x",)),
        "parameterServers": ("a/ps", None),
        "evaluators": ("a/m", ("-e",)),
    }


def test_the_guides_command() -> None:
    document, findings = converted("gcloud", COMMAND)
    assert errors(findings) == set()
    args = ["--user_first_arg=first_arg_value", "--user_second_arg", "second"]
    assert document["displayName"] == "my_job"
    assert document["useChiefInTfConfig"] is True
    assert document["container"] == {"imageUri": "gcr.io/p/master", "args": args}
    assert document["pools"]["workers"]["container"] == {"imageUri": "gcr.io/p/worker", "args": args}
    assert document["pools"]["parameterServers"]["container"] == {"imageUri": "gcr.io/p/ps", "args": args}
    assert document["pools"]["primary"]["acceleratorType"] == "NVIDIA_TESLA_T4"
    assert document["pools"]["primary"]["acceleratorCount"] == 2


def test_flags_override_the_file_that_they_name() -> None:
    text = "gcloud ai-platform jobs submit training j --config c.yaml --worker-count 4 --master-image-uri a/b"
    document, findings = converted("gcloud", text, files={"c.yaml": PAGE})
    assert errors(findings) == set()
    assert document["pools"]["workers"]["replicaCount"] == 4
    assert document["pools"]["evaluators"]["replicaCount"] == 1
    assert document["container"] == {"imageUri": "a/b"}
    assert ("schema", "error", "--config") in converted("gcloud", text)[1]


def test_a_package_on_a_runtime_version() -> None:
    document, findings = convert(
        packageUris=["gs://b/t.tar.gz"], pythonModule="t.task", runtimeVersion="2.11", pythonVersion="3.7",
        args=["--steps", 10], jobDir="gs://b/out", region="europe-west4",
    )  # fmt: skip
    assert errors(findings) == set()
    assert {"trainingInput.region", "trainingInput.pythonVersion"} <= {path for _, _, path in findings}
    assert document["pythonPackage"] == {
        "executorImageUri": "europe-docker.pkg.dev/vertex-ai/training/tf-cpu.2-11:latest",
        "packageUris": ["gs://b/t.tar.gz"],
        "pythonModule": "t.task",
        "args": ["--job-dir=gs://b/out", "--steps", "10"],
    }
    assert document["baseOutputDirectory"] == {"outputUriPrefix": "gs://b/out"}
    assert (document["framework"], document["runtimeVersion"]) == ("tensorflow", "2.11")
    planned(document)


def test_a_local_package_is_staged_by_gcloud_only() -> None:
    text = (
        "gcloud ai-platform jobs submit training j --package-path trainer/ --module-name trainer.task "
        "--staging-bucket gs://stage --runtime-version 1.15 --scale-tier custom --master-machine-type standard_gpu"
    )
    document, findings = converted("gcloud", text)
    assert errors(findings) == set()
    assert document["pythonPackage"]["packageUris"] == ["gs://stage/trainer.tar.gz"]
    assert ("schema", "advice", "--package-path") in findings
    assert ("deprecated-api", "advice", "--master-machine-type") in findings
    planned(document)


@pytest.mark.parametrize(
    ("name", "machine", "accelerator", "count"),
    [
        ("standard", "n1-standard-4", None, 0),
        ("large_model", "n1-highmem-8", None, 0),
        ("complex_model_s", "n1-highcpu-16", None, 0),
        ("complex_model_m_gpu", "n1-standard-16", "NVIDIA_TESLA_T4", 4),
        ("complex_model_l_gpu", "n1-standard-32", "NVIDIA_TESLA_V100", 8),
        ("complex_model_m_p100", "n1-standard-16", "NVIDIA_TESLA_P100", 4),
        ("complex_model_l_v100", "n1-standard-32", "NVIDIA_TESLA_V100", 8),
    ],
)
def test_machines_of_ai_platforms_own(name: str, machine: str, accelerator: str | None, count: int) -> None:
    document, findings = convert(masterType=name, **IMAGE)
    primary = planned(document).pools[0]
    assert (primary.machine_type, primary.accelerator_type, primary.accelerator_count) == (machine, accelerator, count)
    assert ("deprecated-api", "advice", "trainingInput.masterType") in findings


def test_a_named_tier_is_read_as_its_machines() -> None:
    for tier in ("BASIC", "STANDARD_1", "PREMIUM_1", "BASIC_GPU", "basic_tpu"):
        document, findings = converted("ai-platform", {"trainingInput": {"scaleTier": tier, **IMAGE}})
        assert ("schema", "advice", "trainingInput.scaleTier") in findings
        assert not errors(findings)
        assert document["pools"]["primary"]["machineType"]
    document, findings = converted("ai-platform", {"trainingInput": IMAGE})
    assert findings == {("schema", "advice", "trainingInput.scaleTier")}
    assert document["pools"] == {"primary": {"machineType": "n1-standard-4"}}
    assert errors(convert(scaleTier="CUSTM", **IMAGE)[1]) == {"trainingInput.scaleTier"}


def test_a_study() -> None:
    document, findings = convert(
        **IMAGE,
        hyperparameters={
            "goal": "MINIMIZE", "hyperparameterMetricTag": "loss", "maxTrials": 20, "maxParallelTrials": "5",
            "enableTrialEarlyStopping": True, "algorithm": "RANDOM_SEARCH",
            "params": [
                {"parameterName": "l", "type": "DOUBLE", "minValue": 0.1, "maxValue": 1, "scaleType": "UNIT_LOG_SCALE"},
                {"parameterName": "n", "type": "INTEGER", "minValue": 1, "maxValue": 9, "scaleType": "NONE"},
                {"parameterName": "o", "type": "CATEGORICAL", "categoricalValues": ["a", "b"]},
                {"parameterName": "d", "type": "DISCRETE", "discreteValues": [16, 8]},
            ],
        },
    )  # fmt: skip
    assert errors(findings) == set()
    assert planned(document).kind == "hyperparameterTuningJob"
    tuning = document["tuning"]
    assert document == {**convert(**IMAGE)[0], "kind": "hyperparameterTuningJob", "tuning": tuning}
    assert tuning["metrics"] == [{"metricId": "loss", "goal": "MINIMIZE"}]
    assert (tuning["maxTrialCount"], tuning["parallelTrialCount"]) == (20, 5)
    assert tuning["parameters"][1] == {"parameterId": "n", "integerValueSpec": {"minValue": 1, "maxValue": 9}}
    assert tuning["parameters"][3]["discreteValueSpec"] == {"values": [8, 16]}


@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        ({}, "trainingInput.masterConfig.imageUri"),
        ({**IMAGE, "workerCount": "many"}, "trainingInput.workerCount"),
        ({**IMAGE, "workerCount": 2}, "trainingInput.workerType"),
        ({**IMAGE, "masterMachineType": "x"}, "trainingInput.masterMachineType"),
        ({"pythonModule": "t", "packageUris": ["gs://b/c"]}, "trainingInput.runtimeVersion"),
        ({**IMAGE, "runtimeVersion": "latest"}, "trainingInput.runtimeVersion"),
        ({"masterConfig": []}, "trainingInput.masterConfig"),
        ({**IMAGE, "hyperparameters": {"goal": "UP", "params": []}}, "trainingInput.hyperparameters.goal"),
    ],
)
def test_faults_are_reported_at_their_place(inputs: dict[str, Any], path: str) -> None:
    assert path in errors(convert(**inputs)[1])


@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        ({"scheduling": {"priority": 1}}, "trainingInput.scheduling.priority"),
        ({"jobDir": "s3://b"}, "trainingInput.jobDir"),
        ({"runtimeVersion": 2.1}, "trainingInput.runtimeVersion"),
        ({"evaluatorConfig": {"imageUri": "a"}}, "trainingInput.evaluatorConfig"),
    ],
)
def test_what_is_dropped_is_advice(inputs: dict[str, Any], path: str) -> None:
    findings = convert(**IMAGE, **inputs)[1]
    assert errors(findings) == set()
    assert path in {place for _, _, place in findings}


MASTER = ("deprecated-api", "advice", "useChiefInTfConfig")


def test_tensorflow_2_under_master() -> None:
    """A custom container on AI Platform: its primary is `master` unless something asks for `chief`."""
    prebuilt = {"masterConfig": {"imageUri": "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-11:latest"}}
    assert MASTER in findings_of(convert(**prebuilt)[0])
    assert MASTER in findings_of(convert(**IMAGE)[0])
    for more in (
        {"useChiefInTfConfig": True},
        {"runtimeVersion": "2.1"},
        {"evaluatorType": "n1-standard-8", "evaluatorCount": 1},
    ):
        assert MASTER not in findings_of(convert(**prebuilt, **more)[0])
    old = {"masterConfig": {"imageUri": "us-docker.pkg.dev/vertex-ai/training/tf-gpu.1-15:latest"}}
    assert MASTER not in findings_of(convert(**old)[0])
    other = {"masterConfig": {"imageUri": "us-docker.pkg.dev/vertex-ai/training/pytorch-gpu.1-13:latest"}}
    assert MASTER not in findings_of(convert(**other)[0])


def test_a_vertex_document_knows_no_master() -> None:
    assert MASTER not in findings_of(
        {"framework": "tensorflow", "container": {"imageUri": "a"}, "pools": {"primary": {}}}
    )


def test_a_runtime_of_tensorflow_2_0() -> None:
    package = {"packageUris": ["gs://b/t"], "pythonModule": "t"}
    path = ("deprecated-api", "advice", "runtimeVersion")
    assert path in findings_of(convert(**package, runtimeVersion="2.0")[0])
    assert path not in findings_of(convert(**package, runtimeVersion="1.15")[0])
    assert path not in findings_of(convert(**package, runtimeVersion="2.2")[0])


def test_accelerators_with_an_end() -> None:
    config = {"imageUri": "a", "acceleratorConfig": {"count": 1, "type": "NVIDIA_TESLA_P100"}}
    place = ("deprecated-api", "advice", "pools.primary.acceleratorType")
    assert place in findings_of(convert(masterConfig=config)[0])
