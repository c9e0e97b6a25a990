"""What a stack declares of a job, with everything that a cluster can be told, passes the API server's strict checks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster
from tests.unit.jobs import plan_job
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.kubernetes import Placement, deployed

SETTINGS = {
    "queueName": "gpus",
    "priorityClassName": "system-cluster-critical",
    "ttlSecondsAfterFinished": 60,
    "gangScheduling": True,
}


@pytest.mark.parametrize("kind", ["jobset", "tfjob", "pytorchjob", "pods"])
def test_strict_validation_accepts_it(cluster: Cluster, kind: str) -> None:
    document: dict[str, Any] = {
        "platform": "gke",
        "kind": kind,
        "framework": "pytorch",
        "namespace": cluster.namespace,
        "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64, "env": {"A": "b"}},
        "pools": {"primary": {"machineType": "a3-megagpu-8g"}, "workers": {"replicaCount": 3}},
        "scheduling": {"strategy": "SPOT", "timeout": "3600s", "restartJobOnWorkerRestart": True},
        "kubernetes": SETTINGS,
    }
    reading = read_job(document)
    assert reading.findings == ()
    plan = plan_job("bert", reading.value)
    placement = Placement(
        node_pools={"primary": "pool-a", "workers": "pool-b"},
        gpu_networks={"primary": ("gpu-0", "gpu-1"), "workers": ("gpu-0", "gpu-1")},
        service_account="default",
    )
    objects, _ = deployed(plan, placement)
    for each in objects:
        accepted = cluster.apply(each, dry_run=True)
        assert accepted["metadata"]["annotations"]["training/run"] == "1"


@pytest.mark.parametrize("kind", ["jobset", "tfjob", "pods"])
def test_restricted_namespaces_take_it(cluster: Cluster, kind: str) -> None:
    enforce = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.client.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": cluster.namespace, "labels": enforce}}
    )
    document = {
        "platform": "kubernetes",
        "kind": kind,
        "framework": "tensorflow",
        "namespace": cluster.namespace,
        "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64},
        "pools": {
            "primary": {"replicaCount": 1},
            "workers": {"replicaCount": 2},
            "parameterServers": {"replicaCount": 1},
        },
    }
    objects, _ = deployed(plan_job("mnist", read_job(document).value), Placement())
    for each in objects:
        cluster.apply(each)
    # The controllers' pods pass the namespace's admission, or there would be none.
    assert len(cluster.pods(4)) == 4
