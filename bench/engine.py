"""Previews to time: the project's stacks on a sandbox, and empty programs on the same engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import yaml

from bench.timing import Command
from sandbox import lifecycle
from trainingjobs.operations import sandbox
from trainingjobs.operations.project_folders import sandbox_project, write_project
from trainingjobs.operations.run_environment import pack_options
from trainingjobs.project.judged import judge_stack_named

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = """
import pulumi
from trainingjobs.components.gcp import google_provider
google_provider("acme-ml-dev", "us-central1")
"""


class Bench:
    """A sandbox for as long as the measurements take."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ["TRAINING_SANDBOX"] = str(folder / "sandbox")

    def __enter__(self) -> Self:
        _, environment = sandbox.start(cluster=False)
        self.environment = {
            **environment,
            "PULUMI_SKIP_CONFIRMATIONS": "true",
            "TRAINING_VENV": sys.prefix,
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lifecycle.stop(self.folder / "sandbox")
        del os.environ["TRAINING_SANDBOX"]

    def preview(self, name: str, *, pack: bool = False) -> Command:
        """Returns the preview of one of the project's stacks."""
        project = sandbox_project(name, self.folder / "sandbox", judge_stack_named(name).plan.stack.environment)
        return self._preview(project, name, pack_options(name) if pack else ())

    def preview_of_jobs(self, count: int) -> Command:
        """Returns the preview, with the pack, of a stack of `count` jobs, each that of dev."""
        tracked = (ROOT / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        config = yaml.safe_load(tracked)["config"]
        [job] = config["training:jobs"].values()
        config["training:jobs"] = {f"job-{number}": job for number in range(count)}
        # They would be refused together.
        config.pop("training:limits", None)
        name = f"jobs-{count}"
        text = json.dumps({"config": config})
        project = write_project(self.folder / "sandbox" / "project", name, text)
        return self._preview(project, name, pack_options("dev"))

    def _preview(self, project: Path, name: str, options: Iterable[str]) -> Command:
        self._select(project, name)
        own = ["--config-file", str(project / f"Pulumi.{name}.yaml")]
        return Command(["pulumi", "preview", "-s", name, *own, *options], ROOT, self.environment)

    def empty(self, *, plugins: bool) -> Command:
        """Returns the preview of an empty program; with `plugins` it starts the two that a stack starts."""
        name = "plugins" if plugins else "bare"
        folder = self.folder / name
        folder.mkdir()
        trainingjobs = f"plugins: {{providers: [{{name: trainingjobs, path: {ROOT / 'trainingjobs' / 'provider'}}}]}}\n"
        (folder / "Pulumi.yaml").write_text(
            f"name: bench-{name}\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
            + (trainingjobs if plugins else "")
        )
        start = "pulumi.ProviderResource('trainingjobs', 'jobs', {})\n" if plugins else ""
        program = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{PLUGINS}{start}" if plugins else "import pulumi\n"
        (folder / "__main__.py").write_text(program)
        self._select(folder, "bench")
        return Command(["pulumi", "preview", "-s", "bench"], folder, self.environment)

    def _select(self, folder: Path, name: str) -> None:
        command = ["pulumi", "stack", "select", "--create", name, "--non-interactive"]
        subprocess.run(command, cwd=folder, env=self.environment, check=True, capture_output=True)
