"""The Pulumi program: settings → plan → components → outputs."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pulumi
from pulumi.runtime.settings import _get_rpc_manager

from infra import outputs, settings
from infra.components.gcp import google_provider
from infra.components.identity import JobIdentity
from infra.components.protection import protect
from infra.components.storage import TrainingStorage
from infra.components.vertex_job import VertexJob
from infra.plan.job_plan import JobPlan
from infra.problems import render_finding
from infra.promotion.release import Release
from infra.promotion.versions import stack_release
from infra.spec.stack import Stack
from infra.spec.text import DocumentError

if TYPE_CHECKING:
    from infra.components.ground import Ground


def run() -> None:
    """Declares the running stack in a process that ends with it."""
    _spare()
    main()
    _begin_registrations()


def main() -> None:
    """Declares the running stack."""
    read = settings.load()
    stack = read.plan.stack
    protect(stack.environment, stack.unprotect or ())
    # A stack whose jobs all run on a Kubernetes of its own asks nothing of Google.
    uses_google = not read.plan.jobs or any(plan.job.platform != "kubernetes" for plan in read.plan.jobs)
    google = _google(stack) if uses_google or stack.network is not None else None
    storage = TrainingStorage("training", stack.project, stack.region, stack.environment, google) if google else None
    ground: Ground | None = None
    if stack.network is not None or stack.cluster is not None:
        from infra.components.ground import lay

        ground = lay(stack, read.plan.infrastructure, google)
    jobs = {
        plan.name: _vertex_job(plan, stack, storage, google, ground).outputs
        for plan in read.plan.jobs
        if plan.job.platform == "vertex" and storage is not None
    }
    if ground is not None and ground.kubernetes is not None:
        from infra.components.cluster_jobs import cluster_jobs

        jobs |= cluster_jobs(read.plan, ground, storage, google)
    outputs.export(storage, jobs, ground, _release(stack))


def _spare() -> None:
    """Leaves out what a process that ends with its stack has no use for (docs/performance.md has the figures)."""
    # What is declared stays to the end: looking for garbage among it takes longer with each resource.
    gc.disable()
    # The SDK tells the engine of each step of each resource, five calls that it waits for; nobody hears them.
    pulumi.log.debug = _unheard


def _unheard(*_: object, **__: object) -> None:
    return


def _begin_registrations() -> None:
    """Lets what was declared begin to be registered before the SDK looks whether anything is being registered.

    It looks at once, sees nothing yet, and waits for the outputs of everything together, over and over: that takes a
    time that grows with the square of the number of resources (pulumi.runtime.stack.wait_for_rpcs).
    """
    _get_rpc_manager().rpcs.append(asyncio.ensure_future(asyncio.sleep(0)))


def _release(stack: Stack) -> Release:
    try:
        return stack_release(stack)
    except DocumentError as error:
        raise pulumi.RunError(render_finding(error.finding)) from None


def _google(stack: Stack) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(providers=[google_provider(stack.project, stack.region)])


def _vertex_job(
    plan: JobPlan,
    stack: Stack,
    storage: TrainingStorage,
    google: pulumi.ResourceOptions | None,
    ground: Ground | None,
) -> VertexJob:
    before: list[pulumi.Resource] = [storage, *(ground.before if ground else ())]
    account = plan.job.service_account
    if account is None:
        identity = JobIdentity(f"{plan.name}-identity", plan, storage, stack.project, google)
        before.append(identity)
        account = identity.email
    # A job that starts before its bucket or its roles exist fails when it writes.
    after = pulumi.ResourceOptions(depends_on=before)
    prefix = f"gs://{storage.bucket_names['output']}/{plan.name}"
    attachment: Any = ground.network.attachment if ground and ground.network else None
    return VertexJob(plan.name, plan, stack, account, prefix, after, attachment)
