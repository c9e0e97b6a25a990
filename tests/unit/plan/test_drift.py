"""The classes of drift, from what the engine says of a refresh."""

from __future__ import annotations

from typing import Any

import pytest

from infra.plan.drift import GONE, SECRET, classify, drift_of

POOL = "gcp:container/nodePool:NodePool"
FIREWALL = "gcp:compute/firewall:Firewall"
DRIVER = "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig.gpuDriverVersion"

CASES = [
    (POOL, "nodeCount", "harmless"),
    (POOL, "initialNodeCount", "harmless"),
    (POOL, "version", "harmless"),
    ("gcp:compute/instanceGroupManager:InstanceGroupManager", "targetSize", "harmless"),
    ("trainingjobs:vertex:CustomJob", "state", "harmless"),
    (POOL, DRIVER, "dangerous"),
    (POOL, "nodeConfig.reservationAffinity.values[0]", "dangerous"),
    (POOL, "placementPolicy.type", "dangerous"),
    (POOL, "nodeConfig.serviceAccount", "dangerous"),
    (FIREWALL, "sourceRanges[0]", "dangerous"),
    (FIREWALL, GONE, "dangerous"),
    ("gcp:projects/iAMMember:IAMMember", GONE, "dangerous"),
    ("gcp:storage/bucketIAMMember:BucketIAMMember", "role", "dangerous"),
    ("gcp:serviceaccount/account:Account", "disabled", "dangerous"),
    (POOL, "autoscaling.totalMaxNodeCount", "changed-by-hand"),
    (POOL, "nodeConfig.labels.x", "changed-by-hand"),
    ("gcp:storage/bucket:Bucket", "labels.x", "changed-by-hand"),
    ("gcp:compute/network:Network", "mtu", "changed-by-hand"),
    ("gcp:storage/bucket:Bucket", GONE, "changed-by-hand"),
]


@pytest.mark.parametrize(("token", "path", "kind"), CASES)
def test_class(token: str, path: str, kind: str) -> None:
    assert classify(token, path)[0] == kind


def event(token: str, old: Any, new: Any, op: str = "refresh", **more: Any) -> dict[str, Any]:
    states = {"old": {"id": "i", "outputs": old}, "new": None if new is None else {"id": "i", "outputs": new}}
    metadata = {"op": op, "type": token, "urn": f"urn:pulumi:dev::training::{token}::n", **states, **more}
    return {"resOutputsEvent": {"metadata": metadata}}


def test_every_place_is_told_with_both_values_the_worst_first() -> None:
    old = {"nodeCount": 1, "placementPolicy": {"type": "COMPACT"}, "labels": {"a": "b"}}
    new = {"nodeCount": 3, "placementPolicy": {"type": ""}, "labels": {"a": "c"}}
    found = drift_of([event(POOL, old, new)])
    assert [(one.kind, one.path, one.was, one.is_) for one in found] == [
        ("dangerous", "placementPolicy.type", "COMPACT", ""),
        ("changed-by-hand", "labels.a", "b", "c"),
        ("harmless", "nodeCount", 1, 3),
    ]


def test_a_resource_that_is_gone() -> None:
    [found] = drift_of([event(FIREWALL, {"name": "f"}, None, op="delete")])
    assert (found.path, found.was, found.is_) == (GONE, "i", None)


def test_what_was_never_there_is_no_drift() -> None:
    nothing: dict[str, Any] = {"a": None, "b": [], "c": {}}
    assert drift_of([event(POOL, nothing, {})]) == []


def test_a_secret_is_never_shown() -> None:
    [found] = drift_of([event(POOL, {"token": {SECRET: "1"}}, {"token": "plain"})])
    assert (found.was, found.is_) == ("(secret)", "(secret)")


def test_what_only_the_provider_sees_is_told_too() -> None:
    diff = {"placementPolicy": {"diffKind": "delete"}}
    [found] = drift_of([event(POOL, {"a": 1}, {"a": 1}, op="update", detailedDiff=diff)])
    assert (found.path, found.kind) == ("placementPolicy", "dangerous")
