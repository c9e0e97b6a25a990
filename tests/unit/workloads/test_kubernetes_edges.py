"""Jobs as Kubernetes objects at their edges: names, lengths, policies, and what each kind has no place for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, plan_job
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.group_environment import LENGTH_LIMIT, group_environment, length_findings
from trainingjobs.workloads.kubernetes import kubernetes_workloads, workload_in_cluster
from trainingjobs.workloads.kubernetes_limits import (
    kubernetes_findings,
    needs_primary,
    vertex_reducers,
    without_reducers,
)
from trainingjobs.workloads.kubernetes_names import GROUPS, KUBEFLOW_TYPES, legal_name, name_findings, object_name
from trainingjobs.workloads.pytorchjob import TYPES as PYTORCH_TYPES
from trainingjobs.workloads.registry import workload

KINDS = [kind.kind for kind in kubernetes_workloads()]
CPU = {"machineType": "n1-standard-8"}
SERVER = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
REDUCERS = {"machineType": "n1-highcpu-16", "replicaCount": 2, "container": {"imageUri": "x/server"}}
ADVICE, ERROR = "advice", "error"


def name_of(kind: str, plan: JobPlan) -> str:
    return workload_in_cluster(replace(plan, kind=kind)).name(plan)


def plan_of(kind: str = "pods", name: str = "job", path: str = "", **changes: Any) -> JobPlan:
    pools = {"primary": CPU, "workers": {"replicaCount": 2}}
    document = {"platform": "gke", "kind": kind, "container": {"imageUri": IMAGE}, "pools": pools, **changes}
    reading = read_job(document)
    assert reading.value is not None
    return plan_job(name, reading.value, path=path)


def findings(kind: str, plan: JobPlan) -> set[tuple[str, str]]:
    return {(each.severity, each.path) for each in workload(kind).render(plan)[1]}


@pytest.mark.parametrize(
    ("given", "reserved", "name"),
    [
        ("bert", 0, "bert"),
        ("Bert Large!", 0, "bert-large"),
        ("-a-", 0, "a"),
        ("", 0, "job"),
        ("é", 0, "job"),
        ("9b", 0, "job-9b"),
        ("a" * 63, 0, "a" * 63),
        ("a" * 53, 10, "a" * 53),
        ("a" * 64, 0, "a" * 56 + "-ffe054"),
        ("a" * 54, 10, "a" * 46 + "-a3f01b"),
        ("a" * 55 + "-" + "b" * 20, 0, None),
        ("a" * 9, 55, "a-f2aca9"),
        ("x", 70, None),
    ],
)
def test_a_name_is_a_label(given: str, reserved: int, name: str | None) -> None:
    made = legal_name(given, reserved)
    assert len(made) <= 63
    assert made[0].isalpha() and made[-1].isalnum() and "--" not in made
    if name is not None:
        assert made == name


@pytest.mark.parametrize(
    ("kind", "room"),
    [("pods", len("-primary-0")), ("jobset", len("-primary-0-0") + 6), ("tfjob", len("-worker-0")), ("pytorchjob", 9)],
)
def test_the_longest_name_that_all_replicas_can_bear(kind: str, room: int) -> None:
    fits = "a" * (63 - room)
    for name, kept in ((fits, True), (fits + "a", False)):
        plan = plan_of(kind, name)
        body, reported = workload(kind).render(plan)
        own = (body["items"][0] if kind == "pods" else body)["metadata"]["name"]
        assert (own == name) is kept
        assert bool([each for each in reported if each.path == plan.path and "name" in each.message]) is not kept


def test_a_name_leaves_room_for_the_index() -> None:
    many = plan_of(pools={"primary": CPU, "workers": {"replicaCount": 101}})
    assert object_name(many, GROUPS, 0) == "job"
    pools_of = {count: {"primary": CPU, "workers": {"replicaCount": count}} for count in (1000, 1001)}
    assert object_name(plan_of(name="a" * 52, pools=pools_of[1000]), GROUPS, 0) == "a" * 52
    longer = plan_of(name="a" * 52, pools=pools_of[1001])
    assert len(object_name(longer, GROUPS, 0)) <= 63 - len("-worker-1000")
    assert object_name(plan_of(name="a" * 60), {}, 3) == "a" * 60


def test_another_name_is_reported_at_the_jobs_path() -> None:
    [finding] = name_findings(plan_of(name="x" * 80, path="training:jobs.x"), "y")
    assert (finding.severity, finding.path) == (ADVICE, "training:jobs.x")
    assert name_findings(plan_of(), "job") == []


@pytest.mark.parametrize("kind", ["tfjob", "jobset"])
def test_more_addresses_than_an_environment_can_hold(kind: str) -> None:
    many: dict[str, Any] = {"pools": {"primary": CPU, "workers": {"replicaCount": 5000}}, "namespace": "n" * 20}
    assert (ERROR, "pools") in findings(kind, plan_of(kind, **many))
    assert (ERROR, "a.b.pools") in findings(kind, plan_of(kind, path="a.b", **many))
    assert (ERROR, "pools") not in findings(kind, plan_of(kind))


def test_the_limit_is_linuxs() -> None:
    fits = LENGTH_LIMIT - 8
    assert length_findings(plan_of(), {"A": "x" * fits}) == []
    assert [each.path for each in length_findings(plan_of(), {"A": "x" * (fits + 1), "B": ""})] == ["pools"]


def test_a_long_name_and_namespace_count() -> None:
    workers = {"primary": CPU, "workers": {"replicaCount": 2500}}
    assert (ERROR, "pools") not in findings("tfjob", plan_of("tfjob", pools=workers))
    assert (ERROR, "pools") in findings("tfjob", plan_of("tfjob", "j" * 40, pools=workers))
    assert (ERROR, "pools") in findings("tfjob", plan_of("tfjob", pools=workers, namespace="n" * 60))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {(ADVICE, "pools.primary")}),
        ({"pools": {"primary": CPU}}, set()),
        ({"pools": {"primary": CPU, "workers": {"replicaCount": 1}}}, {(ADVICE, "pools.primary")}),
        (
            {"pools": {"primary": CPU}, "scheduling": {"restartJobOnWorkerRestart": True}},
            {(ADVICE, "scheduling.restartJobOnWorkerRestart")},
        ),
    ],
)
def test_bare_pods(changes: dict[str, Any], expected: set[tuple[str, str]]) -> None:
    assert findings("pods", plan_of(**changes)) == expected
    in_stack = {(severity, f"training:jobs.a.{path}") for severity, path in expected}
    assert findings("pods", plan_of(path="training:jobs.a", **changes)) == in_stack


@pytest.mark.parametrize("kind", ["tfjob", "pytorchjob"])
@pytest.mark.parametrize(
    ("scheduling", "expected", "policy", "deadline"),
    [
        ({}, set(), "ExitCode", None),
        ({"restartJobOnWorkerRestart": True}, {(ADVICE, "scheduling.restartJobOnWorkerRestart")}, "ExitCode", None),
        ({"disableRetries": True}, set(), "Never", None),
        ({"timeout": "90s"}, set(), "ExitCode", 90),
    ],
)
def test_how_an_operators_job_ends(
    kind: str, scheduling: dict[str, Any], expected: set[tuple[str, str]], policy: str, deadline: int | None
) -> None:
    plan = plan_of(kind, scheduling=scheduling)
    assert findings(kind, plan) == expected
    in_stack = {(severity, f"training:jobs.a.{path}") for severity, path in expected}
    assert findings(kind, plan_of(kind, path="training:jobs.a", scheduling=scheduling)) == in_stack
    spec = workload(kind).render(plan)[0]["spec"]
    ends = {"cleanPodPolicy": "Running", **({"activeDeadlineSeconds": deadline} if deadline else {})}
    assert spec["runPolicy"] == ends
    replicas = spec["tfReplicaSpecs" if kind == "tfjob" else "pytorchReplicaSpecs"]
    assert {replica["restartPolicy"] for replica in replicas.values()} == {policy}
    assert [replica["replicas"] for replica in replicas.values()] == [1, 2]


@pytest.mark.parametrize(
    ("scheduling", "restarts", "action"),
    [
        ({}, 0, "Ignore"),
        ({"restartJobOnWorkerRestart": True}, 3, "Count"),
        ({"disableRetries": True}, 0, "Count"),
        ({"restartJobOnWorkerRestart": True, "disableRetries": True}, 0, "Count"),
    ],
)
def test_how_a_jobset_ends(scheduling: dict[str, Any], restarts: int, action: str) -> None:
    spec = workload("jobset").render(plan_of("jobset", scheduling={**scheduling, "timeout": "90s"}))[0]["spec"]
    assert spec["failurePolicy"]["maxRestarts"] == restarts
    assert ("rules" in spec["failurePolicy"]) is bool(restarts)
    jobs = {replicated_job["name"]: replicated_job["template"]["spec"] for replicated_job in spec["replicatedJobs"]}
    assert {name: job_spec.get("activeDeadlineSeconds") for name, job_spec in jobs.items()} == {
        "primary": 90,
        "worker": None,
    }
    for job_spec in jobs.values():
        assert [rule["action"] for rule in job_spec["podFailurePolicy"]["rules"]] == [action, "FailJob"]


VERTEX_ONLY = {
    "network": "n", "reservedIpRanges": ["r"], "pscInterfaceConfig": {}, "tensorboard": "t",
    "encryptionSpec": {"kmsKeyName": "k"}, "persistentResourceId": "p", "enableWebAccess": False,
    "enableDashboardAccess": True, "experiment": "e", "experimentRun": "r", "models": ["m"],
    "protectedArtifactLocationId": "l", "useChiefInTfConfig": False, "runtimeVersion": "2.11",
}  # fmt: skip
TUNING = {
    "metrics": [{"metricId": "a", "goal": "MAXIMIZE"}],
    "parameters": [{"parameterId": "p", "doubleValueSpec": {"minValue": 0.0, "maxValue": 1.0}}],
    "maxTrialCount": 1,
    "parallelTrialCount": 1,
}
NFS = [{"server": "10.0.0.2", "path": "/s", "mountPoint": "m"}]
PACKAGE = {"executorImageUri": "e", "packageUris": ["gs://b/p"], "pythonModule": "m"}
DISK = {"primary": {**CPU, "bootDiskSizeGb": 200}}
RESERVED = {"primary": {**CPU, "reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"}}}
T4 = {"primary": {**CPU, "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}, "workers": {"replicaCount": 1}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        *(({key: value}, {(ADVICE, key)}) for key, value in VERTEX_ONLY.items()),
        ({"tuning": TUNING}, {(ERROR, "tuning")}),
        ({"serviceAccount": "a@p.iam.gserviceaccount.com"}, {(ADVICE, "serviceAccount")}),
        ({"serviceAccount": "trainer"}, set()),
        ({"scheduling": {"maxWaitDuration": "9s"}}, {(ADVICE, "scheduling.maxWaitDuration")}),
        ({"scheduling": {"strategy": "SPOT"}}, set()),
        ({"scheduling": {"strategy": "SPOT"}, "platform": "kubernetes", "pools": {"primary": {}}},
         {(ADVICE, "scheduling.strategy")}),
        ({"scheduling": {"strategy": "STANDARD"}, "platform": "kubernetes", "pools": {"primary": {}}}, set()),
        ({"pools": {"primary": {**CPU, "nfsMounts": NFS}}}, {(ADVICE, "pools.primary.nfsMounts")}),
        ({"container": None, "pythonPackage": PACKAGE, "pools": {"primary": CPU}},
         {(ERROR, "pools.primary.pythonPackage")}),
        ({"pools": {"primary": {**CPU, "acceleratorType": "TPU_V3", "acceleratorCount": 8}}},
         {(ERROR, "pools.primary.acceleratorType")}),
        ({"pools": DISK}, set()),
        ({"pools": RESERVED}, set()),
        ({"pools": DISK, "platform": "vertex", "kind": None}, {(ADVICE, "pools.primary.bootDiskType")}),
        ({"pools": RESERVED, "platform": "vertex", "kind": None}, {(ADVICE, "pools.primary.reservationAffinity")}),
        ({"pools": T4, "platform": "kubernetes"},
         {(ADVICE, "pools.primary.machineType"), (ADVICE, "pools.primary.acceleratorType")}),
        ({"pools": {"primary": {}, "workers": {"replicaCount": 1}}, "platform": "kubernetes"}, set()),
    ],
)  # fmt: skip
def test_what_no_kind_of_object_holds(changes: dict[str, Any], expected: set[tuple[str, str]]) -> None:
    given = {key: value for key, value in {"container": {"imageUri": IMAGE}, **changes}.items() if value is not None}
    if "pythonPackage" in given:
        given.pop("container", None)
    for path in ("", "training:jobs.a"):
        place = f"{path}." if path else ""
        plan = plan_of(**{"path": path, **given}) if "container" in given else _packaged(path, given)
        reported = {(each.severity, each.path) for each in kubernetes_findings(plan)}
        assert reported == {(severity, f"{place}{relative}") for severity, relative in expected}


def _packaged(path: str, given: dict[str, Any]) -> JobPlan:
    value = read_job({"platform": "gke", "kind": "pods", **given}).value
    assert value is not None
    return plan_job("job", value, path=path)


def test_roles_that_a_kind_has_no_replicas_for() -> None:
    plan = plan_of(pools={"primary": CPU, "reducers": REDUCERS, "evaluators": CPU, "parameterServers": CPU})
    assert [(each.severity, each.path) for each in without_reducers(plan, "k")] == [(ADVICE, "pools.reducers")]
    fits = frozenset(PYTORCH_TYPES)
    reported = {(each.severity, each.path) for each in needs_primary(plan, fits, "k")}
    assert reported == {(ERROR, "pools.evaluators"), (ERROR, "pools.parameterServers")}
    assert list(without_reducers(plan_of(), "k")) == []


@pytest.mark.parametrize(("image", "is_googles"), [(SERVER, True), ("x/server", False), (None, False)])
def test_googles_reducers(image: str | None, is_googles: bool) -> None:
    container = {} if image is None else {"container": {"imageUri": image}}
    plan = plan_of(pools={"primary": CPU, "reducers": {"machineType": "n1-highcpu-16", "replicaCount": 2, **container}})
    assert (vertex_reducers(plan) is not None) is is_googles
    for kind in ("jobset", "pods"):
        assert ((ADVICE, "pools.reducers") in findings(kind, plan)) is is_googles


def test_reducers_are_named_beside_tf_config() -> None:
    plan = plan_of(pools={"primary": CPU, "workers": {"replicaCount": 1}, "reducers": REDUCERS})
    host = lambda role, index: f"{role}-{index}:1"  # noqa: E731
    environment = group_environment(plan, "workers", 0, host)
    assert list(environment) == ["CLUSTER_SPEC", "TF_CONFIG"]
    assert environment["CLUSTER_SPEC"] == (
        '{"cluster":{"workerpool0":["primary-0:1"],"workerpool1":["workers-0:1"],'
        '"workerpool2":["reducers-0:1","reducers-1:1"]},"environment":"cloud","task":{"index":0,"type":"workerpool1"}}'
    )
    assert "reducer" not in environment["TF_CONFIG"]
    assert json.loads(environment["TF_CONFIG"])["task"] == {"type": "worker", "index": 0}
    assert list(group_environment(plan, "reducers", 1, host)) == ["CLUSTER_SPEC"]
    assert group_environment(plan_of(pools={"primary": CPU}), "primary", 0, host) == {}


def test_an_operators_name_has_room_for_its_pods() -> None:
    assert name_of("tfjob", plan_of(name="a" * 54)) == "a" * 54
    assert name_of("tfjob", plan_of(name="a" * 55)) != "a" * 55
    assert name_of("pytorchjob", plan_of(name="a" * 54)) == "a" * 54
    assert name_of("pytorchjob", plan_of(name="a" * 55)) != "a" * 55
    assert name_of("pytorchjob", plan_of(name="a" * 54, pools={"primary": CPU})) == "a" * 54
    assert name_of("pytorchjob", plan_of(name="a" * 55, pools={"primary": CPU})) != "a" * 55
    dozen = {"primary": CPU, "workers": {"replicaCount": 12}}
    assert name_of("pytorchjob", plan_of(name="a" * 53, pools=dozen)) == "a" * 53
    assert name_of("pytorchjob", plan_of(name="a" * 54, pools=dozen)) != "a" * 54
    assert set(KUBEFLOW_TYPES) | {"reducers"} == set(GROUPS)
