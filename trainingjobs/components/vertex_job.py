"""A job on Vertex AI: the submitted job, and the wait for it where one is asked for."""

from __future__ import annotations

from typing import Any

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.job_resources import Completion, CompletionArgs, VertexAiJob
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.properties import to_props
from trainingjobs.spec.stack import Stack
from trainingjobs.workloads.vertex import VertexWorkload, plain


class VertexJob(pulumi.ComponentResource):
    """One job of the plan, of any kind. Outputs: the plan's properties, the job's name, state and console page.

    Of a job that is waited for, also what it has brought: a tuning job's best trials, a pipeline's model.
    """

    def __init__(
        self,
        name: str,
        plan: JobPlan,
        kind: VertexWorkload,
        stack: Stack,
        service_account: str | None,
        output_prefix: str,
        opts: pulumi.ResourceOptions | None = None,
        attachment: pulumi.Input[str] | None = None,
    ) -> None:
        props = to_props(plan)
        super().__init__(tokens.VERTEX_JOB, name, props, opts)
        body = kind.body(plan)
        spec: dict[str, Any] = body[kind.spec_key]
        if service_account is not None:
            spec.setdefault("serviceAccount", service_account)
        spec.setdefault("baseOutputDirectory", {"outputUriPrefix": output_prefix})
        interface = spec.get("pscInterfaceConfig")
        if interface is not None and attachment is not None:
            interface.setdefault("networkAttachment", attachment)
        child = pulumi.ResourceOptions(parent=self)
        properties: dict[str, Any] = {
            **body,
            "project": stack.project,
            "location": stack.region,
            "document": plan.job.model_dump(mode="json", by_alias=True, exclude_unset=True),
            "run": plan.job.run,
            "retainRecord": plan.job.retain_record,
            "allowReplaceWhileRunning": plan.job.allow_replace_while_running,
            "environment": stack.environment,
            "limits": plain(stack.limits) if stack.limits else None,
            "usdPerHour": props["usdPerHour"],
        }
        self.job = VertexAiJob(kind, name, properties, child)
        results: dict[str, Any] = {}
        if plan.job.wait_for != "submitted":
            arguments = CompletionArgs(job=self.job.id, wait_for=plan.job.wait_for, run=plan.job.run)
            completion = Completion(f"{name}-completion", arguments, child)
            results = {key: pulumi.get(completion, key) for key in kind.brings}
        self.outputs: dict[str, Any] = {
            **props,
            "jobId": self.job.id,
            "state": self.job.state,
            "consoleUrl": self.job.console_url,
            **results,
        }
        self.register_outputs(self.outputs)
