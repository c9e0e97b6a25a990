"""Tuning jobs and training pipelines at the pack: the same rules, told where those resources hold the body."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policies.pack import UNKNOWN, analyzed, configured
from tests.policies.samples import samples

TUNING = "trainingjobs:vertex:HyperparameterTuningJob"
PIPELINE = "trainingjobs:vertex:TrainingPipeline"
SPECS = {TUNING: "trialJobSpec", PIPELINE: "trainingTaskInputs"}
SAMPLES = [sample for sample in samples() if sample.on_vertex]


def as_kind(inputs: dict[str, Any], token: str, **more: Any) -> dict[str, Any]:
    return {
        **{key: value for key, value in inputs.items() if key != "jobSpec"},
        SPECS[token]: inputs["jobSpec"],
        **more,
    }


def violations_of(inputs: dict[str, Any], token: str | None = None) -> list[tuple[str, str, str]]:
    violations = analyzed(configured(), inputs, token) if token else analyzed(configured(), inputs)
    return sorted((policy, level, message.partition(": ")[0]) for policy, level, message in violations)


@pytest.mark.parametrize("token", SPECS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_sample_gets_the_answer_of_a_custom_job(token: str, sample: Any) -> None:
    inputs = sample.inputs()
    expected = [(policy, level, path.replace("jobSpec", SPECS[token])) for policy, level, path in violations_of(inputs)]
    assert violations_of(as_kind(inputs, token), token) == sorted(expected)


LIMITED = next(sample for sample in SAMPLES if sample.name == "reducer-bandwidth-disallowed-body-one-too-few").inputs()


@pytest.mark.parametrize(
    ("at_once", "policies"),
    [
        pytest.param(1, set(), id="one trial"),
        pytest.param(3, {("accelerator-quota", "mandatory")}, id="three trials"),
        pytest.param(UNKNOWN, {("accelerator-quota", "advisory")}, id="not known yet"),
    ],
)
def test_a_limit_counts_every_trial_that_runs_at_once(at_once: Any, policies: set[tuple[str, str]]) -> None:
    pools = LIMITED["jobSpec"]["workerPoolSpecs"][:2]
    (name,) = {pool["machineSpec"]["acceleratorType"] for pool in pools}
    count = sum(pool["machineSpec"]["acceleratorCount"] * pool["replicaCount"] for pool in pools)
    limits = {"accelerators": {name: count * 2}}
    inputs = as_kind(LIMITED, TUNING, parallelTrialCount=at_once, limits=limits)
    violations = {
        (policy, level) for policy, level, _ in violations_of(inputs, TUNING) if policy == "accelerator-quota"
    }
    assert violations == policies
