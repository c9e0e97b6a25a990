"""The real engine and the real Kubernetes provider: what a program declares is in the cluster, and goes again."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from tests.kubernetes.cluster import Cluster, until
from tests.kubernetes.engine import Project
from tests.kubernetes.jobs import TFJOB, tfjob

PROGRAM = """
import json
import pulumi, pulumi_kubernetes as k8s

namespace, job = json.loads({inputs!r})
made = k8s.core.v1.Namespace("namespace", metadata={{"name": namespace}})
k8s.apiextensions.CustomResource(
    "job", api_version=job["apiVersion"], kind=job["kind"],
    metadata={{"name": job["metadata"]["name"], "namespace": made.metadata["name"]}},
    spec=job["spec"],
)
"""


def test_up_makes_a_namespace_and_a_job_and_destroy_leaves_nothing(cluster: Cluster, tmp_path: Path) -> None:
    namespace = f"training-test-{secrets.token_hex(4)}"
    inputs = json.dumps([namespace, tfjob("demo", {"Chief": 1, "Worker": 2})])
    project = Project(tmp_path, cluster.kubeconfig, PROGRAM.format(inputs=inputs))
    inside = Cluster(client=cluster.client, namespace=namespace, kubeconfig=cluster.kubeconfig)

    project.pulumi("up", "--yes", "--skip-preview")
    assert inside.pods(3).keys() == {"demo-chief-0", "demo-worker-0", "demo-worker-1"}

    project.pulumi("destroy", "--yes", "--skip-preview")
    assert project.resources() == []
    assert inside.get(*TFJOB, "demo") is None
    assert inside.items("v1", "Pod") == {}
    until(lambda: namespace not in _namespaces(cluster), "the namespace is gone")


def _namespaces(cluster: Cluster) -> list[str]:
    return [each["metadata"]["name"] for each in cluster.client.items("v1", "Namespace")]
