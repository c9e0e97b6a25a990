"""The resources on disk: refresh sees what was edited, imports find what is there, damage is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from tests.sandbox.gcp_process import BUCKET, NETWORK, Plugin

ID = "projects/acme-ml-dev/global/networks/n"


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    started = Plugin(tmp_path)
    started.configure()
    yield started
    started.close()


def test_an_edited_input_is_drift(plugin: Plugin) -> None:
    inputs = {"name": "n", "autoCreateSubnetworks": False, "__defaults": ["name"]}
    id, outputs = plugin.create(NETWORK, inputs)
    plugin.edit("networks~n", autoCreateSubnetworks=True)
    _, live, _ = plugin.read(NETWORK, id, inputs, outputs)
    assert live == {**inputs, "autoCreateSubnetworks": True}
    assert list(plugin.diff(NETWORK, id, live, inputs, outputs).detailedDiff) == ["autoCreateSubnetworks"]


def test_an_edited_default_is_drift(plugin: Plugin) -> None:
    inputs = {"name": "n"}
    id, outputs = plugin.create(NETWORK, inputs)
    plugin.edit("networks~n", routingMode="GLOBAL")
    _, live, properties = plugin.read(NETWORK, id, inputs, outputs)
    assert live == {"name": "n", "routingMode": "GLOBAL"}
    assert properties["routingMode"] == "GLOBAL"
    assert list(plugin.diff(NETWORK, id, live, inputs, properties).detailedDiff) == ["routingMode"]


def test_a_deleted_file_is_a_resource_that_is_gone(plugin: Plugin) -> None:
    id, outputs = plugin.create(NETWORK, {"name": "n"})
    plugin.file_of("networks~n").unlink()
    assert plugin.read(NETWORK, id, {"name": "n"}, outputs) == ("", {}, {})
    plugin.delete(NETWORK, id, outputs)


@pytest.mark.parametrize("given", [ID, "n", "networks/n"])
def test_an_import_returns_what_was_given(plugin: Plugin, given: str) -> None:
    plugin.create(NETWORK, {"name": "n", "mtu": 8896})
    id, inputs, properties = plugin.read(NETWORK, given)
    assert id == ID
    assert inputs == {"name": "n", "mtu": 8896}
    assert properties["routingMode"] == "REGIONAL"


def test_a_resource_written_by_hand_can_be_imported(plugin: Plugin) -> None:
    folder = plugin.state / "gcp" / "resources" / "compute.Network"
    folder.mkdir(parents=True)
    properties = {"name": "n", "project": "acme-ml-dev", "mtu": 8896, "routingMode": "REGIONAL"}
    (folder / "projects~acme-ml-dev~global~networks~n.json").write_text(
        json.dumps({"type": NETWORK, "id": ID, "properties": properties})
    )
    id, inputs, _ = plugin.read(NETWORK, "n")
    assert id == ID
    assert inputs == {"name": "n", "project": "acme-ml-dev", "mtu": 8896}


def test_a_damaged_file_is_named(plugin: Plugin) -> None:
    id, _ = plugin.create(NETWORK, {"name": "n"})
    path = plugin.file_of("networks~n")
    path.write_text("{")
    with pytest.raises(grpc.RpcError) as caught:
        plugin.read(NETWORK, id)
    assert str(path) in caught.value.details()


def test_stacks_of_one_sandbox_see_the_same_cloud(plugin: Plugin) -> None:
    plugin.create(BUCKET, {"name": "data", "location": "US"})
    other = Plugin(plugin.state)
    other.configure(project="acme-ml-prod")
    read_id = other.read(BUCKET, "data")[0]
    with pytest.raises(grpc.RpcError):
        other.create(BUCKET, {"name": "data", "location": "US"})
    other.close()
    assert read_id == "data"


def test_one_of_many_creates_at_once_wins(plugin: Plugin) -> None:
    def attempt(_: int) -> bool:
        try:
            return bool(plugin.create(NETWORK, {"name": "n"}))
        except grpc.RpcError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(attempt, range(8))) == [False] * 7 + [True]
