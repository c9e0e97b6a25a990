"""A stack of a tiny program on the real engine, with a file back end of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.provider.plugin_process import COMPLETION, CUSTOM_JOB, ROOT
from tests.state_files import checkpoint, deployment

PROJECT = f"""
name: training
runtime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}
plugins: {{providers: [{{name: trainingjobs, path: {ROOT / "trainingjobs" / "provider"}}}]}}
"""

# What JOB (a JSON object) says: the job's inputs, and a wait.
PROGRAM = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
import pulumi
from trainingjobs.components.job_resources import Completion, CompletionArgs, CustomJob, CustomJobArgs

asked = json.loads(os.environ["JOB"])
given = asked["inputs"]
job = CustomJob(
    "job",
    CustomJobArgs(
        project=given["project"], location=given["location"], display_name=given["displayName"],
        job_spec=given["jobSpec"], labels=given.get("labels"), document=given.get("document"), run=given.get("run"),
        environment=given.get("environment"), usd_per_hour=given.get("usdPerHour"),
        allow_replace_while_running=given.get("allowReplaceWhileRunning"),
    ),
    pulumi.ResourceOptions(import_=asked.get("import"), delete_before_replace=asked.get("deleteBeforeReplace")),
)
if asked.get("waitFor"):
    Completion("done", CompletionArgs(job=job.id, wait_for=asked["waitFor"], run=given.get("run")))
pulumi.export("id", job.id)
"""


class Stack:
    """One stack. Each command takes what the program is asked for, and returns the finished process."""

    def __init__(self, folder: Path, engine_bin: str, environment: dict[str, str]) -> None:
        self.folder = folder
        (folder / "Pulumi.yaml").write_text(PROJECT)
        (folder / "__main__.py").write_text(PROGRAM)
        (folder / "state").mkdir()
        kept = {key: os.environ[key] for key in ("HOME", "LANG", "TMPDIR") if key in os.environ}
        self.environment = {
            **kept,
            **environment,
            "PATH": f"{engine_bin}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "TRAINING_VENV": sys.prefix,
        }
        self.pulumi = shutil.which("pulumi", path=self.environment["PATH"]) or "pulumi"
        assert self.run("stack", "init", "dev").returncode == 0

    def start(self, *arguments: str, **asked: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.pulumi, *arguments, "--non-interactive"],
            cwd=self.folder,
            env={**self.environment, "JOB": json.dumps(asked)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **asked: Any) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, **asked)
        output, _ = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, output)

    def up(self, **asked: Any) -> subprocess.CompletedProcess[str]:
        return self.run("up", "--yes", "--skip-preview", **asked)

    def resources(self) -> list[dict[str, Any]]:
        return deployment(checkpoint(self.folder / "state", "dev")).get("resources", [])

    def ids(self, token: str) -> list[str]:
        """The ids of the resources of one type in the state."""
        return [resource["id"] for resource in self.resources() if resource["type"] == token]

    def job(self) -> str:
        (job_id,) = self.ids(CUSTOM_JOB)
        return job_id

    def provider_id(self) -> str:
        (provider_id,) = self.ids("pulumi:providers:trainingjobs")
        return provider_id

    def waits(self) -> list[str]:
        return self.ids(COMPLETION)
