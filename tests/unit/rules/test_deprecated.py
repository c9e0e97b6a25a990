"""What is about to end: kinds, accelerators, and a primary that is called master."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import judge_document
from trainingjobs.facts.job import Declared, JobFacts
from trainingjobs.rules import evaluate
from trainingjobs.workloads.registry import workload

JOB = judge_document({"container": {"imageUri": "a"}, "pools": {"primary": {"machineType": "n1-standard-8"}}})[0].facts
FROM_AI_PLATFORM = replace(JOB, uses_chief=False, framework="tensorflow")
PREBUILT = "us-docker.pkg.dev/vertex-ai/training/{}:latest"


def findings_of(facts: JobFacts) -> list[tuple[str, str]]:
    return [(each.severity, each.path) for each in evaluate(facts) if each.rule == "deprecated-api"]


def of_primary(job: JobFacts = FROM_AI_PLATFORM, **changes: Any) -> JobFacts:
    return replace(job, pools=(replace(job.pools[0], **changes), *job.pools[1:]))


CHIEF = [("advice", "useChiefInTfConfig")]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (JOB, []),  # nothing says that it comes from AI Platform
        (FROM_AI_PLATFORM, CHIEF),
        (replace(FROM_AI_PLATFORM, uses_chief=None), []),
        (replace(FROM_AI_PLATFORM, uses_chief=None, runtime_version="2.0"), CHIEF),
        (replace(FROM_AI_PLATFORM, uses_chief=True), []),
        (replace(FROM_AI_PLATFORM, platform="gke"), []),
        (replace(FROM_AI_PLATFORM, pools=()), []),
        (of_primary(gap="empty"), []),
        (replace(FROM_AI_PLATFORM, runtime_version="2.0"), CHIEF),
        (replace(FROM_AI_PLATFORM, runtime_version="2.1"), []),
        (replace(FROM_AI_PLATFORM, runtime_version="10.0"), []),
        (replace(FROM_AI_PLATFORM, framework="pytorch"), []),
        (replace(FROM_AI_PLATFORM, framework="custom"), CHIEF),
        (replace(FROM_AI_PLATFORM, framework=None), CHIEF),
        (of_primary(declares=Declared(tensorflow="1.15")), []),
        (of_primary(declares=Declared(tensorflow="2.4")), CHIEF),
        (of_primary(declares=Declared(torch="2.3")), CHIEF),
        (of_primary(image=PREBUILT.format("tf-gpu.1-15")), []),
        (of_primary(image=PREBUILT.format("tf-gpu.2-11")), CHIEF),
        (of_primary(image=PREBUILT.format("pytorch-gpu.1-13")), []),
        (of_primary(image=PREBUILT.format("pytorch-gpu.2-1"), declares=None), []),
        (of_primary(image=None), CHIEF),
        # The flag is of custom containers; a package goes by its runtime version.
        (of_primary(is_python_package=True, image=PREBUILT.format("tf-gpu.2-11")), [("advice", "runtimeVersion")]),
        (
            of_primary(replace(FROM_AI_PLATFORM, runtime_version="2.0"), is_python_package=True),
            [("advice", "runtimeVersion")],
        ),
        (of_primary(replace(FROM_AI_PLATFORM, runtime_version="1.15"), is_python_package=True), []),
        (
            of_primary(replace(FROM_AI_PLATFORM, uses_chief=True, runtime_version="2.0"), is_python_package=True),
            [("advice", "runtimeVersion")],
        ),
    ],
)
def test_a_primary_that_is_called_master(facts: JobFacts, expected: list[tuple[str, str]]) -> None:
    assert findings_of(facts) == expected


def test_evaluators_ask_for_chief() -> None:
    evaluators = replace(JOB.pools[0], role="evaluators", position=3, path="pools.evaluators")
    assert findings_of(replace(FROM_AI_PLATFORM, pools=(*FROM_AI_PLATFORM.pools, evaluators))) == []


@pytest.mark.parametrize(
    ("accelerator", "ends"),
    [("NVIDIA_TESLA_P100", True), ("NVIDIA_TESLA_T4", False), ("NO_SUCH", False), (None, False)],
)
def test_an_accelerator_with_an_end(accelerator: str | None, ends: bool) -> None:
    job = of_primary(JOB, accelerator_type=accelerator, accelerator_count=1)
    assert findings_of(job) == [("advice", "pools.primary.acceleratorType")] * ends
    assert findings_of(of_primary(job, gap="empty")) == []
    assert findings_of(of_primary(job, inherited=frozenset({"accelerator_type"}))) == []


def test_every_pool_is_asked_for_its_accelerator() -> None:
    evaluators = replace(JOB.pools[0], role="evaluators", path="pools.evaluators", accelerator_type="NVIDIA_TESLA_P100")
    job = replace(JOB, pools=(*JOB.pools, evaluators))
    assert findings_of(job) == [("advice", "pools.evaluators.acceleratorType")]


@pytest.mark.parametrize(
    ("kind", "ends"), [("tfjob", True), ("pytorchjob", True), ("jobset", False), ("pods", False), ("customJob", False)]
)
def test_a_kind_with_an_end(kind: str, ends: bool) -> None:
    job = replace(JOB, kind=kind, kind_deprecation=workload(kind).deprecation)
    assert findings_of(job) == [("advice", "kind")] * ends
    assert findings_of(replace(job, unknown=frozenset({"kind"}))) == []
