"""A job on Vertex AI: the submitted job, and the wait for it where one is asked for."""

from __future__ import annotations

from typing import Any

import pulumi

from infra.components import tokens
from infra.dialects.vertex import custom_job, plain
from infra.plan.job_plan import JobPlan
from infra.plan.props import to_props
from infra.provider.resources import Completion, CompletionArgs, CustomJob, CustomJobArgs
from infra.spec.stack import Stack


class VertexJob(pulumi.ComponentResource):
    """One job of the plan. Outputs: the plan's properties, the job's name, state and console page."""

    def __init__(
        self,
        name: str,
        plan: JobPlan,
        stack: Stack,
        service_account: str | None,
        output_prefix: str,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = to_props(plan)
        super().__init__(tokens.VERTEX_JOB, name, props, opts)
        body = custom_job(plan)
        spec: dict[str, Any] = body["jobSpec"]
        if service_account is not None:
            spec.setdefault("serviceAccount", service_account)
        spec.setdefault("baseOutputDirectory", {"outputUriPrefix": output_prefix})
        child = pulumi.ResourceOptions(parent=self)
        self.job = CustomJob(
            name,
            CustomJobArgs(
                project=stack.project,
                location=stack.region,
                display_name=body["displayName"],
                job_spec=spec,
                labels=body.get("labels"),
                encryption_spec=body.get("encryptionSpec"),
                document=plan.job.model_dump(mode="json", by_alias=True, exclude_unset=True),
                run=plan.job.run,
                retain_record=plan.job.retain_record,
                allow_replace_while_running=plan.job.allow_replace_while_running,
                environment=stack.environment,
                limits=plain(stack.limits) if stack.limits else None,
                usd_per_hour=props["usdPerHour"],
            ),
            child,
        )
        if plan.job.wait_for != "submitted":
            Completion(
                f"{name}-completion",
                CompletionArgs(job=self.job.id, wait_for=plan.job.wait_for, run=plan.job.run),
                child,
            )
        self.outputs: dict[str, Any] = {
            **props,
            "jobId": self.job.id,
            "state": self.job.state,
            "consoleUrl": self.job.console_url,
        }
        self.register_outputs(self.outputs)
