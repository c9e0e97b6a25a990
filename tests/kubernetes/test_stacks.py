"""Stacks whose jobs run in a cluster: the real engine, provider, API server and controllers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster, until
from tests.kubernetes.stack_run import StackRun
from trainingjobs.workloads.kubeflow_environment import operator_host, replica_environment

IMAGE = "us-docker.pkg.dev/acme/train/bert@sha256:" + "0" * 64
JOBSET = ("jobset.x-k8s.io/v1alpha2", "JobSet")
TFJOB = ("kubeflow.org/v1", "TFJob")


def config(cluster: Cluster, job: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns a stack on the tests' cluster: GKE-shaped for a job of gke."""
    base = {"framework": "tensorflow", "namespace": f"{cluster.namespace}-jobs", "container": {"imageUri": IMAGE}}
    reached: dict[str, Any] = {"kubeconfig": str(cluster.kubeconfig)}
    gke = job["platform"] == "gke"
    settings: dict[str, Any] = {
        "gcp:project": "acme-ml-sandbox",
        "gcp:region": "us-central1",
        "training:environment": "sandbox",
        "training:cluster": {**reached, **({"name": "trainers", "location": "us-central1-a"} if gke else {})},
        "training:jobs": {"bert": {**base, **job}},
    }
    if gke:
        settings["training:network"] = {"cidr": "10.20.0.0/16"}
    return {**settings, **more}


GPUS = {"primary": {"machineType": "g2-standard-12"}, "workers": {"replicaCount": 2}}
CPUS = {
    "primary": {"replicaCount": 1},
    "workers": {"replicaCount": 2},
    "parameterServers": {"replicaCount": 1},
    "evaluators": {"replicaCount": 1},
}


@pytest.fixture
def inside(cluster: Cluster) -> Iterator[Cluster]:
    """The namespace that the stacks declare."""
    namespace = f"{cluster.namespace}-jobs"
    yield Cluster(client=cluster.client, namespace=namespace, kubeconfig=cluster.kubeconfig)
    if namespace in {each["metadata"]["name"] for each in cluster.client.items("v1", "Namespace")}:
        cluster.client.delete("v1", "Namespace", namespace)


def environment(pod: Any) -> dict[str, str]:
    entries = pod["spec"]["containers"][0].get("env", [])
    return {entry["name"]: entry.get("value", "") for entry in entries}


def by_role(pods: dict[str, Any]) -> dict[str, Any]:
    return {f"{pod['metadata']['labels']['training-role']}": pod for pod in pods.values()}


def test_a_gke_stack_runs_its_job_and_leaves_nothing(cluster: Cluster, inside: Cluster, tmp_path: Path) -> None:
    job = {"platform": "gke", "kind": "jobset", "pools": GPUS, "waitFor": "succeeded"}
    stack = StackRun(tmp_path, config(cluster, job))
    update = stack.start("up")
    pods = inside.pods(3)
    for pod in pods.values():
        assert pod["spec"]["serviceAccountName"] == "bert"
        assert pod["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"].startswith("g2-standard-12")
    (quota,) = inside.items("v1", "ResourceQuota").values()
    assert quota["spec"]["hard"]["requests.nvidia.com/gpu"] == "3"
    # Every host that TF_CONFIG names is a pod's host name under the service that the controller made.
    hosts = {
        f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}.{inside.namespace}.svc:2222" for pod in pods.values()
    }
    primary = by_role(pods)["primary"]
    named = json.loads(environment(primary)["TF_CONFIG"])["cluster"]
    assert {host for members in named.values() for host in members} == hosts
    assert set(inside.items("v1", "Service")) == {"bert"}
    inside.run(*pods.values())
    assert update.poll() is None
    inside.end(primary)
    status, output = stack.end(update)
    assert status == 0, output
    wait = next(each for urn, each in stack.resources().items() if "Completion" in urn)
    assert wait["outputs"]["state"] == "JOB_STATE_SUCCEEDED"
    again = stack.run("up")
    assert "unchanged" in again
    assert not [word for word in ("created", "updated", "replaced", "deleted") if word in again]
    stack.run("destroy")
    assert stack.resources() == {}
    until(lambda: inside.items("v1", "Pod") == {}, "the pods are gone")


def test_a_failed_primary_fails_the_update_with_its_reason(cluster: Cluster, inside: Cluster, tmp_path: Path) -> None:
    job = {"platform": "kubernetes", "kind": "jobset", "pools": CPUS, "waitFor": "succeeded"}
    stack = StackRun(tmp_path, config(cluster, job))
    update = stack.start("up")
    pods = inside.pods(5)
    inside.run(*pods.values())
    inside.end(by_role(pods)["primary"], 3, "the loss is not a number")
    status, output = stack.end(update)
    assert status != 0
    assert "ended as FAILED" in output
    assert "the loss is not a number" in output
    assert "raise the job's `run`" in output
    assert not [urn for urn in stack.resources() if "Completion" in urn]
    assert inside.get(*JOBSET, "bert") is not None


def test_the_operators_tf_config_is_our_dialect(cluster: Cluster, inside: Cluster, tmp_path: Path) -> None:
    stack = StackRun(tmp_path, config(cluster, {"platform": "kubernetes", "kind": "tfjob", "pools": CPUS}))
    stack.run("up")
    pods = inside.pods(5)
    counts = {"chief": 1, "worker": 2, "ps": 1, "evaluator": 1}
    host = operator_host("bert", inside.namespace)
    for kind, count in counts.items():
        for index in range(count):
            given = environment(pods[f"bert-{kind}-{index}"])["TF_CONFIG"]
            expected = replica_environment(counts, kind, index, host=host)["TF_CONFIG"]
            assert json.loads(given) == json.loads(expected)
    stack.run("destroy")
    assert inside.get(*TFJOB, "bert") is None


def test_another_run_is_another_job_and_nothing_else_is(cluster: Cluster, inside: Cluster, tmp_path: Path) -> None:
    job = {"platform": "kubernetes", "kind": "tfjob", "pools": CPUS}
    stack = StackRun(tmp_path, config(cluster, job))
    stack.run("up")
    first = (inside.get(*TFJOB, "bert") or {})["metadata"]["uid"]
    stack.configure(config(cluster, {**job, "labels": {"team": "a"}}))
    stack.configure(config(cluster, job))
    stack.run("up")
    assert (inside.get(*TFJOB, "bert") or {})["metadata"]["uid"] == first
    stack.configure(config(cluster, {**job, "run": 2}))
    stack.run("up")
    assert (inside.get(*TFJOB, "bert") or {})["metadata"]["uid"] != first


def test_bare_pods_run_without_an_operator(cluster: Cluster, inside: Cluster, tmp_path: Path) -> None:
    job = {"platform": "kubernetes", "kind": "pods", "pools": CPUS, "waitFor": "running"}
    stack = StackRun(tmp_path, config(cluster, job))
    update = stack.start("up")
    pods = inside.pods(5)
    for pod in pods.values():
        security = pod["spec"]["containers"][0]["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert "runAsUser" not in str(pod["spec"])
    inside.run(*pods.values())
    status, output = stack.end(update)
    assert status == 0, output
    stack.run("destroy")
    assert inside.items("v1", "Service") == {}
