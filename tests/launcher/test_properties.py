"""Properties of every legal job, in every dialect: who gets which rank."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout

from hypothesis import given
from hypothesis import strategies as st

from trainingjobs.launcher.cli import main
from trainingjobs.launcher.frameworks import FRAMEWORKS
from trainingjobs.workloads.vertex_environment import replica_environment

from .clusters import AI_PLATFORM, VERTEX, cluster_spec, hosts, tf_config

Replica = tuple[int, int]
COUNTS = st.tuples(st.just(1), st.integers(0, 12), st.integers(0, 4), st.integers(0, 3))
TASKS = ("chief", "worker", "ps", "evaluator")
KINDS = ("vertex", "ai-platform", "tf-config", "tf-config-without-chief", "vertex_env", "vertex_env-tf-config")
NODES = (0, 1)


def describe(kind: str, counts: tuple[int, ...], pool: int, index: int) -> dict[str, str]:
    """Returns the environment of one replica as the services and operators describe it."""
    if kind in ("vertex", "ai-platform"):
        return cluster_spec(VERTEX if kind == "vertex" else AI_PLATFORM, counts, pool, index)
    if kind == "tf-config":
        return tf_config(hosts(TASKS[:3], counts[:3]), TASKS[pool], index)
    if kind == "tf-config-without-chief":
        cluster = hosts(("worker", "ps"), (counts[1] + 1, counts[2]))
        return tf_config(cluster, "worker" if pool < 2 else TASKS[pool], index + (pool == 1))
    pools = [{"replicaCount": count, "containerSpec": {"imageUri": "trainer:1"}} if count else {} for count in counts]
    environ = replica_environment({"workerPoolSpecs": pools}, pool, index)
    return environ if kind == "vertex_env" else {"TF_CONFIG": environ.get("TF_CONFIG", "")}


def variables_of(environ: dict[str, str], *options: str) -> dict[str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["--print-env", *options], environ)
    assert status == 0, err.getvalue()
    return json.loads(out.getvalue())


def every_replica(kind: str, counts: tuple[int, ...], *options: str) -> dict[Replica, dict[str, str]]:
    """Returns what every replica of the job is told."""
    places = [(pool, index) for pool, count in enumerate(counts) for index in range(count)]
    return {place: variables_of(describe(kind, counts, *place), *options) for place in places}


@given(st.sampled_from(KINDS), COUNTS, st.sampled_from(["pytorch", "custom", "xgboost"]), st.integers(1, 16))
def test_ranks_have_no_gap_and_the_primary_is_rank_0(
    kind: str, counts: tuple[int, ...], framework: str, each: int
) -> None:
    environments = every_replica(kind, counts, f"--framework={framework}", f"--nproc-per-node={each}")
    nodes = 1 + counts[1]
    ranks = {place: int(variables["RANK"]) for place, variables in environments.items() if place[0] in NODES}
    assert sorted(ranks.values()) == [rank * each for rank in range(nodes)]
    assert [place for place, rank in ranks.items() if rank == 0] == [(0, 0)]
    assert all(rank == (place[1] + 1) * each for place, rank in ranks.items() if place[0] == 1)
    assert {environments[place]["WORLD_SIZE"] for place in ranks} == {str(nodes * each)}
    assert len({(environments[place]["MASTER_ADDR"], environments[place]["MASTER_PORT"]) for place in ranks}) == 1
    assert not any("RANK" in environments[place] for place in environments.keys() - ranks.keys())


@given(st.sampled_from(KINDS), COUNTS)
def test_jax_and_horovod_agree_with_pytorch(kind: str, counts: tuple[int, ...]) -> None:
    torch, jax, horovod = (every_replica(kind, counts, f"--framework={f}") for f in ("pytorch", "jax", "horovod"))
    for place in torch:
        if place[0] not in NODES:
            assert torch[place].keys() == jax[place].keys() == horovod[place].keys() == {"NODE_ROLE", "NODE_INDEX"}
            continue
        assert torch[place]["RANK"] == jax[place]["JAX_PROCESS_ID"] == horovod[place]["HOROVOD_RANK"]
        assert torch[place]["WORLD_SIZE"] == jax[place]["JAX_NUM_PROCESSES"] == horovod[place]["HOROVOD_SIZE"]
        address = f"{torch[place]['MASTER_ADDR']}:{torch[place]['MASTER_PORT']}"
        assert jax[place]["JAX_COORDINATOR_ADDRESS"] == address


@given(st.sampled_from(KINDS), COUNTS)
def test_dmlc_counts_are_the_roles_given(kind: str, counts: tuple[int, ...]) -> None:
    environments = [variables for variables in every_replica(kind, counts, "--framework=byteps").values() if variables]
    if counts[1] + counts[2] == 0:
        assert [variables["DMLC_ROLE"] for variables in environments] == ["worker"]
        return
    roles = [variables["DMLC_ROLE"] for variables in environments]
    assert roles.count("scheduler") == 1
    assert (
        {variables["DMLC_NUM_WORKER"] for variables in environments} == {str(roles.count("worker"))} == {str(counts[1])}
    )
    assert (
        {variables["DMLC_NUM_SERVER"] for variables in environments} == {str(roles.count("server"))} == {str(counts[2])}
    )
    ids = [int(variables["DMLC_WORKER_ID"]) for variables in environments if "DMLC_WORKER_ID" in variables]
    assert sorted(ids) == list(range(counts[1]))


@given(st.sampled_from(["vertex", "ai-platform"]), COUNTS)
def test_a_made_tf_config_names_every_replica_once(kind: str, counts: tuple[int, ...]) -> None:
    environments = every_replica(kind, counts, "--framework=tensorflow", "--pool2=ps")
    if sum(counts) == 1:
        assert environments == {(0, 0): {}}
        return
    configs = {place: json.loads(variables["TF_CONFIG"]) for place, variables in environments.items()}
    assert len({json.dumps(config["cluster"]) for config in configs.values()}) == 1
    for (pool, index), config in configs.items():
        assert config["task"] == {"type": TASKS[pool], "index": index}
        assert "evaluator" not in config["cluster"]
        if pool != 3:
            key = (VERTEX if kind == "vertex" else AI_PLATFORM)[pool]
            assert config["cluster"][TASKS[pool]][index] == f"{key}-{index}:2222"


NAMES = [*VERTEX, *TASKS, "master"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*NAMES, "cluster", "task", "type", "index", "job", "trial", "0"]), inner)
    ),
    max_leaves=20,
)
ALMOST = st.fixed_dictionaries(
    {
        "cluster": st.dictionaries(
            st.sampled_from(NAMES),
            st.lists(st.sampled_from(["a:1", "b:2", "c"]), max_size=3) | JSON,
        ),
        "task": st.fixed_dictionaries({"type": st.sampled_from(NAMES) | JSON, "index": st.integers(-1, 3) | JSON}),
    },
    optional={"job": JSON},
)


@given(st.sampled_from(["CLUSTER_SPEC", "TF_CONFIG"]), JSON | ALMOST, st.sampled_from(FRAMEWORKS))
def test_whatever_is_described_the_answer_is_variables_or_one_line(name: str, document: object, framework: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["--print-env", f"--framework={framework}"], {name: json.dumps(document)})
    assert status in (0, 2)
    assert len(err.getvalue().splitlines()) <= 1
    if status:
        assert (out.getvalue(), len(err.getvalue().splitlines())) == ("", 1)
    else:
        assert all(isinstance(value, str) and value for value in json.loads(out.getvalue()).values())
