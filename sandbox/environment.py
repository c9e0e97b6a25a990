"""The environment of a run in the sandbox: its endpoint, its back end, its plugins, and its cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dev.control_plane.cli import build_missing
from dev.control_plane.parts import PROVIDER, built, part
from dev.engine.cli import engine_bin
from sandbox import lifecycle
from sandbox.gcp.schema import version as gcp_version
from sandbox.kubernetes import lifecycle as cluster
from sandbox.kubernetes.bed_settings import bed_folder
from sandbox.state_folder import ROOT

HOST = "pulumi-language-python"


def run_variables(state: Path, *, with_cluster: bool, say: Callable[[str], None]) -> dict[str, str]:
    """Returns the variables of a run in the sandbox that runs in `state`; its cluster is started where asked for.

    What is missing is built. Raises BuildFailed, SandboxError, BedError.
    """
    engine = engine_bin(quiet=True)
    variables = lifecycle.variables(state)
    install_plugin(
        Path(variables["PULUMI_HOME"]), "gcp", gcp_version(), ROOT / "sandbox" / "bin" / "pulumi-resource-gcp"
    )
    # It would find plugins on PATH too, and warn of that at every run. Its language host may be there only.
    if (engine / HOST).exists():
        variables["PULUMI_IGNORE_AMBIENT_PLUGINS"] = "true"
    # Nothing of Google's is ever fetched to stand where the sandbox's own is missing.
    variables["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] = "true"
    return {**variables, **_cluster_variables(state, variables, say)} if with_cluster else variables


def _cluster_variables(state: Path, variables: dict[str, str], say: Callable[[str], None]) -> dict[str, str]:
    build_missing()
    settings = cluster.start(bed_folder(state), kubelet=True, say=say)
    provider = built(PROVIDER)
    path = variables["PATH"]
    if provider:
        program = provider / "bin" / "pulumi-resource-kubernetes"
        install_plugin(Path(variables["PULUMI_HOME"]), "kubernetes", part(PROVIDER).version, program)
        path = os.pathsep.join([str(program.parent), path])
    return {"KUBECONFIG": str(settings.kubeconfig), "PATH": path}


def install_plugin(pulumi_home: Path, name: str, version: str, program: Path) -> None:
    """Puts `program` where the engine has its installed plugins, as the provider of that name and version."""
    link = pulumi_home / "plugins" / f"resource-{name}-v{version}" / program.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists() or link.resolve() != program.resolve():
        temporary = link.with_name(f"{link.name}.{os.getpid()}")
        temporary.symlink_to(program)
        temporary.replace(link)
