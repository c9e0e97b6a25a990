"""CLUSTER_SPEC and TF_CONFIG in each dialect, against the documents' own examples."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job
from tests.unit.workloads import golden
from tests.unit.workloads.samples import CPU, job, planned
from trainingjobs.convert import ai_platform_env
from trainingjobs.convert.environments import ReplicaError, replica_environment
from trainingjobs.launcher.description import describe
from trainingjobs.workloads import kubeflow_environment as kubeflow_env

TUNING = {
    "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}}],
    "maxTrialCount": 4,
    "parallelTrialCount": 2,
}
ALONE = {"container": {"imageUri": IMAGE}, "pools": {"primary": CPU}}


def read(document: dict[str, Any], pool: str, index: int = 0, **options: Any) -> dict[str, Any]:
    environment = replica_environment(planned(document), pool, index, **options)
    return {name: json.loads(text) for name, text in environment.items()}


def guide_cluster() -> dict[str, Any]:
    """The Vertex AI guide's CLUSTER_SPEC example: two workers, two parameter servers, three evaluators."""
    pools = {
        "primary": CPU,
        "workers": {"replicaCount": 2},
        "parameterServers": {**CPU, "replicaCount": 2},
        "evaluators": {**CPU, "replicaCount": 3},
    }
    return {"framework": "tensorflow", "container": {"imageUri": IMAGE}, "pools": pools}


def test_the_vertex_guides_example_with_three_evaluators() -> None:
    spec = read(guide_cluster(), "workerpool0")["CLUSTER_SPEC"]
    counts = {key: len(members) for key, members in spec["cluster"].items()}
    assert counts == {"workerpool0": 1, "workerpool1": 2, "workerpool2": 2, "workerpool3": 3}
    assert spec["cluster"]["workerpool3"][2] == "cmle-training-workerpool3-ab-2:2222"
    assert (spec["environment"], spec["task"]) == ("cloud", {"type": "workerpool0", "index": 0})


def test_the_tf_config_of_both_guides() -> None:
    """A tuning job with a chief, two workers and a parameter server, on a worker in the first trial."""
    pools = {"primary": CPU, "workers": {"replicaCount": 2}, "parameterServers": CPU}
    document = {
        "kind": "hyperparameterTuningJob", "tuning": TUNING, "runtimeVersion": "2.1", "pools": pools,
        "container": {"imageUri": IMAGE},
    }  # fmt: skip
    for dialect, name in (("vertex", "workerpool{}"), ("ai-platform", None)):
        config = read(document, "worker", 1, dialect=dialect)["TF_CONFIG"]
        job_of_it, cloud = config.pop("job"), config["task"].pop("cloud")
        assert isinstance(job_of_it, dict)
        assert cloud
        hosts = {
            role: [f"cmle-training-{name.format(place) if name else role}-ab-{i}:2222" for i in range(count)]
            for role, place, count in (("chief", 0, 1), ("worker", 1, 2), ("ps", 2, 1))
        }
        task = {"index": 1, "trial": "1", "type": "worker"}
        assert config == {"cluster": hosts, "environment": "cloud", "task": task}


@pytest.mark.parametrize("dialect", ["vertex", "ai-platform", "kubeflow"])
def test_the_environment_of_every_replica(dialect: str) -> None:
    document = job()
    environments = {
        f"{role}:{index}": read(document, role, index, dialect=dialect)
        for role, count in (("chief", 1), ("worker", 2), ("ps", 1), ("evaluator", 1))
        for index in range(count)
    }
    golden.check(f"environment.{dialect}.json", environments)


def test_ai_platform_sets_cluster_spec_for_custom_containers_only() -> None:
    package = {
        "executorImageUri": "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-11:latest",
        "packageUris": ["gs://b/t.tar.gz"],
        "pythonModule": "t.task",
    }
    document = {"pythonPackage": package, "pools": {"primary": CPU}}
    environment = read(document, "master", dialect="ai-platform")
    assert set(environment) == {"TF_CONFIG"}
    assert environment["TF_CONFIG"]["task"]["type"] == "chief"
    assert set(read(ALONE, "master", dialect="ai-platform")) == {"CLUSTER_SPEC", "TF_CONFIG"}


