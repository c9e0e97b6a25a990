"""What a stack exports for people and for other stacks, which read it by infra/components/other_stack.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pulumi

from infra.components.storage import TrainingStorage

if TYPE_CHECKING:
    from infra.components.ground import Ground
    from infra.promotion.release import Release

JOB_KEYS = ("name", "jobId", "consoleUrl", "reducerCount", "trainersEgressGbps", "reducersEgressGbps", "usdPerHour")
# What a job that was waited for has brought.
BROUGHT_KEYS = ("bestTrials", "modelName")
NETWORK_KEYS = ("network", "subnetwork", "gpuNetworks", "attachment", "nodesCidr", "podsCidr", "servicesCidr")
CLUSTER_KEYS = ("name", "location", "endpoint")


def export(
    storage: TrainingStorage | None,
    jobs: Mapping[str, dict[str, Any]],
    ground: Ground | None = None,
    release: Release | None = None,
) -> None:
    """Exports the jobs by name (Gbps, USD per hour), where images and results go, and what the jobs stand on.

    `release` is what a promotion asks for: that this stack ran exactly that.
    """
    if release is not None:
        pulumi.export("release", {"id": release.id, "versions": dict(release.versions)})
    pulumi.export("jobs", {name: _job(job) for name, job in jobs.items()})
    if storage is not None:
        pulumi.export("outputBucket", storage.bucket_names["output"])
        pulumi.export("stagingBucket", storage.bucket_names["staging"])
        pulumi.export("repository", storage.repository_url)
    if ground is not None and ground.network_outputs is not None:
        pulumi.export("network", {key: ground.network_outputs[key] for key in NETWORK_KEYS})
    if ground is not None and ground.cluster_outputs is not None:
        pulumi.export("cluster", {key: ground.cluster_outputs[key] for key in CLUSTER_KEYS})


def _job(job: Mapping[str, Any]) -> dict[str, Any]:
    return {**{key: job[key] for key in JOB_KEYS}, **{key: job[key] for key in BROUGHT_KEYS if key in job}}
