"""What a change does to a resource: nothing, an update or a replacement, path by path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.gcp.values import UNKNOWN, Secret
from tests.sandbox.gcp_process import ACCOUNT, BUCKET, CLUSTER, NETWORK, NODE_POOL, SUBNETWORK, Plugin

NET = "projects/acme-ml-dev/global/networks/n"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plugin]:
    started = Plugin(Path(tmp_path_factory.mktemp("state")))
    started.configure()
    yield started
    started.close()


def kinds(answer: Any) -> dict[str, str]:
    names = type(next(iter(answer.detailedDiff.values()))).Kind.Name if answer.detailedDiff else None
    return {path: names(change.kind) for path, change in answer.detailedDiff.items()}


@pytest.mark.parametrize(
    ("type", "olds", "news", "expected"),
    [
        pytest.param(BUCKET, {"location": "US"}, {"location": "EU"}, {"location": "UPDATE_REPLACE"}, id="location"),
        pytest.param(BUCKET, {"location": "us"}, {"location": "US"}, {}, id="capitals of a location"),
        pytest.param(
            BUCKET, {"labels": {"a": "1"}}, {"labels": {"a": "2", "b.c": "1"}},
            {"labels.a": "UPDATE", 'labels["b.c"]': "ADD"}, id="labels",
        ),
        pytest.param(BUCKET, {"labels": {"a": "1"}}, {}, {"labels": "DELETE"}, id="removed"),
        pytest.param(NETWORK, {"name": "a"}, {"name": "b"}, {"name": "UPDATE_REPLACE"}, id="name"),
        pytest.param(NETWORK, {"routingMode": "GLOBAL"}, {}, {"routingMode": "DELETE"}, id="back to a default"),
        pytest.param(NETWORK, {}, {"autoCreateSubnetworks": True}, {}, id="a default written down"),
        pytest.param(NETWORK, {"mtu": 1460}, {"mtu": 8896}, {"mtu": "UPDATE_REPLACE"}, id="mtu"),
        pytest.param(
            SUBNETWORK, {"network": NET}, {"network": f"https://www.googleapis.com/compute/v1/{NET}"}, {},
            id="link and id",
        ),
        pytest.param(SUBNETWORK, {"network": NET}, {"network": UNKNOWN}, {"network": "UPDATE_REPLACE"}, id="unknown"),
        pytest.param(
            SUBNETWORK, {"ipCidrRange": "10.0.0.0/24"}, {"ipCidrRange": "10.0.0.0/20"}, {"ipCidrRange": "UPDATE"},
            id="wider",
        ),
        pytest.param(
            SUBNETWORK, {"ipCidrRange": "10.0.0.0/20"}, {"ipCidrRange": "10.0.0.0/24"},
            {"ipCidrRange": "UPDATE_REPLACE"}, id="narrower",
        ),
        pytest.param(SUBNETWORK, {"region": "us-central1"}, {}, {}, id="the provider's region left out"),
        pytest.param(SUBNETWORK, {}, {"region": "us-east1"}, {"region": "ADD_REPLACE"}, id="region"),
        pytest.param(SUBNETWORK, {}, {"project": "other"}, {"project": "ADD_REPLACE"}, id="project"),
        pytest.param(
            SUBNETWORK, {"secondaryIpRanges": [{"rangeName": "a"}]},
            {"secondaryIpRanges": [{"rangeName": "b"}, {"rangeName": "c"}]},
            {"secondaryIpRanges[0].rangeName": "UPDATE", "secondaryIpRanges[1]": "ADD"}, id="list",
        ),
        pytest.param(
            ACCOUNT, {"accountId": "aaaaaa"}, {"accountId": "bbbbbb"}, {"accountId": "UPDATE_REPLACE"}, id="account"
        ),
        pytest.param(ACCOUNT, {"displayName": "a"}, {"displayName": Secret("a")}, {}, id="secret or not"),
        pytest.param(
            NODE_POOL, {"nodeConfig": {"machineType": "a"}}, {"nodeConfig": {"machineType": "b"}},
            {"nodeConfig.machineType": "UPDATE"}, id="machine type of a pool",
        ),
        pytest.param(
            NODE_POOL, {"nodeConfig": {"guestAccelerators": [{"type": "t", "count": 1}]}},
            {"nodeConfig": {"guestAccelerators": [{"type": "t", "count": 2}]}},
            {"nodeConfig.guestAccelerators[0].count": "UPDATE_REPLACE"}, id="accelerators of a pool",
        ),
        pytest.param(NODE_POOL, {}, {"nodeConfig": {"spot": True}}, {"nodeConfig": "ADD_REPLACE"}, id="node config"),
        pytest.param(NODE_POOL, {}, {"cluster": UNKNOWN}, {"cluster": "UPDATE_REPLACE"}, id="unknown cluster"),
        pytest.param(NODE_POOL, {"nodeCount": 1}, {"nodeCount": 3}, {"nodeCount": "UPDATE"}, id="node count"),
        pytest.param(CLUSTER, {}, {"deletionProtection": False}, {"deletionProtection": "ADD"}, id="protection"),
    ],
)  # fmt: skip
def test_a_change_has_its_kind(
    plugin: Plugin, type: str, olds: dict[str, Any], news: dict[str, Any], expected: dict[str, str]
) -> None:
    if type == NODE_POOL:
        olds, news = {"cluster": "c", **olds}, {"cluster": "c", **news}
    same = {"name": "fixed"} if type != ACCOUNT else {"accountId": "fixed-one"}
    answer = plugin.diff(type, "id", {**same, **olds}, {**same, **news}, {"project": "acme-ml-dev"} | places(type))
    assert kinds(answer) == expected
    assert set(answer.replaces) == {path for path, kind in expected.items() if kind.endswith("REPLACE")}
    assert answer.changes == (answer.DIFF_SOME if expected else answer.DIFF_NONE)


def places(type: str) -> dict[str, str]:
    if type == SUBNETWORK:
        return {"region": "us-central1"}
    return {"location": "us-central1-a"} if type in (NODE_POOL, CLUSTER) else {}


def test_a_fixed_name_is_deleted_before_it_is_made_again(plugin: Plugin) -> None:
    olds = {"name": "fixed", "location": "US"}
    assert plugin.diff(BUCKET, "fixed", olds, {"name": "fixed", "location": "EU"}).deleteBeforeReplace
    assert not plugin.diff(BUCKET, "fixed", olds, {"name": "other", "location": "EU"}).deleteBeforeReplace
    automatic = {"name": "fixed", "location": "EU", "__defaults": ["name"]}
    assert not plugin.diff(BUCKET, "fixed", olds, automatic).deleteBeforeReplace


def test_another_project_of_the_provider_replaces(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    plugin.configure(project="acme-ml-prod")
    answer = plugin.diff(NETWORK, "id", {"name": "n"}, {"name": "n"}, {"project": "acme-ml-dev"})
    plugin.close()
    assert kinds(answer) == {"project": "UPDATE_REPLACE"}
