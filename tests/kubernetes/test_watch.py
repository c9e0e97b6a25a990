"""`status` of jobs in a cluster: what the real API server and controllers say of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster, until
from tests.unit.jobs import plan_job
from trainingjobs.operations.observed_job import observe
from trainingjobs.operations.pods import connected, pods
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job, read_model
from trainingjobs.spec.roles import Role
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS
from trainingjobs.workloads.kubernetes import Placement, deployed


def planned(cluster: Cluster, kind: str) -> JobPlan:
    document: dict[str, Any] = {
        "platform": "kubernetes",
        "kind": kind,
        "framework": "pytorch" if kind == "pytorchjob" else "tensorflow",
        "namespace": cluster.namespace,
        "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64},
        "pools": {"primary": {"replicaCount": 1}, "workers": {"replicaCount": 2}},
    }
    reading = read_job(document)
    assert reading.value is not None
    return plan_job("mnist", reading.value)


def stack_of(cluster: Cluster) -> Stack:
    document = {"project": "acme-ml-dev", "cluster": {"kubeconfig": str(cluster.kubeconfig)}}
    stack = read_model(Stack, document, renamed=PATHS).value
    assert isinstance(stack, Stack)
    return stack


@pytest.mark.parametrize("kind", ["jobset", "tfjob", "pytorchjob", "pods"])
def test_a_job_is_seen_from_its_beginning_to_its_end(cluster: Cluster, kind: str) -> None:
    plan, stack = planned(cluster, kind), stack_of(cluster)
    assert observe(plan, stack).state == "ABSENT"
    for each in deployed(plan, Placement())[0]:
        cluster.apply(each)
    made = cluster.pods(3)
    assert observe(plan, stack).state == "PENDING"
    expected: list[tuple[Role, int]] = [("primary", 0), ("workers", 0), ("workers", 1)]
    job_pods = pods(connected(stack), plan)
    assert [(pod.role, pod.index) for pod in job_pods] == expected
    cluster.run(*made.values())
    until(lambda: observe(plan, stack).state == "RUNNING", "the job runs")
    running = observe(plan, stack)
    assert running.running == 3
    assert running.elapsed(datetime.now(UTC)) is not None
    primary = next(pod.name for pod in job_pods if pod.role == "primary")
    cluster.end(made[primary])
    until(lambda: observe(plan, stack).has_ended, "the job has ended")
    assert observe(plan, stack).state == "SUCCEEDED"
