"""Configurations of stacks whose jobs run in clusters."""

from __future__ import annotations

from typing import Any

from tests.unit.jobs import IMAGE

SERVER = IMAGE.replace("bert", "byteps")


def stack(jobs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns a stack file's config with a network and a cluster; None removes a key."""
    config: dict[str, Any] = {
        "gcp:project": "acme-ml-dev",
        "gcp:region": "us-central1",
        "training:environment": "dev",
        "training:network": {"cidr": "10.20.0.0/16"},
        "training:cluster": {"location": "us-central1-a"},
        "training:jobs": jobs,
    }
    config |= {f"training:{key}": value for key, value in more.items()}
    return {key: value for key, value in config.items() if value is not None}


def job(primary: dict[str, Any], workers: int = 1, **more: Any) -> dict[str, Any]:
    """Returns a job on GKE; `pools` adds to primary and workers."""
    pools = {"primary": primary, "workers": {"replicaCount": workers}, **more.pop("pools", {})}
    packages: dict[str, Any] = {"packages": ["byteps"], "nccl": "2.20"}
    base = {
        "platform": "gke",
        "framework": "byteps",
        "namespace": "training",
        "container": {"imageUri": IMAGE, "declares": packages},
        "labels": {"team": "a", "cost-center": "b"},
        "pools": pools,
    }
    return {**base, **more}
