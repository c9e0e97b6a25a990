"""Jobs that the tests of the dialects share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.unit.jobs import IMAGE, judge_document
from trainingjobs.convert.recognise import to_job_document
from trainingjobs.core.findings import Finding, has_errors
from trainingjobs.plan.job import JobPlan

V100 = {"machineType": "n1-highmem-96", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 8}
CPU = {"machineType": "n1-standard-8"}


def job(**changes: Any) -> dict[str, Any]:
    """Returns a TensorFlow job with a chief, two workers, a parameter server and an evaluator."""
    return {
        "framework": "tensorflow",
        "container": {"imageUri": IMAGE, "command": ["python", "-m", "t"], "args": ["--steps=10"], "env": {"A": "b"}},
        "pools": {
            "primary": V100,
            "workers": {"replicaCount": 2},
            "parameterServers": CPU,
            "evaluators": CPU,
        },
        **changes,
    }


def planned(document: Mapping[str, Any]) -> JobPlan:
    """Returns the plan of a document that has no error."""
    plan, findings = judge_document(document)
    assert not has_errors(findings), findings
    return plan


def converted(kind: str, source: Any, **options: Any) -> tuple[dict[str, Any], set[tuple[str, str, str]]]:
    """Returns the job document and (rule, severity, path) of each finding."""
    document, findings = to_job_document(kind, source, "job", **options)
    return document, keys(findings)


def keys(findings: list[Finding]) -> set[tuple[str, str, str]]:
    """Returns (rule, severity, path) of findings."""
    return {(f.rule, f.severity, f.path) for f in findings}
