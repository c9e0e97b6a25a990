"""The static field table and how bodies are read by it, beside the official protos."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.cloud import aiplatform_v1
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.vertex.body import read_body, snake, table
from sandbox.vertex.errors import ApiError
from tests.sandbox import vertex_protos
from tests.sandbox.vertex_sandbox import ROOT, job, pool

FULL: dict[str, Any] = {
    "displayName": "x",
    "labels": {"a": "b"},
    "encryptionSpec": {"kmsKeyName": "k"},
    "jobSpec": {
        "workerPoolSpecs": [
            {
                "replicaCount": 1,
                "machineSpec": {
                    "machineType": "n1-highmem-96",
                    "acceleratorType": "NVIDIA_TESLA_V100",
                    "acceleratorCount": 8,
                    "reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"},
                },
                "diskSpec": {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 200},
                "nfsMounts": [{"server": "s", "path": "p", "mountPoint": "m"}],
                "containerSpec": {
                    "imageUri": "i",
                    "command": ["c"],
                    "args": ["a"],
                    "env": [{"name": "n", "value": ""}],
                },
            },
            {},
            {"replicaCount": "25", "machineSpec": {"machineType": "n1-highcpu-16"}, "containerSpec": {"imageUri": "r"}},
        ],
        "scheduling": {"timeout": "3600s", "restartJobOnWorkerRestart": False, "strategy": "SPOT"},
        "baseOutputDirectory": {"outputUriPrefix": "gs://b/c"},
        "enableWebAccess": True,
    },
}


def test_the_table_is_what_the_official_protos_say() -> None:
    written = json.loads((ROOT / "sandbox" / "vertex" / "fields.json").read_text())
    assert written == vertex_protos.table(), "run `python -m tests.sandbox.vertex_protos > sandbox/vertex/fields.json`"


def test_proto_names_follow_from_json_names() -> None:
    # proto-plus adds an underscore to names that Python reserves; the proto itself has none.
    assert all(snake(name) == proto.rstrip("_") for name, proto in vertex_protos.proto_names().items())


def test_what_is_read_means_the_same_to_the_official_protos() -> None:
    official = aiplatform_v1.CustomJob.pb(aiplatform_v1.CustomJob())
    json_format.ParseDict(FULL, official)
    again = json_format.MessageToDict(official)
    assert read_body("CustomJob", FULL, "custom_job") == again


def values(kind: str, depth: int) -> st.SearchStrategy[Any]:
    """Returns JSON values of a type of the field table, as a client may write them."""
    if kind[0] in "[{":
        items = values(kind[1:-1], depth)
        return (
            st.lists(items, max_size=3)
            if kind[0] == "["
            else st.dictionaries(st.text("ab", min_size=1), items, max_size=3)
        )
    kind = kind.removeprefix("optional ")
    if kind.startswith("enum "):
        return st.sampled_from(sorted(table()["enums"][kind.removeprefix("enum ")]))
    if kind in SIMPLE:
        return SIMPLE[kind]
    return bodies(kind, depth - 1)


def bodies(message: str, depth: int = 4) -> st.SearchStrategy[dict[str, Any]]:
    """Returns bodies of a message of the field table, with at most one member of each oneof."""
    entry = table()["messages"][message]
    second = {name for members in entry["oneofs"].values() for name in members[1:]}
    fields = {
        name: values(kind, depth)
        for name, kind in entry["fields"].items()
        if name not in second and (depth or kind.strip("[{}]") in SIMPLE)
    }
    return st.fixed_dictionaries({}, optional=fields)


SIMPLE = {
    "string": st.text(max_size=3),
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1) | st.just(0),
    "int64": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9).map(str),
    "double": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
    "duration": st.integers(0, 10**9).map(lambda seconds: f"{seconds}s"),
    "timestamp": st.just("2024-01-02T03:04:05Z"),
    "value": st.just({"any": [1.5, "x"]}),
}


@given(
    st.sampled_from(["CustomJob", "HyperparameterTuningJob"]).flatmap(
        lambda name: st.tuples(st.just(name), bodies(name))
    )
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_body_means_the_same_to_the_official_protos(example: tuple[str, dict[str, Any]]) -> None:
    name, body = example
    official = getattr(aiplatform_v1, name)
    message = official.pb(official())
    json_format.ParseDict(body, message)
    assert read_body(name, body, snake(name)) == json_format.MessageToDict(message)


def test_the_proto_s_own_names_and_enum_numbers_are_read_too() -> None:
    body = {
        "display_name": "x",
        "job_spec": {"scheduling": {"strategy": 4}, "worker_pool_specs": [{"replica_count": "1"}]},
    }
    read = read_body("CustomJob", body, "custom_job")
    assert read["jobSpec"] == {"scheduling": {"strategy": "SPOT"}, "workerPoolSpecs": [{"replicaCount": "1"}]}


def test_output_only_fields_are_ignored() -> None:
    assert read_body("CustomJob", {"displayName": "x", "state": 5, "name": "n", "createTime": 1}, "custom_job") == {
        "displayName": "x"
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nme": 1}, "Unknown name \"nme\" at 'custom_job': Cannot find field."),
        ({"jobSpec": {"workers": []}}, "Unknown name \"workers\" at 'custom_job.job_spec'"),
        ({"jobSpec": {"workerPoolSpecs": [{"image": 1}]}}, "at 'custom_job.job_spec.worker_pool_specs[0]'"),
        ({"jobSpec": {"workerPoolSpecs": [None]}}, "'custom_job.job_spec.worker_pool_specs[0]'"),
        ({"jobSpec": {"workerPoolSpecs": [{"replicaCount": "one"}]}}, 'replica_count\' (TYPE_INT64), "one"'),
        ({"jobSpec": {"workerPoolSpecs": [{"replicaCount": 1.5}]}}, "(TYPE_INT64), 1.5"),
        ({"jobSpec": {"workerPoolSpecs": [{"diskSpec": {"bootDiskSizeGb": 2**31}}]}}, "(TYPE_INT32)"),
        (
            {"jobSpec": {"workerPoolSpecs": [{"machineSpec": {"acceleratorType": "H100"}}]}},
            'AcceleratorType), "H100"',
        ),
        ({"jobSpec": {"scheduling": {"timeout": "1h"}}}, 'google.protobuf.Duration), "1h"'),
        ({"jobSpec": {"scheduling": {"strategy": "CHEAP"}}}, 'Scheduling.Strategy), "CHEAP"'),
        ({"jobSpec": {"enableWebAccess": "yes"}}, "(TYPE_BOOL)"),
        ({"displayName": ["x"]}, "Proto field is not repeating"),
        ({"displayName": 5}, "(TYPE_STRING), 5"),
        ({"labels": {"a": 1}}, "(TYPE_STRING), 1"),
        ({"labels": ["a"]}, "'custom_job.labels'"),
        (
            {"jobSpec": {"workerPoolSpecs": [{"containerSpec": {}, "pythonPackageSpec": {}}]}},
            "oneof field 'task' is already set",
        ),
    ],
)
def test_what_the_front_end_refuses(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ApiError) as refused:
        read_body("CustomJob", {**job(pool()), **change}, "custom_job")
    assert refused.value.status == "INVALID_ARGUMENT"
    assert message in str(refused.value)


def test_all_faults_are_reported_at_once() -> None:
    with pytest.raises(ApiError) as refused:
        read_body("CustomJob", {"a": 1, "jobSpec": {"b": 1, "scheduling": {"c": 1}}}, "custom_job")
    assert len(refused.value.violations) == 3


def test_a_body_that_is_no_object_is_refused() -> None:
    with pytest.raises(ApiError):
        read_body("CustomJob", [], "custom_job")


def test_the_images_of_the_map_are_written_without_a_tag() -> None:
    images = json.loads(Path(ROOT / "sandbox" / "images.json").read_text())
    assert {"us", "europe", "asia"} <= {name.partition("-docker")[0] for name in images if "reductionserver" in name}
    assert not [name for name in images if re.search(r":[^/]*$|@", name)]
