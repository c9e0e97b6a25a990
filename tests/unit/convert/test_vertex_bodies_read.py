"""Vertex AI's kinds of bodies as job documents: which is which, what is around the pools, and what is unread."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.workloads.vertex_reading import from_vertex

POOL = {"machineSpec": {"machineType": "m"}, "replicaCount": 1, "containerSpec": {"imageUri": "a"}}
SPEC: dict[str, Any] = {"workerPoolSpecs": [POOL]}
STUDY = {"metrics": [{"metricId": "a", "goal": "MAXIMIZE"}]}
BARE = {"platform": "vertex", "container": {"imageUri": "a"}, "pools": {"primary": {"machineType": "m"}}}
AROUND = {
    "displayName": "d",
    "labels": {"team": "x", "trainingjobs-key": "k", "trainingjobs-declaration": "d"},
    "encryptionSpec": {"kmsKeyName": "k"},
}
SAID = {"displayName": "d", "labels": {"team": "x"}, "encryptionSpec": {"kmsKeyName": "k"}}


def read(body: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    document, findings = from_vertex(body)
    return document, [(each.severity, each.path) for each in findings]


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        (SPEC, {"kind": "customJob"}),
        ({**SPEC, "displayName": 5}, {"kind": "customJob", "displayName": "5"}),
        ({"jobSpec": SPEC}, {"kind": "customJob"}),
        ({"job_spec": {"worker_pool_specs": [POOL]}}, {"kind": "customJob"}),
        (
            {"trialJobSpec": SPEC, "studySpec": STUDY, "maxTrialCount": "4"},
            {
                "kind": "hyperparameterTuningJob",
                "tuning": {**STUDY, "parameters": [], "maxTrialCount": 4},
            },
        ),
        ({"trialJobSpec": SPEC}, {"kind": "hyperparameterTuningJob", "tuning": {"metrics": [], "parameters": []}}),
        ({"trainingTaskInputs": SPEC, "trainingTaskDefinition": "t"}, {"kind": "trainingPipeline"}),
        (
            {"trainingTaskInputs": SPEC, "modelId": "m", "parentModel": "p", "modelToUpload": {"displayName": "n"}},
            {"kind": "trainingPipeline", "modelId": "m", "parentModel": "p", "modelToUpload": {"displayName": "n"}},
        ),
    ],
)
def test_a_kind_of_body(body: dict[str, Any], changes: dict[str, Any]) -> None:
    assert read(body) == ({**BARE, **changes}, [])
    assert read({**body, **AROUND}) == ({**BARE, **changes, **SAID}, [])
    written = ("name", "state", "createTime", "startTime", "endTime", "updateTime", "error", "trials", "etag")
    assert read({**body, **dict.fromkeys(written, "x")})[1] == []


def test_a_study_alone_is_a_tuning_job() -> None:
    assert read({"studySpec": STUDY})[0]["kind"] == "hyperparameterTuningJob"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({**SPEC, "odd": 1}, "odd"),
        ({"jobSpec": {**SPEC, "odd": 1}}, "jobSpec.odd"),
        ({"jobSpec": SPEC, "odd": 1}, "odd"),
        ({"trialJobSpec": {**SPEC, "odd": 1}}, "trialJobSpec.odd"),
        ({"trainingTaskInputs": {**SPEC, "odd": 1}}, "trainingTaskInputs.odd"),
        ({"jobSpec": SPEC, "inputDataConfig": {}}, "inputDataConfig"),
        ({"jobSpec": SPEC, "modelId": "m"}, "modelId"),
        ({"jobSpec": SPEC, "displayName": 5}, "displayName"),
        ({"jobSpec": {**SPEC, "o.dd": 1}}, "jobSpec.o.dd"),
        ({"jobSpec": {**SPEC, "service_account": "a", "serviceAccount": "b"}}, "jobSpec.service_account"),
        ({"trialJobSpec": {**SPEC, "scheduling": {"strategy": "CHEAP"}}}, "trialJobSpec.scheduling.strategy"),
    ],
)
def test_what_is_wrong(body: dict[str, Any], place: str) -> None:
    assert read(body)[1] == [("error", place)]


def test_what_a_pipeline_has_and_a_job_document_has_not() -> None:
    assert read({"trainingTaskInputs": SPEC, "inputDataConfig": {}})[1] == [("advice", "inputDataConfig")]


@pytest.mark.parametrize(
    ("spec", "changes", "findings"),
    [
        ({"baseOutputDirectory": {"outputUriPrefix": "gs://b"}},
         {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}}, []),
        ({"baseOutputDirectory": {"outputUriPrefix": "/x"}}, {}, [("advice", "baseOutputDirectory.outputUriPrefix")]),
        ({"baseOutputDirectory": {"odd": 1}}, {}, [("error", "baseOutputDirectory.odd")]),
        *(
            ({"scheduling": {"strategy": word}}, {"scheduling": {"strategy": word}}, [])
            for word in ("STANDARD", "ON_DEMAND", "LOW_COST", "SPOT", "FLEX_START")
        ),
        ({"scheduling": {"strategy": "STRATEGY_UNSPECIFIED"}}, {}, []),
        ({"scheduling": {"odd": 1}}, {}, [("error", "scheduling.odd")]),
        ({"scheduling": {"timeout": "1h"}}, {}, [("error", "scheduling.timeout")]),
        (
            {"pscInterfaceConfig": {"networkAttachment": "n", "dnsPeeringConfigs": [{"domain": "d", "odd": 1}]}},
            {"pscInterfaceConfig": {"networkAttachment": "n", "dnsPeeringConfigs": [{"domain": "d"}]}},
            [("error", "pscInterfaceConfig.dnsPeeringConfigs[0].odd")],
        ),
        ({"pscInterfaceConfig": {"odd": 1}}, {}, [("error", "pscInterfaceConfig.odd")]),
        ({"enableWebAccess": True, "enableDashboardAccess": False},
         {"enableWebAccess": True, "enableDashboardAccess": False}, []),
        ({"reservedIpRanges": ["r"], "models": ["m"]}, {"reservedIpRanges": ["r"], "models": ["m"]}, []),
    ],
)  # fmt: skip
def test_what_stands_beside_the_pools(
    spec: dict[str, Any], changes: dict[str, Any], findings: list[tuple[str, str]]
) -> None:
    assert read({**SPEC, **spec}) == ({**BARE, "kind": "customJob", **changes}, findings)


def pool(**changes: Any) -> dict[str, Any]:
    return {"workerPoolSpecs": [{**POOL, **changes}]}


@pytest.mark.parametrize(
    ("spec", "findings"),
    [
        (pool(lustreMounts=[]), [("advice", "workerPoolSpecs[0].lustreMounts")]),
        (pool(odd=1), [("error", "workerPoolSpecs[0].odd")]),
        (pool(diskSpec={"odd": 1}), [("error", "workerPoolSpecs[0].diskSpec.odd")]),
        (pool(diskSpec={"bootDiskType": "fast"}), [("error", "workerPoolSpecs[0].diskSpec.bootDiskType")]),
        (pool(containerSpec={}), [("error", "workerPoolSpecs[0]")]),
        (pool(containerSpec={"imageUri": "a", "odd": 1}), [("error", "workerPoolSpecs[0].containerSpec.odd")]),
        (pool(nfsMounts=[{"server": "s", "odd": 1}]), [("error", "workerPoolSpecs[0].nfsMounts[0].odd")]),
        (pool(machineSpec={"machineType": "m", "odd": 1}), [("error", "workerPoolSpecs[0].machineSpec.odd")]),
        (
            pool(machineSpec={"machineType": "m", "reservationAffinity": {
                "reservationAffinityType": "ANY_RESERVATION", "useReservationPool": True}}),
            [("advice", "workerPoolSpecs[0].machineSpec.reservationAffinity.useReservationPool")],
        ),
        ({"workerPoolSpecs": [POOL, None, POOL]}, [("error", "workerPoolSpecs[1]")]),
        ({"workerPoolSpecs": [{**POOL, "replicaCount": 2}]}, [("error", "workerPoolSpecs[0].replicaCount")]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_pool(spec: dict[str, Any], findings: list[tuple[str, str]]) -> None:
    assert read(spec)[1] == findings


def test_a_role_that_stands_twice_keeps_the_first() -> None:
    server = {**POOL, "containerSpec": {"imageUri": "x/reductionserver"}}
    first, second = ({**server, "machineSpec": {"machineType": word}} for word in ("first", "second"))
    document, findings = read({"workerPoolSpecs": [POOL, POOL, first, second]})
    assert document["pools"]["reducers"]["machineType"] == "first"
    assert findings != []


def test_replicas_that_are_not_declared_are_none() -> None:
    spec = {"workerPoolSpecs": [POOL, {"machineSpec": {"machineType": "m"}, "containerSpec": {"imageUri": "a"}}]}
    assert read(spec)[0]["pools"]["workers"]["replicaCount"] == 0
