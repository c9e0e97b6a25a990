from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import DECLARES, IMAGE, SERVER, findings_of, gpu_job, judge_document, with_pools
from trainingjobs.rules import RULES, structural_findings
from trainingjobs.rules.registry import Levels

A100 = {"machineType": "a2-highgpu-8g"}


def a3(**changes: Any) -> dict[str, Any]:
    return gpu_job(pools={"primary": {"machineType": "a3-megagpu-8g"}, "workers": {"replicaCount": 7}, **changes})


def test_the_guides_job_is_clean() -> None:
    assert findings_of(gpu_job()) == set()


@pytest.mark.parametrize(
    ("primary", "path"),
    [
        (None, "pools.primary"),
        ({}, "pools.primary"),
        ({"machineType": "n1-standard-4", "replicaCount": 0}, "pools.primary.replicaCount"),
        ({"machineType": "n1-standard-4", "replicaCount": 2}, "pools.primary.replicaCount"),
    ],
)
def test_one_primary_replica(primary: Any, path: str) -> None:
    document = {"container": {"imageUri": IMAGE}, "pools": {"primary": primary}}
    assert ("one-primary-replica", "error", path) in findings_of(document)


CASES = [
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "n1-highcpu-16", "replicaCount": 15}),
        ("reducer-bandwidth", "error", "pools.reducers.replicaCount"),
        id="one reducer short",
    ),
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "n1-highcpu-16", "replicaCount": 18}),
        ("reducer-bandwidth", "advice", "pools.reducers.replicaCount"),
        id="two reducers too many",
    ),
    pytest.param(
        with_pools(gpu_job(), parameterServers={"machineType": "n1-standard-4"}),
        ("reducers-or-parameter-servers", "error", "pools.reducers"),
        id="reducers and servers",
    ),
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "g2-standard-16"}),
        ("reducer-without-accelerator", "error", "pools.reducers.machineType"),
        id="reducers on a GPU machine",
    ),
    pytest.param(
        with_pools(
            gpu_job(),
            reducers={"machineType": "n1-highcpu-16", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1},
        ),
        ("reducer-without-accelerator", "error", "pools.reducers.acceleratorCount"),
        id="reducers with a GPU",
    ),
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "n1-highcpu-16", "container": {"imageUri": "acme/server:1"}}),
        ("reducer-image", "error", "pools.reducers.container.imageUri"),
        id="another server",
    ),
    pytest.param(
        with_pools(
            gpu_job(),
            reducers={"machineType": "n1-highcpu-16", "container": {"imageUri": SERVER.replace("us-", "asia-", 1)}},
        ),
        ("reducer-image-region", "advice", "pools.reducers.container.imageUri"),
        id="the server of another continent",
    ),
    pytest.param(
        with_pools(gpu_job(), workers=None),
        ("reducer-workers-need-accelerators", "error", "pools.reducers"),
        id="no workers",
    ),
    pytest.param(
        with_pools(gpu_job(), primary={"machineType": "n1-standard-16"}),
        ("reducer-workers-need-accelerators", "error", "pools.primary"),
        id="CPU workers",
    ),
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "n1-standard-8"}),
        ("reducer-machine", "advice", "pools.reducers.machineType"),
        id="a small reducer",
    ),
    pytest.param(
        with_pools(gpu_job(), workers={"replicaCount": 1}),
        ("reducer-break-even", "advice", "pools.reducers"),
        id="two nodes gain nothing",
    ),
    pytest.param(
        a3(reducers={"machineType": "n1-highcpu-16"}),
        ("reducer-break-even", "advice", "pools.reducers"),
        id="GPU NICs that are not declared",
    ),
    pytest.param(gpu_job(framework="xgboost"), ("reducer-framework", "error", "framework"), id="xgboost"),
    pytest.param(gpu_job(framework="byteps"), ("reducer-framework", "error", "framework"), id="byteps"),
    pytest.param(gpu_job(framework="jax"), ("reducer-framework", "advice", "framework"), id="jax"),
    pytest.param(
        gpu_job(container={"imageUri": IMAGE, "declares": {**DECLARES, "nccl": "2.6.4"}}),
        ("reducer-framework", "error", "container.declares.nccl"),
        id="old NCCL",
    ),
    pytest.param(
        gpu_job(container={"imageUri": IMAGE, "declares": {**DECLARES, "packages": ["curl"]}}),
        ("reducer-framework", "error", "container.declares.packages"),
        id="no plug-in",
    ),
    pytest.param(
        gpu_job(container={"imageUri": IMAGE}),
        ("reducer-framework", "advice", "container.declares"),
        id="says nothing of its image",
    ),
    pytest.param(
        gpu_job(container={"imageUri": "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-2:latest"}),
        ("reducer-framework", "error", "container.imageUri"),
        id="old prebuilt image",
    ),
    pytest.param(
        gpu_job(framework="horovod"),
        ("reducer-fusion-threshold", "advice", "container.env.HOROVOD_FUSION_THRESHOLD"),
        id="horovod without fusion",
    ),
    pytest.param(
        gpu_job(framework="pytorch"),
        ("reducer-fusion-threshold", "advice", "container.args"),
        id="small buckets",
    ),
    pytest.param(
        with_pools(gpu_job(), evaluators={"machineType": "n1-standard-4", "replicaCount": 3}),
        ("evaluator-limit", "advice", "pools.evaluators.replicaCount"),
        id="three evaluators",
    ),
    pytest.param(
        with_pools(gpu_job(), primary={"machineType": "n1-hihgmem-96"}),
        ("machine-known", "error", "pools.primary.machineType"),
        id="no such machine",
    ),
    pytest.param(
        with_pools(gpu_job(), primary={**gpu_job()["pools"]["primary"], "acceleratorCount": 3}),
        ("accelerator-fit", "error", "pools.primary.acceleratorCount"),
        id="three V100",
    ),
    pytest.param(
        with_pools(gpu_job(), primary={**gpu_job()["pools"]["primary"], "acceleratorType": "nvidia-tesla-v100"}),
        ("accelerator-fit", "error", "pools.primary.acceleratorType"),
        id="GKE's name of an accelerator",
    ),
    pytest.param(
        with_pools(gpu_job(), reducers={"machineType": "c3-highcpu-44"}),
        ("machine-on-platform", "error", "pools.reducers.machineType"),
        id="not on Vertex AI",
    ),
    pytest.param(
        gpu_job(container={"imageUri": "us-docker.pkg.dev/acme/bert:1", "declares": DECLARES}),
        ("image-pinned", "advice", "container.imageUri"),
        id="a tag",
    ),
]


