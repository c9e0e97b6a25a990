"""What a stack exports for people and for other stacks, which read it by trainingjobs/components/other_stack.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

from infra.foundation import Foundation
from trainingjobs.components.storage import TrainingStorage
from trainingjobs.operations.promotion.release import Release
from trainingjobs.workloads.vertex import vertex_workloads

JOB_KEYS = ("name", "jobId", "consoleUrl", "reducerCount", "trainersEgressGbps", "reducersEgressGbps", "usdPerHour")
NETWORK_KEYS = ("network", "subnetwork", "gpuNetworks", "attachment", "nodesCidr", "podsCidr", "servicesCidr")
CLUSTER_KEYS = ("name", "location", "endpoint")


def export(
    storage: TrainingStorage | None, jobs: Mapping[str, Mapping[str, Any]], foundation: Foundation, release: Release
) -> None:
    """Exports the jobs by name (Gbps, USD per hour), where images and results go, and what the jobs stand on.

    `release` is what a promotion asks for: that this stack ran exactly that.
    """
    pulumi.export("release", {"id": release.id, "versions": dict(release.versions)})
    pulumi.export("jobs", {name: _job(job) for name, job in jobs.items()})
    if storage is not None:
        pulumi.export("outputBucket", storage.bucket_names["output"])
        pulumi.export("stagingBucket", storage.bucket_names["staging"])
        pulumi.export("repository", storage.repository_url)
    if foundation.network_outputs is not None:
        pulumi.export("network", {key: foundation.network_outputs[key] for key in NETWORK_KEYS})
    if foundation.cluster_outputs is not None:
        pulumi.export("cluster", {key: foundation.cluster_outputs[key] for key in CLUSTER_KEYS})


def _job(job: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what is exported of a job, with what its success has brought where that was waited for."""
    result_keys = [key for kind in vertex_workloads() for key in kind.brings if key in job]
    return {key: job[key] for key in (*JOB_KEYS, *result_keys)}