def test_ai_platforms_cluster_spec_has_no_environment_and_one_address_a_replica() -> None:
    environment = read(job(), "evaluator", dialect="ai-platform")
    spec, config = environment["CLUSTER_SPEC"], environment["TF_CONFIG"]
    assert set(spec) == {"cluster", "task", "job"}
    assert set(spec["cluster"]) == {"master", "worker", "ps", "evaluator"}
    assert spec["cluster"]["master"] == config["cluster"]["chief"]
    assert "evaluator" not in config["cluster"]
    assert config["task"]["type"] == spec["task"]["type"] == "evaluator"


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({}, "master"),
        ({"useChiefInTfConfig": True}, "chief"),
        ({"useChiefInTfConfig": False}, "master"),
        ({"runtimeVersion": "2.1"}, "chief"),
        ({"runtimeVersion": "2.10"}, "chief"),
        ({"runtimeVersion": "1.15"}, "master"),
        ({"runtimeVersion": "2.0"}, "master"),
    ],
)
def test_chief_or_master(changes: dict[str, Any], key: str) -> None:
    config = read({**ALONE, **changes}, "primary", dialect="ai-platform")["TF_CONFIG"]
    assert (list(config["cluster"]), config["task"]["type"]) == ([key], key)
    assert config["cluster"][key] == [f"cmle-training-{key}-ab-0:2222"]


def test_use_chief_counts_for_custom_containers_only() -> None:
    body = {"pythonModule": "t", "useChiefInTfConfig": True, "runtimeVersion": "1.15"}
    assert ai_platform_env.primary_task(body) == "master"
    assert ai_platform_env.primary_task({"masterConfig": {"imageUri": "a"}, "useChiefInTfConfig": True}) == "chief"
    assert ai_platform_env.primary_task({"pythonModule": "t", "evaluatorCount": "1"}) == "chief"


def test_a_single_replica() -> None:
    assert set(read(ALONE, "primary")) == {"CLUSTER_SPEC"}
    assert read(ALONE, "primary", dialect="kubeflow") == {}
    assert read({**ALONE, "platform": "gke"}, "primary") == {}


def test_kubeflow_writes_what_the_operator_writes() -> None:
    document = {**job(), "platform": "gke", "kind": "tfjob", "namespace": "team"}
    text = replica_environment(planned(document), "worker", 1)["TF_CONFIG"]
    assert text == (
        '{"cluster":{"chief":["job-chief-0.team.svc:2222"],"evaluator":["job-evaluator-0.team.svc:2222"],'
        '"ps":["job-ps-0.team.svc:2222"],"worker":["job-worker-0.team.svc:2222","job-worker-1.team.svc:2222"]},'
        '"task":{"type":"worker","index":1},"environment":"cloud"}'
    )


def test_the_tfjob_guides_cluster() -> None:
    """One Chief, two Workers, one Ps; the guide's own host names are older than the operator's."""
    counts = {"chief": 1, "worker": 2, "ps": 1}
    host = kubeflow_env.operator_host("distributed-mnist", "default")
    config = json.loads(kubeflow_env.replica_environment(counts, "worker", 1, host=host)["TF_CONFIG"])
    assert list(config) == ["cluster", "task", "environment"]
    assert {key: len(members) for key, members in config["cluster"].items()} == {"chief": 1, "ps": 1, "worker": 2}
    assert (config["task"], config["environment"]) == ({"type": "worker", "index": 1}, "cloud")


@pytest.mark.parametrize(
    ("counts", "task", "cluster"),
    [
        (
            {"chief": 1, "worker": 2, "ps": 1},
            "worker",
            '{"worker":{"0":"n-worker-0.d.svc.x:2222"},"ps":["n-ps-0.d.svc.x:2222"]}',
        ),
        ({"chief": 1, "worker": 2, "ps": 2}, "ps", '{"worker":{},"ps":["n-ps-0.d.svc.x:2222"]}'),
        ({"chief": 1, "worker": 2}, "worker", '{"worker":{"0":"n-worker-0.d.svc.x:2222"},"ps":null}'),
        ({"chief": 1, "worker": 2}, "chief", '{"worker":{},"ps":[]}'),
    ],
)
def test_dynamic_workers_and_a_cluster_domain(counts: dict[str, int], task: str, cluster: str) -> None:
    host = kubeflow_env.operator_host("n", "d", "x")
    environment = kubeflow_env.replica_environment(counts, task, 0, host=host, dynamic_worker=True)
    assert environment["TF_CONFIG"] == f'{{"cluster":{cluster},"task":{{"type":"{task}","index":0}}}}'


