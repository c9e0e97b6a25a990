"""What stands in a Vertex body beside its pools, its keys in both spellings, and images of the reduction server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import SERVER
from trainingjobs.facts.job import UNKNOWN, JobFacts
from trainingjobs.facts.reduction_server import is_meant_as_reducers, is_reduction_server
from trainingjobs.facts.vertex_body import camel, camel_keys, doubled_keys, facts_of_body

JOB = JobFacts(name="n", path="b", form="body", region="r", environment="dev", framework="pytorch", restarts=False)


@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        ({}, {}),
        ({"serviceAccount": "a@b"}, {"service_account": "a@b"}),
        ({"service_account": "a@b"}, {"service_account": "a@b"}),
        ({"serviceAccount": ""}, {}),
        ({"serviceAccount": 7}, {}),
        ({"serviceAccount": UNKNOWN}, {"unknown": frozenset({"serviceAccount"})}),
        ({"baseOutputDirectory": {"outputUriPrefix": "gs://b"}}, {"has_output": True}),
        ({"baseOutputDirectory": {}}, {}),
        ({"scheduling": {"strategy": "SPOT"}}, {"strategy": "SPOT"}),
        ({"scheduling": {"strategy": 1}}, {}),
        ({"scheduling": {"restartJobOnWorkerRestart": True}}, {"restarts": True}),
        ({"scheduling": {"restartJobOnWorkerRestart": "true"}}, {}),
        ({"scheduling": {"timeout": "90.5s"}}, {"timeout": 90.5}),
        ({"scheduling": {"timeout": "90"}}, {}),
        ({"scheduling": {"timeout": 90}}, {}),
        ({"scheduling": {"strategy": UNKNOWN}}, {"unknown": frozenset({"scheduling.strategy"})}),
        ({"scheduling": UNKNOWN}, {"unknown": frozenset({"scheduling"})}),
        ({"scheduling": []}, {}),
    ],
)
def test_a_job(spec: dict[str, Any], changes: dict[str, Any]) -> None:
    options = {"name": "n", "region": "r", "environment": "dev", "framework": "pytorch"}
    facts, findings = facts_of_body(spec, "b", **options, labels={})
    assert findings == []
    assert facts == replace(JOB, **changes)


def test_a_job_that_declares_nothing() -> None:
    assert facts_of_body({}, labels={}) == (JobFacts(name="", path="jobSpec", form="body", restarts=False), [])


@pytest.mark.parametrize(
    ("path", "around", "labels"),
    [
        ("", "", "labels"),
        ("jobSpec", "", "labels"),
        ("trainingTaskInputs.trialJobSpec", "", "labels"),
        ("resources[1].jobSpec", "resources[1]", "resources[1].labels"),
    ],
)
def test_labels_stand_beside_the_body(path: str, around: str, labels: str) -> None:
    facts, _ = facts_of_body({}, path, around=around)
    assert facts.at("labels") == labels
    assert facts.at("labels.team") == f"{labels}.team"
    assert facts.at("serviceAccount") == (f"{path}.serviceAccount" if path else "serviceAccount")


@pytest.mark.parametrize(
    ("labels", "known", "unknown"),
    [
        ({"team": "a", "odd": 1, "owner": UNKNOWN}, {"team": "a"}, {"labels.owner"}),
        (UNKNOWN, {}, {"labels"}),
        (None, {}, set()),
        ([], {}, set()),
    ],
)
def test_labels(labels: Any, known: dict[str, str], unknown: set[str]) -> None:
    facts, _ = facts_of_body({}, labels=labels)
    assert (facts.labels, facts.unknown) == (known, unknown)
    assert facts_of_body({})[0].unknown == {"labels"}


@pytest.mark.parametrize(
    ("key", "name"),
    [("a", "a"), ("worker_pool_specs", "workerPoolSpecs"), ("aB_cD", "aBCD"), ("a_", "a"), ("a_1", "a1")],
)
def test_a_key_in_the_other_spelling(key: str, name: str) -> None:
    assert camel(key) == name


def test_every_key_but_those_of_labels() -> None:
    given = {"a_b": [{"c_d": 1}, "e_f"], "labels": {"x_y": {"z_z": 1}}, 7: ("g_h", {"i_j": b"k_l"})}
    assert camel_keys(given) == {
        "aB": [{"cD": 1}, "e_f"],
        "labels": {"x_y": {"zZ": 1}},
        7: ["g_h", {"iJ": b"k_l"}],
    }


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"a_b": 1, "aB": 2}, ["p.a_b"]),
        ({"a_b": 1, "c": {"d_e": 1, "dE": 1}}, ["p.c.d_e"]),
        ({"l": [{}, {"a_b": 1, "aB": 2}]}, ["p.l[1].a_b"]),
        ({"l": [{"a_b": 1, "aB": 2}, {"c_d": 1, "cD": 2}]}, ["p.l[0].a_b", "p.l[1].c_d"]),
        ({"labels": {"a_b": 1, "aB": 2}}, []),
        ({"labels": {"x": {"a_b": 1, "aB": 2}}}, ["p.labels.x.a_b"]),
        ({"text": "a_b aB", 7: 1}, []),
    ],
)
def test_a_key_in_both_spellings(body: dict[str, Any], paths: list[str]) -> None:
    assert [each.path for each in doubled_keys(body, "p")] == paths
    assert [each.path for each in doubled_keys(body)] == [path.removeprefix("p.") for path in paths]
    assert [each.path for each in facts_of_body(body, "p")[1]] == paths


@pytest.mark.parametrize(
    ("image", "is_server"),
    [
        (SERVER, True),
        ("x/reduction-server@sha256:1", True),
        ("x/reductionserver", True),
        ("x/reductionservers", False),
        ("reductionserver", False),
        ("x/y", False),
        ("", False),
        (None, False),
    ],
)
def test_an_image_that_is_meant_as_the_server(image: str | None, is_server: bool) -> None:
    assert is_reduction_server(image) is is_server


@pytest.mark.parametrize(
    ("image", "is_copy"),
    [
        ("x/vertex-reductionserver:1", True),
        ("x/reduction_server", True),
        ("x/reductionserver2", True),
        ("host:5000/x/reductionserver2:v1", True),
        ("x/acme-reductionserver", True),
        ("x/reduction-server-mirror@sha256:1", True),
        ("x/reduction-server/copy", True),
        ("x/dimension-reduction", False),
        ("x/dimension-reduction-server", False),
        ("x/noise_reduction_server", False),
        ("x/bert:reduction-server", False),
    ],
)
def test_a_copy_of_the_server_under_another_name(image: str, is_copy: bool) -> None:
    assert is_meant_as_reducers(image, "x/bert", position=1, has_accelerators=False) is is_copy


@pytest.mark.parametrize(
    ("position", "primary", "has_accelerators", "is_copy"),
    [(0, None, False, False), (1, "x/bert", True, False), (1, "x/bert-reduction-server", False, False),
     (1, "x/bert", False, True), (2, "x/bert", True, True)],
)  # fmt: skip
def test_a_trainer_may_name_the_server(
    position: int, primary: str | None, has_accelerators: bool, is_copy: bool
) -> None:
    image = "x/bert-reduction-server"
    assert is_meant_as_reducers(image, primary, position=position, has_accelerators=has_accelerators) is is_copy


@pytest.mark.parametrize(
    ("length", "positions"), [(2, [0, 1]), (4, [0, 1]), (5, [0, 1, 2, 3, 4]), (6, [0, 1, 2, 3, 4, 5])]
)
def test_trailing_placeholders_are_nothing_in_four_pools_and_too_many_in_more(
    length: int, positions: list[int]
) -> None:
    pools: list[dict[str, Any]] = [{"replicaCount": 1}, {"replicaCount": 2}, *({} for _ in range(length - 2))]
    facts, _ = facts_of_body({"workerPoolSpecs": pools})
    assert [pool.position for pool in facts.pools] == positions


@pytest.mark.parametrize("empty", [{}, {"replicaCount": 0}, {"replica_count": "0"}, {"machineSpec": None}])
def test_what_says_nothing_to_the_service_is_a_placeholder(empty: dict[str, Any]) -> None:
    facts, findings = facts_of_body({"workerPoolSpecs": [{"replicaCount": 1}, empty, {"replicaCount": 1}, empty]})
    assert [pool.gap for pool in facts.pools] == ["", "empty", ""]
    assert findings == []


@pytest.mark.parametrize("env", [[UNKNOWN], [{"name": UNKNOWN, "value": "x"}], [{"name": "A", "value": UNKNOWN}]])
def test_a_variable_of_which_a_part_is_not_known(env: list[Any]) -> None:
    facts, _ = facts_of_body({"workerPoolSpecs": [{"replicaCount": 1, "containerSpec": {"env": env}}]})
    assert "container.env" in facts.pools[0].unknown
