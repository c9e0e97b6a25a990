"""Frameworks and images that can use reducers: which are documented, which are old, and what is not declared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import gpu_job, judge_document
from trainingjobs.facts.job import Declared, JobFacts
from trainingjobs.rules import evaluate

JOB = judge_document(gpu_job())[0].facts
PLUGIN = "google-reduction-server"
PREBUILT = "us-docker.pkg.dev/vertex-ai/training/{}:latest"
DECLARES = "container.declares"


def findings_of(job: JobFacts = JOB, **primary: Any) -> list[tuple[str, str]]:
    pools = tuple(replace(pool, **primary) if pool.role == "primary" else pool for pool in job.pools)
    judged = [each for each in evaluate(replace(job, pools=pools)) if each.rule == "reducer-framework"]
    return [(each.severity, each.path.removeprefix("pools.primary.")) for each in judged]


@pytest.mark.parametrize(
    ("framework", "platform", "expected"),
    [
        ("tensorflow", "vertex", []),
        ("pytorch", "vertex", []),
        ("horovod", "vertex", []),
        ("jax", "vertex", [("advice", "framework")]),
        ("custom", "vertex", [("advice", "framework")]),
        ("byteps", "vertex", [("error", "framework")]),
        ("xgboost", "vertex", [("error", "framework")]),
        ("xgboost", "gke", [("error", "framework")]),
        ("byteps", "gke", []),
        (None, "vertex", []),
    ],
)
def test_a_framework(framework: str | None, platform: Any, expected: list[tuple[str, str]]) -> None:
    packages = Declared(nccl="2.20", packages=(PLUGIN, "optcast"))
    assert findings_of(replace(JOB, framework=framework, platform=platform), declares=packages) == expected


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("tf-gpu.2-3", []),
        ("tf-gpu.2-11", []),
        ("tf-gpu.2-2", [("error", "container.imageUri")]),
        ("tf-gpu.1-15", [("error", "container.imageUri")]),
        ("pytorch-gpu.1-13", []),
        ("pytorch-gpu.1-3", [("error", "container.imageUri")]),
        ("scikit-learn-cpu.0-23", [("error", "container.imageUri")]),
        ("xgboost-cpu.1-1", [("error", "container.imageUri")]),
    ],
)
def test_a_prebuilt_image(image: str, expected: list[tuple[str, str]]) -> None:
    assert findings_of(image=PREBUILT.format(image), declares=None) == expected
    as_package = [(severity, "pythonPackage.executorImageUri") for severity, _ in expected]
    assert findings_of(image=PREBUILT.format(image), declares=None, is_python_package=True) == as_package


@pytest.mark.parametrize(
    ("declares", "expected"),
    [
        (Declared(nccl="2.7", packages=(PLUGIN,)), []),
        (Declared(nccl="2.6", packages=(PLUGIN,)), [("error", f"{DECLARES}.nccl")]),
        (Declared(nccl="2.7", tensorflow="2.3", packages=(PLUGIN,)), []),
        (Declared(nccl="2.7", tensorflow="2.2", packages=(PLUGIN,)), [("error", f"{DECLARES}.tensorflow")]),
        (Declared(nccl="2.7", torch="1.3", packages=(PLUGIN,)), [("error", f"{DECLARES}.torch")]),
        (Declared(nccl="2.7", packages=()), [("error", f"{DECLARES}.packages")]),
        (Declared(nccl="2.7", packages=("other",)), [("error", f"{DECLARES}.packages")]),
        (Declared(nccl="2.7"), [("advice", DECLARES)]),
        (Declared(packages=(PLUGIN,)), [("advice", DECLARES)]),
        (None, [("advice", DECLARES)]),
    ],
)
def test_an_image_of_ones_own(declares: Declared | None, expected: list[tuple[str, str]]) -> None:
    assert findings_of(declares=declares) == expected
    assert findings_of(declares=declares, image=None) == expected


def test_workers_that_run_the_primarys_image_are_not_judged_again() -> None:
    assert findings_of(declares=None, inherited=frozenset({"image"})) == []


def test_without_reducers_any_framework_will_do() -> None:
    alone = replace(JOB, framework="xgboost", pools=tuple(pool for pool in JOB.pools if pool.role != "reducers"))
    assert findings_of(alone) == []