def test_a_pytorchjob_gets_its_operators_variables() -> None:
    document = job(platform="gke", kind="pytorchjob", pools={"primary": CPU, "workers": {"replicaCount": 3}})
    environment = replica_environment(planned(document), "worker", 1)
    assert environment == {
        "PYTHONUNBUFFERED": "1",
        "MASTER_ADDR": "job-master-0",
        "MASTER_PORT": "23456",
        "RANK": "2",
        "WORLD_SIZE": "4",
        "PET_MASTER_ADDR": "job-master-0",
        "PET_MASTER_PORT": "23456",
        "PET_NODE_RANK": "2",
        "PET_NNODES": "4",
        "PET_NPROC_PER_NODE": "auto",
    }
    place = describe(environment)
    assert (place.rank, place.count, place.role) == (2, 4, "worker")


@pytest.mark.parametrize("kind", ["jobset", "pods"])
def test_what_we_make_ourselves_has_the_operators_form(kind: str) -> None:
    document = {**job(), "platform": "gke", "kind": kind}
    config = read(document, "ps")["TF_CONFIG"]
    assert {key: len(members) for key, members in config["cluster"].items()} == {
        "chief": 1, "evaluator": 1, "ps": 1, "worker": 2,
    }  # fmt: skip
    assert config["task"] == {"type": "ps", "index": 0}
    assert describe(replica_environment(planned(document), "worker", 0)).rank == 1


@pytest.mark.parametrize("kind", ["jobset", "pods"])
def test_reducers_of_our_own_get_their_addresses(kind: str) -> None:
    document = gpu_job(platform="gke", kind=kind, framework="byteps")
    document["pools"]["reducers"] = {"machineType": "n1-highcpu-16", "container": {"imageUri": IMAGE}}
    plan = planned(document)
    reducer = replica_environment(plan, "reducer", 15)
    assert set(reducer) == {"CLUSTER_SPEC"}
    assert describe(reducer).role == "workerpool2"
    worker = replica_environment(plan, "worker", 3)
    assert "ps" not in json.loads(worker["TF_CONFIG"])["cluster"]
    assert len(describe(worker).pool2) == 16


@pytest.mark.parametrize(
    ("words", "type_"),
    [
        (("primary", "chief", "master", "workerpool0", "PRIMARY"), "workerpool0"),
        (("workers", "worker", "workerpool1"), "workerpool1"),
        (
            ("parameterServers", "parameterServer", "ps", "parameter-server", "parameter_server", "workerpool2"),
            "workerpool2",
        ),
        (("evaluators", "evaluator", "workerpool3"), "workerpool3"),
    ],
)
def test_a_pool_has_many_names_in_every_dialect(words: tuple[str, ...], type_: str) -> None:
    for word in words:
        assert read(job(), word)["CLUSTER_SPEC"]["task"]["type"] == type_
        assert read(job(), word, dialect="kubeflow") and read(job(), word, dialect="ai-platform")


def test_reducers_are_pool_2_by_position() -> None:
    environment = read(gpu_job(), "reducers", 15)
    assert environment["CLUSTER_SPEC"]["task"] == {"type": "workerpool2", "index": 15}
    assert environment["TF_CONFIG"]["task"]["type"] == "ps"


@pytest.mark.parametrize(
    ("pool", "index", "options", "path"),
    [
        ("workerpool4", 0, {}, "--task"),
        ("wrker", 0, {}, "--task"),
        ("worker", 2, {}, "--task"),
        ("worker", -1, {}, "--task"),
        ("reducers", 0, {}, "--task"),
        ("worker", 0, {"trial": "1"}, "--trial"),
    ],
)
def test_no_such_replica(pool: str, index: int, options: dict[str, str], path: str) -> None:
    with pytest.raises(ReplicaError) as caught:
        replica_environment(planned(job()), pool, index, **options)
    finding = caught.value.finding
    assert (finding.rule, finding.severity, finding.path) == ("schema", "error", path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dialect", ["ai-platform", "kubeflow"])
def test_reducers_exist_on_vertex_only(dialect: str) -> None:
    with pytest.raises(ReplicaError):
        replica_environment(planned(gpu_job()), "reducer", 0, dialect=dialect)
    assert read(gpu_job(), "worker", 3, dialect=dialect)


@pytest.mark.parametrize("trial", ["0", "x", "", "-1", "1.0"])
def test_trials_are_numbered_from_1(trial: str) -> None:
    document = {**ALONE, "kind": "hyperparameterTuningJob", "tuning": TUNING}
    assert read(document, "primary")["CLUSTER_SPEC"]["task"]["trial"] == "1"
    assert read(document, "primary", trial="3", dialect="ai-platform")["TF_CONFIG"]["task"]["trial"] == "3"
    with pytest.raises(ReplicaError):
        replica_environment(planned(document), "primary", 0, trial=trial)