@pytest.mark.parametrize(("document", "finding"), CASES)
def test_each_rule_says_where(document: dict[str, Any], finding: tuple[str, str, str]) -> None:
    assert finding in findings_of(document)


def test_an_image_by_tag_is_an_error_in_prod() -> None:
    document = gpu_job(container={"imageUri": "us-docker.pkg.dev/acme/bert:1", "declares": DECLARES})
    assert ("image-pinned", "error", "container.imageUri") in findings_of(document, environment="prod")


@pytest.mark.parametrize("count", [16, 17])
def test_the_rules_count_and_one_more_are_fine(count: int) -> None:
    pool = {"machineType": "n1-highcpu-16", "replicaCount": count}
    assert findings_of(with_pools(gpu_job(), reducers=pool)) == set()


def test_what_is_inherited_is_reported_once() -> None:
    paths = [
        path
        for rule, _, path in findings_of(with_pools(gpu_job(), primary={"machineType": "n9"}))
        if rule == "machine-known"
    ]
    assert paths == ["pools.primary.machineType"]


def test_a_faulty_value_leaves_the_other_rules_in_force() -> None:
    document = with_pools(gpu_job(), workers={"replicaCount": "4"}, evaluators={"machineType": "nope"})
    assert {
        ("schema", "error", "pools.workers.replicaCount"),
        ("machine-known", "error", "pools.evaluators.machineType"),
    } == findings_of(document)


