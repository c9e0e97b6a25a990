"""What each framework is told, replica by replica."""

from __future__ import annotations

import json

import pytest

from .clusters import AI_PLATFORM, VERTEX, Launch, cluster_spec, hosts, job_with_pool2, tf_config

REDUCTION_SERVER = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
EVERYTHING = (1, 2, 2, 1)


@pytest.mark.parametrize("keys", [VERTEX, AI_PLATFORM])
def test_pytorch(launch: Launch, keys: tuple[str, ...]) -> None:
    environ = cluster_spec(keys, EVERYTHING, 1, 1)
    assert launch(environ, "--framework=pytorch", "--nproc-per-node=4").variables == {
        "MASTER_ADDR": f"{keys[0]}-0",
        "MASTER_PORT": "2222",
        "RANK": "8",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": "12",
        "NODE_RANK": "2",
        "NNODES": "3",
        "PET_MASTER_ADDR": f"{keys[0]}-0",
        "PET_MASTER_PORT": "2222",
        "PET_NNODES": "3",
        "PET_NODE_RANK": "2",
        "PET_NPROC_PER_NODE": "4",
    }


def test_jax(launch: Launch) -> None:
    variables = launch(cluster_spec(VERTEX, EVERYTHING, 1, 0), "--framework", "jax").variables
    assert variables == {
        "JAX_COORDINATOR_ADDRESS": "workerpool0-0:2222",
        "JAX_NUM_PROCESSES": "3",
        "JAX_PROCESS_ID": "1",
    }


def test_jax_binds_its_own_loopback_address_only(launch: Launch) -> None:
    spec = {"cluster": {"workerpool0": ["127.0.7.1:2222"], "workerpool1": ["127.0.7.2:2222"]}}
    primary = {"CLUSTER_SPEC": json.dumps({**spec, "task": {"type": "workerpool0", "index": 0}})}
    worker = {"CLUSTER_SPEC": json.dumps({**spec, "task": {"type": "workerpool1", "index": 0}})}
    assert launch(primary, "--framework=jax").variables["JAX_COORDINATOR_BIND_ADDRESS"] == "127.0.7.1:2222"
    assert "JAX_COORDINATOR_BIND_ADDRESS" not in launch(worker, "--framework=jax").variables


def test_horovod(launch: Launch) -> None:
    environ = cluster_spec(VERTEX, EVERYTHING, 1, 0)
    assert launch(environ, "--framework=horovod", "--nproc-per-node=2").variables == {
        "HOROVOD_HOSTS": "workerpool0-0:2,workerpool1-0:2,workerpool1-1:2",
        "HOROVOD_HOSTNAME": "workerpool1-0",
        "HOROVOD_RANK": "2",
        "HOROVOD_SIZE": "6",
        "HOROVOD_LOCAL_RANK": "0",
        "HOROVOD_LOCAL_SIZE": "2",
        "HOROVOD_CROSS_RANK": "1",
        "HOROVOD_CROSS_SIZE": "3",
        "HOROVOD_CONTROLLER": "gloo",
        "HOROVOD_CPU_OPERATIONS": "gloo",
        "HOROVOD_GLOO_RENDEZVOUS_ADDR": "workerpool0-0",
        "HOROVOD_GLOO_RENDEZVOUS_PORT": "2222",
    }


@pytest.mark.parametrize(
    ("given", "expected", "warned"),
    [("", "134217728", False), ("67108864", "134217728", True), ("268435456", "268435456", False)],
)
def test_horovod_fuses_enough_for_reducers(launch: Launch, given: str, expected: str, warned: bool) -> None:
    environ = cluster_spec(VERTEX, (1, 1, 2), 0, 0, job=job_with_pool2(REDUCTION_SERVER))
    answer = launch({**environ, "HOROVOD_FUSION_THRESHOLD": given}, "--framework=horovod")
    assert answer.variables["HOROVOD_FUSION_THRESHOLD"] == expected
    assert ("HOROVOD_FUSION_THRESHOLD" in answer.err) is warned


