"""Rules at the edges of what they judge: bodies beside documents, exact limits, odd values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import gpu_job, judge_document
from trainingjobs.facts.infrastructure import NodePoolFacts
from trainingjobs.facts.job import Declared, JobFacts
from trainingjobs.facts.stack import StackFacts
from trainingjobs.rules import Levels, evaluate
from trainingjobs.rules.secret_forms import named_secret

JOB = judge_document(gpu_job())[0].facts
A2 = NodePoolFacts(name="p", machine_type="a2-highgpu-8g", has_accelerators=True)


def of_rule(rule: str, facts: Any, levels: Levels | None = None) -> list[tuple[str, str]]:
    return [(each.severity, each.path) for each in evaluate(facts, levels or Levels()) if each.rule == rule]


def with_pool(role: str, job: JobFacts = JOB, **changes: Any) -> JobFacts:
    return replace(job, pools=tuple(replace(p, **changes) if p.role == role else p for p in job.pools))


FUSION = "HOROVOD_FUSION_THRESHOLD"


@pytest.mark.parametrize(
    ("value", "enough"),
    [
        (None, False),
        ("134217728", True),
        ("134217727", False),
        ("0134217728", True),
        ("", False),
        ("128MB", False),
        ("-134217728", False),
        ("1" * 18, True),
        ("1" * 19, False),
        ("²", False),
    ],
)
def test_horovods_fusion_threshold(value: str | None, enough: bool) -> None:
    env = {} if value is None else {FUSION: value}
    job = with_pool("primary", replace(JOB, framework="horovod"), env=env)
    expected = [] if enough else [("advice", f"container.env.{FUSION}")]
    assert of_rule("reducer-fusion-threshold", job) == expected
    body = with_pool("primary", job, form="body")
    assert of_rule("reducer-fusion-threshold", body) == (
        [] if enough else [("advice", "pools.primary.containerSpec.env")]
    )


@pytest.mark.parametrize(
    ("args", "env", "enough"),
    [
        ((), {}, False),
        (("--bucket-cap-mb=64",), {}, True),
        (("--bucket_cap_mb", "64"), {}, True),
        (("--bucket-cap-mb=63",), {}, False),
        ((), {"BUCKET_CAP_MB": "64"}, True),
        ((), {"BUCKET_CAP_MB": "25"}, False),
        (("--bucket-cap-mb=25",), {"BUCKET_CAP_MB": "64"}, False),
        (("--bucket-cap-mb=99999999999999999999",), {}, True),
    ],
)
def test_buckets_of_distributed_data_parallel(args: tuple[str, ...], env: dict[str, str], enough: bool) -> None:
    job = with_pool("primary", replace(JOB, framework="pytorch"), args=args, env=env)
    expected = [] if enough else [("advice", "container.args")]
    assert of_rule("reducer-fusion-threshold", job) == expected


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "custom", None])
def test_other_frameworks_batch_by_themselves(framework: str | None) -> None:
    assert of_rule("reducer-fusion-threshold", replace(JOB, framework=framework)) == []


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({}, []),
        ({"min_nodes": 1}, []),
        ({"min_nodes": 0, "queued": True}, []),
        ({"min_nodes": 1, "queued": True}, ["autoscaling"]),
        ({"min_nodes": 1, "strategy": "FLEX_START", "auto_repair": False}, ["autoscaling"]),
        ({"min_nodes": 0, "strategy": "FLEX_START", "auto_repair": False}, []),
        ({"strategy": "FLEX_START", "auto_repair": None}, ["management.autoRepair"]),
        ({"strategy": "SPOT", "auto_repair": None}, []),
        ({"is_spot_and_flex": True}, ["nodeConfig"]),
        ({"strategy": "FLEX_START", "auto_repair": False, "timeout": 604_800.0}, []),
        ({"strategy": "FLEX_START", "auto_repair": False, "timeout": 604_800.5}, ["nodeConfig.maxRunDuration"]),
        ({"strategy": "FLEX_START", "auto_repair": False, "has_accelerators": False}, ["nodeConfig"]),
        ({"compact": True, "zones": ("z",)}, []),
        ({"compact": True, "zones": ()}, ["nodeLocations"]),
        ({"compact": True, "zones": None}, []),
        ({"compact": True, "zones": ("z",), "queued": True}, ["queuedProvisioning"]),
        ({"compact": True, "zones": ("z",), "queued": True, "has_accelerators": False}, []),
    ],
)
def test_how_a_node_pool_is_bought(changes: dict[str, Any], paths: list[str]) -> None:
    assert of_rule("consumption-model", replace(A2, **changes)) == [("error", path) for path in paths]


@pytest.mark.parametrize(("platform", "severity"), [("vertex", "advice"), ("gke", "error")])
def test_flex_start_without_accelerators(platform: Any, severity: str) -> None:
    bare = replace(JOB, platform=platform, strategy="FLEX_START", pools=JOB.pools[2:])
    assert of_rule("consumption-model", bare) == [(severity, "scheduling.strategy")]
    assert of_rule("consumption-model", replace(JOB, platform=platform, strategy="FLEX_START")) == []


def test_on_a_kubernetes_of_ones_own_nothing_is_bought() -> None:
    reserved = with_pool("primary", reservation="ANY_RESERVATION", reservation_values=("r",))
    assert of_rule("consumption-model", reserved) != []
    assert of_rule("consumption-model", replace(reserved, platform="kubernetes")) == []


LIMITED = StackFacts(jobs=(JOB,), path="limits", accelerators={"NVIDIA_TESLA_V100": 40})


@pytest.mark.parametrize(
    ("limits", "paths"),
    [
        ({"NVIDIA_TESLA_V100": 40}, []),
        ({"NVIDIA_TESLA_V100": 39}, ["limits.accelerators.NVIDIA_TESLA_V100"]),
        ({"NVIDIA_TESLA_A100": 0}, []),
        ({"NVIDIA_TESLA_V10": 100}, ["limits.accelerators.NVIDIA_TESLA_V10"]),
    ],
)
def test_accelerators_of_a_stack(limits: dict[str, int], paths: list[str]) -> None:
    findings = of_rule("accelerator-quota", replace(LIMITED, accelerators=limits))
    assert findings == [("error", path) for path in paths]


def test_all_trials_have_their_accelerators_at_once() -> None:
    trials = replace(LIMITED, jobs=(replace(JOB, parallel_trials=2),))
    assert of_rule("accelerator-quota", trials) == [("error", "limits.accelerators.NVIDIA_TESLA_V100")]


def test_a_machine_without_a_name_brings_no_accelerators() -> None:
    unnamed = replace(LIMITED, jobs=(with_pool("primary", machine_type=None),))
    assert of_rule("accelerator-quota", unnamed) == []
    costs = of_rule("hourly-cost", replace(unnamed, max_usd_per_hour=1e9))
    assert costs == [("advice", "pools.primary.machineType")]


@pytest.mark.parametrize(
    ("machine", "reported"),
    [(None, True), ("n1-standard-8", True), ("no-such-machine", False)],
)
def test_what_an_unknown_machine_brings_cannot_be_reported(machine: str | None, reported: bool) -> None:
    job = with_pool("primary", machine_type=machine, accelerator_count=0, accelerator_type=None)
    assert of_rule("reducer-workers-need-accelerators", job) == [("error", "pools.primary")] * reported


LABELS = Levels(
    by_rule={"required-labels": "remediate"},
    parameters={"required-labels": {"labels": ["team", "environment"], "values": {"team": "nlp"}}},
)


@pytest.mark.parametrize(
    ("changes", "severities"),
    [
        ({"environment": "dev", "labels": {}}, ["advice"]),
        ({"environment": None, "labels": {}}, ["error"]),
        ({"environment": "Not A Label", "labels": {}}, ["error"]),
        ({"environment": "dev", "labels": {"team": "x", "environment": "y"}}, []),
        ({"environment": "dev", "labels": {}, "platform": "gke"}, ["error"]),
        ({"environment": "dev", "labels": {"team": ""}}, ["advice"]),
    ],
)
def test_labels_that_the_pack_adds(changes: dict[str, Any], severities: list[str]) -> None:
    job = replace(JOB, **changes)
    assert [severity for severity, _ in of_rule("required-labels", job, LABELS)] == severities


def test_labels_that_are_not_known_are_not_added() -> None:
    job = replace(JOB, labels={}, environment="dev", unknown=frozenset({"labels"}))
    assert of_rule("required-labels", job, LABELS) == []


REGION = Levels(by_rule={"reducer-image-region": "remediate"})
ASIA = "asia-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"


@pytest.mark.parametrize(
    ("changes", "severities"),
    [
        ({}, ["advice"]),
        ({"platform": "gke"}, ["error"]),
        ({"unknown": frozenset({"region"})}, []),
    ],
)
def test_an_image_that_the_pack_brings_nearer(changes: dict[str, Any], severities: list[str]) -> None:
    job = replace(with_pool("reducers", image=ASIA), **changes)
    assert [severity for severity, _ in of_rule("reducer-image-region", job, REGION)] == severities


SPOT = replace(JOB, strategy="SPOT", restarts=True)


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({}, True),
        ({"args": ("--lr=1",)}, True),
        ({"env": {"RATE": "1"}}, True),
        ({"args": ("--CheckPoint-dir=x",)}, False),
        ({"args": ("--ckpt", "x")}, False),
        ({"env": {"CKPT": "x"}}, False),
        ({"env": {"DIR": "/checkpoints"}}, False),
    ],
)
def test_code_that_writes_checkpoints(changes: dict[str, Any], reported: bool) -> None:
    assert bool(of_rule("failure-plan", with_pool("primary", SPOT, **changes))) is reported
    assert of_rule("failure-plan", replace(with_pool("primary", SPOT, **changes), has_output=True)) == []


OFF_VERTEX = with_pool("reducers", replace(JOB, platform="gke", framework="pytorch"), image="x/server")
PACKAGES = "container.declares.packages"


@pytest.mark.parametrize(
    ("framework", "packages", "expected"),
    [
        ("pytorch", None, [("advice", PACKAGES)]),
        ("pytorch", (), [("error", PACKAGES)]),
        ("pytorch", ("google-reduction-server",), [("error", PACKAGES)]),
        ("pytorch", ("optcast",), []),
        ("pytorch", ("torch", "byteps"), []),
        ("byteps", None, []),
        ("mxnet", None, []),
        ("xgboost", None, [("error", "framework")]),
    ],
)
def test_reducers_of_ones_own_need_code_that_talks_to_them(
    framework: str, packages: tuple[str, ...] | None, expected: list[tuple[str, str]]
) -> None:
    for declares in (Declared(packages=packages), None) if packages is None else (Declared(packages=packages),):
        job = with_pool("primary", replace(OFF_VERTEX, framework=framework), declares=declares)
        assert of_rule("reducer-framework", job) == expected


@pytest.mark.parametrize(
    ("nccl", "enough"),
    [
        ("2.7", True),
        ("2.7.8", True),
        ("2.6.9", False),
        ("3", True),
        ("2", False),
        ("2.18.1+cuda12", True),
        ("2.x", False),
        ("123456789", True),
        ("1234567890", False),
    ],
)
def test_versions_that_an_image_declares(nccl: str, enough: bool) -> None:
    declares = Declared(nccl=nccl, tensorflow="2.3", packages=("google-reduction-server",))
    findings = of_rule("reducer-framework", with_pool("primary", declares=declares))
    assert findings == ([] if enough else [("error", "container.declares.nccl")])


def test_zones_that_are_not_known_put_compact_placement_off() -> None:
    unsure = replace(A2, compact=True, unknown=frozenset({"nodePool.nodeLocations"}))
    assert of_rule("consumption-model", unsure) == []
    paths = [each.path for each in evaluate(unsure, say_unknown=True) if each.rule == "consumption-model"]
    assert paths == ["nodeLocations"]


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        ("apiKey", True),
        ("db.password", True),
        ("hub.token", True),
        ("DB_PASSWORD", True),
        ("my-secret-token", True),
        ("KEYBOARD", False),
    ],
)
def test_names_of_secrets(name: str, is_named: bool) -> None:
    assert bool(named_secret(name, "hunter2-hunter2")) is is_named


DIGEST = "@sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"image": "a/b:1"}, "container.imageUri"),
        ({"image": f"a/b{DIGEST}"}, None),
        ({"image": f"a/b{DIGEST}0"}, "container.imageUri"),
        ({"image": None}, None),
        ({"image": "a/b:1", "is_python_package": True}, "pythonPackage.executorImageUri"),
        ({"image": "a/b:1", "form": "body"}, "containerSpec.imageUri"),
        ({"image": "a/b:1", "form": "body", "is_python_package": True}, "pythonPackageSpec.executorImageUri"),
        ({"image": "a/b:1", "gap": "empty"}, None),
        ({"image": "a/b:1", "inherited": frozenset({"image"})}, None),
    ],
)
def test_images_are_pinned_where_they_are_named(changes: dict[str, Any], path: str | None) -> None:
    findings = of_rule("image-pinned", with_pool("primary", **changes))
    # A document's image stands at the job, a body's in its pool.
    at = "pools.primary." if changes.get("form") == "body" else ""
    assert findings == ([("advice", f"{at}{path}")] if path else [])
