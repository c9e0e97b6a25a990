"""The key tables are the official protos', and equal bodies compare equal."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from infra.dialects.vertex_fields import canonical_spec, type_errors
from infra.dialects.vertex_tables import MESSAGES

SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_ENUM: "string",
    FieldDescriptor.TYPE_INT32: "integer",
    FieldDescriptor.TYPE_INT64: "integer",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_DOUBLE: "number",
}
WELL_KNOWN = {
    "Duration": "duration",
    "Timestamp": "string",
    "BoolValue": "boolean",
    "Int32Value": "integer",
    "Value": "object",
    "LabelsEntry": "object",
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


def tables_of(descriptor: Descriptor, found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    if descriptor.name not in found:
        table = found[descriptor.name] = {}
        for field in descriptor.fields:
            if descriptor.name == "Model" and field.json_name in NOT_OF_AN_UPLOAD:
                continue
            message = field.message_type
            well_known = WELL_KNOWN.get(message.name) if message is not None else None
            kind = SCALARS.get(field.type) or well_known or message.name
            is_list = field.label == FieldDescriptor.LABEL_REPEATED and message_is_no_map(message)
            table[field.json_name] = f"[{kind}]" if is_list else kind
            if message is not None and well_known is None:
                tables_of(message, found)
    return found


def message_is_no_map(message: Descriptor | None) -> bool:
    return message is None or not message.GetOptions().map_entry


def test_the_tables_are_the_official_protos() -> None:
    official = tables_of(types.CustomJobSpec.pb().DESCRIPTOR, {})
    for message in (types.EncryptionSpec, types.StudySpec, types.Model):
        tables_of(message.pb().DESCRIPTOR, official)
    assert official == MESSAGES


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
        pytest.param(
            {"workerPoolSpecs": [{"containerSpec": {"env": [{"name": "A", "val": "1"}]}}]},
            "jobSpec.workerPoolSpecs[0].containerSpec.env[0].val",
            id="deep",
        ),
    ],
)
def test_what_the_service_would_not_parse_is_named_by_its_path(spec: dict[str, Any], path: str) -> None:
    assert [found for found, _ in type_errors(spec, "CustomJobSpec", "jobSpec")] == [path]


def pool(**more: Any) -> dict[str, Any]:
    return {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 1, **more}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([pool()], [pool(replicaCount="1")], id="a 64-bit integer as the service writes it"),
        pytest.param([pool()], [pool(diskSpec={"bootDiskType": "pd-ssd", "bootDiskSizeGb": 100})], id="default disk"),
        pytest.param([pool()], [pool(), {}, {}], id="trailing empty pools"),
        pytest.param([pool()], [pool(containerSpec={"args": [], "env": []})], id="empty lists"),
    ],
)
def test_bodies_that_mean_the_same_compare_equal(one: Any, other: Any) -> None:
    assert canonical_spec({"workerPoolSpecs": one}) == canonical_spec({"workerPoolSpecs": other})


@pytest.mark.parametrize(
    ("one", "other"),
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
def test_bodies_that_differ_stay_different(one: Any, other: Any) -> None:
    assert canonical_spec({"workerPoolSpecs": one}) != canonical_spec({"workerPoolSpecs": other})


def test_a_duration_is_compared_by_its_length() -> None:
    short, long = ({"scheduling": {"timeout": timeout}} for timeout in ("86400s", "86400.000s"))
    assert canonical_spec(short) == canonical_spec(long)
    assert canonical_spec({"scheduling": {"timeout": "604800s"}}) == {}
