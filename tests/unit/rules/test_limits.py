from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, gpu_job, with_pools
from trainingjobs.core.findings import Finding
from trainingjobs.facts.stack import StackFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.rules import evaluate
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

# 29.38708 USD an hour and eight A100.
A2 = {"machineType": "a2-highgpu-8g"}
COST = "training:limits.maxUsdPerHour"
A100 = "training:limits.accelerators.NVIDIA_TESLA_A100"


def job(workers: int = 1, **changes: Any) -> dict[str, Any]:
    pools = {"primary": A2, "workers": {"replicaCount": workers}}
    return {"framework": "pytorch", "container": {"imageUri": IMAGE}, "pools": pools, **changes}


def judged(jobs: dict[str, Any], environment: str = "dev", **limits: Any) -> list[Finding]:
    document = {"project": "acme-ml-dev", "environment": environment, "limits": limits, "jobs": jobs}
    stack = read_model(Stack, document).value
    assert isinstance(stack, Stack)
    return [f for f in judge_stack(stack)[1] if f.rule in ("hourly-cost", "accelerator-quota")]


def places(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f.rule, f.severity, f.path) for f in findings]


@pytest.mark.parametrize(("limit", "broken"), [(58.78, False), (58.77, True), (0, True)])
def test_the_cost_of_a_stack(limit: float, broken: bool) -> None:
    assert places(judged({"bert": job()}, maxUsdPerHour=limit)) == [("hourly-cost", "error", COST)] * broken


def test_it_is_the_sum_over_all_jobs() -> None:
    assert judged({"bert": job()}, maxUsdPerHour=100) == []
    assert places(judged({"bert": job(), "gpt": job()}, maxUsdPerHour=100)) == [("hourly-cost", "error", COST)]


def test_reducers_sized_by_the_rule_count_too() -> None:
    # Five n1-highmem-96 with eight V100 each and sixteen reducers.
    assert judged({"bert": gpu_job()}, maxUsdPerHour=140) == []
    assert places(judged({"bert": gpu_job()}, maxUsdPerHour=130)) == [("hourly-cost", "error", COST)]


def test_all_trials_that_run_at_once_are_paid_for() -> None:
    tuning = {
        "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
        "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}}],
        "maxTrialCount": 8,
        "parallelTrialCount": 4,
    }
    tuned = job(kind="hyperparameterTuningJob", tuning=tuning)
    limits = {"maxUsdPerHour": 200, "accelerators": {"NVIDIA_TESLA_A100": 48}}
    assert judged({"bert": job()}, **limits) == []
    assert places(judged({"bert": tuned}, **limits)) == [
        ("accelerator-quota", "error", A100),
        ("hourly-cost", "error", COST),
    ]


def test_an_unknown_price_is_reported_and_never_counted_as_nothing() -> None:
    unknown = with_pools(job(), evaluators={"machineType": "a3-edgegpu-8g"})
    assert places(judged({"bert": unknown}, maxUsdPerHour=100)) == [
        ("hourly-cost", "advice", "training:jobs.bert.pools.evaluators.machineType")
    ]
    assert ("hourly-cost", "error", COST) in places(judged({"bert": unknown}, maxUsdPerHour=10))


def test_in_prod_an_unknown_price_under_a_limit_is_an_error() -> None:
    unknown = with_pools(job(), evaluators={"machineType": "a3-edgegpu-8g"})
    place = "training:jobs.bert.pools.evaluators.machineType"
    assert places(judged({"bert": unknown}, "prod", maxUsdPerHour=100)) == [("hourly-cost", "error", place)]
    assert judged({"bert": unknown}, "prod") == []
    assert places(judged({"bert": unknown}, "staging", maxUsdPerHour=100)) == [("hourly-cost", "advice", place)]


def test_a_machine_that_does_not_exist_is_anothers_to_tell() -> None:
    assert judged({"bert": with_pools(job(), evaluators={"machineType": "a2-highgpu-9g"})}, maxUsdPerHour=100) == []


def test_without_limits_nothing_is_judged() -> None:
    assert judged({"bert": job(100)}) == []
    assert judged({}, maxUsdPerHour=0, accelerators={"NVIDIA_TESLA_A100": 0}) == []


@pytest.mark.parametrize(("limit", "broken"), [(16, False), (15, True), (0, True)])
def test_accelerators_are_counted_by_name(limit: int, broken: bool) -> None:
    limits = {"accelerators": {"NVIDIA_TESLA_A100": limit, "NVIDIA_TESLA_T4": 0}}
    assert places(judged({"bert": job()}, **limits)) == [("accelerator-quota", "error", A100)] * broken


def test_an_accelerator_without_a_limit_is_free() -> None:
    assert judged({"bert": job()}, accelerators={"NVIDIA_TESLA_V100": 0}) == []


def test_a_limit_by_a_wrong_name_limits_nothing_and_is_an_error() -> None:
    [finding] = judged({"bert": job()}, accelerators={"NVIDIA_TESLA_A10O": 64})
    assert (finding.rule, finding.severity) == ("accelerator-quota", "error")
    assert "NVIDIA_TESLA_A100" in finding.fix


def test_a_machine_brings_its_accelerators_whatever_a_body_says() -> None:
    spec = {"workerPoolSpecs": [{"machineSpec": {"machineType": "a2-highgpu-8g"}, "replicaCount": "1"}]}
    facts, _ = facts_of_body(spec)
    stack = StackFacts(jobs=(facts,), path="limits", accelerators={"NVIDIA_TESLA_A100": 7})
    assert [f.rule for f in evaluate(stack)] == ["accelerator-quota"]