def test_horovod_without_reducers_leaves_fusion_alone(launch: Launch) -> None:
    environ = cluster_spec(VERTEX, (1, 1, 2), 0, 0, job=job_with_pool2("own-server:1"))
    assert "HOROVOD_FUSION_THRESHOLD" not in launch(environ, "--framework=horovod").variables


def test_horovod_keeps_the_users_controller(launch: Launch) -> None:
    environ = {**cluster_spec(VERTEX, (1, 1), 0, 0), "HOROVOD_CONTROLLER": "mpi"}
    assert launch(environ, "--framework=horovod").variables["HOROVOD_CONTROLLER"] == "mpi"


def dmlc(role: str, servers: int = 2, root: str = "workerpool0-0") -> dict[str, str]:
    return {
        "DMLC_ROLE": role,
        "DMLC_PS_ROOT_URI": root,
        "DMLC_PS_ROOT_PORT": "2222",
        "DMLC_NUM_WORKER": "2",
        "DMLC_NUM_SERVER": str(servers),
    }


@pytest.mark.parametrize(("pool", "role"), [(0, "scheduler"), (1, "worker"), (2, "server")])
def test_mxnet_and_byteps(launch: Launch, pool: int, role: str) -> None:
    environ = cluster_spec(VERTEX, EVERYTHING, pool, 0)
    assert launch(environ, "--framework=mxnet").variables == dmlc(role)
    worker_id = {"DMLC_WORKER_ID": "0"} if role == "worker" else {}
    assert launch(environ, "--framework=byteps").variables == {**dmlc(role), **worker_id}


@pytest.mark.parametrize(("options", "servers"), [(["--pool2=reducers"], 2), (["--pool2=ps"], 2)])
def test_own_reducers_serve_byteps(launch: Launch, options: list[str], servers: int) -> None:
    variables = launch(cluster_spec(VERTEX, EVERYTHING, 1, 1), "--framework=byteps", *options).variables
    assert (variables["DMLC_NUM_SERVER"], variables["DMLC_WORKER_ID"]) == (str(servers), "1")


def test_vertex_reduction_server_is_no_dmlc_server(launch: Launch) -> None:
    job = job_with_pool2(REDUCTION_SERVER)
    assert launch(cluster_spec(VERTEX, EVERYTHING, 1, 0, job=job), "--framework=mxnet").variables == dmlc("worker", 0)
    assert launch(cluster_spec(VERTEX, EVERYTHING, 2, 0, job=job), "--framework=mxnet").variables == {}


def test_xgboost(launch: Launch) -> None:
    assert launch(cluster_spec(AI_PLATFORM, EVERYTHING, 0, 0), "--framework=xgboost").variables == {
        "DMLC_TRACKER_URI": "master-0",
        "DMLC_TRACKER_PORT": "2222",
        "DMLC_TASK_ID": "0",
        "MASTER_ADDR": "master-0",
        "MASTER_PORT": "2222",
        "RANK": "0",
        "WORLD_SIZE": "3",
    }


@pytest.mark.parametrize("options", [[], ["--framework=custom"]])
def test_custom_is_the_default(launch: Launch, options: list[str]) -> None:
    assert launch(cluster_spec(AI_PLATFORM, EVERYTHING, 1, 0), *options).variables == {
        "MASTER_ADDR": "master-0",
        "MASTER_PORT": "2222",
        "RANK": "1",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": "3",
        "NODE_RANK": "1",
        "NNODES": "3",
        "NODE_ROLE": "worker",
        "NODE_INDEX": "0",
    }


