"""A job on Vertex AI: the submitted job, and the wait for it where one is asked for."""

from __future__ import annotations

from typing import Any

import pulumi

from infra.components import tokens
from infra.dialects.vertex import COUNTS, SPEC_KEYS, plain, vertex_job
from infra.plan.job_plan import JobPlan
from infra.plan.props import to_props
from infra.provider.resources import (
    Completion,
    CompletionArgs,
    CustomJob,
    CustomJobArgs,
    HyperparameterTuningJob,
    HyperparameterTuningJobArgs,
    TrainingPipeline,
    TrainingPipelineArgs,
    VertexAiJob,
)
from infra.spec.stack import Stack


class VertexJob(pulumi.ComponentResource):
    """One job of the plan, of any kind. Outputs: the plan's properties, the job's name, state and console page.

    Of a job that is waited for, also what it has brought: a tuning job's best trials, a pipeline's model.
    """

    def __init__(
        self,
        name: str,
        plan: JobPlan,
        stack: Stack,
        service_account: str | None,
        output_prefix: str,
        opts: pulumi.ResourceOptions | None = None,
        attachment: pulumi.Input[str] | None = None,
    ) -> None:
        props = to_props(plan)
        super().__init__(tokens.VERTEX_JOB, name, props, opts)
        body = vertex_job(plan)
        spec: dict[str, Any] = body[SPEC_KEYS[plan.kind]]
        if service_account is not None:
            spec.setdefault("serviceAccount", service_account)
        spec.setdefault("baseOutputDirectory", {"outputUriPrefix": output_prefix})
        interface = spec.get("pscInterfaceConfig")
        if interface is not None and attachment is not None:
            interface.setdefault("networkAttachment", attachment)
        child = pulumi.ResourceOptions(parent=self)
        common: dict[str, Any] = {
            "project": stack.project,
            "location": stack.region,
            "display_name": body["displayName"],
            "labels": body.get("labels"),
            "encryption_spec": body.get("encryptionSpec"),
            "document": plan.job.model_dump(mode="json", by_alias=True, exclude_unset=True),
            "run": plan.job.run,
            "retain_record": plan.job.retain_record,
            "allow_replace_while_running": plan.job.allow_replace_while_running,
            "environment": stack.environment,
            "limits": plain(stack.limits) if stack.limits else None,
            "usd_per_hour": props["usdPerHour"],
        }
        self.job = _submitted(name, plan.kind, body, common, child)
        brought: dict[str, Any] = {}
        if plan.job.wait_for != "submitted":
            done = Completion(
                f"{name}-completion",
                CompletionArgs(job=self.job.id, wait_for=plan.job.wait_for, run=plan.job.run),
                child,
            )
            if plan.kind == "hyperparameterTuningJob":
                brought = {"bestTrials": done.best_trials}
            elif plan.kind == "trainingPipeline":
                brought = {"modelName": done.model_name}
        self.outputs: dict[str, Any] = {
            **props,
            "jobId": self.job.id,
            "state": self.job.state,
            "consoleUrl": self.job.console_url,
            **brought,
        }
        self.register_outputs(self.outputs)


def _submitted(
    name: str, kind: str, body: dict[str, Any], common: dict[str, Any], opts: pulumi.ResourceOptions
) -> VertexAiJob:
    """Declares the resource that submits the body."""
    if kind == "hyperparameterTuningJob":
        most, at_once, failed = (body.get(key) for key in COUNTS)
        counts: dict[str, Any] = {
            "max_trial_count": most, "parallel_trial_count": at_once, "max_failed_trial_count": failed
        }  # fmt: skip
        study, trial = body["studySpec"], body["trialJobSpec"]
        return HyperparameterTuningJob(
            name, HyperparameterTuningJobArgs(**common, **counts, study_spec=study, trial_job_spec=trial), opts
        )
    if kind == "trainingPipeline":
        task: dict[str, Any] = {
            "training_task_definition": body["trainingTaskDefinition"],
            "training_task_inputs": body["trainingTaskInputs"],
            "model_to_upload": body.get("modelToUpload"),
            "model_id": body.get("modelId"),
            "parent_model": body.get("parentModel"),
        }
        return TrainingPipeline(name, TrainingPipelineArgs(**common, **task), opts)
    return CustomJob(name, CustomJobArgs(**common, job_spec=body["jobSpec"]), opts)
