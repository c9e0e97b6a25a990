"""What `make preview` says in the end, from the engine's events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from trainingjobs.operations.preview_summary import summary

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
JOB = "trainingjobs:vertex:CustomJob"
POOL = "gcp:container/nodePool:NodePool"


def event(op: str, token: str, name: str, outputs: dict[str, Any], **old: Any) -> dict[str, Any]:
    metadata = {"op": op, "type": token, "urn": f"urn:pulumi:prod::training::{token}::{name}"}
    return {"resourcePreEvent": {"metadata": {**metadata, "old": {"outputs": outputs, **old}}}}


def lines(steps: list[dict[str, Any]], job: dict[str, Any] | None = None, *, whole: bool = True) -> list[str]:
    """The summary of a preview, where the service answers with `job`."""
    return summary(steps, NOW, lambda _: job, whole=whole)


def test_a_live_job_says_what_it_has_cost_and_what_the_next_one_will() -> None:
    running = {"state": "JOB_STATE_RUNNING", "startTime": "2026-05-01T09:00:00Z"}
    known = {"state": "JOB_STATE_PENDING", "usdPerHour": 50}
    steps = [event(op, JOB, "bert", known) for op in ("create-replacement", "replace", "delete-replaced")]
    [line] = lines(steps, running)
    assert line.startswith("replaced: bert")
    for part in ("RUNNING", "3.0 h", "150.00 USD", "50.00 USD an hour"):
        assert part in line


def test_an_ended_job_has_nothing_to_lose() -> None:
    known = {"state": "JOB_STATE_PENDING", "usdPerHour": 50}
    [line] = lines([event("delete", JOB, "bert", known)], {"state": "JOB_STATE_FAILED"})
    assert line.startswith("deleted: bert")
    assert "FAILED" in line
    assert "record is deleted" in line
    assert "lost" not in line
    [kept] = lines([event("delete", JOB, "bert", {**known, "retainRecord": True})], {"state": "JOB_STATE_FAILED"})
    assert "record is kept" in kept
    [gone] = lines([event("delete", JOB, "bert", known)], {})
    assert "no record" in gone


def test_of_a_job_that_cannot_be_asked_for_the_state_says_no_more_than_it_knows() -> None:
    [line] = lines([event("replace", JOB, "bert", {"state": "JOB_STATE_PENDING"})])
    assert "live job" not in line
    assert "PENDING" in line
    assert "`trainingjobs status prod`" in line


@pytest.mark.parametrize("steps", [[], [event("delete", "gcp:storage/bucket:Bucket", "b", {})]])
def test_a_preview_that_failed_gives_no_all_clear(steps: list[dict[str, Any]]) -> None:
    *step_lines, last = lines(steps, whole=False)
    assert len(step_lines) == len(steps)
    assert "not known" in last


def test_an_unknown_price_is_reported() -> None:
    running = {"state": "JOB_STATE_RUNNING"}
    [line] = lines([event("replace", JOB, "bert", {**running, "usdPerHour": None})], running)
    assert "unknown" in line


def test_a_pool_says_its_machines_and_that_it_is_protected() -> None:
    nodes = {"machineType": "a2-highgpu-8g", "guestAccelerators": [{"type": "nvidia-tesla-a100", "count": 8}]}
    pool = {"nodeConfig": nodes, "autoscaling": {"totalMaxNodeCount": 4}}
    [line] = lines([event("replace", POOL, "p", pool, protect=True)])
    assert "4 x a2-highgpu-8g" in line
    assert "training:unprotect" in line
    assert "unknown" not in line


def test_what_is_made_or_changed_in_place_is_not_listed() -> None:
    steps = [event("update", POOL, "p", {}), event("create", JOB, "j", {}), event("replace", "gcp:x/y:Z", "z", {})]
    [line] = lines(steps)
    assert not line.startswith(("replaced", "deleted"))


def test_a_cluster_takes_everything_with_it() -> None:
    [line] = lines([event("replace", "gcp:container/cluster:Cluster", "cluster", {})])
    assert line.startswith("replaced: cluster")
