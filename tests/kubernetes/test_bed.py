"""The API server and the real controllers do what tests and the sandbox count on."""

from __future__ import annotations

import json

import pytest

from sandbox.kubernetes.client import KubernetesError
from tests.kubernetes.cluster import Cluster, until
from tests.kubernetes.jobs import JOBSET, TFJOB, jobset, tfjob

ROLES = {"Chief": 1, "Worker": 2, "PS": 1, "Evaluator": 1}


def test_server_answers(cluster: Cluster) -> None:
    assert cluster.client.request("GET", "/version")["major"] == "1"
    assert cluster.client.healthy("/readyz")


def test_namespace_that_is_deleted_goes(cluster: Cluster) -> None:
    cluster.client.delete("v1", "Namespace", cluster.namespace)
    listed = lambda: [n["metadata"]["name"] for n in cluster.client.items("v1", "Namespace")]  # noqa: E731
    until(lambda: cluster.namespace not in listed(), "the namespace goes")


def test_dry_run_checks_and_keeps_nothing(cluster: Cluster) -> None:
    answer = cluster.apply(tfjob("demo", ROLES), dry_run=True)
    assert answer["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] == 2
    assert cluster.get(*TFJOB, "demo") is None


def test_unknown_field_is_refused(cluster: Cluster) -> None:
    wrong = tfjob("demo", ROLES)
    wrong["spec"]["tfReplicaSpecs"]["Chief"]["replica"] = 1
    with pytest.raises(KubernetesError, match=r"replica\b"):
        cluster.apply(wrong, dry_run=True)


@pytest.mark.parametrize(
    ("item", "named"),
    [
        pytest.param(tfjob("1-demo", ROLES), "metadata.name", id="training-operator"),
        pytest.param(jobset("a" * 70, {"primary": 1}), "63", id="jobset"),
    ],
)
def test_admission_webhook_refuses(cluster: Cluster, item: dict[str, object], named: str) -> None:
    with pytest.raises(KubernetesError, match=named) as refused:
        cluster.apply(item, dry_run=True)
    assert "admission webhook" in str(refused.value)


def test_tfjob_becomes_pods_and_services(cluster: Cluster) -> None:
    cluster.apply(tfjob("demo", ROLES))
    pods = cluster.pods(5)
    names = {"demo-chief-0", "demo-worker-0", "demo-worker-1", "demo-ps-0", "demo-evaluator-0"}
    assert pods.keys() == names
    assert until(lambda: cluster.items("v1", "Service").keys() == names, "a service for each pod")
    for name, pod in pods.items():
        (container,) = pod["spec"]["containers"]
        described = json.loads(next(each["value"] for each in container["env"] if each["name"] == "TF_CONFIG"))
        kind, index = name.removeprefix("demo-").rsplit("-", 1)
        assert described["task"] == {"type": kind, "index": int(index)}
        assert described["cluster"]["worker"] == [f"demo-worker-{i}.{cluster.namespace}.svc:2222" for i in (0, 1)]
        assert described["cluster"].keys() == {"chief", "worker", "ps", "evaluator"}


def test_tfjob_ends_with_its_chief(cluster: Cluster) -> None:
    cluster.apply(tfjob("demo", ROLES))
    pods = cluster.pods(5)
    cluster.run(*pods.values())
    cluster.condition(*TFJOB, "demo", "Running")
    cluster.end(pods["demo-chief-0"])
    cluster.condition(*TFJOB, "demo", "Succeeded")
    until(lambda: cluster.items("v1", "Pod").keys() == {"demo-chief-0"}, "replicas that still ran are stopped")


def test_tfjob_fails_with_its_chief(cluster: Cluster) -> None:
    cluster.apply(tfjob("demo", ROLES))
    pods = cluster.pods(5)
    cluster.run(*pods.values())
    cluster.end(pods["demo-chief-0"], code=3, message="no such bucket")
    assert "demo" in cluster.condition(*TFJOB, "demo", "Failed")["message"]


def test_jobset_becomes_jobs_and_pods_with_names(cluster: Cluster) -> None:
    cluster.apply(jobset("train", {"primary": 1, "worker": 2}))
    pods = cluster.pods(3)
    assert cluster.items("batch/v1", "Job").keys() == {"train-primary-0", "train-worker-0"}
    assert {pod["spec"]["hostname"] for pod in pods.values()} == {
        "train-primary-0-0",
        "train-worker-0-0",
        "train-worker-0-1",
    }
    assert {pod["spec"]["subdomain"] for pod in pods.values()} == {"train"}
    assert cluster.items("v1", "Service")["train"]["spec"]["clusterIP"] == "None"


@pytest.mark.parametrize(("code", "wanted"), [(0, "Completed"), (1, "Failed")])
def test_jobset_ends_with_its_primary(cluster: Cluster, code: int, wanted: str) -> None:
    cluster.apply(jobset("train", {"primary": 1, "worker": 2}))
    pods = cluster.pods(3)
    cluster.run(*pods.values())
    (primary,) = (pod for pod in pods.values() if pod["spec"]["hostname"] == "train-primary-0-0")
    cluster.end(primary, code)
    cluster.condition(*JOBSET, "train", wanted)
