"""A planned job as AI Platform's TrainingInput: every field, and what it has no place for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE
from tests.unit.workloads.samples import CPU, keys, planned
from trainingjobs.convert import ai_platform
from trainingjobs.judge.jobs import judge_job
from trainingjobs.spec.reading import read_job

ALONE = {"container": {"imageUri": IMAGE}, "pools": {"primary": CPU}}
BARE = {
    "scaleTier": "CUSTOM",
    "region": "us-central1",
    "masterType": "n1-standard-8",
    "masterConfig": {"imageUri": IMAGE},
}
OUTPUT = {"baseOutputDirectory": {"outputUriPrefix": "gs://b/o"}}
EXECUTOR = "us-docker.pkg.dev/vertex-ai/training/{}:latest"


def package(executor: str = "tf-cpu.2-11", **more: Any) -> dict[str, Any]:
    spec = {"executorImageUri": EXECUTOR.format(executor), "packageUris": ["gs://b/t.gz"], "pythonModule": "t", **more}
    return {"pythonPackage": spec, "pools": {"primary": CPU}}


def rendered(document: dict[str, Any]) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    body, findings = ai_platform.render(planned(document))
    return body, {(severity, path) for _, severity, path in keys(findings)}


PACKAGED = {key: value for key, value in BARE.items() if key != "masterConfig"} | {
    "packageUris": ["gs://b/t.gz"],
    "pythonModule": "t",
    "runtimeVersion": "2.11",
}


@pytest.mark.parametrize(
    ("document", "inputs"),
    [
        (ALONE, BARE),
        ({**ALONE, "serviceAccount": "a@b"}, {**BARE, "serviceAccount": "a@b"}),
        ({**ALONE, "network": "projects/1/global/networks/n"}, {**BARE, "network": "projects/1/global/networks/n"}),
        ({**ALONE, "enableWebAccess": True}, {**BARE, "enableWebAccess": True}),
        ({**ALONE, "enableWebAccess": False}, {**BARE, "enableWebAccess": False}),
        ({**ALONE, "useChiefInTfConfig": True}, {**BARE, "useChiefInTfConfig": True}),
        ({**ALONE, "runtimeVersion": "2.11"}, {**BARE, "runtimeVersion": "2.11"}),
        ({**ALONE, "encryptionSpec": {"kmsKeyName": "k"}}, {**BARE, "encryptionConfig": {"kmsKeyName": "k"}}),
        ({**ALONE, "scheduling": {"timeout": "60s"}}, {**BARE, "scheduling": {"maxRunningTime": "60s"}}),
        (
            {**ALONE, "scheduling": {"timeout": "60s", "maxWaitDuration": "90s"}},
            {**BARE, "scheduling": {"maxRunningTime": "60s", "maxWaitTime": "90s"}},
        ),
        ({**ALONE, "scheduling": {"strategy": "STANDARD"}}, BARE),
        (
            {**ALONE, "container": {"imageUri": IMAGE, "command": ["c"], "args": ["a"]}},
            {**BARE, "masterConfig": {"imageUri": IMAGE, "containerCommand": ["c"], "containerArgs": ["a"]}},
        ),
        (
            {**ALONE, **OUTPUT, "container": {"imageUri": IMAGE, "args": ["-x", "--job-dir=gs://b/o"]}},
            {**BARE, "masterConfig": {"imageUri": IMAGE, "containerArgs": ["-x"]}, "jobDir": "gs://b/o"},
        ),
        (
            {**ALONE, **OUTPUT, "container": {"imageUri": IMAGE, "args": ["--job-dir=gs://other"]}},
            BARE,
        ),
        ({**ALONE, **OUTPUT}, BARE),
        (
            {
                **ALONE,
                "pools": {
                    "primary": {**CPU, "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2},
                    "workers": {"replicaCount": 3},
                    "parameterServers": {"machineType": "n1-standard-4", "bootDiskType": "pd-ssd"},
                    "evaluators": {"machineType": "n1-standard-4", "bootDiskSizeGb": 200},
                },
            },
            {
                **BARE,
                "masterConfig": {"imageUri": IMAGE, "acceleratorConfig": {"count": "2", "type": "NVIDIA_TESLA_T4"}},
                "workerType": "n1-standard-8",
                "workerCount": "3",
                "workerConfig": {"imageUri": IMAGE, "acceleratorConfig": {"count": "2", "type": "NVIDIA_TESLA_T4"}},
                "parameterServerType": "n1-standard-4",
                "parameterServerCount": "1",
                "parameterServerConfig": {"imageUri": IMAGE, "diskConfig": {"bootDiskType": "pd-ssd"}},
                "evaluatorType": "n1-standard-4",
                "evaluatorCount": "1",
                "evaluatorConfig": {"imageUri": IMAGE, "diskConfig": {"bootDiskSizeGb": 200}},
            },
        ),
        (package(), PACKAGED),
        (package(args=["-x"]), {**PACKAGED, "args": ["-x"]}),
        ({**package(args=["--job-dir=gs://b/o"]), **OUTPUT}, {**PACKAGED, "jobDir": "gs://b/o"}),
        ({**package(), "runtimeVersion": "2.9"}, {**PACKAGED, "runtimeVersion": "2.9"}),
        (
            package("pytorch-gpu.1-13"),
            {key: value for key, value in PACKAGED.items() if key != "runtimeVersion"},
        ),
    ],
)
def test_the_fields(document: dict[str, Any], inputs: dict[str, Any]) -> None:
    assert rendered(document)[0] == {"trainingInput": inputs}


def test_labels_stand_beside_it_in_order() -> None:
    body, _ = rendered({**ALONE, "labels": {"team": "x", "a": "b"}})
    assert list(body["labels"].items()) == [("a", "b"), ("team", "x")]


NFS = [{"server": "10.0.0.2", "path": "/s", "mountPoint": "m"}]


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({}, set()),
        ({"reservedIpRanges": ["r"]}, {"reservedIpRanges"}),
        ({"pscInterfaceConfig": {}}, {"pscInterfaceConfig"}),
        ({"tensorboard": "projects/1/locations/l/tensorboards/2"}, {"tensorboard"}),
        ({"persistentResourceId": "p"}, {"persistentResourceId"}),
        ({"enableDashboardAccess": True}, {"enableDashboardAccess"}),
        ({"experiment": "e"}, {"experiment"}),
        ({"experiment": "e", "experimentRun": "r"}, {"experiment", "experimentRun"}),
        ({"models": ["m"]}, {"models"}),
        ({"protectedArtifactLocationId": "l"}, {"protectedArtifactLocationId"}),
        ({"scheduling": {"restartJobOnWorkerRestart": True}}, {"scheduling.restartJobOnWorkerRestart"}),
        ({"scheduling": {"disableRetries": True}}, {"scheduling.disableRetries"}),
        ({"scheduling": {"strategy": "ON_DEMAND"}}, set()),
        ({"scheduling": {"strategy": "STANDARD"}}, set()),
        ({"scheduling": {"strategy": "FLEX_START"}}, {"scheduling.strategy"}),
        (OUTPUT, {"baseOutputDirectory"}),
        ({"container": {"imageUri": IMAGE, "env": {"A": "1"}}}, {"container.env"}),
        (
            {"pools": {"primary": {**CPU, "container": {"imageUri": IMAGE, "env": {"A": "1"}}}}},
            {"pools.primary.container.env"},
        ),
        (
            {"pools": {"primary": CPU, "workers": {"container": {"imageUri": IMAGE, "env": {"A": "1"}}}}},
            {"pools.workers.container.env"},
        ),
        (
            {
                "container": {"imageUri": IMAGE, "env": {"A": "1"}},
                "pools": {"primary": CPU, "workers": {"replicaCount": 1}},
            },
            {"container.env"},
        ),
        (
            {
                "pools": {
                    "primary": {**CPU, "reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"}},
                    "evaluators": {**CPU, "nfsMounts": NFS},
                }
            },
            {"pools.primary.reservationAffinity", "pools.evaluators.nfsMounts"},
        ),
    ],
)
def test_what_it_has_no_place_for(changes: dict[str, Any], paths: set[str]) -> None:
    assert rendered({**ALONE, **changes})[1] == {("advice", path) for path in paths}


def test_what_replicas_share_is_written_once() -> None:
    container = {"imageUri": IMAGE, "env": {"A": "1"}}
    plan = planned({"container": container, "pools": {"primary": CPU, "workers": {"replicaCount": 1}}})
    assert [each.path for each in ai_platform.render(plan)[1]] == ["container.env"]


TUNING = {
    "metrics": [{"metricId": "loss", "goal": "MINIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}}],
    "observationNoise": "LOW",
    "maxTrialCount": 8,
    "parallelTrialCount": 2,
}


def test_no_loss_hides_another() -> None:
    document = {
        "platform": "kubernetes", "kind": "tfjob", "framework": "pytorch", "enableDashboardAccess": True,
        "container": {"imageUri": IMAGE}, "pools": {"primary": {"replicaCount": 1}},
        "scheduling": {"disableRetries": True},
    }  # fmt: skip
    assert rendered(document)[1] == {
        ("error", "pools.primary.machineType"),
        ("advice", "enableDashboardAccess"),
        ("advice", "scheduling.disableRetries"),
    }
    study = {**ALONE, "kind": "hyperparameterTuningJob", "tuning": TUNING, "enableDashboardAccess": True}
    assert rendered(study)[1] == {("advice", "enableDashboardAccess"), ("advice", "tuning.observationNoise")}


def test_variables_of_a_package() -> None:
    assert rendered(package(env={"A": "1"}))[1] == {("advice", "pythonPackage.env")}


def test_places_are_those_of_the_stack() -> None:
    tensorboard = "projects/1/locations/l/tensorboards/2"
    container = {"imageUri": IMAGE, "env": {"A": "1"}}
    document = {**ALONE, "framework": "tensorflow", "tensorboard": tensorboard, "container": container}
    value = read_job(document).value
    assert value is not None
    plan, _ = judge_job("job", value, path="training:jobs.a")
    assert {path for _, _, path in keys(ai_platform.render(plan)[1])} == {
        "training:jobs.a.tensorboard",
        "training:jobs.a.useChiefInTfConfig",
        "training:jobs.a.container.env",
    }


@pytest.mark.parametrize(
    ("changes", "master"),
    [
        ({"framework": "tensorflow"}, True),
        ({"framework": "tensorflow", "useChiefInTfConfig": True}, False),
        ({"framework": "tensorflow", "useChiefInTfConfig": False}, True),
        ({"framework": "pytorch"}, False),
        ({"framework": "tensorflow", "runtimeVersion": "2.1"}, False),
        ({"framework": "tensorflow", "runtimeVersion": "2.0"}, True),
    ],
)
def test_a_primary_that_tensorflow_2_does_not_know(changes: dict[str, Any], master: bool) -> None:
    assert (("advice", "useChiefInTfConfig") in rendered({**ALONE, **changes})[1]) is master
