"""A copy of the project with stacks of a test's own, run as a user runs it: `make up`'s program, a process a run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.engine.lab import PROJECT, PYTHON, ROOT
from tests.state_files import checkpoint, deployment
from trainingjobs.operations.project_folders import secrets_of, write_project
from trainingjobs.operations.services import refuses

FOLDERS = ("infra", "trainingjobs", "policies", "sandbox", "dev")
ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
JOBS = ("CustomJob", "HyperparameterTuningJob", "TrainingPipeline")
COLLECTIONS = ("customJobs", "hyperparameterTuningJobs", "trainingPipelines")


class Clone:
    """The project in `folder`, with a sandbox and a file back end of its own; `stack` is the one that runs are of.

    Its updates begin without a preview, which would take half of their time, unless `previews` asks for it.
    """

    def __init__(self, folder: Path, *, previews: bool = False) -> None:
        self.root, self.state, self.stack = folder / "clone", folder / "state", "sandbox"
        (self.root / "stacks").mkdir(parents=True)
        for name in FOLDERS:
            # Compiled modules too, but none that another process is just writing.
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("*.pyc.*"))
        for name in ("__main__.py", "Pulumi.yaml"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / ".venv").symlink_to(sys.prefix)
        images = json.loads((ROOT / "sandbox" / "images.json").read_text())
        images[PYTHON] = {"entrypoint": ["{python}", "-c"]}
        (folder / "images.json").write_text(json.dumps(images))
        self.environment = {
            **os.environ,
            "TRAINING_SANDBOX": str(self.state),
            "TRAINING_SANDBOX_IMAGES": str(folder / "images.json"),
            "TRAINING_VENV": sys.prefix,
            "PULUMI_OPTION_SKIP_PREVIEW": "false" if previews else "true",
        }
        self._exported: dict[str, str] = {}

    def file(self) -> Path:
        """Returns the stack's file."""
        return self.root / "stacks" / f"Pulumi.{self.stack}.yaml"

    def write(self, jobs: dict[str, Any], environment: str = "sandbox", **more: Any) -> None:
        """Writes the stack's file; `more` are keys under `training:`."""
        config = {
            "gcp:project": PROJECT,
            "gcp:region": "us-central1",
            "training:environment": environment,
            "training:jobs": jobs,
            **{f"training:{key}": value for key, value in more.items()},
        }
        self.file().write_text(yaml.safe_dump({"config": config}))

    def declared(self) -> dict[str, Any]:
        """Returns the jobs of the stack's file."""
        return dict(yaml.safe_load(self.file().read_text())["config"]["training:jobs"])

    def declare(self, jobs: dict[str, Any], environment: str = "sandbox") -> None:
        """Writes the stack's file and hands it to the engine as `make up` does, without running anything."""
        self.write(jobs, environment)
        project = self.state / "project"
        text = self.file().read_text()
        write_project(project, self.stack, text + "".join(secrets_of(project / f"Pulumi.{self.stack}.yaml")))
        if not self.checkpoint().exists():
            select = ("pulumi", "stack", "select", "--create", self.stack, "--non-interactive")
            done = self.finished(self.start(*select, environment=self.exports(), folder=project))
            assert done.returncode == 0, done.stdout

    def make(self, verb: str) -> subprocess.CompletedProcess[str]:
        """Returns a finished `make up` or `make down`; standard error is part of its output."""
        return self.finished(self.making(verb))

    def making(self, verb: str) -> subprocess.Popen[str]:
        """Starts `make up` or `make down`."""
        return self.start(sys.executable, "-m", "trainingjobs", verb, self.stack, "--yes")

    def update(self, verb: str) -> subprocess.Popen[str]:
        """Starts `pulumi up` or `pulumi destroy` of what was declared last."""
        config = str(self.state / "project" / f"Pulumi.{self.stack}.yaml")
        return self.exported("pulumi", verb, "-s", self.stack, "--config-file", config, "--yes", "--non-interactive")

    def exported(self, *words: str) -> subprocess.Popen[str]:
        """Starts a command with the sandbox's exports; the sandbox is started if it does not run."""
        return self.start(*words, environment=self.exports())

    def exports(self) -> dict[str, str]:
        """Returns the environment that plain Pulumi needs; the sandbox is started if it does not run."""
        if not self._runs():
            self.sandbox("start")
        if self._exported.get("of") != str(self.server()):
            script = f"{self.sandbox('env')}\nexec env -0"
            listed = subprocess.run(
                ["sh", "-c", script], env=self.environment, check=True, capture_output=True, text=True
            ).stdout
            variables = dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)
            self._exported = {**variables, "of": str(self.server())}
        return self._exported

    def _runs(self) -> bool:
        # Not by its process: one that was killed stays as a zombie until somebody asks for its end.
        try:
            return not refuses(self._api()["endpoint"])
        except FileNotFoundError:
            return False

    def start(
        self, *words: str, environment: dict[str, str] | None = None, folder: Path | None = None
    ) -> subprocess.Popen[str]:
        """Starts a command in the project's root, in a process group of its own."""
        return subprocess.Popen(
            words,
            cwd=folder or self.root,
            env=environment or self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finished(self, process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        """Waits for a command and returns it."""
        output, _ = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def sandbox(self, verb: str) -> str:
        """Returns what `python -m sandbox VERB` prints."""
        words = [sys.executable, "-m", "sandbox", verb]
        done = subprocess.run(words, cwd=self.root, env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout

    def server(self) -> int:
        """Returns the sandbox's process."""
        return int(self._api()["pid"])

    def _api(self) -> dict[str, Any]:
        return dict(json.loads((self.state / "api.json").read_text()))

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Returns the sandbox's answer."""
        api = self._api()
        request = urllib.request.Request(
            api["endpoint"] + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {api['token']}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def faults(self, *faults: dict[str, Any]) -> None:
        """Asks the job API for faults; those of before are forgotten."""
        self.call("DELETE", "/sandbox/faults")
        self.call("POST", "/sandbox/faults", list(faults))

    def faults_left(self) -> int:
        """Returns how many of the faults are still to come."""
        return len(self.call("GET", "/sandbox/faults")["faults"])

    def jobs(self) -> list[dict[str, Any]]:
        """Returns the stack's jobs of all kinds at the service, newest first: those that write to its bucket."""
        where = f"/v1/projects/{PROJECT}/locations/us-central1"
        listed = [job for name in COLLECTIONS for job in self.call("GET", f"{where}/{name}").get(name, [])]
        own = [job for job in listed if f"-{self.stack}-output" in json.dumps(job)]
        # A pipeline's work is done by a custom job of its own, whose record outlives it.
        return [job for job in own if not job["displayName"].endswith("-backing-job")]

    def live(self) -> list[str]:
        """Returns the names of the stack's jobs that cost money."""
        return [job["name"] for job in self.jobs() if job["state"].rpartition("_")[2] not in ENDED]

    def unlock(self) -> None:
        """Clears the stack's lock, as plain Pulumi needs it after a kill."""
        done = self.finished(self.exported("pulumi", "cancel", "--yes", "--stack", self.stack))
        assert done.returncode == 0, done.stdout

    def checkpoint(self) -> Path:
        """Returns the file that holds the stack's state."""
        return checkpoint(self.state / "pulumi", self.stack)

    def deployment(self) -> dict[str, Any]:
        """Returns the stack's state."""
        return deployment(self.checkpoint())

    def known(self) -> list[str]:
        """Returns the names of the jobs that the state knows."""
        types = {f"trainingjobs:vertex:{kind}" for kind in JOBS}
        return [resource["id"] for resource in self.deployment().get("resources", []) if resource["type"] in types]


def descendants(process: int) -> dict[int, str]:
    """Returns the command lines of the processes that a process started, and of theirs, by id."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    commands: dict[int, str] = {}
    parents = {process}
    while new := [row for row in rows if int(row[1]) in parents and int(row[0]) not in commands]:
        commands.update({int(pid): args for pid, _, args in new})
        parents = {int(pid) for pid, _, _ in new}
    return commands


def kill(process: int) -> None:
    """Ends a process as a machine does that has run out of memory."""
    os.kill(process, signal.SIGKILL)


def until(done: Callable[[], Any], seconds: float = 30) -> Any:
    """Returns the first true result."""
    deadline = time.monotonic() + seconds
    while not (result := done()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.05)
    return result
