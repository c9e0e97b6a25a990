"""TensorFlow itself as a job of the sandbox: its servers listen on every address, so each needs a port of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.vertex_sandbox import ROOT, Sandbox, job, pool

IMAGE = "registry.example/test/tensorflow"
SECONDS = 120
PYTHON = ROOT / ".venv-frameworks" / "bin" / "python"


@pytest.fixture
def tensorflow(own_vertex: Sandbox) -> Sandbox:
    assert PYTHON.exists(), "no .venv-frameworks: `make .venv-frameworks/.made`"
    file = own_vertex.images
    launched = [str(PYTHON), "-m", "trainingjobs.launcher", "--framework=tensorflow", "--", str(PYTHON)]
    file.write_text(json.dumps({IMAGE: {"entrypoint": launched, "pythonpath": [str(ROOT)]}}))
    own_vertex.start()
    return own_vertex


def run(sandbox: Sandbox, script: str, *replicas: int) -> dict[str, Any]:
    """Returns what the primary says of its world in its last line."""
    quiet = [{"name": "TF_CPP_MIN_LOG_LEVEL", "value": "1"}, {"name": "CUDA_VISIBLE_DEVICES", "value": "-1"}]
    program = {"image": IMAGE, "args": [str(ROOT / "tests" / "frameworks" / script)], "env": quiet}
    ended = sandbox.run(job(*(pool(replicas=count, **program) for count in replicas)), seconds=SECONDS)
    assert ended["state"] == "JOB_STATE_SUCCEEDED", ended
    report: dict[str, Any] = json.loads(sandbox.log(ended).splitlines()[-1])
    return report


def test_mirrored_workers_train_a_step_together(tensorflow: Sandbox) -> None:
    report = run(tensorflow, "mirrored.py", 1, 2)
    assert (report["replicas"], report["ranks"]) == (3, 3.0)


def test_a_chief_trains_on_workers_with_its_variables_on_two_parameter_servers(tensorflow: Sandbox) -> None:
    report = run(tensorflow, "parameter_server.py", 1, 2, 2)
    assert {key: len(members) for key, members in report["cluster"].items()} == {"chief": 1, "worker": 2, "ps": 2}
    assert {"job:ps/task:0", "job:ps/task:1", "job:worker/task:1"} <= set(report["devices"])
    assert report["weight"] == pytest.approx(3 - 2 / 2**4)
