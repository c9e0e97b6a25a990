"""A tiny Pulumi program on the real engine, with the real Kubernetes provider and a back end of the test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from dev.control_plane.parts import PROVIDER, built
from dev.engine.cli import engine_bin


class Project:
    """A program's folder and one stack of it."""

    def __init__(self, folder: Path, kubeconfig: Path, program: str) -> None:
        self._folder = folder
        (folder / "state").mkdir()
        (folder / "Pulumi.yaml").write_text(
            f"name: tiny\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}"
        )
        (folder / "__main__.py").write_text(program)
        provider = built(PROVIDER)
        first = [str(engine_bin()), *([str(provider / "bin")] if provider else [])]
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "PATH": os.pathsep.join([*first, os.environ["PATH"]]),
            "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "TRAINING_VENV": sys.prefix,
        }
        self.pulumi("stack", "init", "dev")

    def pulumi(self, *arguments: str) -> str:
        """Returns what the engine said; fails with it where the engine failed."""
        done = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def resources(self) -> list[str]:
        """Returns the types of the resources in the state."""
        exported = json.loads(self.pulumi("stack", "export"))
        return sorted(each["type"] for each in exported["deployment"].get("resources", []))
