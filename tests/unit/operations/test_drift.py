"""The classes of drift, from what the engine says of a refresh."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.operations.drift import GONE, SECRET, classify, drift_of

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


def test_every_place_is_reported_with_both_values_the_worst_first() -> None:
    old = {"nodeCount": 1, "placementPolicy": {"type": "COMPACT"}, "labels": {"a": "b"}}
    new = {"nodeCount": 3, "placementPolicy": {"type": ""}, "labels": {"a": "c"}}
    drifts = drift_of([event(POOL, old, new)])
    assert [(drift.kind, drift.path, drift.was, drift.is_) for drift in drifts] == [
        ("dangerous", "placementPolicy.type", "COMPACT", ""),
        ("changed-by-hand", "labels.a", "b", "c"),
        ("harmless", "nodeCount", 1, 3),
    ]


def test_a_resource_that_is_gone() -> None:
    [drift] = drift_of([event(FIREWALL, {"name": "f"}, None, op="delete")])
    assert (drift.path, drift.was, drift.is_) == (GONE, "i", None)


def test_what_was_never_there_is_no_drift() -> None:
    nothing: dict[str, Any] = {"a": None, "b": [], "c": {}}
    assert drift_of([event(POOL, nothing, {})]) == []


def test_a_secret_is_never_shown() -> None:
    [drift] = drift_of([event(POOL, {"token": {SECRET: "1"}}, {"token": "plain"})])
    assert (drift.was, drift.is_) == ("(secret)", "(secret)")


def test_what_only_the_provider_sees_is_reported_too() -> None:
    diff = {"placementPolicy": {"diffKind": "delete"}}
    [drift] = drift_of([event(POOL, {"a": 1}, {"a": 1}, op="update", detailedDiff=diff)])
    assert (drift.path, drift.kind) == ("placementPolicy", "dangerous")


def test_what_a_finding_says() -> None:
    [drift] = drift_of([event(POOL, {"nodeConfig": {"labels": {"x": 1}}}, {"nodeConfig": {"labels": {"x": 2}}})])
    assert drift.as_json() == {
        "urn": f"urn:pulumi:dev::training::{POOL}::n",
        "class": "changed-by-hand",
        "path": "nodeConfig.labels.x",
        "was": 1,
        "is": 2,
    }
    assert drift.why == ""


def test_each_class_that_the_table_knows_has_a_reason() -> None:
    for token, path, kind in CASES:
        old = {"labels": 1}
        if path == GONE:
            [drift] = drift_of([event(token, old, None, op="refresh")])
            assert drift.why
        elif kind != "changed-by-hand":
            diff = {path: {"diffKind": "update"}}
            [drift] = drift_of([event(token, old, old, detailedDiff=diff)])
            assert (drift.path, drift.kind, drift.why) == (path, *classify(token, path))
            assert drift.why


@pytest.mark.parametrize("op", ["delete", "refresh"])
def test_whose_resource_is_gone(op: str) -> None:
    outputs = {"a": 1} if op == "delete" else None
    [drift] = drift_of([event("gcp:compute/network:Network", {"a": 1}, outputs, op=op)])
    assert (drift.urn, drift.path, drift.was) == ("urn:pulumi:dev::training::gcp:compute/network:Network::n", GONE, "i")
    [wait] = drift_of([event("trainingjobs:vertex:CustomJob", {"a": 1}, None)])
    assert (wait.kind, wait.why) == classify("trainingjobs:vertex:CustomJob", GONE)


def test_the_engines_own_resources_and_other_events_are_passed_over() -> None:
    others: list[dict[str, Any]] = [
        {},
        {"resOutputsEvent": None},
        {"resOutputsEvent": {"metadata": None}},
        {"diagnosticEvent": {}},
        event("pulumi:pulumi:Stack", {"a": 1}, {"a": 2}),
        {"resOutputsEvent": {"metadata": {"op": "create", "type": POOL, "urn": "u", "old": None, "new": {}}}},
    ]
    assert drift_of(others) == []
    assert [drift.path for drift in drift_of([*others, event(POOL, {"a": 1}, {"a": 2})])] == ["a"]


def test_what_is_inside_the_provider_is_not_compared() -> None:
    old, new = {"__meta": 1, "a": 1, "z": 1}, {"__meta": 2, "a": 1, "z": 2}
    assert [drift.path for drift in drift_of([event(POOL, old, new)])] == ["z"]


def test_lists_are_compared_by_place_where_they_have_one_length() -> None:
    old = {"same": [1, {"a": 1}, 3], "longer": [1], "empty": "", "list": []}
    new = {"same": [1, {"a": 2}, 4], "longer": [1, 2], "empty": None, "list": {}}
    assert [(drift.path, drift.was, drift.is_) for drift in drift_of([event("x:y:Z", old, new)])] == [
        ("longer", [1], [1, 2]),
        ("same[1].a", 1, 2),
        ("same[2]", 3, 4),
    ]
    assert [drift.path for drift in drift_of([event("x:y:Z", {"a": ""}, {"a": "b"})])] == ["a"]


@pytest.mark.parametrize("secret", ["[secret]", {SECRET: "1"}])
def test_a_secret_on_either_side_is_one(secret: Any) -> None:
    for old, new in ((secret, "plain"), ("plain", secret)):
        [drift] = drift_of([event("x:y:Z", {"a": old}, {"a": new})])
        assert (drift.was, drift.is_) == ("(secret)", "(secret)")
    assert drift_of([event("x:y:Z", {"a": secret}, {"a": secret})]) == []


@pytest.mark.parametrize(
    ("declared", "reported"),
    [
        (["a"], ["a.b[1].c"]),  # the whole of what differs
        (["a.b[1].c.d"], ["a.b[1].c"]),  # a part of it
        (["a.b[1].c"], ["a.b[1].c"]),
        (["a.b[1]x", "ab"], ["a.b[1].c", "a.b[1]x", "ab"]),  # beside it
    ],
)
def test_what_the_provider_reports_again_is_reported_once(declared: list[str], reported: list[str]) -> None:
    old, new = {"a": {"b": [0, {"c": {"x": 1}}]}}, {"a": {"b": [0, {"c": 2}]}}
    diff = {path: {} for path in declared}
    assert sorted(drift.path for drift in drift_of([event("x:y:Z", old, new, detailedDiff=diff)])) == reported


@pytest.mark.parametrize(
    ("path", "value"),
    [("a[1].b", "x"), ("a[2]", None), ("a[1].c", None), ("a.b", None), ("a[1].b.c", None), ("d", {"1": "y"})],
)
def test_the_values_of_what_only_the_provider_sees(path: str, value: Any) -> None:
    state = {"a": [0, {"b": "x"}], "d": {"1": "y"}}
    [drift] = drift_of([event("x:y:Z", state, state, detailedDiff={path: {}})])
    assert (drift.was, drift.is_, drift.kind) == (value, value, "changed-by-hand")


def test_within_a_class_by_urn_then_by_place() -> None:
    pool_event, firewall_event = (
        event(POOL, {"zone": 1, "a": 1, "nodeCount": 1}, {"zone": 2, "a": 2, "nodeCount": 2}),
        event(FIREWALL, {"z": 1}, {"z": 2}),
    )
    drifts = drift_of([pool_event, pool_event, firewall_event])
    assert [(each.kind, each.path) for each in drifts] == [
        ("dangerous", "z"),
        ("changed-by-hand", "a"),
        ("changed-by-hand", "zone"),
        ("harmless", "nodeCount"),
    ]


def test_an_event_that_names_no_type_is_not_the_engines() -> None:
    [drift] = drift_of([event("", {"a": 1}, {"a": 2})])
    assert (drift.kind, drift.path) == ("changed-by-hand", "a")
