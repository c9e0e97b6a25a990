"""What `render` writes is what the real API server and the real controllers take, and `env` is what pods get."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster
from tests.unit.jobs import plan_job
from tests.unit.workloads.samples import CPU, V100, job, planned
from trainingjobs.convert.environments import replica_environment
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads import jobset, pods
from trainingjobs.workloads.kubernetes import kubernetes_workloads
from trainingjobs.workloads.registry import workload

KINDS = [kind.kind for kind in kubernetes_workloads()]
SCHEDULING = {"strategy": "SPOT", "timeout": "3600s", "restartJobOnWorkerRestart": True}


def document(kind: str, namespace: str) -> dict[str, Any]:
    spec = job(platform="gke", kind=kind, namespace=namespace, scheduling=SCHEDULING)
    if kind == "pytorchjob":
        spec["pools"] = {"primary": V100, "workers": {"replicaCount": 2}}
    return spec


def environment(pod: dict[str, Any]) -> dict[str, str]:
    """Returns the pod's variables, with references expanded as the kubelet expands them."""
    index = pod["metadata"].get("annotations", {}).get("batch.kubernetes.io/job-completion-index", "")
    (container,) = pod["spec"]["containers"]
    return {
        entry["name"]: entry["value"].replace("$(REPLICA_INDEX)", index)
        for entry in container.get("env", [])
        if "value" in entry
    }


@pytest.mark.parametrize("kind", ["tfjob", "pytorchjob", "jobset"])
def test_pods_get_what_env_says(cluster: Cluster, kind: str) -> None:
    plan = planned(document(kind, cluster.namespace))
    cluster.apply(workload(kind).render(plan)[0])
    count = sum(pool.replica_count for pool in plan.pools)
    replicas = set()
    for pod in cluster.pods(count).values():
        role = pod["metadata"]["labels"]["training-role"]
        annotations = pod["metadata"].get("annotations", {})
        index = annotations.get("batch.kubernetes.io/job-completion-index") or pod["metadata"]["labels"].get(
            "training.kubeflow.org/replica-index"
        )
        expected = replica_environment(plan, role, int(index or 0))
        variables = environment(pod)
        assert {name: variables.get(name) for name in expected} == expected
        assert "TF_CONFIG" in expected or kind == "pytorchjob"
        replicas.add((role, index))
    assert len(replicas) == count


def test_a_jobsets_hosts_are_those_of_its_tf_config(cluster: Cluster) -> None:
    plan = planned(document("jobset", cluster.namespace))
    cluster.apply(workload("jobset").render(plan)[0])
    hosts = {
        f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}.{cluster.namespace}.svc:2222"
        for pod in cluster.pods(5).values()
    }
    described = json.loads(jobset.replica_environment(plan, "primary", 0)["TF_CONFIG"])["cluster"]
    assert {host for members in described.values() for host in members} == hosts


def test_bare_pods_are_taken(cluster: Cluster) -> None:
    plan = planned(document("pods", cluster.namespace))
    body, _ = workload("pods").render(plan)
    for item in body["items"]:
        cluster.apply(item)
    hosts = {
        f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}.{cluster.namespace}.svc:2222"
        for pod in cluster.pods(5).values()
    }
    described = json.loads(pods.replica_environment(plan, "primary", 0)["TF_CONFIG"])["cluster"]
    assert {host for members in described.values() for host in members} == hosts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["job", "a-name-of-more-than-forty-characters-for-one-training-job"])
def test_a_namespace_of_the_restricted_profile_takes_the_pods(cluster: Cluster, kind: str, name: str) -> None:
    """Except for a PyTorchJob's workers: the operator gives them an init container without a security context."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"name": cluster.namespace, "labels": labels}
    cluster.client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": namespace})
    workers = {} if kind == "pytorchjob" else {"workers": {"replicaCount": 11}}
    spec = {**document(kind, cluster.namespace), "pools": {"primary": CPU, **workers}}
    body, _ = workload(kind).render(plan_job(name, read_job(spec).value))
    for item in body.get("items", [body]):
        cluster.apply(item)
    cluster.pods(12 if workers else 1)
