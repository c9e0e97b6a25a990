from __future__ import annotations

import json
from typing import Any

import pytest

from tests.components.recorder import declared, of, the_only
from tests.components.stacks import job, stack
from tests.components.test_network import MEGA
from trainingjobs.components import tokens

A2 = {"machineType": "a2-highgpu-8g"}
JOBSET = tokens.kubernetes_object("jobset.x-k8s.io/v1alpha2", "JobSet")
NAMESPACE = tokens.kubernetes_object("v1", "Namespace")
QUOTA = tokens.kubernetes_object("v1", "ResourceQuota")
ACCOUNT = tokens.kubernetes_object("v1", "ServiceAccount")


def templates(jobset: Any) -> list[Any]:
    return [each["template"]["spec"]["template"] for each in jobset["spec"]["replicatedJobs"]]


def test_a_cluster_is_private_protected_by_environment_and_watched() -> None:
    body = the_only(declared(stack({"a": job(A2)})), tokens.GKE_CLUSTER)
    assert body["privateClusterConfig"]["enablePrivateNodes"] is True
    assert body["workloadIdentityConfig"] == {"workloadPool": "acme-ml-dev.svc.id.goog"}
    assert body["datapathProvider"] == "ADVANCED_DATAPATH"
    assert "DCGM" in body["monitoringConfig"]["enableComponents"]
    assert body["deletionProtection"] is False
    prod = stack({"a": job(A2, serviceAccount="x@acme-ml-dev.iam.gserviceaccount.com")}, environment="prod")
    assert the_only(declared(prod), tokens.GKE_CLUSTER)["deletionProtection"] is True


def test_pods_run_on_their_pool_as_the_jobs_account() -> None:
    resources = declared(stack({"a": job(A2)}))
    pool = next(each.inputs["name"] for each in of(resources, tokens.NODE_POOL) if each.name != "system")
    for template in templates(the_only(resources, JOBSET)):
        assert template["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] == pool
        assert template["spec"]["serviceAccountName"] == "a"
        limits = template["spec"]["containers"][0]["resources"]["limits"]
        assert limits == {"nvidia.com/gpu": "8"}
    account = the_only(resources, ACCOUNT)
    email = account["metadata"]["annotations"]["iam.gke.io/gcp-service-account"]
    binding = the_only(resources, tokens.SERVICE_ACCOUNT_IAM_MEMBER)
    assert email in binding["serviceAccountId"]
    assert binding["member"] == "serviceAccount:acme-ml-dev.svc.id.goog[training/a]"


def test_a_namespace_holds_what_its_jobs_declare() -> None:
    resources = declared(stack({"a": job(A2, 3), "b": job(A2, 1, namespace="other")}))
    assert {each.inputs["metadata"]["name"] for each in of(resources, NAMESPACE)} == {"training", "other"}
    hard = the_only(resources, QUOTA, "training-quota")["spec"]["hard"]
    assert hard == {"pods": "8", "requests.nvidia.com/gpu": "32"}


def test_gpu_networks_reach_the_pods() -> None:
    resources = declared(stack({"a": job(MEGA, 3)}))
    assert len(of(resources, tokens.kubernetes_object("networking.gke.io/v1", "Network"))) == 8
    (first, *_) = templates(the_only(resources, JOBSET))
    interfaces = json.loads(first["metadata"]["annotations"]["networking.gke.io/interfaces"])
    assert len(interfaces) == 9
    assert {each["network"] for each in interfaces[1:]} == {f"a3-megagpu-8g-gpu-{i}" for i in range(8)}


@pytest.mark.parametrize("kind", ["tfjob", "pytorchjob", "jobset", "pods"])
def test_every_kind_has_an_object_that_stands_for_it(kind: str) -> None:
    kubernetes = {"queueName": "gpus", "priorityClassName": "high"}
    document = job(A2, 1, kind=kind, waitFor="succeeded", kubernetes=kubernetes)
    resources = declared(stack({"a": document}))
    made = [each for each in resources if each.token.startswith("kubernetes:") and each.name.startswith("a")]
    assert "high" in str([each.inputs for each in made])
    queued = [each for each in made if "kueue.x-k8s.io/queue-name" in each.inputs["metadata"].get("labels", {})]
    assert len(queued) == (2 if kind == "pods" else 1)
    wait = the_only(resources, "trainingjobs:index:Completion")
    assert wait["job"].endswith("#0000-0001")
    assert wait["job"].startswith("namespaces/training/")
    assert "gke-gcloud-auth-plugin" in wait["kubeconfig"]


def test_gang_and_ttl_are_the_operators() -> None:
    settings = {"gangScheduling": True, "ttlSecondsAfterFinished": 3600}
    resources = declared(stack({"a": job(A2, 3, kind="tfjob", kubernetes=settings)}))
    policy = the_only(resources, tokens.kubernetes_object("kubeflow.org/v1", "TFJob"))["spec"]["runPolicy"]
    assert policy["schedulingPolicy"] == {"minAvailable": 4}
    assert policy["ttlSecondsAfterFinished"] == 3600


def test_any_kubernetes_asks_nothing_of_google() -> None:
    document = job({}, 1, platform="kubernetes", kind="pods", namespace="mine")
    document["pools"] = {"primary": {"replicaCount": 1}, "workers": {"replicaCount": 1}}
    resources = declared(stack({"a": document}, network=None, cluster={"context": "ocp", "createNamespaces": False}))
    assert not [each for each in resources if each.token.startswith(("gcp:", "pulumi:providers:gcp"))]
    assert not of(resources, NAMESPACE)
    provider = the_only(resources, "pulumi:providers:kubernetes")
    assert provider["context"] == "ocp"


def test_an_existing_cluster_gets_pools_and_is_not_declared() -> None:
    resources = declared(stack({"a": job(A2)}, network=None, cluster={"existing": "shared", "location": "us-east1"}))
    assert not of(resources, tokens.GKE_CLUSTER)
    (pool,) = of(resources, tokens.NODE_POOL)
    assert (pool.inputs["cluster"], pool.inputs["location"]) == ("shared", "us-east1")
    assert "203.0.113.2" in the_only(resources, "pulumi:providers:kubernetes")["kubeconfig"]
