"""The API server of a sandbox stack whose jobs run in a cluster: started, put into the environment, read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from infra.plan.job_plan import JobPlan
from sandbox.kubernetes import lifecycle
from sandbox.kubernetes.settings import bed_folder
from sandbox.state import state_folder
from tools.kubernetes.cli import build_missing
from tools.kubernetes.parts import PROVIDER, built, part
from tools.stack_setting import install_plugin

Say = Callable[[str], None]
PRIMARY_NAMES = ("primary", "chief", "master")


def needs_cluster(plans: Iterable[JobPlan]) -> bool:
    """Returns whether one of the jobs runs in a cluster."""
    return any(plan.job.platform != "vertex" for plan in plans)


def cluster_environment(environment: Mapping[str, str], say: Say) -> dict[str, str]:
    """Returns the environment with the sandbox's API server, which is built and started where it is not, and the
    Kubernetes provider. Raises BuildFailed, lifecycle.BedError.
    """
    build_missing()
    settings = lifecycle.start(bed_folder(state_folder()), kubelet=True, say=say)
    provider = built(PROVIDER)
    folders = [str(provider / "bin")] if provider else []
    for folder in folders:
        install_plugin(environment, "kubernetes", part(PROVIDER).version, Path(folder) / "pulumi-resource-kubernetes")
    path = os.pathsep.join([*folders, environment.get("PATH", "")])
    return {**environment, "KUBECONFIG": str(settings.kubeconfig), "PATH": path}


def primary_log(state: Path, job_id: str) -> Path | None:
    """Returns the log of the primary of a job in the sandbox's cluster, the newest where it was restarted."""
    parts = job_id.split("/")
    if len(parts) != 4 or parts[0] != "namespaces":
        return None
    folder = bed_folder(state) / "logs" / parts[1]
    name = parts[3] if parts[2] != "pods" else parts[3].rsplit("-", 2)[0]
    logs = [log for word in PRIMARY_NAMES for log in folder.glob(f"{name}-{word}-*/*.log")]
    return max(logs, key=lambda log: log.stat().st_mtime, default=None)