def test_levels_lower_a_rule_and_never_a_structural_one() -> None:
    levels = Levels({"reducer-machine": "error", "reducer-bandwidth": "off", "one-primary-replica": "off"})
    document = with_pools(
        gpu_job(),
        primary={**gpu_job()["pools"]["primary"], "replicaCount": 2},
        reducers={"machineType": "n1-standard-8", "replicaCount": 1},
    )
    findings = {(f.rule, f.severity) for f in judge_document(document, levels=levels)[1]}
    assert ("one-primary-replica", "error") in findings
    assert ("reducer-machine", "error") in findings
    assert not any(rule == "reducer-bandwidth" for rule, _ in findings)


def pool(count: Any = 1, image: str = "a", **rest: Any) -> dict[str, Any]:
    return {
        "replicaCount": count,
        "machineSpec": {"machineType": "n1-standard-4"},
        "containerSpec": {"imageUri": image},
        **rest,
    }


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        ([pool()], set()),
        ([pool("1"), {}, pool(2.0), {}], set()),
        ([{}], {("one-primary-replica", "jobSpec.workerPoolSpecs[0]")}),
        ([None, pool()], {("one-primary-replica", "jobSpec.workerPoolSpecs[0]")}),
        ([], {("one-primary-replica", "jobSpec.workerPoolSpecs")}),
        ([pool(2)], {("one-primary-replica", "jobSpec.workerPoolSpecs[0].replicaCount")}),
        ([pool(), None, pool()], {("pool-placeholder", "jobSpec.workerPoolSpecs[1]")}),
        ([pool(), {"machineSpec": {"machineType": "x"}}, pool()], {("pool-placeholder", "jobSpec.workerPoolSpecs[1]")}),
        ([pool(), pool(1, SERVER)], {("pool-order", "jobSpec.workerPoolSpecs[1]")}),
        ([pool(), {}, {}, {}, pool()], {("pool-order", "jobSpec.workerPoolSpecs[4]")}),
        ([pool(), {}, {}, {}], set()),
        ([pool(), {}, {}, {}, {}], {("pool-order", "jobSpec.workerPoolSpecs[4]")}),
        ([pool(), {"replicaCount": 0}, pool()], set()),
        ([pool(), pool(1, "x/reductionserver2:v1")], {("pool-order", "jobSpec.workerPoolSpecs[1]")}),
        ([pool(), pool(1, "x/dimension-reduction")], set()),
        (
            [
                pool(),
                pool(),
                {
                    **pool(1, SERVER),
                    "machineSpec": {
                        "machineType": "n1-standard-8",
                        "acceleratorType": "NVIDIA_TESLA_T4",
                        "acceleratorCount": 1,
                    },
                },
            ],
            {("reducer-without-accelerator", "jobSpec.workerPoolSpecs[2].machineSpec.acceleratorCount")},
        ),
        ([pool("many")], {("schema", "jobSpec.workerPoolSpecs[0].replicaCount")}),
        (["x"], {("schema", "jobSpec.workerPoolSpecs[0]")}),
    ],
)
def test_structural_findings_of_bodies(pools: list[Any], expected: set[tuple[str, str]]) -> None:
    assert {(f.rule, f.path) for f in structural_findings({"workerPoolSpecs": pools})} == expected


def test_snake_case_bodies_are_read_alike() -> None:
    body = {"worker_pool_specs": [{"replica_count": 2, "machine_spec": {"machine_type": "n1-standard-4"}}]}
    assert [f.rule for f in structural_findings(body)] == ["one-primary-replica"]


def test_every_rule_says_what_it_is() -> None:
    for rule in RULES.values():
        assert rule.summary
        assert rule.fix
        assert rule.source
