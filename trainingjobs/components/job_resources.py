"""The provider's resources as a Pulumi program declares them. Only programs import this: the plugin does not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pulumi

from trainingjobs.workloads import custom_job, training_pipeline, tuning_job
from trainingjobs.workloads.vertex import VertexWorkload
from trainingjobs.workloads.vertex_resources import COMPLETION, completion_outputs, job_outputs

JsonObject = dict[str, Any]


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _properties(args: Any) -> dict[str, Any]:
    return {_camel(field.name): getattr(args, field.name) for field in fields(args)}


def _output(resource: pulumi.Resource, key: str) -> pulumi.Output[Any]:
    output: pulumi.Output[Any] = pulumi.get(resource, key)
    return output


@dataclass(frozen=True, kw_only=True)
class JobArgs:
    """The inputs that jobs of all kinds share. `document` is what the user wrote; without it the body is."""

    project: pulumi.Input[str]
    location: pulumi.Input[str]
    display_name: pulumi.Input[str]
    labels: pulumi.Input[dict[str, pulumi.Input[str]]] | None = None
    encryption_spec: pulumi.Input[JsonObject] | None = None
    document: pulumi.Input[JsonObject] | None = None
    run: pulumi.Input[int] | None = None
    retain_record: pulumi.Input[bool] | None = None
    allow_replace_while_running: pulumi.Input[bool] | None = None
    environment: pulumi.Input[str] | None = None
    limits: pulumi.Input[JsonObject] | None = None
    usd_per_hour: pulumi.Input[float] | None = None


class VertexAiJob(pulumi.CustomResource):
    """A job on Vertex AI of any kind. Created as soon as the service has accepted it; its id is the job's name there.

    `properties` are inputs of the kind's resource by their names in its schema.
    """

    def __init__(
        self,
        kind: VertexWorkload,
        name: str,
        properties: JsonObject,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        # A forced replacement (--replace, taint) skips the provider's diff: created first, the new resource would
        # adopt the running job, and the delete of the old one would then cancel it.
        first = pulumi.ResourceOptions(delete_before_replace=True)
        outputs = dict.fromkeys(job_outputs(kind))
        super().__init__(kind.token, name, {**properties, **outputs}, pulumi.ResourceOptions.merge(first, opts))

    @property
    @pulumi.getter(name="name")
    def job_name(self) -> pulumi.Output[str]:
        """projects/P/locations/L/COLLECTION/N."""
        return _output(self, "name")

    @property
    @pulumi.getter
    def state(self) -> pulumi.Output[str]:
        """The state when it was last read, such as JOB_STATE_PENDING."""
        return _output(self, "state")

    @property
    @pulumi.getter(name="consoleUrl")
    def console_url(self) -> pulumi.Output[str]:
        """The job's page in the Google Cloud console."""
        return _output(self, "consoleUrl")

    @property
    @pulumi.getter(name="createTime")
    def create_time(self) -> pulumi.Output[str | None]:
        """When the service accepted the job."""
        return _output(self, "createTime")

    @property
    @pulumi.getter
    def error(self) -> pulumi.Output[str | None]:
        """What the service says of a failed job."""
        return _output(self, "error")


@dataclass(frozen=True, kw_only=True)
class CustomJobArgs(JobArgs):
    """The inputs of a CustomJob."""

    job_spec: pulumi.Input[JsonObject]


class CustomJob(VertexAiJob):
    """A custom training job."""

    def __init__(self, name: str, args: CustomJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(custom_job.CustomJob(), name, _properties(args), opts)


@dataclass(frozen=True, kw_only=True)
class HyperparameterTuningJobArgs(JobArgs):
    """The inputs of a HyperparameterTuningJob. Each trial runs the pools of `trial_job_spec`."""

    study_spec: pulumi.Input[JsonObject]
    trial_job_spec: pulumi.Input[JsonObject]
    max_trial_count: pulumi.Input[int]
    parallel_trial_count: pulumi.Input[int]
    max_failed_trial_count: pulumi.Input[int] | None = None


class HyperparameterTuningJob(VertexAiJob):
    """A hyperparameter tuning job: trials of one body with different parameters."""

    def __init__(
        self, name: str, args: HyperparameterTuningJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(tuning_job.HyperparameterTuningJob(), name, _properties(args), opts)

    @property
    @pulumi.getter(name="bestTrials")
    def best_trials(self) -> pulumi.Output[list[JsonObject] | None]:
        """The best trials (id, parameters, metrics), read once the job has ended; a Completion has them at once."""
        return _output(self, "bestTrials")


@dataclass(frozen=True, kw_only=True)
class TrainingPipelineArgs(JobArgs):
    """The inputs of a TrainingPipeline. `training_task_inputs` is the body of a custom job."""

    training_task_definition: pulumi.Input[str]
    training_task_inputs: pulumi.Input[JsonObject]
    model_to_upload: pulumi.Input[JsonObject] | None = None
    model_id: pulumi.Input[str] | None = None
    parent_model: pulumi.Input[str] | None = None


class TrainingPipeline(VertexAiJob):
    """A training pipeline: a custom job, and the model that is uploaded once it has succeeded."""

    def __init__(self, name: str, args: TrainingPipelineArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(training_pipeline.TrainingPipeline(), name, _properties(args), opts)

    @property
    @pulumi.getter(name="modelName")
    def model_name(self) -> pulumi.Output[str | None]:
        """The uploaded model, read once the pipeline has succeeded; a Completion has it at once."""
        return _output(self, "modelName")


@dataclass(frozen=True, kw_only=True)
class CompletionArgs:
    """The inputs of a Completion. `job` is the job resource's id, `wait_for` running or succeeded, `timeout` 3600s.

    `kubeconfig` and `context` are those of a job in a cluster.
    """

    job: pulumi.Input[str]
    wait_for: pulumi.Input[str]
    run: pulumi.Input[int] | None = None
    timeout: pulumi.Input[str] | None = None
    kubeconfig: pulumi.Input[str] | None = None
    context: pulumi.Input[str] | None = None


class Completion(pulumi.CustomResource):
    """Waits for a job. Its create fails when the job fails."""

    def __init__(self, name: str, args: CompletionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(COMPLETION, name, {**_properties(args), **dict.fromkeys(completion_outputs())}, opts)

    @property
    @pulumi.getter
    def state(self) -> pulumi.Output[str]:
        """The state when the wait ended, such as JOB_STATE_SUCCEEDED."""
        return _output(self, "state")

    @property
    @pulumi.getter(name="startTime")
    def start_time(self) -> pulumi.Output[str | None]:
        """When the job started to run."""
        return _output(self, "startTime")

    @property
    @pulumi.getter(name="endTime")
    def end_time(self) -> pulumi.Output[str | None]:
        """When the job ended."""
        return _output(self, "endTime")

    @property
    @pulumi.getter(name="bestTrials")
    def best_trials(self) -> pulumi.Output[list[JsonObject] | None]:
        """The best trials of a tuning job: id, parameters and metrics by name."""
        return _output(self, "bestTrials")

    @property
    @pulumi.getter(name="modelName")
    def model_name(self) -> pulumi.Output[str | None]:
        """The model that a training pipeline has uploaded."""
        return _output(self, "modelName")
