"""The provider's resources as a Pulumi program declares them. Only programs import this: the plugin does not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pulumi

from infra.provider.fields import COMPLETION, COMPLETION_OUTPUTS, CUSTOM_JOB, CUSTOM_JOB_OUTPUTS

JsonObject = dict[str, Any]


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _properties(args: Any, outputs: Any) -> dict[str, Any]:
    given = {_camel(field.name): getattr(args, field.name) for field in fields(args)}
    return {**given, **dict.fromkeys(outputs)}


@dataclass(frozen=True, kw_only=True)
class CustomJobArgs:
    """The inputs of a CustomJob. `document` is what the user wrote; without it `job_spec` is."""

    project: pulumi.Input[str]
    location: pulumi.Input[str]
    display_name: pulumi.Input[str]
    job_spec: pulumi.Input[JsonObject]
    labels: pulumi.Input[dict[str, pulumi.Input[str]]] | None = None
    encryption_spec: pulumi.Input[JsonObject] | None = None
    document: pulumi.Input[JsonObject] | None = None
    run: pulumi.Input[int] | None = None
    retain_record: pulumi.Input[bool] | None = None
    allow_replace_while_running: pulumi.Input[bool] | None = None
    environment: pulumi.Input[str] | None = None
    limits: pulumi.Input[JsonObject] | None = None
    usd_per_hour: pulumi.Input[float] | None = None


class CustomJob(pulumi.CustomResource):
    """A custom training job on Vertex AI. Created as soon as the service has accepted it; its id is the job's name."""

    def __init__(self, name: str, args: CustomJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(CUSTOM_JOB, name, _properties(args, CUSTOM_JOB_OUTPUTS), opts)

    @property
    @pulumi.getter(name="name")
    def job_name(self) -> pulumi.Output[str]:
        """projects/P/locations/L/customJobs/N."""
        return pulumi.get(self, "name")

    @property
    @pulumi.getter
    def state(self) -> pulumi.Output[str]:
        """The state when it was last read, such as JOB_STATE_PENDING."""
        return pulumi.get(self, "state")

    @property
    @pulumi.getter(name="consoleUrl")
    def console_url(self) -> pulumi.Output[str]:
        """The job's page in the Google Cloud console."""
        return pulumi.get(self, "consoleUrl")

    @property
    @pulumi.getter(name="createTime")
    def create_time(self) -> pulumi.Output[str | None]:
        """When the service accepted the job."""
        return pulumi.get(self, "createTime")

    @property
    @pulumi.getter
    def error(self) -> pulumi.Output[str | None]:
        """What the service says of a failed job."""
        return pulumi.get(self, "error")


@dataclass(frozen=True, kw_only=True)
class CompletionArgs:
    """The inputs of a Completion. `job` is the job resource's id, `wait_for` running or succeeded, `timeout` 3600s."""

    job: pulumi.Input[str]
    wait_for: pulumi.Input[str]
    run: pulumi.Input[int] | None = None
    timeout: pulumi.Input[str] | None = None


class Completion(pulumi.CustomResource):
    """Waits for a job. Its create fails when the job fails."""

    def __init__(self, name: str, args: CompletionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(COMPLETION, name, _properties(args, COMPLETION_OUTPUTS), opts)

    @property
    @pulumi.getter
    def state(self) -> pulumi.Output[str]:
        """The state when the wait ended, such as JOB_STATE_SUCCEEDED."""
        return pulumi.get(self, "state")

    @property
    @pulumi.getter(name="startTime")
    def start_time(self) -> pulumi.Output[str | None]:
        """When the job started to run."""
        return pulumi.get(self, "startTime")

    @property
    @pulumi.getter(name="endTime")
    def end_time(self) -> pulumi.Output[str | None]:
        """When the job ended."""
        return pulumi.get(self, "endTime")
