"""TF_CONFIG: passed through, rewritten for TensorFlow 2, made from a CLUSTER_SPEC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainingjobs.launcher.frameworks import FRAMEWORKS

from .clusters import AI_PLATFORM, VERTEX, Launch, cluster_spec, hosts, job_with_pool2, tf_config

REDUCTION_SERVER = "europe-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
CHIEF = ("chief", "worker", "ps")
WITH_RANKS = [framework for framework in FRAMEWORKS if framework != "tensorflow"]


def config_of(launch: Launch, environ: dict[str, str], *options: str) -> dict[str, object]:
    return json.loads(launch(environ, "--framework=tensorflow", *options).variables["TF_CONFIG"])


@pytest.mark.parametrize(
    ("kind", "index"), [("chief", 0), ("worker", 1), ("ps", 0), ("evaluator", 0), ("evaluator", 7)]
)
def test_passes_through(launch: Launch, kind: str, index: int) -> None:
    environ = tf_config(hosts(CHIEF, (1, 2, 1)), kind, index, environment="cloud", job="{}")
    assert launch(environ, "--framework=tensorflow").variables == environ


def test_kubeflows_evaluator_in_the_cluster(launch: Launch) -> None:
    environ = tf_config(hosts((*CHIEF, "evaluator"), (1, 1, 0, 1)), "evaluator", 0)
    assert launch(environ, "--framework=tensorflow").variables == environ


DYNAMIC = [
    ({"worker": {"0": "w:2222"}, "ps": ["p:2222"]}, "worker", 0),
    ({"worker": {"3": "w:2222"}, "ps": ["p:2222"]}, "worker", 3),
    ({"chief": ["c:2222"], "worker": {}, "ps": []}, "chief", 0),
    ({"worker": {}, "ps": ["p:2222"]}, "ps", 0),
]


@pytest.mark.parametrize(("cluster", "kind", "index"), DYNAMIC)
def test_kubeflows_dynamic_workers(launch: Launch, cluster: dict[str, object], kind: str, index: int) -> None:
    environ = tf_config(cluster, kind, index)
    assert launch(environ, "--framework=tensorflow").variables == environ


@pytest.mark.parametrize(("cluster", "kind", "index"), DYNAMIC[1:])
@pytest.mark.parametrize("framework", WITH_RANKS)
def test_dynamic_workers_without_the_others_give_no_world(
    launch: Launch, framework: str, cluster: dict[str, object], kind: str, index: int
) -> None:
    answer = launch(tf_config(cluster, kind, index), f"--framework={framework}")
    assert (answer.status, answer.out, len(answer.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("more", [{}, {"worker": []}, {"worker": None}])
def test_a_chief_that_has_no_workers_is_a_world_of_one(launch: Launch, more: dict[str, object]) -> None:
    environ = tf_config({"chief": ["c:2222"], **more}, "chief", 0)
    assert [launch(environ, f"--framework={framework}").status for framework in FRAMEWORKS] == [0] * len(FRAMEWORKS)
    assert launch(environ, "--framework=pytorch").variables["WORLD_SIZE"] == "1"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_role_of_null_is_an_absent_role(launch: Launch, framework: str) -> None:
    def launched(cluster: dict[str, object]) -> dict[str, object]:
        variables = launch(tf_config(cluster, "worker", 1), f"--framework={framework}").variables
        return {**variables, "TF_CONFIG": json.loads(variables.get("TF_CONFIG", "{}"))}

    cluster = hosts(("chief", "worker"), (1, 2))
    # TensorFlow itself refuses a role of null.
    assert launched({**cluster, "ps": None, "evaluator": None}) == launched({**cluster})


def test_a_dynamic_worker_of_a_job_without_servers(launch: Launch) -> None:
    config = config_of(launch, tf_config({"worker": {"1": "w:2222"}, "ps": None}, "worker", 1))
    assert config == {"cluster": {"worker": {"1": "w:2222"}}, "task": {"type": "worker", "index": 1}}


@pytest.mark.parametrize("keys", [VERTEX, AI_PLATFORM])
def test_a_pool_of_null_in_cluster_spec_is_an_absent_pool(launch: Launch, keys: tuple[str, ...]) -> None:
    cluster = {**dict.fromkeys(keys), **hosts(keys, (1, 2))}
    environ = {"CLUSTER_SPEC": json.dumps({"cluster": cluster, "task": {"type": keys[1], "index": 0}})}
    for framework in FRAMEWORKS:
        option = f"--framework={framework}"
        assert launch(environ, option) == launch(cluster_spec(keys, (1, 2), 1, 0), option)


def test_all_dynamic_workers_give_ranks(launch: Launch) -> None:
    environ = tf_config({"worker": {"1": "w1:2222", "0": "w0:2222"}}, "worker", 1)
    variables = launch(environ, "--framework=pytorch").variables
    assert (variables["MASTER_ADDR"], variables["RANK"], variables["WORLD_SIZE"]) == ("w0", "1", "2")


@pytest.mark.parametrize(("kind", "index"), [("master", 0), ("worker", 1), ("evaluator", 0)])
def test_master_becomes_chief(launch: Launch, kind: str, index: int) -> None:
    cluster = hosts(("master", "worker"), (1, 2))
    config = config_of(launch, tf_config(cluster, kind, index, environment="cloud", job={"region": "r"}))
    assert config == {
        "cluster": {"chief": cluster["master"], "worker": cluster["worker"]},
        "task": {"type": "chief" if kind == "master" else kind, "index": index},
        "environment": "cloud",
        "job": {"region": "r"},
    }


@pytest.mark.parametrize("job", [{"runtimeVersion": "1.15"}, '{"runtime_version": "1.15"}'])
def test_master_stays_for_tensorflow_1(launch: Launch, job: object) -> None:
    environ = tf_config(hosts(("master",), (1,)), "master", 0, job=job)
    assert launch(environ, "--framework=tensorflow").variables == environ


def test_master_stays_where_tensorflow_1_is_installed(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tensorflow-1.15.5.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    environ = tf_config(hosts(("master",), (1,)), "master", 0)
    assert launch(environ, "--framework=tensorflow").variables == environ


@pytest.mark.parametrize("keys", [VERTEX, AI_PLATFORM])
@pytest.mark.parametrize(("pool", "kind"), [(0, "chief"), (1, "worker"), (2, "ps"), (3, "evaluator")])
def test_made_from_cluster_spec(launch: Launch, keys: tuple[str, ...], pool: int, kind: str) -> None:
    cluster = hosts(keys, (1, 2, 1, 1))
    config = config_of(launch, cluster_spec(keys, (1, 2, 1, 1), pool, 0), "--pool2=ps")
    assert config == {
        "cluster": {"chief": cluster[keys[0]], "worker": cluster[keys[1]], "ps": cluster[keys[2]]},
        "task": {"type": kind, "index": 0},
        "environment": "cloud",
    }


@pytest.mark.parametrize(
    ("image", "options", "has_servers"),
    [
        (REDUCTION_SERVER, [], False),
        (REDUCTION_SERVER, ["--pool2=ps"], False),
        ("own-server:1", [], True),
        ("own-server:1", ["--pool2=reducers"], True),
        ("", ["--pool2=reducers"], False),
        ("", ["--pool2=ps"], True),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
def test_what_pool_2_holds(launch: Launch, image: str, options: list[str], has_servers: bool, as_text: bool) -> None:
    job: object = job_with_pool2(image)
    environ = cluster_spec(VERTEX, (1, 1, 1), 0, 0, job=json.dumps(job) if as_text else job)
    answer = launch(environ, "--framework=tensorflow", *options)
    config = json.loads(answer.variables["TF_CONFIG"])
    assert ("ps" in config["cluster"]) is has_servers
    assert (config["job"], answer.err) == (job, "")


@pytest.mark.parametrize("more", [{}, {"job": "no JSON"}, {"job": {}}, {"job": {"workerPoolSpecs": [{}, {}]}}])
def test_unknown_pool_2_is_left_out_and_said(launch: Launch, more: dict[str, object]) -> None:
    answer = launch(cluster_spec(VERTEX, (1, 1, 1), 0, 0, **more), "--framework=tensorflow")
    assert "ps" not in json.loads(answer.variables["TF_CONFIG"])["cluster"]
    assert len(answer.err.splitlines()) == 1
    assert "--pool2" in answer.err


def test_snake_case_job(launch: Launch) -> None:
    pools = [{}, {}, {"container_spec": {"image_uri": REDUCTION_SERVER}}]
    environ = cluster_spec(VERTEX, (1, 1, 1), 0, 0, job={"worker_pool_specs": pools})
    assert "ps" not in config_of(launch, environ)["cluster"]


def test_python_package_job(launch: Launch) -> None:
    pools = [{}, {}, {"pythonPackageSpec": {"executorImageUri": "tf-cpu.2-17:latest"}}]
    environ = cluster_spec(VERTEX, (1, 1, 1), 0, 0, job={"workerPoolSpecs": pools})
    assert "ps" in config_of(launch, environ)["cluster"]


def test_a_reducer_gets_no_tf_config(launch: Launch) -> None:
    answer = launch(cluster_spec(VERTEX, (1, 1, 1), 2, 0), "--framework=tensorflow", "--pool2=reducers")
    assert answer.variables == {"NODE_ROLE": "reducer", "NODE_INDEX": "0"}


@pytest.mark.parametrize(("trial", "expected"), [("1", {"trial": "1"}), ("", {}), (None, {})])
def test_trial(launch: Launch, trial: str | None, expected: dict[str, str]) -> None:
    task = {"type": "worker", "index": 0, **({} if trial is None else {"trial": trial})}
    environ = {"CLUSTER_SPEC": json.dumps({"cluster": hosts(AI_PLATFORM, (1, 1)), "task": task})}
    assert config_of(launch, environ)["task"] == {"type": "worker", "index": 0, **expected}


def test_tf_config_without_chief(launch: Launch) -> None:
    environ = tf_config(hosts(("worker", "ps"), (3, 1)), "worker", 2)
    variables = launch(environ, "--framework=pytorch").variables
    assert (variables["MASTER_ADDR"], variables["RANK"], variables["WORLD_SIZE"]) == ("worker-0", "2", "3")


def test_an_operators_variables_name_too_few_hosts(launch: Launch) -> None:
    environ = {"MASTER_ADDR": "m", "RANK": "0", "WORLD_SIZE": "2"}
    for framework in ("tensorflow", "flags", "horovod"):
        assert launch(environ, f"--framework={framework}").status == 2
