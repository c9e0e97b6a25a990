"""The resources of the `trainingjobs` provider: a job of each of Vertex AI's kinds, and the wait for any job."""

from __future__ import annotations

from typing import Final

from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.vertex import VertexWorkload, vertex_workloads

PACKAGE: Final = "trainingjobs"
VERSION: Final = "1.0.0"
COMPLETION: Final = "trainingjobs:index:Completion"

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
_RESULTS: Final = {
    "name": Field("string", "projects/P/locations/L/COLLECTION/N.", required=True),
    "state": Field("string", "The state when it was last read, such as JOB_STATE_RUNNING.", required=True),
    "createTime": Field("string", "When the service accepted the job."),
    "startTime": Field("string", "When the job started to run."),
    "endTime": Field("string", "When the job ended."),
    "error": Field("string", "What the service says of a failed job."),
    "consoleUrl": Field("string", "The job's page in the Google Cloud console.", required=True),
    "submittedHash": Field("string", "The value of the job's label trainingjobs-key."),
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


def job_inputs(kind: VertexWorkload) -> dict[str, Field]:
    """Returns the inputs of a kind's resource."""
    return {**_PLACE, **kind.content, **_TREATMENT}


def job_outputs(kind: VertexWorkload) -> dict[str, Field]:
    """Returns what a kind's resource has beside its inputs."""
    return {**_RESULTS, **kind.results}


def completion_outputs() -> dict[str, Field]:
    """Returns what a Completion has beside its inputs: the job's times, and what jobs of any kind bring."""
    return {
        "state": Field("string", "The state when the wait ended.", required=True),
        "startTime": _RESULTS["startTime"],
        "endTime": _RESULTS["endTime"],
        **{key: kind.results[key] for kind in vertex_workloads() for key in kind.brings},
    }


def resources() -> dict[str, tuple[str, dict[str, Field], dict[str, Field]]]:
    """Returns each resource by its token: what it is, its inputs, and what it has beside them."""
    jobs = {kind.token: (kind.about, job_inputs(kind), job_outputs(kind)) for kind in vertex_workloads()}
    return {**jobs, COMPLETION: ("Waits for a job.", dict(COMPLETION_INPUTS), completion_outputs())}
