"""TFJobs and PyTorchJobs, part by part: what each says of the job, and what a job document has no place for."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.core.findings import Finding
from trainingjobs.workloads.kubernetes import by_object_kind
from trainingjobs.workloads.pod_template import output_directories

POD = {"spec": {"containers": [{"name": "tensorflow", "image": "a"}]}}
ONE = {"replicas": 1, "template": POD}


def read_object(kind: str, body: dict[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    workload = by_object_kind(kind)
    assert workload is not None
    answer = workload.read(body, "job")
    assert answer is not None
    return answer


def read(kind: Any = "TFJob", metadata: Any = None, **spec: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    body = {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata or {"name": "job"}, "spec": spec}
    document, findings = read_object(kind, body)
    return document, [(each.severity, each.path) for each in findings]


def chief(**changes: Any) -> dict[str, Any]:
    return {"tfReplicaSpecs": {"Chief": {**ONE, **changes}}}


BARE = {
    "platform": "kubernetes",
    "kind": "tfjob",
    "framework": "tensorflow",
    "container": {"imageUri": "a"},
    "pools": {"primary": {"replicaCount": 1}},
}


@pytest.mark.parametrize(
    ("metadata", "changes"),
    [
        ({"name": "job"}, {}),
        ({}, {}),
        ({"name": "other"}, {"displayName": "other"}),
        ({"name": "job", "namespace": "ml"}, {"namespace": "ml"}),
        ({"name": "job", "namespace": "default"}, {}),
        ({"labels": {"team": "nlp", "training-job": "job"}}, {"labels": {"team": "nlp"}}),
        (
            {
                "uid": "1",
                "generation": 1,
                "resourceVersion": "1",
                "managedFields": [],
                "ownerReferences": [],
                "selfLink": "",
            },
            {},
        ),
    ],
)
def test_the_objects_own_names(metadata: dict[str, Any], changes: dict[str, Any]) -> None:
    document, findings = read(metadata=metadata, **chief())
    assert (document, findings) == ({**BARE, **changes}, [])


@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        ({"runPolicy": {"activeDeadlineSeconds": 60}}, {"scheduling": {"timeout": "60s"}}),
        ({"activeDeadlineSeconds": 90}, {"scheduling": {"timeout": "90s"}}),
        ({"activeDeadlineSeconds": 90, "runPolicy": {"activeDeadlineSeconds": 60}}, {"scheduling": {"timeout": "60s"}}),
        ({"runPolicy": {"cleanPodPolicy": "Running"}}, {}),
        ({"enableDynamicWorker": False, "successPolicy": ""}, {}),
        (chief(restartPolicy="Never"), {"scheduling": {"disableRetries": True}}),
        (chief(restartPolicy="ExitCode"), {}),
        (
            {**chief(restartPolicy="Never"), "activeDeadlineSeconds": 9},
            {"scheduling": {"timeout": "9s", "disableRetries": True}},
        ),
        ({"tfReplicaSpecs": {"chief": {"template": POD}}}, {}),
        ({"tfReplicaSpecs": {"Chief": ONE, "Worker": {**ONE, "replicas": 0}}}, {}),
    ],
)
def test_what_is_carried_over(spec: dict[str, Any], changes: dict[str, Any]) -> None:
    # The deadline beside the policy is the older place, read all the same.
    document, findings = read(**{**chief(), **spec})
    assert document == {**BARE, **changes}
    assert findings in ([], [("advice", "spec.activeDeadlineSeconds")])


@pytest.mark.parametrize(
    ("spec", "severity", "path"),
    [
        ({"runPolicy": {"cleanPodPolicy": "All"}}, "advice", "spec.runPolicy.cleanPodPolicy"),
        ({"cleanPodPolicy": "None"}, "advice", "spec.cleanPodPolicy"),
        ({"runPolicy": {"backoffLimit": 3}}, "advice", "spec.runPolicy.backoffLimit"),
        ({"successPolicy": "AllWorkers"}, "advice", "spec.successPolicy"),
        ({"enableDynamicWorker": True}, "advice", "spec.enableDynamicWorker"),
        ({"elasticPolicy": {}}, "advice", "spec.elasticPolicy"),
        ({"odd": 1}, "advice", "spec.odd"),
        (chief(restartPolicy="Always"), "advice", "spec.tfReplicaSpecs.Chief.restartPolicy"),
        (chief(restartPolicy="OnFailure"), "advice", "spec.tfReplicaSpecs.Chief.restartPolicy"),
        (chief(restartPolicy="Perhaps"), "error", "spec.tfReplicaSpecs.Chief.restartPolicy"),
        ({"nprocPerNode": "auto"}, "advice", "spec.nprocPerNode"),
        (chief(odd=1), "advice", "spec.tfReplicaSpecs.Chief.odd"),
        ({"tfReplicaSpecs": {"Chief": ONE, "Master": {**ONE, "replicas": 2}}}, "error", "spec.tfReplicaSpecs.Master"),
        ({"tfReplicaSpecs": {"Chief": ONE, "chief": ONE}}, "error", "spec.tfReplicaSpecs.chief"),
        ({"tfReplicaSpecs": {"Chief": ONE, "Boss": ONE}}, "error", "spec.tfReplicaSpecs.Boss"),
    ],
)
def test_what_is_not(spec: dict[str, Any], severity: str, path: str) -> None:
    document, findings = read(**{**chief(), **spec})
    assert (severity, path) in findings
    assert {place for _, place in findings} == {path}
    assert document["pools"] == BARE["pools"]


def test_annotations_of_the_object_are_dropped() -> None:
    assert read(metadata={"name": "job", "annotations": {"a": "b"}}, **chief())[1] == [
        ("advice", "metadata.annotations")
    ]


def test_of_the_object_only_what_it_is() -> None:
    body = {"apiVersion": "v", "kind": "TFJob", "status": {}, "spec": chief(), "odd": 1}
    assert [(each.severity, each.path) for each in read_object("TFJob", body)[1]] == [("error", "odd")]


@pytest.mark.parametrize(
    ("words", "counts", "leads"),
    [
        ({"Worker": 3}, {"primary": 1, "workers": 2}, True),
        ({"Worker": 1, "PS": 2}, {"primary": 1, "parameterServers": 2}, True),
        ({"Worker": 2}, {"primary": 1, "workers": 1}, True),
        ({"Chief": 1, "Worker": 2, "PS": 1, "Evaluator": 1}, None, False),
        ({"Chief": 1, "Worker": 2, "PS": 1, "eval": 1}, None, False),
    ],
)
def test_who_leads(words: dict[str, int], counts: dict[str, int] | None, leads: bool) -> None:
    document, findings = read(tfReplicaSpecs={word: {**ONE, "replicas": count} for word, count in words.items()})
    expected = counts or {"primary": 1, "workers": 2, "parameterServers": 1, "evaluators": 1}
    assert {role: pool.get("replicaCount", 1) for role, pool in document["pools"].items()} == expected
    assert findings == ([("advice", "spec")] if leads else [])


@pytest.mark.parametrize("words", [["Chief", "Worker"], ["Master", "Worker"]])
def test_a_group_that_names_no_number_has_one_replica(words: list[str]) -> None:
    document, findings = read(tfReplicaSpecs={word: {"template": PLACED} for word in words})
    machine = {"machineType": "n1-standard-8"}
    assert document["pools"] == {"primary": machine, "workers": {**machine, "replicaCount": 1}}
    assert findings == []
    alone, findings = read(tfReplicaSpecs={"Worker": {"template": PLACED}})
    assert (alone["pools"], findings) == ({"primary": machine}, [("advice", "spec")])


@pytest.mark.parametrize("word", ["Chief", "PS", "Evaluator"])
def test_a_pytorchjob_has_a_master_and_workers(word: str) -> None:
    document, findings = read("PyTorchJob", pytorchReplicaSpecs={"Master": ONE, word: ONE})
    path = f"spec.pytorchReplicaSpecs.{word}"
    assert findings == [("error", path)]
    assert (document["kind"], document["framework"], list(document["pools"])) == ("pytorchjob", "pytorch", ["primary"])


MACHINE = {"node.kubernetes.io/instance-type": "n1-standard-8"}
PLACED = {"spec": {**POD["spec"], "nodeSelector": MACHINE}}


@pytest.mark.parametrize(("worker", "platform"), [(PLACED, "gke"), (POD, "kubernetes")])
def test_nodes_that_all_have_gkes_labels_are_gkes(worker: Any, platform: str) -> None:
    specs = {"Chief": {"template": PLACED}, "Worker": {"replicas": 1, "template": worker}}
    assert read(tfReplicaSpecs=specs)[0]["platform"] == platform
    assert read(tfReplicaSpecs={})[0]["platform"] == "kubernetes"


def with_env(env: dict[str, str]) -> dict[str, Any]:
    entries = [{"name": name, "value": value} for name, value in env.items()]
    return {"spec": {"containers": [{"name": "tensorflow", "image": "a", **({"env": entries} if entries else {})}]}}


OURS = output_directories("gs://b/x")


@pytest.mark.parametrize(
    ("chiefs", "workers", "prefix", "left", "workers_left"),
    [
        (OURS, OURS, "gs://b/x", {}, {}),
        ({**OURS, "A": "1"}, {**OURS, "B": "2"}, "gs://b/x", {"A": "1"}, {"B": "2"}),
        ({**OURS, "A": "1"}, {"AIP_MODEL_DIR": "mine"}, "gs://b/x", {"A": "1"}, {"AIP_MODEL_DIR": "mine"}),
        ({**OURS, "AIP_MODEL_DIR": "gs://c/model/"}, {}, None, {**OURS, "AIP_MODEL_DIR": "gs://c/model/"}, {}),
        ({"AIP_MODEL_DIR": "gs://b/x/model/"}, {}, None, {"AIP_MODEL_DIR": "gs://b/x/model/"}, {}),
        ({}, OURS, None, {}, OURS),
    ],
)
def test_folders_that_our_own_rendering_wrote(
    chiefs: dict[str, str],
    workers: dict[str, str],
    prefix: str | None,
    left: dict[str, str],
    workers_left: dict[str, str],
) -> None:
    specs = {"Chief": {"template": with_env(chiefs)}, "Worker": {"template": with_env(workers)}}
    document, _ = read(tfReplicaSpecs=specs)
    assert document.get("baseOutputDirectory") == (prefix and {"outputUriPrefix": prefix})
    assert document["container"].get("env", {}) == left
    own = document["pools"]["workers"].get("container", document["container"])
    assert own.get("env", {}) == workers_left


def test_what_every_replica_says_of_the_job() -> None:
    spot = {"nodeSelector": {"cloud.google.com/gke-spot": "true"}}
    first = {"spec": {**POD["spec"], **spot, "serviceAccountName": "one"}}
    second = {"spec": {**POD["spec"], "serviceAccountName": "two"}}
    specs = {"Chief": {"restartPolicy": "Never", "template": first}, "Worker": {"template": second}}
    document, _ = read(tfReplicaSpecs=specs, activeDeadlineSeconds=5)
    assert document["scheduling"] == {"timeout": "5s", "disableRetries": True, "strategy": "SPOT"}
    assert document["serviceAccount"] == "one"