@pytest.mark.parametrize("framework", ["pytorch", "horovod", "jax", "xgboost", "custom"])
@pytest.mark.parametrize(
    ("keys", "pool", "more", "role"),
    [
        (AI_PLATFORM, 2, {}, "parameter-server"),
        (VERTEX, 2, {"job": job_with_pool2(REDUCTION_SERVER)}, "reducer"),
        (VERTEX, 2, {"job": job_with_pool2("own-server:1")}, "parameter-server"),
        (VERTEX, 2, {}, "workerpool2"),
        (VERTEX, 3, {}, "evaluator"),
        (AI_PLATFORM, 3, {}, "evaluator"),
    ],
)
def test_others_than_nodes_are_never_ranks(
    launch: Launch, framework: str, keys: tuple[str, ...], pool: int, more: dict[str, object], role: str
) -> None:
    environ = cluster_spec(keys, EVERYTHING, pool, 0, **more)
    assert launch(environ, f"--framework={framework}").variables == {"NODE_ROLE": role, "NODE_INDEX": "0"}


@pytest.mark.parametrize("framework", ["mxnet", "byteps"])
def test_evaluators_have_no_dmlc_role(launch: Launch, framework: str) -> None:
    assert launch(cluster_spec(VERTEX, EVERYTHING, 3, 0), f"--framework={framework}").variables == {}


@pytest.mark.parametrize(
    ("framework", "expected"),
    [
        ("pytorch", {"RANK": "0", "WORLD_SIZE": "1", "NNODES": "1", "PET_NNODES": "1"}),
        ("jax", {"JAX_PROCESS_ID": "0", "JAX_NUM_PROCESSES": "1"}),
        ("horovod", {"HOROVOD_RANK": "0", "HOROVOD_SIZE": "1"}),
        ("xgboost", {"RANK": "0", "WORLD_SIZE": "1"}),
        ("custom", {"NODE_RANK": "0", "NNODES": "1", "NODE_ROLE": "primary"}),
        ("byteps", {"DMLC_ROLE": "worker", "DMLC_NUM_WORKER": "1", "DMLC_WORKER_ID": "0"}),
        ("mxnet", {}),
        ("tensorflow", {}),
        ("flags", {}),
    ],
)
@pytest.mark.parametrize("environ", [{}, {"CLUSTER_SPEC": "", "TF_CONFIG": "", "RANK": ""}, None])
def test_world_of_one(launch: Launch, framework: str, expected: dict[str, str], environ: dict[str, str] | None) -> None:
    replica_environ = cluster_spec(VERTEX, (1,), 0, 0) if environ is None else environ
    variables = launch(replica_environ, f"--framework={framework}").variables
    assert {name: variables[name] for name in expected} == expected
    assert expected or not variables
    assert "HOROVOD_GLOO_RENDEZVOUS_ADDR" not in variables


def test_a_job_with_parameter_servers_only_is_no_world_of_one(launch: Launch) -> None:
    variables = launch(cluster_spec(VERTEX, (1, 0, 1), 0, 0), "--framework=mxnet").variables
    assert (variables["DMLC_ROLE"], variables["DMLC_NUM_WORKER"]) == ("scheduler", "0")


def test_ipv6(launch: Launch) -> None:
    environ = tf_config({"chief": ["[2001:db8::1]:3333"], "worker": ["[2001:db8::2]"]}, "worker", 0)
    variables = launch(environ, "--framework=pytorch").variables
    assert (variables["MASTER_ADDR"], variables["MASTER_PORT"]) == ("2001:db8::1", "3333")
    assert launch(environ, "--framework=jax").variables["JAX_COORDINATOR_ADDRESS"] == "[2001:db8::1]:3333"


def test_a_host_without_a_port_gets_the_described_port(launch: Launch) -> None:
    environ = tf_config({"chief": ["h0"], "worker": ["h1"]}, "worker", 0)
    assert launch(environ, "--framework=pytorch").variables["MASTER_PORT"] == "2222"


def test_cluster_spec_goes_before_tf_config(launch: Launch) -> None:
    environ = {**cluster_spec(VERTEX, (1, 2), 1, 1), **tf_config(hosts(("chief",), (1,)), "chief", 0)}
    assert launch(environ, "--framework=pytorch").variables["RANK"] == "2"
