"""What `make preview` says in the end, from the engine's events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tools.preview_summary import summary

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
JOB = "trainingjobs:vertex:CustomJob"
POOL = "gcp:container/nodePool:NodePool"


def event(op: str, token: str, name: str, outputs: dict[str, Any], **old: Any) -> dict[str, Any]:
    metadata = {"op": op, "type": token, "urn": f"urn:pulumi:prod::training::{token}::{name}"}
    return {"resourcePreEvent": {"metadata": {**metadata, "old": {"outputs": outputs, **old}}}}


def test_a_live_job_says_what_it_has_cost_and_what_the_next_one_will() -> None:
    running = {"state": "JOB_STATE_RUNNING", "startTime": "2026-05-01T09:00:00Z", "usdPerHour": 50}
    steps = [event(op, JOB, "bert", running) for op in ("create-replacement", "replace", "delete-replaced")]
    [line] = summary(steps, NOW)
    assert line.startswith("replaced: bert")
    for said in ("RUNNING", "3.0 h", "150.00 USD", "50.00 USD an hour"):
        assert said in line


def test_an_ended_job_has_nothing_to_lose() -> None:
    [line] = summary([event("delete", JOB, "bert", {"state": "JOB_STATE_SUCCEEDED", "usdPerHour": 50})], NOW)
    assert line.startswith("deleted: bert")
    assert "lost" not in line


def test_an_unknown_price_is_said() -> None:
    [line] = summary([event("replace", JOB, "bert", {"state": "JOB_STATE_RUNNING", "usdPerHour": None})], NOW)
    assert "unknown" in line


def test_a_pool_says_its_machines_and_that_it_is_protected() -> None:
    nodes = {"machineType": "a2-highgpu-8g", "guestAccelerators": [{"type": "nvidia-tesla-a100", "count": 8}]}
    pool = {"nodeConfig": nodes, "autoscaling": {"totalMaxNodeCount": 4}}
    [line] = summary([event("replace", POOL, "p", pool, protect=True)], NOW)
    assert "4 x a2-highgpu-8g" in line
    assert "training:unprotect" in line
    assert "unknown" not in line


def test_what_is_made_or_changed_in_place_is_not_listed() -> None:
    steps = [event("update", POOL, "p", {}), event("create", JOB, "j", {}), event("replace", "gcp:x/y:Z", "z", {})]
    [line] = summary(steps, NOW)
    assert not line.startswith(("replaced", "deleted"))


def test_a_cluster_takes_everything_with_it() -> None:
    [line] = summary([event("replace", "gcp:container/cluster:Cluster", "cluster", {})], NOW)
    assert line.startswith("replaced: cluster")
