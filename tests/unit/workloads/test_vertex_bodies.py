"""Bodies of Vertex AI jobs at their edges: each scalar type, what may not be shown, what means the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf, nan
from typing import Any

import pytest

from trainingjobs.facts.job import UNKNOWN
from trainingjobs.workloads.vertex_environment import pool_counts, replica_environment
from trainingjobs.workloads.vertex_types import (
    MOST_HINTS,
    MOST_POOLS,
    MOST_WRONG,
    canonical_spec,
    child,
    type_errors,
    unknown_keys,
)


def paths(value: object, kind: str = "CustomJobSpec") -> list[str]:
    return [path for path, _ in type_errors(value, kind, "p")]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("string", ["", "x"], [1, None, [], True]),
        (
            "integer",
            [0, -3, "12", "-1", "9" * 20, 1.0, 10**400],
            [True, 1.5, float("inf"), "1.5", "x", "", "9" * 21, " 1", None],
        ),
        ("boolean", [True, False], ["true", 0, None]),
        ("number", [1, -1.5], [True, "1", None]),
        (
            "double",
            [1, -1.5, "1", "-0.5", "1e-4", sys.float_info.max],
            [True, "", "x", "1_0", " 1", None, inf, -inf, nan, 10**400],
        ),
        ("labels", [{}, {"a": "b"}], ["x", [], None]),
        ("MetricSpec.GoalType", ["MAXIMIZE", "GOAL_TYPE_UNSPECIFIED"], ["", "maximize", 1, None, ["MAXIMIZE"]]),
        ("object", [{}, {"any": 1}], [[], "x", None]),
        (
            "duration",
            ["0s", "86400s", "1.5s", "9.123456789s"],
            ["1", "s", "1.s", "-1s", "1.1234567890s", 3600, "1 s", None],
        ),
    ],
)
def test_a_scalar(kind: str, good: Sequence[object], bad: Sequence[object]) -> None:
    assert [value for value in good if paths(value, kind)] == []
    assert [value for value in bad if paths(value, kind) != ["p"]] == []


def test_what_is_not_known_yet_is_fine_anywhere() -> None:
    assert paths({"workerPoolSpecs": UNKNOWN, "scheduling": {"timeout": UNKNOWN}}) == []
    assert paths([UNKNOWN, 1], "[string]") == ["p[1]"]


def test_every_fault_is_named_and_a_null_pool_is_left_to_its_rule() -> None:
    spec = {"workerPoolSpecs": [None, {"replicaCount": "x", "machineSpec": []}], "network": 1, "Network": ""}
    assert paths(spec) == [
        "p.Network",
        "p.network",
        "p.workerPoolSpecs[1].machineSpec",
        "p.workerPoolSpecs[1].replicaCount",
    ]
    assert paths([None], "[EnvVar]") == ["p[0]"]


@pytest.mark.parametrize(
    ("container", "path"),
    [
        ({"env": [{"name": "A", "value": 4711}]}, "p.containerSpec.env[0].value"),
        ({"args": [4711]}, "p.containerSpec.args[0]"),
        ({"command": [4711]}, "p.containerSpec.command[0]"),
        ({"args": 4711}, "p.containerSpec.args"),
        ({"env": 4711}, "p.containerSpec.env"),
        ({"env": [4711]}, "p.containerSpec.env[0]"),
    ],
)
def test_what_may_be_a_secret_is_not_shown(container: dict[str, Any], path: str) -> None:
    [(place, reason)] = type_errors({"containerSpec": container}, "WorkerPoolSpec", "p")
    assert place == path
    assert "4711" not in reason
    [(_, shown)] = type_errors({"network": 4711}, "CustomJobSpec", "p")
    assert "4711" in shown


@pytest.mark.parametrize(
    ("path", "key", "joined"),
    [
        ("a", "b", "a.b"),
        ("a", 3, "a[3]"),
        ("", "b", "b"),
        ("", 0, "[0]"),
        ("a", "b-c_d", "a.b-c_d"),
        ("a", "b.c", 'a["b.c"]'),
        ("", "b c", '["b c"]'),
        ("a", "", 'a[""]'),
    ],
)
def test_a_path_is_the_engines(path: str, key: str | int, joined: str) -> None:
    assert child(path, key) == joined


def test_of_many_faults_some_are_reported() -> None:
    pools = [{"replicas_count": 1}] * (MOST_POOLS + 1)
    assert len(paths({"workerPoolSpecs": pools})) == MOST_POOLS
    assert len(paths(list(range(MOST_POOLS + 5)), "[string]")) == MOST_POOLS + 5
    faults = list(unknown_keys({f"network{i:04}": 1 for i in range(MOST_WRONG + 1)}, {"network": ""}, "p"))
    assert len(faults) == MOST_WRONG
    assert ["mean" in reason for _, reason in faults] == [i < MOST_HINTS for i in range(MOST_WRONG)]


def test_an_unknown_key_comes_with_the_nearest() -> None:
    [(path, reason)] = unknown_keys({"netwrk": 1, "labels": 2}, {"network": "", "labels": ""}, "p")
    assert path == "p.netwrk"
    assert "network" in reason


@pytest.mark.parametrize(
    ("kind", "given", "canonical"),
    [
        ("integer", "100", 100),
        ("integer", "x", "x"),
        ("integer", 1.0, 1),
        ("integer", 1.5, 1.5),
        ("double", "0.50", 0.5),
        ("double", "x", "x"),
        ("labels", {"a": ""}, {"a": ""}),
        ("integer", 100, 100),
        ("string", "100", "100"),
        ("duration", "86400.500s", "86400.5s"),
        ("duration", "100s", "100s"),
        ("duration", "0s", "0s"),
        ("duration", "soon", "soon"),
        ("string", "86400.0s", "86400.0s"),
        ("object", {"a": "", "b": {}, "c": None}, {"a": "", "b": {}, "c": None}),
        ("DiskSpec", {"bootDiskType": "pd-standard", "bootDiskSizeGb": "100"}, {"bootDiskType": "pd-standard"}),
        ("Scheduling", {"timeout": "604800.0s", "strategy": "SPOT"}, {"strategy": "SPOT"}),
        ("MachineSpec", {"machineType": "m", "acceleratorCount": 0}, {"machineType": "m"}),
        ("NoSuchMessage", {"a": "1", "b": [], "c": True}, {"a": "1", "c": True}),
        ("CustomJobSpec", {"enableWebAccess": False, "network": "", "args": None}, {}),
        (
            "CustomJobSpec",
            {"enableWebAccess": True, "no-such-key": "[]"},
            {"enableWebAccess": True, "no-such-key": "[]"},
        ),
        ("WorkerPoolSpec", [{}, {"replicaCount": 0}, None, {}], []),
        ("WorkerPoolSpec", [{"replicaCount": "0"}, {"replicaCount": 2}], [{}, {"replicaCount": 2}]),
        ("EnvVar", [{"name": "A", "value": ""}, {}], [{"name": "A", "value": ""}, {}]),
        ("StudySpec", {"medianAutomatedStoppingSpec": {}, "metrics": []}, {"medianAutomatedStoppingSpec": {}}),
        ("DoubleValueSpec", {"minValue": 0.5, "defaultValue": 0}, {"minValue": 0.5, "defaultValue": 0}),
    ],
)
def test_what_a_value_comes_down_to(kind: str, given: object, canonical: object) -> None:
    assert canonical_spec(given, kind) == canonical
    assert canonical_spec(canonical, kind) == canonical


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ({}, ()),
        ({"workerPoolSpecs": "x"}, ()),
        ({"workerPoolSpecs": {}}, ()),
        ({"workerPoolSpecs": [{"replicaCount": "3"}, {}, None, {"replicaCount": None}]}, (3, 0, 0, 0)),
    ],
)
def test_the_replicas_of_a_body(spec: dict[str, Any], counts: tuple[int, ...]) -> None:
    assert pool_counts(spec) == counts


SPEC = {"workerPoolSpecs": [{"replicaCount": 1}, {}, {"replicaCount": 1}]}


@pytest.mark.parametrize(("pool", "index"), [(-1, 0), (3, 0), (1, 0), (0, 1), (0, -1), (2, 1)])
def test_no_such_replica(pool: int, index: int) -> None:
    with pytest.raises(ValueError, match=f"workerpool{pool}:{index}"):
        replica_environment(SPEC, pool, index)


def test_two_replicas_have_a_tf_config_and_one_has_none() -> None:
    assert set(replica_environment(SPEC, 2, 0)) == {"CLUSTER_SPEC", "TF_CONFIG"}
    assert set(replica_environment({"workerPoolSpecs": [{"replicaCount": 1}]}, 0, 0)) == {"CLUSTER_SPEC"}
