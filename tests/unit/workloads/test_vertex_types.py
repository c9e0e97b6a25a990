"""The key tables are the official protos', and equal bodies compare equal."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from trainingjobs.facts.job import UNKNOWN
from trainingjobs.workloads.vertex_tables import BESIDE_SPEC, ENUMS, MESSAGES, NEWER, ONEOFS
from trainingjobs.workloads.vertex_types import beside_errors, canonical_spec, newer_fields, type_errors

SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_INT32: "integer",
    FieldDescriptor.TYPE_INT64: "integer",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_DOUBLE: "double",
}
WELL_KNOWN = {
    "Duration": "duration",
    "Timestamp": "string",
    "BoolValue": "boolean",
    "Int32Value": "integer",
    "Value": "object",
    "LabelsEntry": "labels",
    # A model's explanation is a world of its own: any object is taken.
    "ExplanationSpec": "object",
}
# What a training job does not say of the model that it uploads.
NOT_OF_AN_UPLOAD = {
    *("name", "etag", "versionId", "versionCreateTime", "versionUpdateTime", "createTime", "updateTime"),
    *("supportedExportFormats", "supportedDeploymentResourcesTypes", "supportedInputStorageFormats"),
    *("supportedOutputStorageFormats", "deployedModels", "modelSourceInfo", "originalModelInfo", "metadataArtifact"),
    *("satisfiesPzs", "satisfiesPzi", "trainingPipeline", "pipelineJob", "dataStats", "baseModelSource"),
    *("checkpoints", "defaultCheckpointId"),
}


# The rule accelerator-fit knows more of its values.
OF_A_RULE = ("AcceleratorType",)


def enum_of(enum: EnumDescriptor) -> str:
    return f"{enum.containing_type.name}.{enum.name}" if enum.containing_type else enum.name


def kind_of(field: FieldDescriptor) -> str:
    enum = enum_of(field.enum_type) if field.enum_type is not None else None
    message = field.message_type
    kind = (
        "string" if enum in OF_A_RULE else SCALARS.get(field.type) or enum or WELL_KNOWN.get(message.name, message.name)
    )
    is_list = field.label == FieldDescriptor.LABEL_REPEATED and message_is_no_map(message)
    return f"[{kind}]" if is_list else kind


def tables_of(descriptor: Descriptor, tables: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    if descriptor.name not in tables:
        table = tables[descriptor.name] = {}
        for field in descriptor.fields:
            if descriptor.name == "Model" and field.json_name in NOT_OF_AN_UPLOAD:
                continue
            table[field.json_name] = kind_of(field)
            if field.message_type is not None and field.message_type.name not in WELL_KNOWN:
                tables_of(field.message_type, tables)
    return tables


def message_is_no_map(message: Descriptor | None) -> bool:
    return message is None or not message.GetOptions().map_entry


ROOTS = (types.CustomJobSpec, types.EncryptionSpec, types.StudySpec, types.Model)


def test_the_tables_are_the_official_protos() -> None:
    official: dict[str, dict[str, str]] = {}
    for message in ROOTS:
        tables_of(message.pb().DESCRIPTOR, official)
    for name, fields in NEWER.items():
        official_fields = official.setdefault(name, {} if fields else MESSAGES[name])
        # What the client has in the meantime is newer no more.
        assert not official_fields.keys() & set(fields)
        official_fields |= {field: MESSAGES[name][field] for field in fields}
    assert official == MESSAGES


def all_of(descriptor: Descriptor, descriptors: dict[str, Descriptor]) -> dict[str, Descriptor]:
    if descriptor.name in MESSAGES and descriptor.name not in descriptors:
        descriptors[descriptor.name] = descriptor
        for field in descriptor.fields:
            if field.message_type is not None:
                all_of(field.message_type, descriptors)
    return descriptors


def test_the_enums_and_alternatives_are_the_official_protos() -> None:
    messages: dict[str, Descriptor] = {}
    for root in ROOTS:
        all_of(root.pb().DESCRIPTOR, messages)
    fields = [
        (field, enum_of(field.enum_type))
        for message in messages.values()
        for field in message.fields
        if field.enum_type is not None and field.json_name in MESSAGES[message.name]
    ]
    assert {
        name: {value.name for value in field.enum_type.values} for field, name in fields if name not in OF_A_RULE
    } == {name: set(members) for name, members in ENUMS.items()}
    # An optional field is a oneof of its own to protobuf.
    assert {
        message.name: tuple(field.json_name for field in oneof.fields)
        for message in messages.values()
        for oneof in message.oneofs
        if len(oneof.fields) > 1
    } == ONEOFS


def test_what_stands_beside_the_spec_is_the_official_protos() -> None:
    jobs = (types.CustomJob, types.HyperparameterTuningJob, types.TrainingPipeline)
    fields = [field for job in jobs for field in job.pb().DESCRIPTOR.fields if field.json_name in BESIDE_SPEC]
    assert {field.json_name: kind_of(field) for field in fields} == BESIDE_SPEC


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        pytest.param({"workerPoolSpec": []}, "jobSpec.workerPoolSpec", id="misspelt"),
        pytest.param({"workerPoolSpecs": {}}, "jobSpec.workerPoolSpecs", id="no list"),
        pytest.param({"workerPoolSpecs": [3]}, "jobSpec.workerPoolSpecs[0]", id="no pool"),
        pytest.param(
            {"workerPoolSpecs": [{}, {"replicaCount": 1.5}]}, "jobSpec.workerPoolSpecs[1].replicaCount", id="half"
        ),
        pytest.param({"scheduling": {"timeout": 3600}}, "jobSpec.scheduling.timeout", id="bare seconds"),
        pytest.param({"enableWebAccess": "yes"}, "jobSpec.enableWebAccess", id="word for a boolean"),
        pytest.param({"scheduling": {"strategy": "FOO"}}, "jobSpec.scheduling.strategy", id="no member"),
        pytest.param({"scheduling": {"strategy": ""}}, "jobSpec.scheduling.strategy", id="empty member"),
        pytest.param(
            {"workerPoolSpecs": [{"machineSpec": {"reservationAffinity": {"reservationAffinityType": "ANY"}}}]},
            "jobSpec.workerPoolSpecs[0].machineSpec.reservationAffinity.reservationAffinityType",
            id="no reservation",
        ),
        pytest.param(
            {"workerPoolSpecs": [{"containerSpec": {}, "pythonPackageSpec": {}}]},
            "jobSpec.workerPoolSpecs[0].pythonPackageSpec",
            id="both of a oneof",
        ),
        pytest.param(
            {"workerPoolSpecs": [{"containerSpec": {"env": [{"name": "A", "val": "1"}]}}]},
            "jobSpec.workerPoolSpecs[0].containerSpec.env[0].val",
            id="deep",
        ),
    ],
)
def test_what_the_service_would_not_parse_is_named_by_its_path(spec: dict[str, Any], path: str) -> None:
    assert [place for place, _ in type_errors(spec, "CustomJobSpec", "jobSpec")] == [path]


@pytest.mark.parametrize(
    "spec",
    [
        {"scheduling": {"strategy": "STRATEGY_UNSPECIFIED"}, "network": None},
        {"scheduling": {"strategy": UNKNOWN}},
        {"workerPoolSpecs": [{"containerSpec": {}, "pythonPackageSpec": None}]},
        {"workerPoolSpecs": [{"containerSpec": {}, "pythonPackageSpec": UNKNOWN}]},
        {"workerPoolSpecs": [{"replicaCount": 1.0, "diskSpec": {"bootDiskSizeGb": 100.0}}]},
    ],
)
def test_what_the_service_parses_or_nobody_knows_yet_is_fine(spec: dict[str, Any]) -> None:
    assert list(type_errors(spec, "CustomJobSpec", "jobSpec")) == []


def test_keys_may_be_left_to_somebody_else() -> None:
    spec = {"odd": 1, "workerPoolSpecs": [{"odd": 1, "containerSpec": {"odd": 1, "args": [1]}}]}
    [(path, _)] = type_errors(spec, "CustomJobSpec", "p", keys=False)
    assert path == "p.workerPoolSpecs[0].containerSpec.args[0]"


def test_what_stands_beside_the_spec() -> None:
    body = {"displayName": 1, "labels": {"a": "b", "c": 1, "d": None}, "modelToUpload": {"labels": []}, "odd": 1}
    assert [path for path, _ in beside_errors(body)] == ["displayName", "labels.c", "labels.d", "modelToUpload.labels"]
    assert list(beside_errors({"displayName": None, "labels": None, "encryptionSpec": None})) == []


def pool(**more: Any) -> dict[str, Any]:
    return {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 1, **more}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param([pool()], [pool(replicaCount="1")], id="a 64-bit integer as the service writes it"),
        pytest.param([pool()], [pool(replicaCount=1.0)], id="an integral float"),
        pytest.param([pool()], [pool(diskSpec={"bootDiskType": "pd-ssd", "bootDiskSizeGb": 100})], id="default disk"),
        pytest.param([pool()], [pool(), {}, {}], id="trailing empty pools"),
        pytest.param([pool()], [pool(containerSpec={"args": [], "env": []})], id="empty lists"),
    ],
)
def test_bodies_that_mean_the_same_compare_equal(left: Any, right: Any) -> None:
    assert canonical_spec({"workerPoolSpecs": left}) == canonical_spec({"workerPoolSpecs": right})


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param([pool()], [pool(replicaCount=0)], id="no replicas"),
        pytest.param([pool(), {}, pool()], [pool(), pool()], id="a placeholder counts"),
        pytest.param(
            [pool(containerSpec={"env": [{"name": "A", "value": ""}]})],
            [pool(containerSpec={"env": [{"name": "A"}]})],
            id="an empty variable is set",
        ),
    ],
)
def test_bodies_that_differ_stay_different(left: Any, right: Any) -> None:
    assert canonical_spec({"workerPoolSpecs": left}) != canonical_spec({"workerPoolSpecs": right})


def test_a_duration_is_compared_by_its_length() -> None:
    short, long = ({"scheduling": {"timeout": timeout}} for timeout in ("86400s", "86400.000s"))
    assert canonical_spec(short) == canonical_spec(long)
    assert canonical_spec({"scheduling": {"timeout": "604800s"}}) == {}


LUSTRE = {"instanceIp": "10.0.0.2", "volumeHandle": "p/z/i", "filesystem": "fs", "mountPoint": "data"}


@pytest.mark.parametrize(
    ("spec", "newer"),
    [
        ({"workerPoolSpecs": [{"lustreMounts": [LUSTRE], "machineSpec": {"gpuPartitionSize": "1g.10gb"}}]}, []),
        (
            {"workerPoolSpecs": [{}, {"machineSpec": {"minGpuDriverVersion": "570"}}]},
            ["jobSpec.workerPoolSpecs[1].machineSpec.minGpuDriverVersion"],
        ),
        ({"quantumPolicy": {}}, ["jobSpec.quantumPolicy"]),
        ({"workerPoolSpec": []}, []),
        (UNKNOWN, []),
    ],
)
def test_a_field_newer_than_the_tables_is_named_and_not_refused(spec: Any, newer: list[str]) -> None:
    fields = list(newer_fields(spec, "CustomJobSpec", "jobSpec"))
    assert [path for path, _ in fields] == newer
    assert all(path.rpartition(".")[2] in message for path, message in fields)
    assert not {path for path, _ in type_errors(spec, "CustomJobSpec", "jobSpec")} & set(newer)
