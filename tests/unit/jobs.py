"""Job documents for tests, and the way they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.judge.jobs import judge_job
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.job import plan_job as plan_of_kind
from trainingjobs.spec.job import Job
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.registry import workload_of

DIGEST = "sha256:" + "0" * 64
IMAGE = f"us-docker.pkg.dev/acme/train/bert@{DIGEST}"
DECLARES = {"nccl": "2.18", "torch": "2.3", "packages": ["google-reduction-server"]}
SERVER = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"


def gpu_job(**changes: Any) -> dict[str, Any]:
    """Returns the guide's own job: five n1-highmem-96 with eight V100 each, and reducers sized by the rule."""
    document: dict[str, Any] = {
        "framework": "tensorflow",
        "container": {"imageUri": IMAGE, "declares": DECLARES},
        "pools": {
            "primary": {
                "machineType": "n1-highmem-96",
                "acceleratorType": "NVIDIA_TESLA_V100",
                "acceleratorCount": 8,
            },
            "workers": {"replicaCount": 4},
            "reducers": {"machineType": "n1-highcpu-16"},
        },
        "labels": {"team": "nlp", "cost-center": "research"},
    }
    return {**document, **changes}


def with_pools(document: Mapping[str, Any], **pools: Any) -> dict[str, Any]:
    """Returns the document with some pools replaced; None removes one."""
    kept = {**document["pools"], **pools}
    return {**document, "pools": {role: pool for role, pool in kept.items() if pool is not None}}


def plan_job(name: str, job: Job, **options: Any) -> JobPlan:
    """Returns the plan of a job, of its own kind or its platform's."""
    return plan_of_kind(name, job, kind=workload_of(job).kind, **options)


def judge_document(document: Mapping[str, Any], **options: Any) -> tuple[JobPlan, list[Finding]]:
    """Returns the plan and every finding of a document, of structure too."""
    reading = read_job(document)
    assert reading.value is not None
    plan, findings = judge_job("job", reading.value, unknown=reading.unknown, **options)
    return plan, sort_findings([*reading.findings, *findings])


def findings_of(document: Mapping[str, Any], **options: Any) -> set[tuple[str, str, str]]:
    """Returns (rule, severity, path) of every finding of a document."""
    return {(f.rule, f.severity, f.path) for f in judge_document(document, **options)[1]}
