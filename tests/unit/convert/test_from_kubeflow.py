"""TFJobs and PyTorchJobs as job documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.jobs import judge_document
from tests.unit.workloads.samples import converted, keys, planned
from trainingjobs.convert.environments import replica_environment
from trainingjobs.convert.recognise import recognise
from trainingjobs.workloads.registry import workload


def template(**spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "tensorflow", "image": "a/b", "command": ["python", "t.py"]}], **spec}}


def tfjob(**replicas: Any) -> dict[str, Any]:
    specs = {kind: {"replicas": count, "template": template()} for kind, count in replicas.items()}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "distributed-mnist", "namespace": "kubeflow"},
        "spec": {"tfReplicaSpecs": specs},
    }


def counts(document: dict[str, Any]) -> dict[str, int]:
    return {pool.role: pool.replica_count for pool in planned(document).pools}


def test_the_tfjob_guides_cluster() -> None:
    document, findings = converted("tfjob", tfjob(Chief=1, Worker=2, PS=1))
    assert findings == set()
    assert (document["platform"], document["kind"], document["framework"]) == ("kubernetes", "tfjob", "tensorflow")
    assert (document["displayName"], document["namespace"]) == ("distributed-mnist", "kubeflow")
    assert document["container"] == {"imageUri": "a/b", "command": ["python", "t.py"]}
    assert counts(document) == {"primary": 1, "workers": 2, "parameterServers": 1}


def test_the_guides_list_with_its_defaults() -> None:
    body = {
        "apiVersion": "kubeflow.org/v1alpha1",
        "kind": "TFJob",
        "metadata": {"name": "job"},
        "spec": {
            "replicaSpecs": [
                {"template": template(restartPolicy="OnFailure")},
                {"replicas": 2, "tfReplicaType": "Worker", "template": template()},
                {"tfReplicaType": "Ps", "template": template()},
            ]
        },
    }
    document, findings = converted("tfjob", body)
    assert findings == set()
    assert counts(document) == {"primary": 1, "workers": 2, "parameterServers": 1}


def test_without_a_chief_worker_0_leads() -> None:
    document, findings = converted("tfjob", tfjob(Worker=3, PS=2, Evaluator=1))
    assert findings == {("schema", "advice", "spec")}
    assert counts(document) == {"primary": 1, "workers": 2, "parameterServers": 2, "evaluators": 1}
    assert counts(converted("tfjob", tfjob(Worker=1))[0]) == {"primary": 1}


def test_a_master_stays_one() -> None:
    document, findings = converted("tfjob", tfjob(Master=1, Worker=1))
    assert not findings
    assert (counts(document), document["useChiefInTfConfig"]) == ({"primary": 1, "workers": 1}, False)
    plan, judged = judge_document(document)
    assert ("deprecated-api", "advice", "useChiefInTfConfig") in keys(judged)
    assert not any(finding.path == "useChiefInTfConfig" for finding in workload("tfjob").render(plan)[1])
    assert set(workload("tfjob").render(plan)[0]["spec"]["tfReplicaSpecs"]) == {"Master", "Worker"}
    config = json.loads(replica_environment(plan, "chief", 0)["TF_CONFIG"])
    assert config["cluster"]["master"] == ["job-master-0.kubeflow.svc:2222"]
    assert (set(config["cluster"]), config["task"]["type"]) == ({"master", "worker"}, "master")


def test_a_chief_that_is_declared_is_a_chief() -> None:
    document, _ = converted("tfjob", tfjob(Master=1, Worker=1))
    plan = judge_document({**document, "useChiefInTfConfig": True})[0]
    assert set(workload("tfjob").render(plan)[0]["spec"]["tfReplicaSpecs"]) == {"Chief", "Worker"}


def test_nodes_say_the_machine() -> None:
    selector = {
        "cloud.google.com/gke-accelerator": "nvidia-tesla-v100",
        "node.kubernetes.io/instance-type": "n1-standard-8",
        "cloud.google.com/gke-spot": "true",
    }
    body = tfjob(Chief=1)
    pod = body["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]
    pod |= {"nodeSelector": selector, "serviceAccountName": "trainer"}
    pod["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 2}}
    document, findings = converted("tfjob", body)
    assert findings == set()
    assert document["platform"] == "gke"
    assert document["pools"]["primary"] == {
        "machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 2,
    }  # fmt: skip
    assert (document["scheduling"], document["serviceAccount"]) == ({"strategy": "SPOT"}, "trainer")


def test_a_pytorchjob() -> None:
    body = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "job"},
        "spec": {
            "runPolicy": {"activeDeadlineSeconds": 60, "cleanPodPolicy": "None"},
            "nprocPerNode": "4",
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "restartPolicy": "OnFailure", "template": template()},
                "Worker": {"replicas": 3, "template": template()},
            },
        },
    }
    document, findings = converted("pytorchjob", body)
    assert (document["kind"], document["framework"]) == ("pytorchjob", "pytorch")
    assert "displayName" not in document
    assert document["scheduling"] == {"timeout": "60s"}
    assert counts(document) == {"primary": 1, "workers": 3}
    assert {path for _, severity, path in findings if severity == "advice"} == {
        "spec.nprocPerNode", "spec.runPolicy.cleanPodPolicy", "spec.pytorchReplicaSpecs.Master.restartPolicy",
    }  # fmt: skip


POD = "spec.tfReplicaSpecs.Chief.template.spec"


@pytest.mark.parametrize(
    ("pod", "path"),
    [
        ({"initContainers": [{}]}, f"{POD}.initContainers"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}, f"{POD}.volumes[0]"),
        ({"nodeSelector": {"disk": "ssd"}}, f"{POD}.nodeSelector.disk"),
        ({"tolerations": [{"key": "x", "operator": "Exists"}]}, f"{POD}.tolerations[0]"),
        ({"securityContext": {"runAsUser": 0}}, f"{POD}.securityContext"),
        ({"containers": [{"name": "side"}, {"name": "tensorflow", "image": "a"}]}, f"{POD}.containers[0]"),
        ({"containers": [{"image": "a", "env": [{"name": "A", "valueFrom": {}}]}]}, f"{POD}.containers[0].env[0]"),
        ({"containers": [{"image": "a", "livenessProbe": {}}]}, f"{POD}.containers[0].livenessProbe"),
    ],
)
def test_what_is_dropped_is_advice(pod: dict[str, Any], path: str) -> None:
    body = tfjob(Chief=1)
    body["spec"]["tfReplicaSpecs"]["Chief"]["template"] = template(**pod)
    document, findings = converted("tfjob", body)
    assert findings == {("schema", "advice", path)}
    planned(document)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"tfReplicaSpecs": {}}, "spec.tfReplicaSpecs"),
        ({"tfReplicaSpecs": {"Boss": {"replicas": 1}}}, "spec.tfReplicaSpecs.Boss"),
        ({"tfReplicaSpecs": {"PS": {"replicas": "one", "template": template()}}}, "spec.tfReplicaSpecs.PS.replicas"),
        ({"tfReplicaSpecs": {"Chief": {"replicas": 1}}}, "spec.tfReplicaSpecs.Chief.template"),
        ({"replicaSpecs": [{"template": template()}, {"template": template()}]}, "spec.replicaSpecs[1]"),
        ({"tfReplicaSpecs": []}, "spec.tfReplicaSpecs"),
    ],
)
def test_faults_are_reported_at_their_place(change: dict[str, Any], path: str) -> None:
    body = {**tfjob(), "spec": change}
    assert path in {place for _, severity, place in converted("tfjob", body)[1] if severity == "error"}


def test_a_list_of_objects_with_one_job() -> None:
    body = {"apiVersion": "v1", "kind": "List", "items": [{"kind": "Service"}, tfjob(Chief=1, Worker=1)]}
    assert recognise(body) == "tfjob"
    assert counts(converted("tfjob", body)[0]) == {"primary": 1, "workers": 1}
