"""A job's objects as a stack declares them: placed on node pools, wired, queued, cleaned up, and what is dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, plan_job
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.kubernetes import Placement, deployed

A3 = {"machineType": "a3-highgpu-8g"}
MACHINE = "node.kubernetes.io/instance-type"
POOL = "cloud.google.com/gke-nodepool"
KINDS = ["jobset", "tfjob", "pytorchjob", "pods"]


def declared(
    kind: str, placement: Placement | None = None, path: str = "", **changes: Any
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    document = {
        "platform": "gke",
        "kind": kind,
        "container": {"imageUri": IMAGE},
        "pools": {"primary": A3, "workers": {"replicaCount": 2}},
        **changes,
    }
    reading = read_job(document)
    assert reading.findings == ()
    assert reading.value is not None
    objects, findings = deployed(plan_job("job", reading.value, path=path), placement or Placement())
    return objects, [(each.severity, each.path) for each in findings]


def pods(value: Any) -> dict[str, dict[str, Any]]:
    """Returns role → pod or pod template, wherever they stand."""
    if isinstance(value, list):
        return {role: pod for item in value for role, pod in pods(item).items()}
    if not isinstance(value, dict):
        return {}
    role = (value.get("metadata") or {}).get("labels", {}).get("training-role")
    if role and "containers" in value.get("spec", {}):
        return {role: value}
    return {role: pod for item in value.values() for role, pod in pods(item).items()}


def only(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    [match] = [manifest for manifest in objects if manifest["kind"] == kind]
    return match


OBJECTS = {
    "jobset": ["JobSet"],
    "tfjob": ["TFJob"],
    "pytorchjob": ["PyTorchJob"],
    "pods": ["Service", "Pod", "Pod", "Pod"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_objects_of_a_kind(kind: str) -> None:
    objects, _ = declared(kind, run=3)
    assert [manifest["kind"] for manifest in objects] == OBJECTS[kind]
    assert {manifest["metadata"]["annotations"]["training/run"] for manifest in objects} == {"3"}
    assert set(pods(objects)) == {"primary", "worker"}


@pytest.mark.parametrize("kind", KINDS)
def test_amounts_are_strings_as_the_api_server_answers_them(kind: str) -> None:
    for pod in pods(declared(kind)[0]).values():
        assert pod["spec"]["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "8"}}


@pytest.mark.parametrize("kind", KINDS)
def test_a_role_runs_on_its_node_pool(kind: str) -> None:
    pods_by_role = pods(declared(kind, Placement(node_pools={"workers": "gpus"}))[0])
    assert pods_by_role["worker"]["spec"]["nodeSelector"][POOL] == "gpus"
    assert POOL not in pods_by_role["primary"]["spec"]["nodeSelector"]
    assert pods_by_role["worker"]["spec"]["nodeSelector"][MACHINE] == "a3-highgpu-8g"
    assert list(pods_by_role["worker"]["spec"]["nodeSelector"]) == sorted(
        pods_by_role["worker"]["spec"]["nodeSelector"]
    )


@pytest.mark.parametrize("on_demand", [frozenset(), frozenset({"primary"})])
def test_a_role_that_names_no_machine_runs_on_its_node_pool(on_demand: Any) -> None:
    placement = Placement(node_pools={"primary": "gpus"}, on_demand=on_demand)
    pods_by_role = pods(declared("jobset", placement, pools={"primary": {"replicaCount": 1}})[0])
    assert pods_by_role["primary"]["spec"]["nodeSelector"] == {POOL: "gpus"}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_the_users_own_may_have_any_name(kind: str) -> None:
    labels = {"training-role": "nlp", "metadata": "nlp", "spec": "containers"}
    placed = [declared(kind, Placement(service_account="trainer"), **more)[0] for more in ({}, {"labels": labels})]
    plain, labelled = (json.dumps(objects).count('"serviceAccountName": "trainer"') for objects in placed)
    assert plain == labelled > 0


@pytest.mark.parametrize(("on_demand", "kept"), [(frozenset(), True), (frozenset({"primary"}), False)])
def test_what_is_bought_on_demand_asks_for_no_other_nodes(on_demand: Any, kept: bool) -> None:
    placement = Placement(node_pools={"primary": "gpus"}, on_demand=on_demand)
    pods_by_role = pods(declared("jobset", placement, scheduling={"strategy": "FLEX_START"})[0])
    assert ("cloud.google.com/gke-flex-start" in pods_by_role["primary"]["spec"]["nodeSelector"]) is kept
    assert "cloud.google.com/gke-flex-start" in pods_by_role["worker"]["spec"]["nodeSelector"]
    assert pods_by_role["primary"]["spec"]["nodeSelector"][MACHINE] == "a3-highgpu-8g"


def test_reducers_tolerate_the_taint_of_their_nodes() -> None:
    reducers = {"machineType": "n1-highcpu-16", "container": {"imageUri": "x/server"}, "replicaCount": 2}
    pools = {"primary": A3, "workers": {"replicaCount": 2}, "reducers": reducers}
    taint = {"key": "training-role", "operator": "Equal", "value": "reducer", "effect": "NoSchedule"}
    placement = Placement(node_pools={"primary": "gpus", "reducers": "cpus"})
    pods_by_role = pods(declared("jobset", placement, pools=pools)[0])
    assert pods_by_role["reducer"]["spec"]["tolerations"] == [taint]
    assert taint not in pods_by_role["primary"]["spec"]["tolerations"]
    assert "tolerations" not in pods(declared("jobset", pools=pools)[0])["reducer"]["spec"]
    spot = pods(declared("jobset", placement, pools=pools, scheduling={"strategy": "SPOT"})[0])
    assert [toleration["key"] for toleration in spot["reducer"]["spec"]["tolerations"]] == [
        "cloud.google.com/gke-spot",
        "training-role",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_account_of_the_namespace(kind: str) -> None:
    pods_by_role = pods(declared(kind, Placement(service_account="trainer"))[0])
    assert {pod["spec"]["serviceAccountName"] for pod in pods_by_role.values()} == {"trainer"}
    assert all("serviceAccountName" not in pod["spec"] for pod in pods(declared(kind)[0]).values())


def test_gpu_networks_are_interfaces_beside_the_default_one() -> None:
    placement = Placement(gpu_networks={"primary": ("gpu-0", "gpu-1"), "workers": ()})
    pods_by_role = pods(declared("jobset", placement)[0])
    annotations = pods_by_role["primary"]["metadata"]["annotations"]
    assert annotations["networking.gke.io/default-interface"] == "eth0"
    assert json.loads(annotations["networking.gke.io/interfaces"]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth1", "network": "gpu-0"},
        {"interfaceName": "eth2", "network": "gpu-1"},
    ]
    assert " " not in annotations["networking.gke.io/interfaces"]
    assert "networking.gke.io/interfaces" not in pods_by_role["worker"]["metadata"].get("annotations", {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_priority_class_is_the_pods(kind: str) -> None:
    pods_by_role = pods(declared(kind, kubernetes={"priorityClassName": "high"})[0])
    assert {pod["spec"]["priorityClassName"] for pod in pods_by_role.values()} == {"high"}
    assert all("priorityClassName" not in pod["spec"] for pod in pods(declared(kind, kubernetes={})[0]).values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_queue_is_named_by_what_it_admits(kind: str) -> None:
    objects, _ = declared(kind, kubernetes={"queueName": "gpus"})
    for manifest in objects:
        queue = manifest["metadata"]["labels"].get("kueue.x-k8s.io/queue-name")
        assert queue == (None if manifest["kind"] == "Service" else "gpus")
        group = manifest["metadata"]["labels"].get("kueue.x-k8s.io/pod-group-name")
        total = manifest["metadata"]["annotations"].get("kueue.x-k8s.io/pod-group-total-count")
        assert (group, total) == (("job", "3") if manifest["kind"] == "Pod" else (None, None))


def test_a_group_has_the_pods_that_there_are() -> None:
    reducers = {
        "machineType": "n1-highcpu-16",
        "container": {"imageUri": "x/server"},
        "replicaCount": 2,
        "instanceGroup": {"zone": "z"},
    }
    pools = {"primary": A3, "workers": {"replicaCount": 2}, "reducers": reducers}
    objects, _ = declared("pods", kubernetes={"queueName": "gpus"}, pools=pools)
    counts = {manifest["metadata"]["annotations"].get("kueue.x-k8s.io/pod-group-total-count") for manifest in objects}
    assert counts == {None, "3"}


@pytest.mark.parametrize("seconds", [0, 60])
def test_finished_objects_are_cleaned_up(seconds: int) -> None:
    settings = {"ttlSecondsAfterFinished": seconds}
    assert only(declared("jobset", kubernetes=settings)[0], "JobSet")["spec"]["ttlSecondsAfterFinished"] == seconds
    for kind, name in (("tfjob", "TFJob"), ("pytorchjob", "PyTorchJob")):
        policy = only(declared(kind, kubernetes=settings)[0], name)["spec"]["runPolicy"]
        assert policy["ttlSecondsAfterFinished"] == seconds
        assert "ttlSecondsAfterFinished" not in only(declared(kind, kubernetes={})[0], name)["spec"]["runPolicy"]
    objects, findings = declared("pods", kubernetes=settings)
    assert "ttlSecondsAfterFinished" not in json.dumps(objects)
    assert ("advice", "kubernetes.ttlSecondsAfterFinished") in findings


@pytest.mark.parametrize(("kind", "name"), [("tfjob", "TFJob"), ("pytorchjob", "PyTorchJob")])
def test_an_operators_pods_start_together(kind: str, name: str) -> None:
    objects, findings = declared(kind, kubernetes={"gangScheduling": True})
    assert only(objects, name)["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 3}
    assert "kubernetes.gangScheduling" not in {path for _, path in findings}
    assert "schedulingPolicy" not in json.dumps(declared(kind, kubernetes={})[0])


@pytest.mark.parametrize("kind", ["jobset", "pods"])
def test_what_no_kind_of_object_holds(kind: str) -> None:
    settings = {"gangScheduling": True}
    objects, findings = declared(kind, path="training:jobs.a", kubernetes=settings)
    assert "schedulingPolicy" not in json.dumps(objects)
    assert ("advice", "training:jobs.a.kubernetes.gangScheduling") in findings
    assert not [path for _, path in declared(kind, kubernetes={})[1] if path.startswith("kubernetes")]
