"""The Pulumi program: settings → foundation → jobs → outputs."""

from __future__ import annotations

import pulumi

from infra import outputs, settings
from infra.foundation import declare_foundation
from infra.jobs import declare_jobs
from trainingjobs.components.gcp import google_provider
from trainingjobs.components.protection import protect
from trainingjobs.components.storage import TrainingStorage
from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import render_finding
from trainingjobs.engine.sdk import begin_registrations, spare_work
from trainingjobs.operations.promotion.release import Release
from trainingjobs.operations.promotion.versions import stack_release
from trainingjobs.spec.stack import Stack


def run() -> None:
    """Declares the running stack in a process that ends with it."""
    spare_work()
    main()
    begin_registrations()


def main() -> None:
    """Declares the running stack."""
    plan = settings.load()
    stack = plan.stack
    protect(stack.environment, stack.unprotect or ())
    # A stack whose jobs all run on a Kubernetes of its own asks nothing of Google.
    uses_google = not plan.jobs or any(job.job.platform != "kubernetes" for job in plan.jobs)
    google = _google(stack) if uses_google or stack.network is not None else None
    storage = TrainingStorage("training", stack.project, stack.region, stack.environment, google) if google else None
    foundation = declare_foundation(stack, plan.infrastructure, google)
    jobs = declare_jobs(plan, foundation, storage, google)
    outputs.export(storage, jobs, foundation, _release(stack))


def _google(stack: Stack) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(providers=[google_provider(stack.project, stack.region)])


def _release(stack: Stack) -> Release:
    try:
        return stack_release(stack)
    except DocumentError as error:
        raise pulumi.RunError(render_finding(error.finding)) from None
