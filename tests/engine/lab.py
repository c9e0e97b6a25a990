"""The project's own program on the real engine: a sandbox and a file back end of a test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from tests.state_files import checkpoint

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "acme-ml-sandbox"
PYTHON = "registry.example/test/python"
DIGEST = "@sha256:" + "0" * 64


class Lab:
    """A sandbox in `folder`, and stacks on it; `start` first, `stop` last."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        (self.project / "Pulumi.yaml").write_text("name: training\nruntime: python\n")
        images = json.loads((ROOT / "sandbox" / "images.json").read_text())
        images[PYTHON] = {"entrypoint": ["{python}", "-c"]}
        (folder / "images.json").write_text(json.dumps(images))
        self.environment = {
            **os.environ,
            "TRAINING_SANDBOX": str(self.state),
            "TRAINING_SANDBOX_IMAGES": str(folder / "images.json"),
            "TRAINING_VENV": sys.prefix,
            "PULUMI_ERROR_OUTPUT_STRING": "1",
        }

    def start(self) -> None:
        """Starts the sandbox and takes over the exports that plain Pulumi needs."""
        self.sandbox("start")
        script = f"{self.sandbox('env')}\nexec env -0"
        listed = subprocess.run(
            ["sh", "-c", script], env=self.environment, check=True, capture_output=True, text=True
        ).stdout
        self.environment = dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)

    def sandbox(self, verb: str) -> str:
        """Returns what `python -m sandbox VERB` prints."""
        command = [sys.executable, "-m", "sandbox", verb]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def write(self, stack: str, jobs: dict[str, Any], environment: str = "sandbox") -> None:
        """Writes a stack's file."""
        path = self.project / f"Pulumi.{stack}.yaml"
        kept = yaml.safe_load(path.read_text()) if path.exists() else {}
        config = {
            "gcp:project": PROJECT,
            "gcp:region": "us-central1",
            "training:environment": environment,
            "training:jobs": jobs,
        }
        path.write_text(yaml.safe_dump({**kept, "config": config}))

    def pulumi(self, verb: str, stack: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Returns a finished run of the engine; standard error is part of its output."""
        quiet: dict[str, Any] = {"env": self.environment, "text": True, "check": False}
        if not checkpoint(self.state / "pulumi", stack).exists():
            init = ["pulumi", "stack", "init", stack, "--non-interactive"]
            subprocess.run(init, cwd=self.project, capture_output=True, **quiet)
        config = ["--config-file", str(self.project / f"Pulumi.{stack}.yaml")]
        words = ["pulumi", verb, "-s", stack, "--non-interactive", *config, *options]
        return subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **quiet)

    def up(self, stack: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Returns a finished update without a preview before it."""
        return self.pulumi("up", stack, "--yes", "--skip-preview", *options)

    def jobs(self) -> list[dict[str, Any]]:
        """Returns the custom jobs that the service has a record of, newest first."""
        return self.listed("customJobs")

    def listed(self, collection: str) -> list[dict[str, Any]]:
        """Returns the jobs of a collection that the service has a record of, newest first."""
        url = f"{self.environment['TRAINING_VERTEX_ENDPOINT']}/v1/projects/{PROJECT}/locations/us-central1/{collection}"
        request = urllib.request.Request(
            url, headers={"Authorization": f"Bearer {self.environment['TRAINING_VERTEX_TOKEN']}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            jobs: list[dict[str, Any]] = json.load(answer).get(collection, [])
        return jobs


def job(code: str = "print('trained')", **changes: Any) -> dict[str, Any]:
    """Returns a job of one primary, two workers and sized reducers, whose replicas run a line of Python."""
    return {
        "framework": "pytorch",
        "container": {
            "imageUri": PYTHON + DIGEST,
            "args": [code, "--bucket-cap-mb=64"],
            "declares": {"nccl": "2.20", "packages": ["google-reduction-server"]},
        },
        "pools": {
            "primary": {"machineType": "a2-highgpu-1g"},
            "workers": {"replicaCount": 2},
            "reducers": {"machineType": "n1-highcpu-16"},
        },
        **changes,
    }
