"""gcloud's commands as job documents: every flag, what a file says beside them, and where a fault is reported."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.convert.from_gcloud import SWITCHES
from trainingjobs.convert.from_gcloud import TRAINING as VERB
from trainingjobs.convert.gcloud_flags import Flags
from trainingjobs.convert.gcloud_training import training_job
from trainingjobs.convert.gcloud_words import read_command
from trainingjobs.convert.recognise import to_job_document
from trainingjobs.core.findings import Finding

TRAINING = "gcloud ai-platform jobs submit training"
CUSTOM = "gcloud ai custom-jobs create"
MASTER = "--scale-tier custom --master-machine-type n1-standard-8 --master-image-uri a"


def read(text: str, **files: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    document, findings = to_job_document("gcloud", text, "job", files)
    return document, [(each.severity, each.path) for each in findings]


def training(flags: str, job: str = "j", **files: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    return read(f"{TRAINING} {job} {MASTER} {flags}", **files)


BARE: dict[str, Any] = {
    "displayName": "j",
    "platform": "vertex",
    "kind": "customJob",
    "container": {"imageUri": "a"},
    "pools": {"primary": {"machineType": "n1-standard-8"}},
    "useChiefInTfConfig": False,
}
T4 = {"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}


@pytest.mark.parametrize(
    ("flags", "changes", "findings"),
    [
        ("", {}, []),
        ("--region us-central1", {}, [("advice", "--region")]),
        ("--python-version 3.7", {}, [("advice", "--python-version")]),
        ("--job-dir gs://b/o", {"container": {"imageUri": "a", "args": ["--job-dir=gs://b/o"]},
                                "baseOutputDirectory": {"outputUriPrefix": "gs://b/o"}}, []),
        ("--runtime-version 2.11", {"runtimeVersion": "2.11"}, []),
        ("--service-account s@p", {"serviceAccount": "s@p"}, []),
        ("--network n", {"network": "n"}, []),
        ("--use-chief-in-tf-config=true", {"useChiefInTfConfig": True, "framework": "tensorflow"}, []),
        ("--enable-web-access", {"enableWebAccess": True}, []),
        ("--no-enable-web-access", {"enableWebAccess": False}, []),
        ("--kms-key k", {"encryptionSpec": {"kmsKeyName": "k"}}, []),
        ("--labels team=x,a=b", {"labels": {"team": "x", "a": "b"}}, []),
        ("--async --stream-logs", {}, []),
        ("-- -x 1", {"container": {"imageUri": "a", "args": ["-x", "1"]}}, []),
        ("--worker-machine-type n1-standard-4 --worker-count 2 --worker-image-uri w",
         {"pools": {**BARE["pools"], "workers": {"machineType": "n1-standard-4", "replicaCount": 2,
                                                 "container": {"imageUri": "w"}}}}, []),
        ("--parameter-server-machine-type n1-highmem-4 --parameter-server-count 1 --parameter-server-image-uri p",
         {"pools": {**BARE["pools"], "parameterServers": {"machineType": "n1-highmem-4", "replicaCount": 1,
                                                          "container": {"imageUri": "p"}}}}, []),
        ("--master-accelerator type=nvidia-tesla-t4", {"pools": {"primary": T4}}, []),
        ("--master-accelerator count=2,type=NVIDIA_TESLA_T4",
         {"pools": {"primary": {**T4, "acceleratorCount": 2}}}, []),
        ("--master-accelerator type=nvidia-tesla-t4,size=3", {"pools": {"primary": T4}},
         [("error", "--master-accelerator.size")]),
        ("--odd 1", {}, [("error", "--odd")]),
    ],
)  # fmt: skip
def test_training(flags: str, changes: dict[str, Any], findings: list[tuple[str, str]]) -> None:
    assert training(flags) == ({**BARE, **changes}, findings)


def test_a_training_job_has_one_name() -> None:
    assert read(f"{TRAINING} {MASTER}")[1] == [("error", "JOB")]
    assert training("", "j second third")[1] == [("error", "second"), ("error", "third")]


def test_a_machine_without_a_tier_is_custom() -> None:
    flags = "--master-machine-type n1-standard-8 --master-image-uri a"
    assert read(f"{TRAINING} j {flags}") == (BARE, [])
    assert read(f"{TRAINING} j --master-image-uri a")[1] == [("advice", "--scale-tier")]
    assert read(f"{TRAINING} j {flags} --scale-tier basic")[1] == [("advice", "--scale-tier")]


@pytest.mark.parametrize(
    ("flags", "sent"),
    [
        ("", {"masterConfig": {"imageUri": "a"}}),
        (
            "--master-accelerator type=nvidia-tesla-t4",
            {"masterConfig": {"imageUri": "a", "acceleratorConfig": {"type": "NVIDIA_TESLA_T4", "count": "1"}}},
        ),
        (
            "--master-accelerator count=2",
            {"masterConfig": {"imageUri": "a", "acceleratorConfig": {"count": "2"}}},
        ),
        ("--scale-tier basic", {"masterConfig": {"imageUri": "a"}, "scaleTier": "basic"}),
    ],
)
def test_the_job_that_gcloud_sends(flags: str, sent: dict[str, Any]) -> None:
    text = f"{TRAINING} j --master-machine-type n1-standard-8 --master-image-uri a {flags}"
    findings: list[Finding] = []
    body = training_job(Flags(read_command(text, (VERB,), SWITCHES), findings), {})
    assert body == {"jobId": "j", "trainingInput": {"scaleTier": "CUSTOM", "masterType": "n1-standard-8", **sent}}
    assert findings == []


FILE = """
labels: {team: file, kept: x}
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-4
  masterConfig: {imageUri: file, containerArgs: [-f]}
  workerType: n1-standard-4
  workerCount: 3
