"""AI Platform's TrainingInput as a job document, field by field, and the environment of its replicas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainingjobs.convert import ai_platform_env
from trainingjobs.convert.from_ai_platform import STAGED_PACKAGE, from_ai_platform

ALONE = {"scaleTier": "CUSTOM", "masterType": "n1-standard-8", "masterConfig": {"imageUri": "a"}}
BARE: dict[str, Any] = {
    "platform": "vertex",
    "kind": "customJob",
    "container": {"imageUri": "a"},
    "pools": {"primary": {"machineType": "n1-standard-8"}},
    "useChiefInTfConfig": False,
}


def read(inputs: dict[str, Any], **beside: Any) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    document, findings = from_ai_platform({"trainingInput": inputs, **beside})
    return document, [(each.rule, each.severity, each.path.removeprefix("trainingInput.")) for each in findings]


@pytest.mark.parametrize(
    ("inputs", "changes"),
    [
        ({}, {}),
        ({"serviceAccount": "a@b"}, {"serviceAccount": "a@b"}),
        ({"network": "n"}, {"network": "n"}),
        ({"enableWebAccess": True}, {"enableWebAccess": True}),
        ({"enableWebAccess": "false"}, {"enableWebAccess": False}),
        ({"encryptionConfig": {"kmsKeyName": "k"}}, {"encryptionSpec": {"kmsKeyName": "k"}}),
        ({"scheduling": {"maxRunningTime": "9s"}}, {"scheduling": {"timeout": "9s"}}),
        ({"scheduling": {"maxWaitTime": "9s"}}, {"scheduling": {"maxWaitDuration": "9s"}}),
        ({"runtimeVersion": "2.11"}, {"runtimeVersion": "2.11"}),
        ({"useChiefInTfConfig": True}, {"useChiefInTfConfig": True, "framework": "tensorflow"}),
        ({"useChiefInTfConfig": False}, {}),
        ({"args": ["-x"]}, {"container": {"imageUri": "a", "args": ["-x"]}}),
        (
            {"args": ["-x"], "jobDir": "gs://b/o"},
            {
                "container": {"imageUri": "a", "args": ["--job-dir=gs://b/o", "-x"]},
                "baseOutputDirectory": {"outputUriPrefix": "gs://b/o"},
            },
        ),
        (
            {"args": ["-x"], "masterConfig": {"imageUri": "a", "containerArgs": ["-y"], "containerCommand": ["c"]}},
            {"container": {"imageUri": "a", "args": ["-y"], "command": ["c"]}},
        ),
        (
            {"masterConfig": {"imageUri": "a", "diskConfig": {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 200}}},
            {"pools": {"primary": {"machineType": "n1-standard-8", "bootDiskType": "pd-ssd", "bootDiskSizeGb": 200}}},
        ),
        (
            {"masterConfig": {"imageUri": "a", "diskConfig": {"bootDiskType": "pd-standard", "bootDiskSizeGb": 0}}},
            {"pools": {"primary": {"machineType": "n1-standard-8", "bootDiskType": "pd-standard"}}},
        ),
        *(
            (
                {"masterConfig": {"imageUri": "a", "acceleratorConfig": {"type": given, "count": "2"}}},
                {
                    "pools": {
                        "primary": {
                            "machineType": "n1-standard-8",
                            "acceleratorType": "NVIDIA_TESLA_T4",
                            "acceleratorCount": 2,
                        }
                    }
                },
            )
            for given in ("NVIDIA_TESLA_T4", "nvidia-tesla-t4")
        ),
        (
            {
                "masterConfig": {
                    "imageUri": "a",
                    "acceleratorConfig": {"type": "ACCELERATOR_TYPE_UNSPECIFIED", "count": 1},
                }
            },
            {},
        ),
        (
            {"masterConfig": {"imageUri": "a", "acceleratorConfig": {"type": "NVIDIA_TESLA_T4"}}},
            {
                "pools": {
                    "primary": {
                        "machineType": "n1-standard-8",
                        "acceleratorType": "NVIDIA_TESLA_T4",
                        "acceleratorCount": 0,
                    }
                }
            },
        ),
        ({"workerCount": 0, "workerType": "n1-standard-4"}, {}),
        ({"scaleTier": None}, {}),
        ({"scaleTier": "custom"}, {}),
    ],
)
def test_the_fields(inputs: dict[str, Any], changes: dict[str, Any]) -> None:
    assert read({**ALONE, **inputs}) == ({**BARE, **changes}, [])


def test_what_stands_beside_the_input() -> None:
    document, findings = read(ALONE, jobId="j", labels={"team": "x"}, state="RUNNING", trainingOutput={}, etag="e")
    assert (document, findings) == ({**BARE, "displayName": "j", "labels": {"team": "x"}}, [])
    assert read(ALONE, predictionInput={})[1] == [("schema", "advice", "predictionInput")]
    assert read(ALONE, odd=1)[1] == [("schema", "error", "odd")]


def test_the_input_may_stand_by_itself() -> None:
    document, findings = from_ai_platform({**ALONE, "labels": {"a": "b"}})
    assert document == {**BARE, "labels": {"a": "b"}}
    assert findings == []
    assert [each.path for each in from_ai_platform({**ALONE, "odd": 1})[1]] == ["odd"]


def replicas(**inputs: Any) -> dict[str, Any]:
    return dict(read({**ALONE, **inputs})[0]["pools"])


def test_every_role() -> None:
    pools = replicas(
        workerType="n1-standard-4", workerCount="2", workerConfig={"imageUri": "w"},
        parameterServerType="n1-highmem-4", parameterServerCount=1,
        evaluatorType="n1-highmem-8", evaluatorCount=1, evaluatorConfig={"containerArgs": ["-e"]},
    )  # fmt: skip
    assert pools == {
        "primary": {"machineType": "n1-standard-8"},
        "workers": {"machineType": "n1-standard-4", "replicaCount": 2, "container": {"imageUri": "w"}},
        "parameterServers": {"machineType": "n1-highmem-4", "replicaCount": 1},
        "evaluators": {
            "machineType": "n1-highmem-8",
            "replicaCount": 1,
            "container": {"imageUri": "a", "args": ["-e"]},
        },
    }


@pytest.mark.parametrize(
    ("inputs", "finding"),
    [
        ({"region": "europe-west4"}, ("schema", "advice", "region")),
        ({"pythonVersion": "3.7"}, ("schema", "advice", "pythonVersion")),
        ({"scheduling": {"priority": 1}}, ("schema", "advice", "scheduling.priority")),
        ({"scheduling": {"odd": 1}}, ("schema", "error", "scheduling.odd")),
        ({"scheduling": {"maxRunningTime": "1h"}}, ("schema", "error", "scheduling.maxRunningTime")),
        ({"encryptionConfig": {"odd": 1}}, ("schema", "error", "encryptionConfig.odd")),
        ({"jobDir": "/x"}, ("schema", "advice", "jobDir")),
        ({"runtimeVersion": 2.1}, ("schema", "advice", "runtimeVersion")),
        ({"runtimeVersion": "new"}, ("schema", "error", "runtimeVersion")),
        ({"evaluatorConfig": {"imageUri": "e"}}, ("schema", "advice", "evaluatorConfig")),
        ({"workerCount": 2}, ("schema", "error", "workerType")),
        ({"masterConfig": {"imageUri": "a", "tpuTfVersion": "1"}}, ("schema", "advice", "masterConfig.tpuTfVersion")),
        ({"masterConfig": {"imageUri": "a", "odd": 1}}, ("schema", "error", "masterConfig.odd")),
        (
            {"masterConfig": {"imageUri": "a", "diskConfig": {"bootDiskType": "fast"}}},
            ("schema", "error", "masterConfig.diskConfig.bootDiskType"),
        ),
        (
            {"masterConfig": {"imageUri": "a", "diskConfig": {"odd": 1}}},
            ("schema", "error", "masterConfig.diskConfig.odd"),
        ),
        (
            {"masterConfig": {"imageUri": "a", "acceleratorConfig": {"odd": 1}}},
            ("schema", "error", "masterConfig.acceleratorConfig.odd"),
        ),
        ({"masterConfig": {}}, ("schema", "error", "masterConfig.imageUri")),
        ({"odd": 1}, ("schema", "error", "odd")),
        ({"scaleTier": "CUSTM"}, ("schema", "error", "scaleTier")),
        ({"scaleTier": "STANDARD_1"}, ("schema", "advice", "scaleTier")),
        ({"masterType": "standard"}, ("deprecated-api", "advice", "masterType")),
        ({"masterType": "n1-standard-1"}, ("deprecated-api", "advice", "masterType")),
        ({"workerType": "large_model"}, ("deprecated-api", "advice", "workerType")),
    ],
)
def test_what_is_dropped_or_wrong(inputs: dict[str, Any], finding: tuple[str, str, str]) -> None:
    assert read({**ALONE, **inputs})[1] == [finding]


def test_a_tier_brings_its_machines_and_what_is_declared_goes_first() -> None:
    tier = {"scaleTier": "STANDARD_1", "masterConfig": {"imageUri": "a"}}
    document, _ = read(tier)
    assert document["pools"] == {
        "primary": {"machineType": "n1-highcpu-16"},
        "workers": {"machineType": "n1-highcpu-16", "replicaCount": 4},
        "parameterServers": {"machineType": "n1-standard-4", "replicaCount": 3},
    }
    assert read({**tier, "masterType": "n1-standard-8"})[0]["pools"]["primary"] == {"machineType": "n1-standard-8"}
    assert read({"masterConfig": {"imageUri": "a"}})[1] == [("schema", "advice", "scaleTier")]


PACKAGE = {"packageUris": ["gs://b/t"], "pythonModule": "t"}
MACHINE = {"scaleTier": "CUSTOM", "masterType": "n1-standard-8"}
TRAINING = "docker.pkg.dev/vertex-ai/training"


@pytest.mark.parametrize(
    ("inputs", "executor", "changes", "findings"),
    [
        ({"runtimeVersion": "2.11"}, f"us-{TRAINING}/tf-cpu.2-11:latest", {}, [("advice", "runtimeVersion")]),
        (
            {"runtimeVersion": "2.11", "region": "asia-east1"},
            f"asia-{TRAINING}/tf-cpu.2-11:latest",
            {},
            [("advice", "region"), ("advice", "runtimeVersion")],
        ),
        (
            {
                "runtimeVersion": "2.11",
                "masterConfig": {"acceleratorConfig": {"type": "NVIDIA_TESLA_T4", "count": 1}},
            },
            f"us-{TRAINING}/tf-gpu.2-11:latest",
            {},
            [("advice", "runtimeVersion")],
        ),
        (
            {"runtimeVersion": "2.11", "args": ["-x"], "jobDir": "gs://b/o"},
            f"us-{TRAINING}/tf-cpu.2-11:latest",
            {"args": ["--job-dir=gs://b/o", "-x"]},
            [("advice", "runtimeVersion")],
        ),
        (
            {"masterConfig": {"imageUri": "gcr.io/cloud-ml-public/training/pytorch-gpu.1-10:v1"}},
            f"us-{TRAINING}/pytorch-gpu.1-10:latest",
            {},
            [("advice", "masterConfig.imageUri")],
        ),
        (
            {
                "masterConfig": {"imageUri": "gcr.io/cloud-ml-public/training/pytorch-gpu.1-10"},
                "region": "europe-west4",
            },
            f"europe-{TRAINING}/pytorch-gpu.1-10:latest",
            {},
            [("advice", "masterConfig.imageUri"), ("advice", "region")],
        ),
        (
            {"runtimeVersion": "2.11", "packageUris": []},
            f"us-{TRAINING}/tf-cpu.2-11:latest",
            {"packageUris": [STAGED_PACKAGE]},
            [("advice", "packageUris"), ("advice", "runtimeVersion")],
        ),
        ({}, None, {}, [("error", "runtimeVersion")]),
    ],
)
def test_a_package(
    inputs: dict[str, Any], executor: str | None, changes: dict[str, Any], findings: list[tuple[str, str]]
) -> None:
    document, reported = read({**MACHINE, **PACKAGE, **inputs})
    expected = {"executorImageUri": executor, **PACKAGE, **changes}
    assert document["pythonPackage"] == {key: value for key, value in expected.items() if value}
    assert sorted((severity, path) for _, severity, path in reported) == sorted(findings)
    assert "container" not in document
    assert document.get("framework") == ("tensorflow" if "runtimeVersion" in inputs else
                                         "pytorch" if executor else None)  # fmt: skip


@pytest.mark.parametrize(
    ("inputs", "task"),
    [
        ({}, "master"),
        ({"runtimeVersion": "2.1"}, "chief"),
        ({"runtimeVersion": "2.0"}, "master"),
        ({"runtimeVersion": "10"}, "chief"),
        ({"runtimeVersion": "x"}, "master"),
        ({"runtimeVersion": 2.1}, "master"),
        ({"evaluatorCount": 1}, "chief"),
        ({"evaluatorCount": 0}, "master"),
        ({"useChiefInTfConfig": True}, "master"),
        ({"useChiefInTfConfig": True, "masterConfig": {"imageUri": "a"}}, "chief"),
        ({"useChiefInTfConfig": True, "masterConfig": {"imageUri": ""}}, "master"),
        ({"useChiefInTfConfig": True, "masterConfig": "a"}, "master"),
        ({"useChiefInTfConfig": False, "masterConfig": {"imageUri": "a"}}, "master"),
    ],
)
def test_the_primarys_name(inputs: dict[str, Any], task: str) -> None:
    assert ai_platform_env.primary_task(inputs) == task
    environment = ai_platform_env.replica_environment(inputs, "master", 0)
    assert json.loads(environment["TF_CONFIG"])["task"] == {"type": task, "index": 0, "cloud": "ab"}


def test_the_environment_of_a_replica() -> None:
    inputs = {"workerCount": "2", "parameterServerCount": 1, "evaluatorCount": 1, "masterConfig": {"imageUri": "a"}}
    environment = ai_platform_env.replica_environment(inputs, "worker", 1, trial="3", job_id="j", cloud="c")
    spec, config = json.loads(environment["CLUSTER_SPEC"]), json.loads(environment["TF_CONFIG"])
    workers = [f"cmle-training-worker-j-{i}:2222" for i in range(2)]
    cluster = {"worker": workers, "ps": ["cmle-training-ps-j-0:2222"]}
    chief = ["cmle-training-chief-j-0:2222"]
    assert spec == {
        "cluster": {**cluster, "master": chief, "evaluator": ["cmle-training-evaluator-j-0:2222"]},
        "task": {"type": "worker", "index": 1, "trial": "3"},
        "job": inputs,
    }
    assert config == {
        "cluster": {**cluster, "chief": chief},
        "environment": "cloud",
        "task": {"type": "worker", "index": 1, "cloud": "c", "trial": "3"},
        "job": inputs,
    }
    assert "CLUSTER_SPEC" not in ai_platform_env.replica_environment({"workerCount": 1}, "worker", 0)


@pytest.mark.parametrize(("task", "index"), [("worker", 0), ("master", 1), ("master", -1), ("chief", 0)])
def test_no_such_replica(task: str, index: int) -> None:
    with pytest.raises(ValueError, match=f"{task}:{index}"):
        ai_platform_env.replica_environment({}, task, index)
