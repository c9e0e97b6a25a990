"""The properties of the provider's resources: names, types, which are required, and the schema made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from infra.dialects.vertex_fields import type_errors, unknown_keys
from infra.problems import quote, shown
from infra.provider.values import UNKNOWN

PACKAGE: Final = "trainingjobs"
VERSION: Final = "1.0.0"
CUSTOM_JOB: Final = "trainingjobs:vertex:CustomJob"
TUNING_JOB: Final = "trainingjobs:vertex:HyperparameterTuningJob"
PIPELINE: Final = "trainingjobs:vertex:TrainingPipeline"
COMPLETION: Final = "trainingjobs:index:Completion"


@dataclass(frozen=True, slots=True)
class Field:
    """A property: its type (of infra.dialects.vertex_fields, or "labels" or "trials"), and what it is."""

    kind: str
    about: str
    required: bool = False


_PLACE: Final = {
    "project": Field("string", "The Google Cloud project that the job runs in.", required=True),
    "location": Field("string", "The region that the job runs in, such as us-central1.", required=True),
    "displayName": Field("string", "The name that people see.", required=True),
}
_TREATMENT: Final = {
    "labels": Field("labels", "Labels of the job. They are set once: a change waits for the next run."),
    "encryptionSpec": Field("EncryptionSpec", "The customer-managed key of the job."),
    "document": Field("object", "The job as the user wrote it; its changes decide on a replacement."),
    "run": Field("integer", "Which run of the job this is; raise it to run the same job again. 1 by default."),
    "retainRecord": Field("boolean", "Keep an ended job's record when the job leaves the configuration."),
    "allowReplaceWhileRunning": Field("boolean", "In prod: let a change cancel a live job."),
    "environment": Field("string", "The stack's environment: dev, staging, prod or sandbox."),
    "limits": Field("object", "The stack's limits, for policies."),
    "usdPerHour": Field("number", "What all replicas cost an hour, in US dollars; unset where it is not known."),
}
CUSTOM_JOB_CONTENT: Final = {
    "jobSpec": Field("CustomJobSpec", "The body of the job, in Vertex AI's own words.", required=True),
}
TUNING_JOB_CONTENT: Final = {
    "studySpec": Field("StudySpec", "What is searched and by what goal, in Vertex AI's own words.", required=True),
    "trialJobSpec": Field("CustomJobSpec", "The body of each trial, in Vertex AI's own words.", required=True),
    "maxTrialCount": Field("integer", "How many trials there are.", required=True),
    "parallelTrialCount": Field("integer", "How many trials run at once.", required=True),
    "maxFailedTrialCount": Field("integer", "How many failed trials fail the job; 0 or unset: Vertex AI decides."),
}
PIPELINE_CONTENT: Final = {
    "trainingTaskDefinition": Field("string", "The schema of the task: a custom task's.", required=True),
    "trainingTaskInputs": Field("CustomJobSpec", "The body of the task, in Vertex AI's own words.", required=True),
    "modelToUpload": Field("Model", "The model that a successful pipeline uploads, in Vertex AI's own words."),
    "modelId": Field("string", "The id of the uploaded model; Vertex AI makes one up without it."),
    "parentModel": Field("string", "The model of which the uploaded one is a version."),
}
CUSTOM_JOB_INPUTS: Final = {**_PLACE, **CUSTOM_JOB_CONTENT, **_TREATMENT}
TUNING_JOB_INPUTS: Final = {**_PLACE, **TUNING_JOB_CONTENT, **_TREATMENT}
PIPELINE_INPUTS: Final = {**_PLACE, **PIPELINE_CONTENT, **_TREATMENT}

CUSTOM_JOB_OUTPUTS: Final = {
    "name": Field("string", "projects/P/locations/L/COLLECTION/N.", required=True),
    "state": Field("string", "The state when it was last read, such as JOB_STATE_RUNNING.", required=True),
    "createTime": Field("string", "When the service accepted the job."),
    "startTime": Field("string", "When the job started to run."),
    "endTime": Field("string", "When the job ended."),
    "error": Field("string", "What the service says of a failed job."),
    "consoleUrl": Field("string", "The job's page in the Google Cloud console.", required=True),
    "submittedHash": Field("string", "The value of the job's label trainingjobs-key."),
}
BEST_TRIALS: Final = Field("trials", "The best trials of an ended tuning job: id, parameters and metrics by name.")
MODEL_NAME: Final = Field("string", "The model that a successful pipeline has uploaded.")
TUNING_JOB_OUTPUTS: Final = {**CUSTOM_JOB_OUTPUTS, "bestTrials": BEST_TRIALS}
PIPELINE_OUTPUTS: Final = {
    **CUSTOM_JOB_OUTPUTS,
    "modelName": MODEL_NAME,
    "backingJob": Field("string", "The custom job that does the pipeline's work."),
}
COMPLETION_INPUTS: Final = {
    "job": Field(
        "string",
        "The job's id: projects/P/locations/L/COLLECTION/N, or namespaces/NAMESPACE/RESOURCE/NAME in a cluster.",
        required=True,
    ),
    "waitFor": Field("string", "running or succeeded.", required=True),
    "run": Field("integer", "The job's run."),
    "kubeconfig": Field("string", "A cluster's kubeconfig, its file or its text; without it what kubectl takes."),
    "context": Field("string", "The kubeconfig's context; without it the current one."),
    "timeout": Field("duration", "How long to wait at most, such as 3600s; without it as long as the job takes."),
}
COMPLETION_OUTPUTS: Final = {
    "state": Field("string", "The state when the wait ended.", required=True),
    "startTime": Field("string", "When the job started to run."),
    "endTime": Field("string", "When the job ended."),
    "bestTrials": BEST_TRIALS,
    "modelName": MODEL_NAME,
}
RESOURCES: Final = {
    CUSTOM_JOB: ("A custom training job on Vertex AI.", CUSTOM_JOB_INPUTS, CUSTOM_JOB_OUTPUTS),
    TUNING_JOB: ("A hyperparameter tuning job on Vertex AI.", TUNING_JOB_INPUTS, TUNING_JOB_OUTPUTS),
    PIPELINE: ("A training pipeline on Vertex AI: a job, and the model to upload.", PIPELINE_INPUTS, PIPELINE_OUTPUTS),
    COMPLETION: ("Waits for a job.", COMPLETION_INPUTS, COMPLETION_OUTPUTS),
}

# Resource Manager's label format; Vertex AI takes 64 labels, of which two are the provider's own.
_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
LABELS_LIMIT: Final = 62


def property_errors(inputs: Mapping[str, object], table: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    """Yields (property path, reason) for what is missing, misspelt or of the wrong type; unknown values are fine."""
    for key in sorted(table):
        if table[key].required and inputs.get(key) is None:
            yield key, f"missing; {table[key].about}"
    yield from unknown_keys(inputs, table, "")
    for key in sorted(inputs.keys() & table.keys()):
        yield from _value_errors(inputs[key], table[key].kind, key)


def _value_errors(value: object, kind: str, path: str) -> Iterator[tuple[str, str]]:
    if value is UNKNOWN:
        return
    if kind == "labels":
        if isinstance(value, Mapping):
            yield from _label_errors(value, path)
        else:
            yield path, f"{shown(value, path)} is not an object"
    else:
        yield from type_errors(value, kind, path)


def _label_errors(labels: Mapping[str, object], path: str) -> Iterator[tuple[str, str]]:
    if len(labels) > LABELS_LIMIT:
        yield path, f"{len(labels)} labels; at most {LABELS_LIMIT} are allowed beside the provider's own two"
    for key, value in sorted(labels.items()):
        if not _LABEL_KEY.fullmatch(key):
            yield f"{path}.{key}", f"{quote(key)} is no label key; lower case letters, digits, _ and -, at most 63"
        if value is not UNKNOWN and not (isinstance(value, str) and _LABEL_VALUE.fullmatch(value)):
            yield f"{path}.{key}", f"{quote(value)} is no label value; lower case letters, digits, _ and -, at most 63"


_SCHEMA_TYPES: Final[Mapping[str, Mapping[str, object]]] = {
    "string": {"type": "string"},
    "duration": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "trials": {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}},
}
_ANY_OBJECT: Final[Mapping[str, object]] = {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}


def schema() -> str:
    """Returns the package's Pulumi schema, as JSON."""
    resources = {}
    for token, (about, inputs, outputs) in RESOURCES.items():
        resources[token] = {
            "description": about,
            "inputProperties": _schema_properties(inputs),
            "requiredInputs": _required(inputs),
            "properties": _schema_properties({**inputs, **outputs}),
            "required": _required({**inputs, **outputs}),
        }
    package = {
        "name": PACKAGE,
        "version": VERSION,
        "description": "Distributed training jobs on Vertex AI, and waiting for them.",
        "resources": resources,
    }
    return json.dumps(package, sort_keys=True)


def _schema_properties(table: Mapping[str, Field]) -> dict[str, object]:
    return {key: {**_SCHEMA_TYPES.get(f.kind, _ANY_OBJECT), "description": f.about} for key, f in table.items()}


def _required(table: Mapping[str, Field]) -> list[str]:
    return sorted(key for key, field in table.items() if field.required)
