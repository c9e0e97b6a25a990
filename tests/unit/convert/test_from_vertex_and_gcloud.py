"""Vertex AI's bodies and gcloud's command lines as job documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import SERVER
from tests.unit.workloads.samples import converted, planned
from trainingjobs.clients.vertex.identity import OWN_LABELS
from trainingjobs.convert.from_gcloud import config_file
from trainingjobs.convert.recognise import recognise, to_job_document
from trainingjobs.core.documents import DocumentError

MACHINE = {"machineType": "n1-standard-8"}
POOL = {"machineSpec": MACHINE, "replicaCount": 1, "containerSpec": {"imageUri": "a/b"}}
GUIDE = rf"""
gcloud ai custom-jobs create \
    --region=LOCATION \
    --display-name=JOB_NAME \
    --worker-pool-spec=machine-type=n1-highmem-96,replica-count=1,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8,container-image-uri=CUSTOM_IMAGE \
    --worker-pool-spec=machine-type=n1-highmem-96,replica-count=4,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8,container-image-uri=CUSTOM_IMAGE \
    --worker-pool-spec=machine-type=n1-highcpu-16,replica-count=16,container-image-uri={SERVER}
"""  # noqa: E501
NODES = {"machineType": "n1-highmem-96", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 8}


FIRST = "jobSpec.workerPoolSpecs[0]"


def spec(*pools: Any, **fields: Any) -> dict[str, Any]:
    return {"displayName": "job", "jobSpec": {"workerPoolSpecs": list(pools), **fields}}


def test_the_vertex_guides_command() -> None:
    document, findings = converted("gcloud", GUIDE)
    assert document == {
        "displayName": "JOB_NAME",
        "platform": "vertex",
        "kind": "customJob",
        "container": {"imageUri": "CUSTOM_IMAGE"},
        "pools": {
            "primary": NODES,
            "workers": {**NODES, "replicaCount": 4},
            "reducers": {"machineType": "n1-highcpu-16", "replicaCount": 16, "container": {"imageUri": SERVER}},
        },
    }
    assert findings == {("schema", "advice", "--region")}
    assert planned(document).sizing.pool.replica_count == 16  # type: ignore[union-attr]


def test_pool_2_holds_parameter_servers_unless_it_runs_the_reduction_server() -> None:
    document, findings = converted("custom-job", spec(POOL, {}, POOL, {}))
    assert set(document["pools"]) == {"primary", "parameterServers"}
    server = {**POOL, "containerSpec": {"imageUri": SERVER}}
    assert set(converted("custom-job", spec(POOL, POOL, server))[0]["pools"]) == {"primary", "workers", "reducers"}
    assert findings == set()


@pytest.mark.parametrize("bare", [True, False])
def test_snake_case_numbers_as_strings_and_a_bare_spec(bare: bool) -> None:
    pool = {
        "machine_spec": {"machine_type": "n1-standard-8", "accelerator_type": "NVIDIA_L4", "accelerator_count": "1"},
        "replica_count": "1",
        "container_spec": {"image_uri": "a/b", "env": [{"name": "A", "value": "1"}]},
        "disk_spec": {"boot_disk_type": "pd-ssd", "boot_disk_size_gb": "200"},
    }
    inner = {"worker_pool_specs": [pool], "scheduling": {"timeout": "60s", "restart_job_on_worker_restart": True}}
    document, findings = converted("custom-job", inner if bare else {"job_spec": inner})
    assert findings == set()
    assert document["container"] == {"imageUri": "a/b", "env": {"A": "1"}}
    assert document["pools"]["primary"] == {
        "machineType": "n1-standard-8", "acceleratorType": "NVIDIA_L4", "acceleratorCount": 1,
        "bootDiskType": "pd-ssd", "bootDiskSizeGb": 200,
    }  # fmt: skip
    assert document["scheduling"] == {"timeout": "60s", "restartJobOnWorkerRestart": True}


def test_a_job_that_this_project_submitted_loses_the_providers_labels() -> None:
    own = dict.fromkeys(OWN_LABELS, "0")
    document, findings = converted("custom-job", {**spec(POOL), "labels": {"team": "nlp", **own}})
    assert document["labels"] == {"team": "nlp"}
    assert findings == set()


def test_a_tuning_job() -> None:
    study = {
        "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
        "algorithm": "ALGORITHM_UNSPECIFIED",
        "parameters": [
            {"parameterId": "n", "integerValueSpec": {"minValue": "1", "maxValue": "8"}},
            {"parameterId": "o", "categoricalValueSpec": {"values": ["a", "b"]},
             "conditionalParameterSpecs": [
                 {"parentCategoricalValues": {"values": ["a"]},
                  "parameterSpec": {"parameterId": "m", "discreteValueSpec": {"values": [1, 2]}}}]},
        ],
    }  # fmt: skip
    body = {"displayName": "t", "studySpec": study, "maxTrialCount": 4, "parallelTrialCount": "2",
            "trialJobSpec": {"workerPoolSpecs": [POOL]}}  # fmt: skip
    document, findings = converted("custom-job", body)
    assert findings == set()
    assert planned(document).kind == "hyperparameterTuningJob"
    assert document["tuning"]["parameters"][0]["integerValueSpec"] == {"minValue": 1, "maxValue": 8}


def test_a_pipelines_training_task() -> None:
    body = {
        "displayName": "p",
        "trainingTaskDefinition": "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml",
        "trainingTaskInputs": {"workerPoolSpecs": [POOL]},
        "modelToUpload": {"displayName": "m"},
    }
    document, findings = converted("custom-job", body)
    assert planned(document).kind == "trainingPipeline"
    assert findings == set()
    assert document["modelToUpload"] == {"displayName": "m"}


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        (spec({**POOL, "replicaCount": 2}), ("one-primary-replica", "error", f"{FIRST}.replicaCount")),
        (spec({}, POOL), ("one-primary-replica", "error", "jobSpec.workerPoolSpecs[0]")),
        (spec(POOL, None, POOL), ("pool-placeholder", "error", "jobSpec.workerPoolSpecs[1]")),
        (spec(POOL, {}, {}, {}, POOL), ("pool-order", "error", "jobSpec.workerPoolSpecs[4]")),
        (spec(POOL, bogus=1), ("schema", "error", "jobSpec.bogus")),
        (spec({**POOL, "containerSpec": {}}), ("schema", "error", "jobSpec.workerPoolSpecs[0]")),
        (spec({**POOL, "replicaCount": "one"}), ("schema", "error", "jobSpec.workerPoolSpecs[0].replicaCount")),
        (spec({**POOL, "lustreMounts": [1]}), ("schema", "advice", "jobSpec.workerPoolSpecs[0].lustreMounts")),
        (spec(POOL, scheduling={"strategy": "SPOTT"}), ("schema", "error", "jobSpec.scheduling.strategy")),
        ({"jobSpec": []}, ("schema", "error", "jobSpec")),
    ],
)
def test_faults_are_reported_at_their_place(body: dict[str, Any], finding: tuple[str, str, str]) -> None:
    assert finding in converted("custom-job", body)[1]


def test_workers_get_nothing_of_the_primarys_that_they_did_not_have() -> None:
    primary = {
        "machineSpec": {"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1},
        "replicaCount": 1,
        "containerSpec": {"imageUri": "a/b", "args": ["x"]},
        "diskSpec": {"bootDiskType": "pd-standard", "bootDiskSizeGb": 500},
    }
    document, _ = converted("custom-job", spec(primary, POOL))
    assert document["pools"]["workers"] == {
        "machineType": "n1-standard-8", "acceleratorCount": 0, "replicaCount": 1, "container": {"imageUri": "a/b"},
        "bootDiskType": "pd-ssd", "bootDiskSizeGb": 100,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "path"),
    [
        ("--worker-pool-spec=machine-typ=n1-standard-4", "--worker-pool-spec[0].machine-typ"),
        ("--worker-pool-spec=machine-type=a,replica-count=x", "--worker-pool-spec[0].replicaCount"),
        ("--worker-pool-spec=machine-type=n1-standard-4,script=t.py", "--worker-pool-spec[0].script"),
        ("--regoin=r", "--regoin"),
        ("--config=job.yaml", "--config"),
        ("stray", "stray"),
        ("--display-name", "--display-name"),
        ("", "--worker-pool-spec"),
    ],
)
def test_faults_of_a_command_are_reported_at_their_flag(flags: str, path: str) -> None:
    findings = converted("gcloud", f"gcloud ai custom-jobs create {flags}")[1]
    assert [finding for finding in findings if finding[1] == "error" and finding[2].startswith(path)]


@pytest.mark.parametrize(
    "text",
    [
        "gcloud ai custom-jobs create --display-name='a b' "
        "--worker-pool-spec machine-type=n1-standard-8,container-image-uri=a/b",
        "$ gcloud beta ai custom-jobs create --worker-pool-spec=machine-type='n1-standard-8',replica-count=1,"
        'container-image-uri="a/b" --display-name="a b" && echo done',
        "#!/bin/sh\nIMAGE=a/b\nNAME='a b'\n\ngcloud ai custom-jobs create \\\n  --display-name=\"$NAME\" \\\n"
        "  --worker-pool-spec=machine-type=n1-standard-8,container-image-uri=${IMAGE}\necho done\n",
        "gcloud ai custom-jobs create --display-name='a b' --config=/dev/stdin <<'EOF'\n"
        "workerPoolSpecs:\n- machineSpec: {machineType: n1-standard-8}\n  replicaCount: 1\n"
        "  containerSpec: {imageUri: a/b}\nEOF\n",
        "gcloud ai custom-jobs create --display-name='a b' "
        "--worker-pool-spec='^;^machine-type=n1-standard-8;container-image-uri=a/b'",
    ],
)
def test_the_shells_ways_of_writing_a_command(text: str) -> None:
    document, findings = converted("gcloud", text)
    assert findings == set()
    assert document["displayName"] == "a b"
    assert document["container"] == {"imageUri": "a/b"}
    assert document["pools"] == {"primary": MACHINE}


def test_arguments_labels_and_packages() -> None:
    text = (
        "gcloud ai custom-jobs create --display-name=x --labels=a=b,c=d --args=--x=1,--y --service-account=s@p "
        "--python-package-uris=gs://b/t.tar.gz --enable-web-access --kms-key=k --kms-keyring=r --kms-location=l "
        "--kms-project=p --worker-pool-spec=machine-type=n1-standard-8,replica-count=1,"
        "executor-image-uri=us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-11:latest,python-module=t.task"
    )
    document, findings = converted("gcloud", text)
    assert findings == set()
    assert document["pythonPackage"]["args"] == ["--x=1", "--y"]
    assert document["framework"] == "tensorflow"
    assert (document["labels"], document["enableWebAccess"]) == ({"a": "b", "c": "d"}, True)
    assert document["encryptionSpec"]["kmsKeyName"] == "projects/p/locations/l/keyRings/r/cryptoKeys/k"
    planned(document)


def test_a_variable_without_a_value_is_an_error_only_where_it_is_needed() -> None:
    pool = "--worker-pool-spec=machine-type=n1-standard-8,container-image-uri="
    needed = converted("gcloud", f"gcloud ai custom-jobs create --display-name=x {pool}$IMAGE")[1]
    assert ("schema", "error", "$IMAGE") in needed
    document, findings = converted("gcloud", f"gcloud ai custom-jobs create --display-name=x_$(date +%s) {pool}a")
    assert "displayName" not in document
    assert findings == {("schema", "advice", "$COMMAND_OUTPUT")}


def test_a_file_that_the_command_names() -> None:
    text = "gcloud ai custom-jobs create --region=us-central1 --display-name=x --config=job.yaml"
    assert config_file(text) == "job.yaml"
    body = (
        "workerPoolSpecs: [{machineSpec: {machineType: n1-standard-8}, replicaCount: 1, containerSpec: {imageUri: a}}]"
    )
    document, findings = converted("gcloud", text, files={"job.yaml": body})
    assert document["pools"] == {"primary": MACHINE}
    assert {severity for _, severity, _ in findings} == {"advice"}


@pytest.mark.parametrize("text", ["gcloud compute instances list", "gcloud ai custom-jobs create 'open", "gcloud  "])
def test_other_commands_are_refused(text: str) -> None:
    assert recognise(text) == "gcloud"
    with pytest.raises(DocumentError):
        to_job_document("gcloud", text, "job")


def test_a_command_ends_with_its_line_whatever_is_quoted_in_it() -> None:
    text = 'gcloud ai custom-jobs create --display-name="say \\"hi\\" it\'s" \\\n --config=x\necho "done\n'
    document, findings = converted("gcloud", text, files={"x": "workerPoolSpecs: []"})
    assert document["displayName"] == 'say "hi" it\'s'
    assert "echo" not in {path for _, _, path in findings}
