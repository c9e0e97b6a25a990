"""Every field that the official protos know of a job: taken from a document, or left out with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from tests.sandbox.vertex_protos import PACKAGE, output_only
from tests.unit.jobs import IMAGE
from tests.unit.workloads.samples import planned
from trainingjobs.convert.recognise import to_job_document
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.omitted_fields import LEFT_OUT
from trainingjobs.workloads.vertex import vertex_workload, vertex_workloads

CPU = {"machineType": "n1-standard-8"}
T4 = {"acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}
RESERVED = {
    "reservationAffinityType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["projects/p/zones/us-central1-a/reservations/r"],
}
RUN = {"command": ["python"], "args": ["-m", "t"], "env": {"A": "b"}}
# A job that says everything a CustomJobSpec can hold.
EVERYTHING = {
    "displayName": "all",
    "framework": "tensorflow",
    "container": {"imageUri": IMAGE, **RUN},
    "pools": {
        "primary": {
            **CPU,
            **T4,
            "bootDiskType": "pd-ssd",
            "bootDiskSizeGb": 200,
            "reservationAffinity": RESERVED,
            "nfsMounts": [{"server": "10.0.0.2", "path": "/share", "mountPoint": "/mnt/nfs/share"}],
        },
        "workers": {
            "machineType": "ct5lp-hightpu-4t",
            "acceleratorCount": 0,
            "tpuTopology": "2x2",
            "pythonPackage": {
                "executorImageUri": "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
                "packageUris": ["gs://b/t.tar.gz"],
                "pythonModule": "t.task",
                "args": ["--x"],
                "env": {"A": "b"},
            },
        },
    },
    "scheduling": {
        "strategy": "STANDARD",
        "timeout": "86400s",
        "restartJobOnWorkerRestart": True,
        "maxWaitDuration": "1800s",
        "disableRetries": True,
    },
    "serviceAccount": "train@p.iam.gserviceaccount.com",
    "network": "projects/1/global/networks/n",
    "reservedIpRanges": ["range"],
    "pscInterfaceConfig": {
        "networkAttachment": "projects/p/regions/r/networkAttachments/a",
        "dnsPeeringConfigs": [{"domain": "a.example.", "targetProject": "p", "targetNetwork": "n"}],
    },
    "tensorboard": "projects/p/locations/r/tensorboards/1",
    "baseOutputDirectory": {"outputUriPrefix": "gs://b/out"},
    "labels": {"team": "nlp"},
    "encryptionSpec": {"kmsKeyName": "projects/p/locations/r/keyRings/k/cryptoKeys/c"},
    "persistentResourceId": "resource",
    "enableWebAccess": True,
    "enableDashboardAccess": True,
    "experiment": "projects/p/locations/r/metadataStores/default/contexts/e",
    "experimentRun": "run",
    "models": ["projects/p/locations/r/models/1"],
    "protectedArtifactLocationId": "us-central1",
}
STUDY = {
    "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
    "parameters": [
        {
            "parameterId": "lr",
            "doubleValueSpec": {"minValue": 0.5, "maxValue": 2.5, "defaultValue": 1.5},
            "scaleType": "UNIT_LOG_SCALE",
        },
        {
            "parameterId": "layers",
            "integerValueSpec": {"minValue": 1, "maxValue": 3, "defaultValue": 2},
            "conditionalParameterSpecs": [
                {
                    "parentIntValues": {"values": [2]},
                    "parameterSpec": {
                        "parameterId": "width",
                        "discreteValueSpec": {"values": [1.5], "defaultValue": 1.5},
                    },
                }
            ],
        },
        {
            "parameterId": "optimizer",
            "categoricalValueSpec": {"values": ["sgd", "adam"], "defaultValue": "sgd"},
            "conditionalParameterSpecs": [
                {
                    "parentCategoricalValues": {"values": ["sgd"]},
                    "parameterSpec": {
                        "parameterId": "batch",
                        "discreteValueSpec": {"values": [32.5, 64.5]},
                        "conditionalParameterSpecs": [
                            {
                                "parentDiscreteValues": {"values": [32.5]},
                                "parameterSpec": {
                                    "parameterId": "m",
                                    "doubleValueSpec": {"minValue": 0.5, "maxValue": 1.5},
                                },
                            }
                        ],
                    },
                }
            ],
        },
    ],
    "algorithm": "RANDOM_SEARCH",
    "observationNoise": "HIGH",
    "measurementSelectionType": "BEST_MEASUREMENT",
    "maxTrialCount": 8,
    "parallelTrialCount": 2,
    "maxFailedTrialCount": 3,
}
STOPPING: list[dict[str, Any]] = [
    {"decayCurveStoppingSpec": {"useElapsedDuration": True}},
    {"medianAutomatedStoppingSpec": {"useElapsedDuration": True}},
    {
        "convexAutomatedStoppingSpec": {
            "maxStepCount": 9,
            "minStepCount": 1,
            "minMeasurementCount": 2,
            "learningRateParameterName": "lr",
            "useElapsedDuration": True,
            "updateAllStoppedTrials": True,
        }
    },
]
MODEL = {
    "displayName": "bert",
    "description": "a model",
    "versionAliases": ["best"],
    "versionDescription": "the first",
    "artifactUri": "gs://b/out/model",
    "labels": {"team": "nlp"},
    "containerSpec": {
        "imageUri": "us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest",
        **RUN,
        "ports": [{"containerPort": 8080}],
        "predictRoute": "/predict",
        "healthRoute": "/health",
    },
}
DOCUMENTS = {
    "CustomJob": [EVERYTHING],
    "HyperparameterTuningJob": [
        {**EVERYTHING, "kind": "hyperparameterTuningJob", "tuning": {**STUDY, **stopping}} for stopping in STOPPING
    ],
    "TrainingPipeline": [
        {
            **EVERYTHING,
            "kind": "trainingPipeline",
            "modelToUpload": MODEL,
            "modelId": "bert",
            "parentModel": "projects/p/locations/r/models/bert",
        }
    ],
}
# Whose fields are not ours to walk: values of any form, and what a left-out field would hold.
OPAQUE = {"google.protobuf.Value", "google.protobuf.Duration", "google.protobuf.Timestamp"}


def message_name(descriptor: Descriptor) -> str:
    return descriptor.full_name.removeprefix(PACKAGE)


def known_fields(descriptor: Descriptor, fields: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Every (message, field) that a body may hold; below a field that is left out nothing is asked for."""
    name = message_name(descriptor)
    if any(message == name for message, _ in fields):
        return fields
    written = output_only(name)
    for field in descriptor.fields:
        if field.name in written:
            continue
        fields.add((name, field.json_name))
        inner = field.message_type
        is_map = inner is not None and inner.GetOptions().map_entry
        if inner is None or is_map or inner.full_name in OPAQUE or field.json_name in LEFT_OUT.get(name, {}):
            continue
        known_fields(inner, fields)
    return fields


