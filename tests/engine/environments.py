"""dev, staging and prod, each a project of its own: a sandbox and a back end each, and one copy of the project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.engine.clone import Clone
from tests.engine.lab import PYTHON
from tests.state_files import checkpoint

NAMES = ("dev", "staging", "prod")
OLD = f"{PYTHON}@sha256:{'0' * 64}"
NEW = f"{PYTHON}@sha256:{'1' * 64}"
# The sizes differ by environment, and the comments must outlive every promotion.
FILE = """\
# what {name} runs
config:
  gcp:project: acme-ml-{name}
  gcp:region: us-central1
  training:environment: {name}
  training:limits: {{maxUsdPerHour: {limit}}} # its own
  training:jobs:
    bert:
      framework: pytorch
      container:
        imageUri: {image} # by digest
        args: ["{code}", --bucket-cap-mb=64]
        declares: {{nccl: "2.20", packages: [google-reduction-server]}}
      pools:
        primary: {{machineType: a2-highgpu-1g}}
        workers: {{replicaCount: {workers}}} # its own
      labels: {{team: nlp, cost-center: research}}
      waitFor: {wait}
"""
SIZES = {"dev": (30, 1), "staging": (60, 2), "prod": (90, 3)}


class Environments:
    """The stacks and what is done with them; `start` first, `stop` last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clone = Clone(folder)
        self.root = self.clone.root
        self.env_folder = folder / "environments"
        self.env_folder.mkdir()
        self.environment = {**self.clone.environment, "TRAINING_ENVIRONMENTS": str(self.env_folder)}
        del self.environment["TRAINING_SANDBOX"]

    def start(self) -> None:
        """Starts the sandboxes and notes how each is reached."""
        for name in NAMES:
            own = {**self.environment, "TRAINING_SANDBOX": str(self.state(name))}
            self._python(own, "sandbox", "start")
            script = f"{self._python(own, 'sandbox', 'env')}\nexec env -0"
            listed = subprocess.run(["sh", "-c", script], env=own, check=True, capture_output=True, text=True).stdout
            exported = dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)
            lines = [
                f"{key}={value}"
                for key, value in exported.items()
                if self.environment.get(key) != value and "\n" not in value
            ]
            (self.env_folder / f"{name}.env").write_text("\n".join(lines) + "\n")

    def stop(self) -> None:
        """Stops the sandboxes."""
        for name in NAMES:
            self._python({**self.environment, "TRAINING_SANDBOX": str(self.state(name))}, "sandbox", "stop")

    def state(self, name: str) -> Path:
        """Returns the folder of an environment's sandbox."""
        return self.folder / f"sandbox-{name}"

    def file(self, name: str) -> Path:
        """Returns a stack's file."""
        return self.root / "stacks" / f"Pulumi.{name}.yaml"

    def write(
        self,
        name: str,
        image: str = OLD,
        code: str = "print('trained')",
        wait: str = "succeeded",
        limit: int | None = None,
    ) -> str:
        """Writes a stack's file and returns its text."""
        own_limit, workers = SIZES[name]
        text = FILE.format(name=name, image=image, code=code, limit=limit or own_limit, workers=workers, wait=wait)
        self.file(name).write_text(text)
        return text

    def up(self, name: str) -> subprocess.CompletedProcess[str]:
        """Returns a finished update of a stack, with the policy pack, as its file says."""
        folder = self.folder / "projects" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Pulumi.yaml").write_text("name: training\nruntime: python\n")
        config = folder / f"Pulumi.{name}.yaml"
        config.write_text(self.file(name).read_text())
        if not checkpoint(self.state(name) / "pulumi", name).exists():
            self._engine(name, folder, "stack", "init", name)
        options = ("--yes", "--skip-preview", "--config-file", str(config), "--policy-pack", "policies")
        return self._engine(name, self.root, "up", "-s", name, *options)

    def infra(self, *words: str) -> tuple[int, dict[str, Any]]:
        """Returns the exit status and the JSON of `trainingjobs …`."""
        done = self.python("trainingjobs", *words, "--json")
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Returns a finished `python -m …` in the project's root."""
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def resource(self, name: str, kind: str, part: str) -> Path:
        """Returns the file of the one resource of an environment's cloud that has `part` in its name."""
        [path] = (self.state(name) / "gcp" / "resources" / kind).glob(f"*{part}*")
        return path

    def git(self, *words: str) -> str:
        """Returns what git prints in the project's root."""
        own = {**self.environment, "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.invalid"}
        own |= {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.invalid"}
        done = subprocess.run(["git", *words], cwd=self.root, env=own, check=True, capture_output=True, text=True)
        return done.stdout

    def _engine(self, name: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        lines = (self.env_folder / f"{name}.env").read_text().splitlines()
        own = {**self.environment, **dict(line.split("=", 1) for line in lines)}
        return subprocess.run(
            ["pulumi", *words, "--non-interactive"],
            cwd=folder,
            env=own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def _python(self, environment: dict[str, str], *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=self.root, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout
