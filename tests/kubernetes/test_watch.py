"""`status` of jobs in a cluster: what the real API server and controllers say of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from infra.dialects.deployed import Placement, deployed
from infra.plan.job_plan import JobPlan, plan_job
from infra.plan.roles import Role
from infra.spec.keys import PATHS
from infra.spec.reading import read_job, read_model
from infra.spec.stack import Stack
from infra.watch.cluster import connected, pods
from infra.watch.seen import seen
from tests.kubernetes.cluster import Cluster, until


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
    found = read_model(Stack, document, renamed=PATHS).value
    assert isinstance(found, Stack)
    return found


@pytest.mark.parametrize("kind", ["jobset", "tfjob", "pytorchjob", "pods"])
def test_a_job_is_seen_from_its_beginning_to_its_end(cluster: Cluster, kind: str) -> None:
    plan, stack = planned(cluster, kind), stack_of(cluster)
    assert seen(plan, stack).state == "ABSENT"
    for each in deployed(plan, Placement())[0]:
        cluster.apply(each)
    made = cluster.pods(3)
    assert seen(plan, stack).state == "PENDING"
    expected: list[tuple[Role, int]] = [("primary", 0), ("workers", 0), ("workers", 1)]
    found = pods(connected(stack), plan)
    assert [(pod.role, pod.index) for pod in found] == expected
    cluster.run(*made.values())
    until(lambda: seen(plan, stack).state == "RUNNING", "the job runs")
    running = seen(plan, stack)
    assert running.running == 3
    assert running.elapsed(datetime.now(UTC)) is not None
    primary = next(pod.name for pod in found if pod.role == "primary")
    cluster.end(made[primary])
    until(lambda: seen(plan, stack).has_ended, "the job has ended")
    assert seen(plan, stack).state == "SUCCEEDED"
