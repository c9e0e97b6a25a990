"""A cluster of the sandbox shows the API server that was started there, and nothing that answers without one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from sandbox.gcp import control_plane
from sandbox.gcp.service_types import cluster_outputs
from sandbox.kubernetes.kubeconfig import write_kubeconfig

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = {"name": "c", "location": "us-central1-a", "project": "p"}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINING_SANDBOX", str(tmp_path))
    (tmp_path / "kubernetes").mkdir()
    return tmp_path


def test_without_an_api_server_nothing_answers(state: Path) -> None:
    shown = cluster_outputs(CLUSTER)
    assert shown["endpoint"].startswith("203.0.113.")
    assert shown["masterAuth"]["clusterCaCertificate"] == control_plane.NO_CERTIFICATE


def test_the_api_server_is_the_clusters(state: Path) -> None:
    file = state / "kubernetes" / "kubeconfig"
    write_kubeconfig(file, server="https://127.0.0.1:4321", authority="PEM", token="secret")
    shown = cluster_outputs(CLUSTER)
    assert shown["endpoint"] == "127.0.0.1:4321"
    assert shown["masterAuth"]["clusterCaCertificate"] == "UEVN"
    plugin = ROOT / "sandbox" / "bin" / "gke-gcloud-auth-plugin"
    printed = subprocess.run([plugin], env={**os.environ}, capture_output=True, check=True, text=True).stdout
    assert json.loads(printed)["status"] == {"token": "secret"}
