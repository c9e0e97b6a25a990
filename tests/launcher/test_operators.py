"""What Kubeflow's operators inject."""

from __future__ import annotations

import pytest

from .clusters import Launch

PYTORCHJOB = {
    "MASTER_ADDR": "bert-master-0",
    "MASTER_PORT": "23456",
    "PET_MASTER_ADDR": "bert-master-0",
    "PET_MASTER_PORT": "23456",
    "WORLD_SIZE": "12",
    "RANK": "2",
    "PET_NODE_RANK": "2",
    "PET_NNODES": "3",
    "PET_NPROC_PER_NODE": "4",
}
TRAINJOB = {name: value for name, value in PYTORCHJOB.items() if name.startswith("PET_")}
OLD_PYTORCHJOB = {"MASTER_ADDR": "bert-master-0", "MASTER_PORT": "23456", "WORLD_SIZE": "3", "RANK": "2"}


@pytest.mark.parametrize("environ", [PYTORCHJOB, TRAINJOB])
def test_pytorchjob(launch: Launch, environ: dict[str, str]) -> None:
    expected = {**PYTORCHJOB, "RANK": "8", "LOCAL_RANK": "0", "NODE_RANK": "2", "NNODES": "3"}
    assert launch(environ, "--framework=pytorch").variables == expected


def test_old_pytorchjob(launch: Launch) -> None:
    variables = launch(OLD_PYTORCHJOB, "--framework=pytorch", "--nproc-per-node=8").variables
    assert (variables["RANK"], variables["WORLD_SIZE"], variables["PET_NNODES"]) == ("16", "24", "3")


def test_torchruns_word_for_all_devices_stays(launch: Launch) -> None:
    environ = {**PYTORCHJOB, "WORLD_SIZE": "3", "PET_NPROC_PER_NODE": "auto"}
    variables = launch(environ, "--framework=pytorch").variables
    assert (variables["PET_NPROC_PER_NODE"], variables["WORLD_SIZE"], variables["RANK"]) == ("auto", "3", "2")


def test_other_frameworks(launch: Launch) -> None:
    assert launch(OLD_PYTORCHJOB, "--framework=jax").variables == {
        "JAX_COORDINATOR_ADDRESS": "bert-master-0:23456",
        "JAX_NUM_PROCESSES": "3",
        "JAX_PROCESS_ID": "2",
    }
    variables = launch(OLD_PYTORCHJOB, "--framework=byteps").variables
    assert (variables["DMLC_ROLE"], variables["DMLC_WORKER_ID"]) == ("worker", "1")
    assert launch(OLD_PYTORCHJOB).variables["NODE_ROLE"] == "worker"


@pytest.mark.parametrize(
    "change",
    [
        {"RANK": "3"},
        {"RANK": ""},
        {"RANK": "-1"},
        {"RANK": "two"},
        {"RANK": "²"},
        {"WORLD_SIZE": "0"},
        {"WORLD_SIZE": ""},
        {"WORLD_SIZE": "9" * 30},
        {"MASTER_ADDR": ""},
        {"MASTER_ADDR": "$(reboot)"},
        {"MASTER_PORT": "0"},
        {"PET_NPROC_PER_NODE": "2", "RANK": "0"},
        {"PET_NNODES": "1:4"},
        {"PET_NNODES": "2"},
    ],
)
def test_incomplete_or_contradictory(launch: Launch, change: dict[str, str]) -> None:
    answer = launch({**OLD_PYTORCHJOB, **change}, "--framework=pytorch")
    assert (answer.status, answer.out, len(answer.err.splitlines())) == (2, "", 1)


def test_a_port_alone_describes_nothing(launch: Launch) -> None:
    assert launch({"MASTER_PORT": "29500", "MASTER_ADDR": "m"}, "--framework=pytorch").variables["WORLD_SIZE"] == "1"
