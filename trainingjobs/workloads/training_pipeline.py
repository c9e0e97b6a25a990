"""The kind trainingPipeline: a custom task, and the model to upload once it has succeeded.

Source: Vertex AI v1 TrainingPipeline reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.core.findings import quote
from trainingjobs.core.source import pruned
from trainingjobs.spec.omitted_fields import LEFT_OUT
from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.job_document import environment, labels
from trainingjobs.workloads.states import SUCCEEDED
from trainingjobs.workloads.vertex import VertexWorkload, camel, custom_job_spec, environment_list, plain

if TYPE_CHECKING:
    from trainingjobs.core.source import Node
    from trainingjobs.plan.job import JobPlan

# The task that runs a CustomJobSpec.
CUSTOM_TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
CUSTOM_TASKS = re.compile(r"gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_[0-9.]+\.yaml")


class TrainingPipeline(VertexWorkload):
    """A training pipeline."""

    kind = "trainingPipeline"
    title = "training pipeline"
    about = "A training pipeline on Vertex AI: a job, and the model to upload."
    uploads_model = True
    token = "trainingjobs:vertex:TrainingPipeline"  # noqa: S105 (a type token)
    collection = "trainingPipelines"
    spec_key = "trainingTaskInputs"
    content: ClassVar[Mapping[str, Field]] = {
        "trainingTaskDefinition": Field("string", "The schema of the task: a custom task's.", required=True),
        "trainingTaskInputs": Field("CustomJobSpec", "The body of the task, in Vertex AI's own words.", required=True),
        "modelToUpload": Field("Model", "The model that a successful pipeline uploads, in Vertex AI's own words."),
        "modelId": Field("string", "The id of the uploaded model; Vertex AI makes one up without it."),
        "parentModel": Field("string", "The model of which the uploaded one is a version."),
    }
    results: ClassVar[Mapping[str, Field]] = {
        "modelName": Field("string", "The model that a successful pipeline has uploaded."),
        "backingJob": Field("string", "The custom job that does the pipeline's work."),
    }
    brings = ("modelName",)
    state_prefix = "PIPELINE_STATE_"
    marks = ("trainingTaskInputs",)
    # A tuning task keeps a job's spec within its own inputs.
    spec_paths = (("trainingTaskInputs", "trialJobSpec"), ("trainingTaskInputs",))

    def content_of(self, plan: JobPlan) -> dict[str, Any]:
        """Returns the task, and the model to upload."""
        model = plain(plan.job.model_to_upload) if plan.job.model_to_upload else {}
        container = model.get("containerSpec", {})
        if "env" in container:
            container |= environment_list(container.pop("env"))
        uploads = {camel(name): value for name in ("model_id", "parent_model") if (value := getattr(plan.job, name))}
        return {
            "trainingTaskDefinition": CUSTOM_TASK,
            "trainingTaskInputs": custom_job_spec(plan),
            **({"modelToUpload": model} if model else {}),
            **uploads,
        }

    def read_content(self, body: Node) -> dict[str, Any]:
        """Returns the model to upload."""
        body.take("trainingTaskDefinition")
        fields: dict[str, Any] = {"modelToUpload": _model(body.node("modelToUpload"))}
        return fields | {key: body.text(key) for key in ("modelId", "parentModel")}

    def failures(self, properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yields that the task is none that runs a CustomJobSpec."""
        task = properties.get("trainingTaskDefinition")
        if isinstance(task, str) and not CUSTOM_TASKS.fullmatch(task):
            yield "trainingTaskDefinition", f"{quote(task)} is no custom task's schema; {CUSTOM_TASK} is one"

    def observed_results(self, job: Mapping[str, Any], state: str) -> dict[str, Any]:
        """Returns the custom job that does the work, and the model that was uploaded."""
        metadata, model = job.get("trainingTaskMetadata"), job.get("modelToUpload")
        results = {"backingJob": metadata.get("backingCustomJob") if isinstance(metadata, Mapping) else None}
        if state in SUCCEEDED and isinstance(model, Mapping):
            results["modelName"] = model.get("name")
        return {key: value for key, value in results.items() if value}


def _model(source: Node) -> dict[str, Any]:
    """Returns the model that a pipeline uploads; what of it a job document does not hold is reported."""
    container = source.node("containerSpec")
    container_spec = {
        **{key: container.text(key) for key in ("imageUri", "predictRoute", "healthRoute")},
        **{key: container.texts(key) for key in ("command", "args")},
        "env": environment(container, "env"),
        "ports": [_port(port) for port in container.nodes("ports")],
    }
    container.rest(LEFT_OUT["ModelContainerSpec"])
    model = {
        **{key: source.text(key) for key in ("displayName", "description", "versionDescription", "artifactUri")},
        "versionAliases": source.texts("versionAliases"),
        "containerSpec": pruned(container_spec),
        "labels": labels(source),
    }
    source.rest(LEFT_OUT["Model"], server_written=("name",))
    return pruned(model)


def _port(source: Node) -> dict[str, Any]:
    port = {"containerPort": source.integer("containerPort")}
    source.rest()
    return port
