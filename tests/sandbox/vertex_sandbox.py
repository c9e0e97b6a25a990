"""A sandbox of a test's own: the real server process, spoken to by real HTTP, with programs of the test as images."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
PARENT = "projects/acme-ml-sandbox/locations/us-central1"
PYTHON = "registry.example/test/python"
EXECUTOR = "registry.example/test/executor"
REDUCER = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
POLL = 0.02
PATIENCE = 30.0


class Answer:
    """An answer of the server: status, headers, and the body read as JSON."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = dict(response.getheaders())
        self.text = response.read().decode()

    @property
    def body(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.text)


class Sandbox:
    """A sandbox with its state in `folder`; `start` it before anything else."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = ROOT, folder / "state"
        images = folder / "images.json"
        own = json.loads((ROOT / "sandbox" / "images.json").read_text())
        modules = folder / "modules"
        modules.mkdir()
        own[PYTHON] = {"entrypoint": ["{python}"]}
        own[EXECUTOR] = {"entrypoint": ["{python}"], "pythonpath": [str(modules)]}
        own["registry.example/test/elsewhere"] = {"path": [str(folder / "missing")]}
        own["registry.example/test/empty"] = {}
        images.write_text(json.dumps(own))
        self.modules = modules
        self.images = images
        self.environment = {**os.environ, "TRAINING_SANDBOX": str(self.state), "TRAINING_SANDBOX_IMAGES": str(images)}

    def verb(self, verb: str) -> subprocess.CompletedProcess[str]:
        """Runs `python -m sandbox VERB`."""
        command = [sys.executable, "-m", "sandbox", verb]
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def start(self) -> None:
        """Starts the server; a failure to do so fails the test."""
        done = self.verb("start")
        assert done.returncode == 0, done.stderr

    @property
    def api(self) -> dict[str, Any]:
        """What api.json says."""
        return json.loads((self.state / "api.json").read_text())

    def request(self, method: str, path: str, body: object = None, *, token: str | None = None) -> Answer:
        """Sends one request on a connection of its own."""
        address = self.api["endpoint"].removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=20)
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.api['token'] if token is None else token}"}
        try:
            connection.request(method, path, content, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def create(self, body: object, collection: str = "customJobs") -> Any:
        """Returns the record of a new job."""
        answer = self.request("POST", f"/v1/{PARENT}/{collection}", body)
        assert answer.status == 200, answer.text
        return answer.body

    def refused(self, body: object, collection: str = "customJobs") -> Any:
        """Returns the error that a create request is refused with."""
        answer = self.request("POST", f"/v1/{PARENT}/{collection}", body)
        assert answer.status >= 400, answer.text
        return answer.body["error"]

    def get(self, name: str) -> Any:
        """Returns the record of a job."""
        answer = self.request("GET", f"/v1/{name}")
        assert answer.status == 200, answer.text
        return answer.body

    def listed(self, collection: str = "customJobs", **query: object) -> Any:
        """Returns the answer to a list request."""
        return self.request("GET", f"/v1/{PARENT}/{collection}?{urlencode(query)}").body

    def wait(self, name: str, *states: str, seconds: float = PATIENCE) -> Any:
        """Returns the job once its state ends with one of `states`: by default once it has ended."""
        wanted = states or ("SUCCEEDED", "FAILED", "CANCELLED")
        return until(lambda: (job := self.get(name))["state"].endswith(wanted) and job, seconds)

    def run(self, body: object, collection: str = "customJobs", *, seconds: float = PATIENCE) -> Any:
        """Returns a new job once it has ended."""
        return self.wait(self.create(body, collection)["name"], seconds=seconds)

    def log(self, job: dict[str, Any], replica: str = "workerpool0-0", trial: str = "") -> str:
        """Returns the log of a replica."""
        return (self.state / "logs" / (number(job) + trial) / f"{replica}.log").read_text()

    def processes(self) -> list[int]:
        """Returns the processes with this sandbox's folder in their environment: server, runners, replicas."""
        pids = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            if (
                any(str(place).encode() in environment for place in (self.state, self.images))
                and int(folder.name) != os.getpid()
            ):
                pids.append(int(folder.name))
        return pids


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Returns the first true value of `condition`; a test fails that waits too long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(POLL)
    raise AssertionError("waited too long")


def number(job: dict[str, Any]) -> str:
    """Returns the number of a job."""
    return str(job["name"]).rpartition("/")[2]


def pool(code: str = "", *, replicas: int = 1, image: str = PYTHON, **container: object) -> dict[str, Any]:
    """Returns a worker pool whose replicas run a piece of Python."""
    spec: dict[str, Any] = {"imageUri": image, **({"args": ["-c", code]} if code else {}), **container}
    return {"replicaCount": replicas, "machineSpec": {"machineType": "n1-standard-4"}, "containerSpec": spec}


def job(
    *pools: dict[str, Any], name: str = "a job", labels: dict[str, str] | None = None, **spec: object
) -> dict[str, Any]:
    """Returns a CustomJob of these worker pools."""
    body: dict[str, Any] = {"displayName": name, "jobSpec": {"workerPoolSpecs": list(pools), **spec}}
    return {**body, **({"labels": labels} if labels else {})}


WAITS = "import time\nprint('up', flush=True)\ntime.sleep(600)"
