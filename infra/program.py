"""The Pulumi program: settings → plan → components → outputs."""

from __future__ import annotations

import pulumi

from infra import outputs, settings
from infra.components.gcp import google_provider
from infra.components.identity import JobIdentity
from infra.components.storage import TrainingStorage
from infra.components.vertex_job import VertexJob
from infra.plan.job_plan import JobPlan
from infra.spec.stack import Stack


def main() -> None:
    """Declares the running stack."""
    read = settings.load()
    stack = read.plan.stack
    google = pulumi.ResourceOptions(providers=[google_provider(stack.project, stack.region)])
    storage = TrainingStorage("training", stack.project, stack.region, stack.environment, google)
    jobs = {plan.name: _vertex_job(plan, stack, storage, google) for plan in read.plan.jobs}
    outputs.export(storage, jobs)


def _vertex_job(plan: JobPlan, stack: Stack, storage: TrainingStorage, google: pulumi.ResourceOptions) -> VertexJob:
    before: list[pulumi.Resource] = [storage]
    account = plan.job.service_account
    if account is None:
        identity = JobIdentity(f"{plan.name}-identity", plan, storage, stack.project, google)
        before.append(identity)
        account = identity.email
    # A job that starts before its bucket or its roles exist fails when it writes.
    after = pulumi.ResourceOptions(depends_on=before)
    prefix = f"gs://{storage.bucket_names['output']}/{plan.name}"
    return VertexJob(plan.name, plan, stack, account, prefix, after)
