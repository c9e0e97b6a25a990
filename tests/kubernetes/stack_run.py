"""A stack of the project on the real engine: the sandbox's part of Google Cloud, and the cluster of the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dev.control_plane.parts import PROVIDER, built
from dev.engine.cli import engine_bin

ROOT = Path(__file__).resolve().parents[2]
NAME = "clustered"


class StackRun:
    """One stack, with a back end and a sandbox in `folder`; nothing of it needs a server but the cluster."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self.folder = folder
        (folder / "state").mkdir()
        (folder / "backend").mkdir()
        (folder / "Pulumi.yaml").write_text("name: training\nruntime: python\n")
        self.configure(config)
        provider = built(PROVIDER)
        first = [str(ROOT / "sandbox" / "bin"), str(engine_bin()), *([str(provider / "bin")] if provider else [])]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([*first, os.environ["PATH"]]),
            "PULUMI_BACKEND_URL": (folder / "backend").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_ERROR_OUTPUT_STRING": "1",
            "TRAINING_SANDBOX": str(folder / "state"),
            # The stand-in for Google Cloud asks for a loopback address; no job of Vertex AI is declared here.
            "TRAINING_VERTEX_ENDPOINT": "http://127.0.0.1:9",
            "TRAINING_VENV": sys.prefix,
        }
        self._engine("stack", "init", NAME, cwd=folder)

    @property
    def file(self) -> Path:
        """The stack's file."""
        return self.folder / f"Pulumi.{NAME}.yaml"

    def configure(self, config: Mapping[str, Any]) -> None:
        """Writes the stack's configuration; the engine's salt stays."""
        kept = self.file.read_text().splitlines() if self.file.exists() else []
        salt = "".join(f"{line}\n" for line in kept if line.startswith("encryptionsalt:"))
        self.file.write_text(f"config: {json.dumps(config)}\n{salt}")

    def start(self, verb: str) -> subprocess.Popen[str]:
        """Starts `pulumi up` or `destroy`."""
        words = ["pulumi", verb, "-s", NAME, "--yes", "--skip-preview", "--config-file", str(self.file)]
        return subprocess.Popen(
            [*words, "--non-interactive"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, verb: str) -> str:
        """Returns what a finished run said; fails with it where the run failed."""
        status, output = self.end(self.start(verb))
        assert status == 0, output
        return output

    def preview(self) -> str:
        """Returns what a preview under the policy pack said; fails with it where it failed."""
        words = ["preview", "-s", NAME, "--policy-pack", "policies", "--config-file", str(self.file)]
        return self._engine(*words, cwd=ROOT)

    def end(self, running: subprocess.Popen[str]) -> tuple[int, str]:
        """Returns the exit status of a run, and what it said."""
        try:
            output, _ = running.communicate(timeout=120)
        finally:
            running.kill()
        return running.returncode, output

    def resources(self) -> dict[str, Any]:
        """Returns the resources in the state by their URN."""
        exported = json.loads(self._engine("stack", "export", "-s", NAME, cwd=self.folder))
        return {each["urn"]: each for each in exported["deployment"].get("resources", [])}

    def _engine(self, *words: str, cwd: Path) -> str:
        done = subprocess.run(
            ["pulumi", *words, "--non-interactive"], cwd=cwd, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
