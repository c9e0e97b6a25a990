"""examples/digits: one primary and two workers, three real processes, started by the launcher."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-digits" / "bin" / "python"
ENTRYPOINT = ["-m", "trainingjobs.launcher", "--framework=jax", "--", "python", "train.py"]


@pytest.fixture(scope="module")
def addresses() -> list[str]:
    """Returns three loopback addresses of this test's own, on which port 2222 is free."""
    for block in range(os.getpid() % 200 + 20, 255):
        with socket.socket() as probe:
            try:
                probe.bind((f"127.0.{block}.1", 2222))
            except OSError:
                continue
        return [f"127.0.{block}.{i}:2222" for i in (1, 2, 3)]
    raise AssertionError("port 2222 is taken on every loopback address tried")


def start(addresses: list[str], number: int, folder: Path) -> subprocess.Popen[str]:
    task = {"type": "workerpool1", "index": number - 1} if number else {"type": "workerpool0", "index": 0}
    cluster = {"workerpool0": addresses[:1], "workerpool1": addresses[1:]}
    environ = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environ.update(
        CLUSTER_SPEC=json.dumps({"cluster": cluster, "environment": "cloud", "task": task}),
        TF_CONFIG="",
        AIP_MODEL_DIR=str(folder),
        PYTHONPATH=str(ROOT),
        PATH=f"{PYTHON.parent}:{os.environ['PATH']}",
    )
    return subprocess.Popen(
        [str(PYTHON), *ENTRYPOINT], cwd=ROOT / "examples" / "digits", env=environ, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("place", "folder"), [("gs://bucket/run/model/", "/gcs/bucket/run/model"), ("/data/m", "/data/m"), ("", "model")]
)
def test_where_the_model_goes(place: str, folder: str) -> None:
    code = "import train; print(train.model_folder())"
    environ = {**os.environ, "AIP_MODEL_DIR": place}
    example = ROOT / "examples" / "digits"
    done = subprocess.run(
        [str(PYTHON), "-c", code], cwd=example, env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == folder


def test_three_processes_train_one_model(addresses: list[str], tmp_path: Path) -> None:
    assert PYTHON.exists(), "no .venv-digits: make it with `python -m venv` and examples/digits/requirements.txt"
    replicas = [start(addresses, number, tmp_path / "model") for number in range(3)]
    try:
        ends = [replica.communicate(timeout=240) for replica in replicas]
    finally:
        for replica in replicas:
            replica.kill()
    assert [replica.returncode for replica in replicas] == [0, 0, 0], [err[-2000:] for _, err in ends]
    out = ends[0][0]
    assert "process 0 of 3" in out
    assert all(f"process {number} of 3" in ends[number][0] for number in (1, 2))
    losses = [float(loss) for loss in re.findall(r"^step \d+ loss (\S+)$", out, re.MULTILINE)]
    assert len(losses) > 3
    assert losses[-1] < losses[0] / 10
    accuracy = re.search(r"^accuracy (0\.\d+)$", out, re.MULTILINE)
    assert accuracy
    assert float(accuracy[1]) > 0.93
    assert not any("accuracy" in text for text, _ in ends[1:])
    metrics = json.loads((tmp_path / "model" / "metrics.json").read_text())
    assert metrics["processes"] == 3
    assert metrics["accuracy"] == pytest.approx(float(accuracy[1]), abs=0.001)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["metrics.json", "model.npz"]
