"""A Kubernetes API server with the real controllers: one that is started for the tests, or the one KUBECONFIG names.

Against either, each test has a namespace of its own. Nothing runs the pods: a test says how they fare, by their status.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.kubernetes.client import Client, KubernetesError
from sandbox.kubernetes.lifecycle import start, stop
from tests.kubernetes.cluster import Cluster, until


# Not for longer: an idle control plane takes processor time from the tests of other folders.
@pytest.fixture(scope="package")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    given = os.environ.get("KUBECONFIG")
    if given:
        yield Path(given)
        return
    folder = tmp_path_factory.mktemp("control-plane")
    try:
        yield start(folder, kubelet=False, say=print).kubeconfig
    finally:
        stop(folder)


@pytest.fixture
def cluster(kubeconfig: Path) -> Iterator[Cluster]:
    client = Client.of(kubeconfig)
    namespace = f"training-test-{secrets.token_hex(4)}"
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    try:
        # Until the controller has made it, a pod in the namespace is refused.
        until(lambda: _there(client, namespace), "the namespace has its default service account")
        yield Cluster(client=client, namespace=namespace, kubeconfig=kubeconfig)
    finally:
        client.delete("v1", "Namespace", namespace)


def _there(client: Client, namespace: str) -> bool:
    try:
        return bool(client.get("v1", "ServiceAccount", "default", namespace))
    except KubernetesError:
        return False
