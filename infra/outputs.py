"""What a stack exports for people and for other stacks, and the one reader of it."""

from __future__ import annotations

from typing import Any

import pulumi

from infra.components.storage import TrainingStorage
from infra.components.vertex_job import VertexJob

JOB_KEYS = ("name", "jobId", "consoleUrl", "reducerCount", "trainersEgressGbps", "reducersEgressGbps", "usdPerHour")


def export(storage: TrainingStorage | None, jobs: dict[str, VertexJob]) -> None:
    """Exports the jobs by name (Gbps, USD per hour) and where images and results go."""
    pulumi.export("jobs", {name: {key: job.outputs[key] for key in JOB_KEYS} for name, job in jobs.items()})
    if storage is not None:
        pulumi.export("outputBucket", storage.bucket_names["output"])
        pulumi.export("stagingBucket", storage.bucket_names["staging"])
        pulumi.export("repository", storage.repository_url)


def reference(stack: str, project: str = "training") -> pulumi.Output[Any]:
    """Returns the jobs that another stack exports. Raises where it exports none: a missing output is no None here."""
    return pulumi.StackReference(f"organization/{project}/{stack}").require_output("jobs")