def taken_fields(message: Message, fields: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Every (message, field) that a body holds."""
    name = message_name(message.DESCRIPTOR)
    for field, value in message.ListFields():
        fields.add((name, field.json_name))
        inner = field.message_type
        if inner is None or inner.GetOptions().map_entry or inner.full_name in OPAQUE:
            continue
        for item in value if field.label == FieldDescriptor.LABEL_REPEATED else [value]:
            taken_fields(item, fields)
    return fields


SPEC_KEYS = {type(kind).__name__: kind.spec_key for kind in vertex_workloads()}


def body_of(plan: JobPlan) -> dict[str, Any]:
    return vertex_workload(plan).body(plan)


def bodies(kind: str) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(body_of(planned(document)))) for document in DOCUMENTS[kind]]


def parsed(kind: str, body: dict[str, Any]) -> list[Message]:
    """The body as the official protos, which refuse an unknown field; a pipeline's task is untyped there."""
    whole = ParseDict(body, getattr(types, kind).pb()())
    spec = ParseDict(body[SPEC_KEYS[kind]], types.CustomJobSpec.pb()())
    return [whole, spec]


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_every_field_is_taken_or_left_out_with_a_reason(kind: str) -> None:
    known = known_fields(getattr(types, kind).pb().DESCRIPTOR, set())
    known |= known_fields(types.CustomJobSpec.pb().DESCRIPTOR, set())
    taken: set[tuple[str, str]] = set()
    for body in bodies(kind):
        for message in parsed(kind, body):
            taken_fields(message, taken)
    listed = {(message, field) for message, fields in LEFT_OUT.items() for field in fields}
    assert known - taken - listed == set()
    assert taken & listed == set()


def test_only_fields_that_there_are_are_left_out() -> None:
    known: set[tuple[str, str]] = set()
    for kind in DOCUMENTS:
        known |= known_fields(getattr(types, kind).pb().DESCRIPTOR, set())
    listed = {(message, field) for message, fields in LEFT_OUT.items() for field in fields}
    assert listed - known == set()
    assert all(reason for fields in LEFT_OUT.values() for reason in fields.values())


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_is_taken_comes_back(kind: str) -> None:
    for body in bodies(kind):
        document, findings = to_job_document("custom-job", body, "all")
        assert findings == []
        assert body_of(planned(document)) == body


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"studySpec": {"studyStoppingConfig": {"maxNumTrials": 3}}}, "studySpec.studyStoppingConfig"),
        ({"inputDataConfig": {"datasetId": "1"}}, "inputDataConfig"),
        ({"modelToUpload": {"displayName": "m", "explanationSpec": {}}}, "modelToUpload.explanationSpec"),
    ],
)
def test_what_is_left_out_is_reported_with_the_reason(change: dict[str, Any], path: str) -> None:
    kind = "HyperparameterTuningJob" if "studySpec" in change else "TrainingPipeline"
    (body, *_) = bodies(kind)
    changed = {key: {**body.get(key, {}), **value} if key in body else value for key, value in change.items()}
    _, findings = to_job_document("custom-job", {**body, **changed}, "all")
    (finding,) = findings
    assert (finding.path, finding.severity) == (path, "advice")
    assert any(finding.message.endswith(reason) for fields in LEFT_OUT.values() for reason in fields.values())
