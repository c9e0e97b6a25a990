"""Inputs are checked as the SDK's own types say, and names are filled in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.gcp.values import UNKNOWN, Secret
from tests.sandbox.gcp_process import ACCOUNT, BUCKET, NETWORK, NODE_POOL, REPOSITORY, SUBNETWORK, Plugin
from trainingjobs.engine.sdk import provider_pb2


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plugin]:
    started = Plugin(Path(tmp_path_factory.mktemp("state")))
    started.configure()
    yield started
    started.close()


@pytest.mark.parametrize(
    ("type", "inputs", "path", "words"),
    [
        pytest.param(
            NETWORK, {"autoCreateSubnetwork": False}, "autoCreateSubnetwork", "autoCreateSubnetworks", id="key"
        ),
        pytest.param(SUBNETWORK, {"ipCidrRange": "10.0.0.0/24"}, "network", "missing", id="required"),
        pytest.param(NETWORK, {"mtu": "1460"}, "mtu", "number", id="number"),
        pytest.param(NETWORK, {"description": 7}, "description", "string", id="string"),
        pytest.param(NETWORK, {"autoCreateSubnetworks": "no"}, "autoCreateSubnetworks", "boolean", id="boolean"),
        pytest.param(NETWORK, {"mtu": True}, "mtu", "number", id="boolean for a number"),
        pytest.param(BUCKET, {"location": "US", "labels": ["a"]}, "labels", "map", id="map"),
        pytest.param(BUCKET, {"location": "US", "labels": {"a": 1}}, "labels.a", "string", id="in a map"),
        pytest.param(NODE_POOL, {"cluster": "c", "nodeLocations": "us-central1-a"}, "nodeLocations", "list", id="list"),
        pytest.param(
            NODE_POOL,
            {"cluster": "c", "nodeConfig": {"machinType": "n1"}},
            "nodeConfig.machinType",
            "machineType",
            id="deep",
        ),
        pytest.param(
            NODE_POOL,
            {"cluster": "c", "nodeConfig": {"guestAccelerators": [{"type": "t"}]}},
            "nodeConfig.guestAccelerators[0].count",
            "missing",
            id="in a list",
        ),
        pytest.param(NODE_POOL, {"cluster": "c", "nodeConfig": [{}]}, "nodeConfig", "object", id="object"),
        pytest.param(NETWORK, {"name": "Upper_Case"}, "name", "regexp", id="name"),
        pytest.param(ACCOUNT, {"accountId": "abc"}, "accountId", "regexp", id="account id"),
        pytest.param("gcp:storage/buckt:Bucket", {}, "", BUCKET, id="type"),
    ],
)
def test_a_fault_is_reported_at_its_path(
    plugin: Plugin, type: str, inputs: dict[str, Any], path: str, words: str
) -> None:
    _, failures = plugin.check(type, inputs)
    assert list(failures) == [path]
    assert words in failures[path]


def test_all_faults_come_at_once(plugin: Plugin) -> None:
    _, failures = plugin.check(REPOSITORY, {"formatt": "DOCKER", "labels": 3})
    assert set(failures) == {"format", "formatt", "labels", "repositoryId"}


def test_a_secret_of_the_wrong_type_is_not_quoted(plugin: Plugin) -> None:
    _, failures = plugin.check(NETWORK, {"mtu": Secret("hunter2")})
    assert set(failures) == {"mtu"}
    assert "hunter2" not in failures["mtu"]


@pytest.mark.parametrize("value", [UNKNOWN, Secret(UNKNOWN)])
def test_an_unknown_is_taken_for_any_type(plugin: Plugin, value: Any) -> None:
    inputs = {"network": value, "privateIpGoogleAccess": value, "secondaryIpRanges": [value], "logConfig": value}
    checked, failures = plugin.check(SUBNETWORK, {"name": "a", **inputs})
    assert failures == {}
    assert checked["logConfig"] == value


def test_a_secret_stays_one(plugin: Plugin) -> None:
    checked, failures = plugin.check(NETWORK, {"name": "a", "description": Secret("x")})
    assert failures == {}
    assert checked["description"] == Secret("x")


@pytest.mark.parametrize(("type", "key"), [(NETWORK, "name"), (ACCOUNT, "accountId")])
def test_an_automatic_name_follows_from_the_seed(plugin: Plugin, type: str, key: str) -> None:
    first, failures = plugin.check(type, {})
    assert failures == {}
    assert first[key].startswith("one-")
    assert first["__defaults"] == [key]
    assert plugin.check(type, {})[0] == first
    assert plugin.check(type, {}, randomSeed=b"other")[0][key] != first[key]
    assert plugin.check(type, {}, olds=first, randomSeed=b"other")[0] == first


def test_a_given_name_is_no_default(plugin: Plugin) -> None:
    assert plugin.check(NETWORK, {"name": "training"})[0] == {"name": "training"}


def test_the_engines_automatic_naming_is_respected(plugin: Plugin) -> None:
    options = provider_pb2.CheckRequest.AutonamingOptions
    proposed = options(proposed_name="proposed", mode=options.ENFORCE)
    assert plugin.check(NETWORK, {}, autonaming=proposed)[0]["name"] == "proposed"
    _, failures = plugin.check(NETWORK, {}, autonaming=options(mode=options.DISABLE))
    assert set(failures) == {"name"}
