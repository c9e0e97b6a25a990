"""Conversion at its edges: keys in both spellings, what the service adds, and where a fault is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.workloads.samples import CPU, job, planned
from trainingjobs.convert.environments import ReplicaError, replica_environment
from trainingjobs.convert.from_gcloud import config_file
from trainingjobs.convert.recognise import recognise, to_job_document
from trainingjobs.core.documents import DocumentError
from trainingjobs.workloads import kubeflow_environment as kubeflow_env
from trainingjobs.workloads import vertex_environment as vertex_env
from trainingjobs.workloads.vertex_reading import from_vertex
from trainingjobs.workloads.vertex_types import type_errors

CUSTOM = "gcloud ai custom-jobs create"


def read(kind: str, source: Any, **files: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    document, findings = to_job_document(kind, source, "job", files)
    return document, [(each.severity, each.path) for each in findings]


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    [
        ("custom-job", {"jobSpec": {"service_account": "a", "serviceAccount": "b"}}, "jobSpec.service_account"),
        ("ai-platform", {"trainingInput": {"master_type": "a", "masterType": "b"}}, "trainingInput.master_type"),
    ],
)
def test_a_key_in_both_spellings(kind: str, body: dict[str, Any], path: str) -> None:
    assert ("error", path) in read(kind, body)[1]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"trainingInput": {}}, "ai-platform"),
        ({"scaleTier": "BASIC"}, "ai-platform"),
        ({"workerPoolSpecs": []}, "custom-job"),
        ({"kind": "PyTorchJob", "spec": {}}, "pytorchjob"),
        ({"pools": {"primary": CPU}}, "job"),
        ({"displayName": "bert"}, "job"),
        ({"a": 1}, None),
        ({"None": 1}, None),
        (f"{CUSTOM} --display-name bert", "gcloud"),
    ],
)
def test_a_source_is_recognised_by_its_keys(source: Any, kind: str | None) -> None:
    assert recognise(source) == kind


def test_a_commands_file_has_keys_in_either_spelling() -> None:
    text = "service_account: a\nserviceAccount: b"
    assert ("error", "service_account") in read("gcloud", f"{CUSTOM} --config c", c=text)[1]


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (f"{CUSTOM} --config c.yaml", "c.yaml"),
        (f"{CUSTOM} --config=c.yaml --config=d.yaml", "d.yaml"),
        (f"{CUSTOM} --config=/dev/stdin", None),
        (f"{CUSTOM} --config=-", None),
        (CUSTOM, None),
        ("ls", None),
    ],
)
def test_the_file_that_a_command_names(text: str, file: str | None) -> None:
    assert config_file(text) == file


@pytest.mark.parametrize("text", ["a: [", "- a", "a: 1\na: 2"])
def test_a_file_that_is_no_mapping_is_reported_at_its_flag(text: str) -> None:
    findings = read("gcloud", f"{CUSTOM} --config c --worker-pool-spec=machine-type=m,container-image-uri=a", c=text)[1]
    assert findings == [("error", "--config")]


@pytest.mark.parametrize(
    ("flags", "path"),
    [
        (
            "--worker-pool-spec=container-image-uri=a,replica-count=x,machine-type=m",
            "--worker-pool-spec[0].replicaCount",
        ),
        (
            "--worker-pool-spec=machine-type=m,container-image-uri=a,accelerator-type=T,accelerator-count=x",
            "--worker-pool-spec[0].acceleratorCount",
        ),
        (
            "--worker-pool-spec=machine-type=m,container-image-uri=a,boot-disk-type=fast",
            "--worker-pool-spec[0].bootDiskType",
        ),
        ("--worker-pool-spec=machine-type=m", "--worker-pool-spec[0]"),
        ("--worker-pool-spec=machine-type=m,container-image-uri=a --labels=A=b", "--labels"),
        ("--worker-pool-spec=machine-type=m,container-image-uri=a --odd-flag=b", "--odd-flag"),
    ],
)
def test_a_fault_of_the_body_is_reported_at_its_flag(flags: str, path: str) -> None:
    assert path in {place for _, place in read("gcloud", f"{CUSTOM} {flags}")[1]}


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        ("--kms-key=k --kms-keyring=r --kms-location=l --kms-project=p",
         "projects/p/locations/l/keyRings/r/cryptoKeys/k"),
        ("--kms-key=projects/p/k --kms-keyring=r", "projects/p/k"),
        ("--kms-key=k", "k"),
    ],
)  # fmt: skip
def test_a_keys_full_name(flags: str, key: str) -> None:
    text = f"{CUSTOM} --worker-pool-spec=machine-type=m,container-image-uri=a {flags}"
    assert read("gcloud", text)[0]["encryptionSpec"] == {"kmsKeyName": key}


def test_a_name_that_the_shell_would_have_filled_in_is_left_out() -> None:
    pool = "--worker-pool-spec=machine-type=m,container-image-uri=a"
    document, findings = read("gcloud", f"{CUSTOM} --display-name=job-$(date) {pool}")
    assert "displayName" not in document
    assert findings == [("advice", "$COMMAND_OUTPUT")]
    assert ("error", "$IMAGE") in read("gcloud", f"{CUSTOM} {pool[:-1]}$IMAGE")[1]


SPEC = {
    "workerPoolSpecs": [{"machineSpec": {"machineType": "m"}, "replicaCount": 1, "containerSpec": {"imageUri": "a"}}]
}


def machine(**changes: Any) -> dict[str, Any]:
    [pool] = SPEC["workerPoolSpecs"]
    return {"workerPoolSpecs": [{**pool, "machineSpec": {"machineType": "m", **changes}}]}


@pytest.mark.parametrize(
    ("spec", "pool", "expected"),
    [
        (SPEC, {"machineType": "m"}, []),
        (machine(acceleratorType="ACCELERATOR_TYPE_UNSPECIFIED"), {"machineType": "m"}, []),
        (machine(tpuTopology="2x2"), {"machineType": "m", "tpuTopology": "2x2"}, []),
        *(
            (machine(**{key: value}), {"machineType": "m"}, [("advice", f"workerPoolSpecs[0].machineSpec.{key}")])
            for key, value in (
                ("gpuPartitionSize", "1g.10gb"),
                ("multihostGpuNodeCount", 2),
                ("minGpuDriverVersion", "1"),
            )
        ),
        *(
            (
                machine(reservationAffinity={"reservationAffinityType": kind}),
                {"machineType": "m", "reservationAffinity": {"reservationAffinityType": kind}},
                [],
            )
            for kind in ("NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION")
        ),
        (machine(reservationAffinity={"reservationAffinityType": "TYPE_UNSPECIFIED"}), {"machineType": "m"}, []),
        (
            machine(reservationAffinity={"key": "k"}),
            {"machineType": "m"},
            [("advice", "workerPoolSpecs[0].machineSpec.reservationAffinity")],
        ),
    ],
)
def test_a_machine_of_vertex(spec: dict[str, Any], pool: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    document, findings = from_vertex(spec)
    assert document["pools"] == {"primary": pool}
    assert [(each.severity, each.path) for each in findings] == expected


def test_a_model_that_the_service_has_named() -> None:
    body = {"trainingTaskInputs": SPEC, "modelToUpload": {"name": "projects/1/models/2", "displayName": "m"}}
    document, findings = from_vertex(body)
    assert (document["modelToUpload"], findings) == ({"displayName": "m"}, [])


def test_an_error_about_a_replica_is_one_line_with_its_fix() -> None:
    with pytest.raises(ReplicaError) as caught:
        replica_environment(planned(job()), "nobody", 0)
    message = str(caught.value)
    assert caught.value.finding.path in message
    assert caught.value.finding.fix in message


@pytest.mark.parametrize(("role", "rank"), [("primary", "0"), ("worker", "1")])
def test_ranks_of_a_pytorchjob(role: str, rank: str) -> None:
    document = job(platform="gke", kind="pytorchjob", pools={"primary": CPU, "workers": {"replicaCount": 1}})
    assert replica_environment(planned(document), role, 0)["RANK"] == rank


@pytest.mark.parametrize(("task", "index"), [("worker", 2), ("nobody", 0)])
def test_no_such_replica_of_an_operators_job(task: str, index: int) -> None:
    host = kubeflow_env.operator_host("n", "ns")
    with pytest.raises(ValueError, match=f"{task}:{index}"):
        kubeflow_env.replica_environment({"chief": 1, "worker": 2}, task, index, host=host)


def test_an_address_of_vertex_is_the_guides() -> None:
    assert vertex_env.default_host(1, 2) == "cmle-training-workerpool1-ab-2:2222"


def test_a_value_of_the_wrong_kind_is_shown_with_what_is_needed() -> None:
    [(_, reason)] = type_errors({"workerPoolSpecs": "pools"}, "CustomJobSpec", "p")
    assert "pools" in reason
    assert "machineSpec" in reason
    [(_, reason)] = type_errors({"scheduling": "soon"}, "CustomJobSpec", "p")
    assert "soon" in reason
    assert "timeout" in reason
    [(_, reason)] = type_errors({"models": "m"}, "CustomJobSpec", "p")
    assert "strings" in reason


def test_only_a_command_is_a_command_line() -> None:
    with pytest.raises(DocumentError):
        to_job_document("gcloud", {}, "job")
