"""Stacks for the report's tests."""

from __future__ import annotations

from typing import Any

from tests.unit.jobs import gpu_job, with_pools
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.report.view import StackView, stack_view
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS


def view_of(jobs: dict[str, Any], name: str = "trial", **more: Any) -> StackView:
    document = {"project": "acme-ml-dev", "region": "us-central1", "environment": "dev", "jobs": jobs, **more}
    reading = read_model(Stack, document, renamed=PATHS)
    assert isinstance(reading.value, Stack)
    plans, findings = judge_stack(reading.value, unknown=reading.unknown)
    return stack_view(name, reading.value, plans, (*reading.findings, *findings), ())


def several() -> StackView:
    """A ring, reducers, parameter servers with an evaluator, a tuning job, and one with errors and hostile words."""
    tuning = {
        "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
        "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.0001, "maxValue": 0.1}}],
        "maxTrialCount": 8,
        "parallelTrialCount": 4,
    }
    cpu = {"machineType": "n1-standard-16"}
    servers = with_pools(
        gpu_job(),
        reducers=None,
        parameterServers={**cpu, "replicaCount": 2},
        evaluators=cpu,
    )
    broken = gpu_job(container={"imageUri": "<script>alert(1)</script>&\"'", "env": {"A": "</script><b>"}})
    return view_of(
        {
            "ring": with_pools(gpu_job(), reducers=None),
            "reduced": gpu_job(),
            "servers": servers,
            "tuned": gpu_job(kind="hyperparameterTuningJob", tuning=tuning),
            "broken": with_pools(broken, reducers={"machineType": "n1-highcpu-16", "replicaCount": 3}),
            "unknown": with_pools(gpu_job(), primary={"machineType": "z9-mega-1"}),
        }
    )