"""


def test_flags_go_before_the_file() -> None:
    document, findings = training("--labels team=flag --config c.yaml", **{"c.yaml": FILE})
    assert findings == []
    assert document["labels"] == {"team": "flag", "kept": "x"}
    assert document["container"] == {"imageUri": "a", "args": ["-f"]}
    assert document["pools"]["primary"] == {"machineType": "n1-standard-8"}
    assert document["pools"]["workers"] == {"machineType": "n1-standard-4", "replicaCount": 3}


@pytest.mark.parametrize("text", ["trainingInput: 3", "labels: [a]", "trainingInput: {masterConfig: 3}"])
def test_a_file_that_holds_something_else_breaks_nothing(text: str) -> None:
    document, _ = training("--labels team=flag --config c.yaml", **{"c.yaml": text})
    assert document["container"]["imageUri"] == "a"
    assert document["labels"] == {"team": "flag"}


@pytest.mark.parametrize(
    ("flags", "place"),
    [
        ("--worker-count many", "--worker-count"),
        ("--worker-count 2", "--worker-machine-type"),
        ("--runtime-version new", "--runtime-version"),
        ("--job-dir /x", "--job-dir"),
        ("--labels Team=nlp", "--labels"),
        ("--master-accelerator count=x,type=nvidia-tesla-t4", "--master-accelerator"),
    ],
)
def test_a_fault_is_reported_at_its_flag(flags: str, place: str) -> None:
    assert [path for _, path in training(flags)[1]] == [place]


def test_beside_a_file_a_fault_is_reported_in_the_body() -> None:
    text = FILE + "  hyperparameters: {goal: UP}\n"
    assert ("error", "trainingInput.hyperparameters.goal") in training("--config c.yaml", **{"c.yaml": text})[1]


PACKAGED = "--scale-tier custom --master-machine-type n1-standard-8 --runtime-version 2.11 --module-name t"


@pytest.mark.parametrize(
    ("flags", "uris", "places"),
    [
        ("--packages gs://b/t.gz,gs://b/u.gz", ["gs://b/t.gz", "gs://b/u.gz"], []),
        ("--package-path trainer/", ["gs://STAGING_BUCKET/trainer.tar.gz"], ["--package-path"]),
        ("--package-path trainer --staging-bucket gs://s/", ["gs://s/trainer.tar.gz"], ["--package-path"]),
        ("--package-path trainer --staging-bucket gs://s/X/", ["gs://s/X/trainer.tar.gz"], ["--package-path"]),
        ("--packages dist/t.gz --staging-bucket gs://s", ["gs://s/trainer.tar.gz"], ["--packages"]),
        (
            "--packages gs://b/t.gz,one,two --package-path three --staging-bucket gs://s",
            ["gs://b/t.gz", "gs://s/trainer.tar.gz", "gs://s/trainer-1.tar.gz", "gs://s/trainer-2.tar.gz"],
            ["--package-path", "--packages", "--packages"],
        ),
    ],
)
def test_packages(flags: str, uris: list[str], places: list[str]) -> None:
    document, findings = read(f"{TRAINING} j {PACKAGED} {flags}")
    assert document["pythonPackage"]["packageUris"] == uris
    assert sorted(path for severity, path in findings if severity == "advice") == [*places, "--runtime-version"]


def custom(pool: str, flags: str = "") -> tuple[dict[str, Any], list[tuple[str, str]]]:
    return read(f"{CUSTOM} --display-name j --worker-pool-spec={pool} {flags}")


POOL = "machine-type=n1-standard-8,container-image-uri=a"


@pytest.mark.parametrize(
    ("pool", "pools", "expected"),
    [
        (POOL, {"primary": {"machineType": "n1-standard-8"}}, []),
        (f"{POOL},accelerator-type=NVIDIA_TESLA_T4", {"primary": T4}, []),
        (f"{POOL},accelerator-type=NVIDIA_TESLA_T4,accelerator-count=2",
         {"primary": {**T4, "acceleratorCount": 2}}, []),
        (
            f"{POOL},boot-disk-type=pd-standard,boot-disk-size=200",
            {"primary": {"machineType": "n1-standard-8", "bootDiskType": "pd-standard", "bootDiskSizeGb": 200}},
            [],
        ),
        (f"{POOL},reservation-affinity=any", {"primary": {"machineType": "n1-standard-8"}},
         [("advice", "--worker-pool-spec[0].reservation-affinity")]),
        (f"{POOL},machine=x", {"primary": {"machineType": "n1-standard-8"}},
         [("error", "--worker-pool-spec[0].machine")]),
        ("machine-type=n1-standard-8,executor-image-uri=e", {"primary": {"machineType": "n1-standard-8"}}, []),
    ],
)  # fmt: skip
def test_a_worker_pool(pool: str, pools: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    document, findings = custom(pool)
    assert (document["pools"], findings) == (pools, expected)


@pytest.mark.parametrize("key", ["local-package-path", "script", "requirements", "extra-packages", "extra-dirs"])
def test_what_gcloud_would_build_an_image_from(key: str) -> None:
    place = f"--worker-pool-spec[0].{key}"
    assert ("error", place) in custom(f"machine-type=n1-standard-8,executor-image-uri=e,{key}=x")[1]
    assert custom(f"{POOL},{key}=x")[1] == []


@pytest.mark.parametrize("nothing", ["", f"{POOL},replica-count=0"])
def test_a_pool_of_nothing_keeps_its_place(nothing: str) -> None:
    text = f"{CUSTOM} --worker-pool-spec={POOL} --worker-pool-spec={nothing} --worker-pool-spec={POOL}"
    assert set(read(text)[0]["pools"]) == {"primary", "parameterServers"}


def test_a_package_in_a_pool() -> None:
    pool = "machine-type=n1-standard-8,executor-image-uri=e,python-module=m"
    document, findings = custom(pool, "--python-package-uris=gs://b/t --args=-x,-y")
    assert findings == []
    assert document["pythonPackage"] == {
        "executorImageUri": "e", "pythonModule": "m", "packageUris": ["gs://b/t"], "args": ["-x", "-y"]
    }  # fmt: skip
    both, _ = custom(f"{POOL},python-module=m", "--command=run --args=-x")
    assert both["container"] == {"imageUri": "a", "command": ["run"], "args": ["-x"]}


@pytest.mark.parametrize(
    ("flags", "changes", "findings"),
    [
        ("--service-account s@p", {"serviceAccount": "s@p"}, []),
        ("--network n", {"network": "n"}, []),
        ("--persistent-resource-id p", {"persistentResourceId": "p"}, []),
        ("--enable-web-access", {"enableWebAccess": True}, []),
        ("--no-enable-dashboard-access", {"enableDashboardAccess": False}, []),
        ("--labels a=b", {"labels": {"a": "b"}}, []),
        ("--kms-key k", {"encryptionSpec": {"kmsKeyName": "k"}}, []),
        ("--region r", {}, [("advice", "--region")]),
        ("--odd=1", {}, [("error", "--odd")]),
    ],
)
def test_a_custom_job(flags: str, changes: dict[str, Any], findings: list[tuple[str, str]]) -> None:
    bare = {key: BARE[key] for key in ("displayName", "platform", "kind", "container", "pools")}
    assert custom(POOL, flags) == ({**bare, **changes}, findings)


def test_a_custom_job_has_pools_and_no_words_beside_its_flags() -> None:
    assert read(f"{CUSTOM} --display-name j")[1] == [("error", "--worker-pool-spec")]
    assert ("error", "word") in custom(POOL, "--enable-web-access word")[1]


def test_a_custom_jobs_file() -> None:
    text = (
        "workerPoolSpecs: [{machineSpec: {machineType: n1-standard-4}, replicaCount: 1, containerSpec: {imageUri: f}}]"
    )
    document, findings = read(f"{CUSTOM} --config c.yaml --network n", **{"c.yaml": text})
    assert (findings, document["network"], document["container"]) == ([], "n", {"imageUri": "f"})
    document, findings = read(f"{CUSTOM} --config=/dev/stdin <<END\n{text}\nEND\n")
    assert (findings, document["container"]) == ([], {"imageUri": "f"})
    assert read(f"{CUSTOM} --config c.yaml")[1][0] == ("error", "--config")
