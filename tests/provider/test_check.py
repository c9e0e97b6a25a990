"""check: what is missing, misspelt, of the wrong type, or against a structural rule, by the property's path."""

from __future__ import annotations

from typing import Any

import pytest

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, CUSTOM_JOB, UNKNOWN, Engine, Plugin
from trainingjobs.provider.job import _body, check
from trainingjobs.workloads.custom_job import CustomJob

JOB = "projects/acme-ml-sandbox/locations/us-central1/customJobs/1"


def body_with(**first_pool: Any) -> dict[str, Any]:
    made = bodies.body(bodies.LONG)
    made["workerPoolSpecs"][0].update(first_pool)
    return made


CASES = [
    pytest.param({"project": None}, ["project"], id="missing"),
    pytest.param({"labls": {}}, ["labls"], id="misspelt"),
    pytest.param({"location": "somewhere/else"}, ["location"], id="location"),
    pytest.param({"project": "evil.example/"}, ["project"], id="project"),
    pytest.param({"displayName": "x" * 129}, ["displayName"], id="long name"),
    pytest.param({"displayName": 3}, ["displayName"], id="name is no string"),
    pytest.param({"labels": {"trainingjobs-key": "x"}}, ["labels.trainingjobs-key"], id="the provider's own label"),
    pytest.param(
        {"labels": {"trainingjobs-declaration": "x"}}, ["labels.trainingjobs-declaration"], id="the other of them"
    ),
    pytest.param({"labels": {f"l{i}": "x" for i in range(63)}}, ["labels"], id="more labels than the service takes"),
    pytest.param({"labels": {"Team": "x"}}, ["labels.Team"], id="label key"),
    pytest.param({"labels": {"team": 3}}, ["labels.team"], id="label value"),
    pytest.param({"run": 0}, ["run"], id="run"),
    pytest.param({"run": 1.5}, ["run"], id="half a run"),
    pytest.param({"retainRecord": "yes"}, ["retainRecord"], id="boolean"),
    pytest.param({"usdPerHour": "3"}, ["usdPerHour"], id="price"),
    pytest.param({"limits": []}, ["limits"], id="limits"),
    pytest.param({"encryptionSpec": {"kmsKey": "k"}}, ["encryptionSpec.kmsKey"], id="key"),
    pytest.param({"project": None, "run": 0, "x": 1}, ["project", "run", "x"], id="all at once"),
]


@pytest.mark.parametrize(("change", "paths"), CASES)
def test_a_fault_is_named_by_its_path(plugin: Plugin, change: dict[str, Any], paths: list[str]) -> None:
    assert sorted(path for path, _ in plugin.check(bodies.inputs(**change))) == paths


def test_a_good_job_passes(plugin: Plugin) -> None:
    assert plugin.check(bodies.inputs(document=bodies.document(), run=2, limits={"maxUsdPerHour": 3})) == []


def test_a_misspelt_key_gets_a_suggestion(plugin: Plugin) -> None:
    ((_, reason),) = plugin.check(bodies.inputs(dispalyName="x"))
    assert "displayName" in reason


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        pytest.param(body_with(replicaCount=2), "one-primary-replica", id="two primaries"),
        pytest.param(
            {"workerPoolSpecs": [{}, bodies.body(["x"])["workerPoolSpecs"][0]]}, "one-primary-replica", id="{}"
        ),
        pytest.param({"workerPoolSpecs": bodies.body(["x"])["workerPoolSpecs"] * 5}, "pool-order", id="five pools"),
    ],
)
def test_a_structural_rule_holds(plugin: Plugin, spec: dict[str, Any], rule: str) -> None:
    failures = plugin.check(bodies.inputs(jobSpec=spec))
    assert any(f"[{rule}]" in reason and path.startswith("jobSpec.workerPoolSpecs") for path, reason in failures)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"project": UNKNOWN}, id="project"),
        pytest.param({"jobSpec": UNKNOWN}, id="body"),
        pytest.param({"jobSpec": {"workerPoolSpecs": UNKNOWN}}, id="pools"),
        pytest.param({"jobSpec": body_with(replicaCount=UNKNOWN)}, id="replicas"),
        pytest.param({"jobSpec": {**bodies.body(["x"]), "serviceAccount": UNKNOWN}}, id="service account"),
        pytest.param({"labels": {"team": UNKNOWN}}, id="label"),
    ],
)
def test_what_is_not_known_yet_is_not_judged(plugin: Plugin, change: dict[str, Any]) -> None:
    assert plugin.check(bodies.inputs(**change)) == []


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        pytest.param({"job": JOB, "waitFor": "running"}, [], id="good"),
        pytest.param({"job": UNKNOWN, "waitFor": "succeeded", "timeout": "60s"}, [], id="job not known yet"),
        pytest.param({"job": JOB, "waitFor": "submitted"}, ["waitFor"], id="submitted is no wait"),
        pytest.param({"job": "17", "waitFor": "running"}, ["job"], id="no job's name"),
        pytest.param({"job": JOB, "waitFor": "running", "timeout": "1h"}, ["timeout"], id="timeout"),
        pytest.param({"job": JOB, "waitfor": "running"}, ["waitFor", "waitfor"], id="misspelt"),
    ],
)
def test_a_completion_is_checked(plugin: Plugin, given: dict[str, Any], paths: list[str]) -> None:
    assert sorted(path for path, _ in plugin.check(given, COMPLETION)) == paths


def test_another_type_is_refused(plugin: Plugin) -> None:
    import grpc

    with pytest.raises(grpc.RpcError, match="known are"):
        plugin.check({}, CUSTOM_JOB + "s")


LUSTRE = {"instanceIp": "10.0.0.2", "volumeHandle": "p/z/i", "filesystem": "fs", "mountPoint": "data"}


@pytest.mark.parametrize(
    ("first_pool", "warned"),
    [({"lustreMounts": [LUSTRE]}, ""), ({"quantumMounts": []}, "jobSpec.workerPoolSpecs[0].quantumMounts")],
)
def test_a_field_newer_than_the_tables_is_warned_of(
    plugin: Plugin, engine: Engine, first_pool: dict[str, Any], warned: str
) -> None:
    given = bodies.inputs(jobSpec=body_with(**first_pool))
    assert plugin.check(given) == []
    plugin.create(given, preview=True)
    assert engine.logged("is no field") is bool(warned)
    assert engine.logged(warned)


@pytest.mark.parametrize(("length", "fine"), [(4, True), (5, False), (6, False)])
def test_trailing_placeholders_are_fine_up_to_the_fourth_pool(plugin: Plugin, length: int, fine: bool) -> None:
    spec = bodies.body(bodies.LONG, workers=1)
    spec["workerPoolSpecs"] += [{}] * (length - len(spec["workerPoolSpecs"]))
    assert (plugin.check(bodies.inputs(jobSpec=spec)) == []) is fine


def test_a_pool_without_replicas_is_sent_as_an_empty_one() -> None:
    spec = bodies.body(bodies.LONG, workers=1)
    first, second = spec["workerPoolSpecs"]
    spec = {**spec, "workerPoolSpecs": [first, {"replicaCount": 0}, second]}
    given = bodies.inputs(jobSpec=spec)
    assert check(CustomJob(), given) == []
    assert _body(CustomJob(), given, {})["jobSpec"] == {**spec, "workerPoolSpecs": [first, {}, second]}
