from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, SERVER, findings_of, gpu_job, judge_document, with_pools

PRIMARY = {"machineType": "n1-standard-8"}


def plain(**pools: Any) -> dict[str, Any]:
    return {"container": {"imageUri": IMAGE, "command": ["run"]}, "pools": {"primary": PRIMARY, **pools}}


def pools_of(document: dict[str, Any]) -> dict[str, Any]:
    return {pool.role: pool for pool in judge_document(document)[0].pools}


def test_workers_inherit_machine_accelerators_and_disk() -> None:
    document = gpu_job()
    document["pools"]["primary"] |= {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 300}
    workers = pools_of(document)["workers"]
    assert (workers.machine_type, workers.accelerator_type, workers.accelerator_count) == (
        "n1-highmem-96",
        "NVIDIA_TESLA_V100",
        8,
    )
    assert (workers.boot_disk_type, workers.boot_disk_size_gb) == ("pd-ssd", 300)


@pytest.mark.parametrize(
    ("own", "accelerators"),
    [
        ({"machineType": "n1-standard-8"}, ("NVIDIA_TESLA_V100", 8)),
        ({"machineType": "n1-standard-8", "acceleratorCount": 2}, ("NVIDIA_TESLA_V100", 2)),
        ({"machineType": "n1-standard-8", "acceleratorCount": 0}, (None, 0)),
        # Nothing can be attached to these, or they bring their own.
        ({"machineType": "n2-standard-16"}, (None, 0)),
        ({"machineType": "a2-highgpu-1g"}, ("NVIDIA_TESLA_A100", 1)),
    ],
)
def test_accelerators_follow_to_a_machine_that_takes_them(own: dict[str, Any], accelerators: tuple[Any, int]) -> None:
    workers = pools_of(with_pools(gpu_job(), workers={"replicaCount": 2, **own}))["workers"]
    assert (workers.accelerator_type, workers.accelerator_count) == accelerators


def test_a_node_pool_follows_to_the_same_machine_only() -> None:
    document = {**plain(workers={"replicaCount": 2}), "platform": "gke"}
    document["pools"]["primary"] = {**PRIMARY, "nodePool": {"fastSocket": True}}
    pools = pools_of(document)
    assert pools["workers"].node_pool == pools["primary"].node_pool
    for machine, follows in (("n1-standard-8", True), ("n1-standard-16", False)):
        workers = pools_of(with_pools(document, workers={"replicaCount": 2, "machineType": machine}))["workers"]
        assert (workers.node_pool is not None, "node_pool" in workers.inherited) == (follows, follows)


def test_servers_and_evaluators_inherit_the_image_and_not_the_machine() -> None:
    pools = pools_of(
        plain(parameterServers={"machineType": "n1-standard-4"}, evaluators={"machineType": "e2-standard-4"})
    )
    for role in ("parameterServers", "evaluators"):
        assert pools[role].image == IMAGE
        assert pools[role].container.command == ("run",)
        assert pools[role].machine_type != PRIMARY["machineType"]


def test_reducers_inherit_nothing() -> None:
    reducers = pools_of(gpu_job())["reducers"]
    assert reducers.image == SERVER
    assert reducers.container.command is None
    assert reducers.accelerator_count == 0


def test_a_pools_own_image_leaves_the_jobs_command_behind() -> None:
    pools = pools_of(plain(workers={"replicaCount": 1, "container": {"imageUri": "other/image"}}))
    assert pools["workers"].image == "other/image"
    assert pools["workers"].container.command is None


def test_a_pools_arguments_keep_the_jobs_image() -> None:
    pools = pools_of(plain(workers={"replicaCount": 1, "container": {"args": ["--slow"], "env": {"A": "1"}}}))
    assert pools["workers"].image == IMAGE
    assert pools["workers"].container.command == ("run",)
    assert pools["workers"].container.args == ("--slow",)


def test_an_image_that_two_pools_run_is_reported_where_it_is_written() -> None:
    document = plain(workers={"replicaCount": 1, "container": {"args": ["--slow"]}})
    document["container"]["imageUri"] = "a/b:1"
    assert {path for rule, _, path in findings_of(document) if rule == "image-pinned"} == {"container.imageUri"}


def test_the_primarys_own_package_goes_before_the_jobs_container() -> None:
    package = {"executorImageUri": "executor", "packageUris": ["gs://b/p.tar.gz"], "pythonModule": "t.task"}
    document = with_pools(plain(workers={"replicaCount": 1}), primary={**PRIMARY, "pythonPackage": package})
    pools = pools_of(document)
    assert (pools["primary"].image, pools["workers"].image) == ("executor", "executor")
    assert pools["workers"].python_package == pools["primary"].python_package


@pytest.mark.parametrize(
    "nothing", [{}, {"replicaCount": 0}, {"replicaCount": 0, "machineType": "n1-standard-4"}, None]
)
@pytest.mark.parametrize("role", ["workers", "parameterServers", "reducers", "evaluators"])
def test_three_spellings_of_no_pool(role: str, nothing: Any) -> None:
    assert set(pools_of(plain(**{role: nothing}))) == {"primary"}


@pytest.mark.parametrize(
    ("fields", "accelerators"),
    [
        ({}, ("NVIDIA_TESLA_A100", 8)),
        ({"acceleratorCount": 4}, ("NVIDIA_TESLA_A100", 4)),
        ({"acceleratorCount": 0}, ("NVIDIA_TESLA_A100", 0)),
        ({"acceleratorType": "NVIDIA_L4"}, ("NVIDIA_L4", 8)),
    ],
)
def test_machines_bring_what_is_not_declared_of_their_accelerators(
    fields: dict[str, Any], accelerators: tuple[str, int]
) -> None:
    pool = pools_of(with_pools(plain(), primary={"machineType": "a2-highgpu-8g", **fields}))["primary"]
    assert (pool.accelerator_type, pool.accelerator_count) == accelerators


def test_workers_have_as_many_as_the_primary_says() -> None:
    primary = {"machineType": "a2-highgpu-8g", "acceleratorCount": 4}
    workers = pools_of(with_pools(plain(workers={"replicaCount": 1}), primary=primary))["workers"]
    assert (workers.accelerator_type, workers.accelerator_count) == ("NVIDIA_TESLA_A100", 4)


def test_sized_reducers() -> None:
    plan, findings = judge_document(gpu_job())
    assert findings == []
    assert plan.sizing is not None
    assert (plan.sizing.pool.machine_type, plan.sizing.pool.replica_count) == ("n1-highcpu-16", 16)
    assert [pool.role for pool in plan.pools] == ["primary", "workers", "reducers"]


def test_variables_are_joined_name_by_name() -> None:
    document = plain(workers={"replicaCount": 1, "container": {"env": {"A": "own", "B": "2"}}})
    document["container"]["env"] = {"A": "1", "C": "3"}
    pools = pools_of(document)
    assert pools["workers"].container.env == {"A": "own", "B": "2", "C": "3"}
    assert pools["primary"].container.env == {"A": "1", "C": "3"}
