"""Injected faults and quotas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from sandbox.gcp.values import Secret
from tests.sandbox.gcp_process import (
    CLUSTER,
    NETWORK,
    NODE_POOL,
    Plugin,
    init_failure,
    refused,
)

P = "projects/acme-ml-dev"


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    started = Plugin(tmp_path)
    started.configure()
    yield started
    started.close()


def inject(plugin: Plugin, **fault: Any) -> None:
    (plugin.state / "gcp").mkdir(exist_ok=True)
    (plugin.state / "gcp" / "faults.json").write_text(json.dumps([{"type": NETWORK, "error": "no capacity", **fault}]))


def test_a_fault_before_leaves_nothing_and_goes(plugin: Plugin) -> None:
    inject(plugin, verb="create", times=2)
    for _ in range(2):
        assert refused(plugin.create, NETWORK, {"name": "n"}) == "no capacity"
    assert plugin.create(NETWORK, {"name": "n"})[0]


@pytest.mark.parametrize("verb", ["read", "update", "delete"])
def test_a_fault_of_another_verb(plugin: Plugin, verb: str) -> None:
    id, outputs = plugin.create(NETWORK, {"name": "n"})
    inject(plugin, verb=verb)
    calls: dict[str, Any] = {
        "read": lambda: plugin.read(NETWORK, id),
        "update": lambda: plugin.update(NETWORK, id, outputs, {"name": "n"}),
        "delete": lambda: plugin.delete(NETWORK, id),
    }
    assert refused(calls[verb]) == "no capacity"
    assert plugin.read(NETWORK, id)[0] == id


def test_a_fault_after_keeps_the_resource_and_its_id(plugin: Plugin) -> None:
    inject(plugin, verb="create", after=True)
    with pytest.raises(grpc.RpcError) as caught:
        plugin.create(NETWORK, {"name": "n", "description": Secret("hunter2")})
    failed = init_failure(caught.value)
    assert failed.id == f"{P}/global/networks/n"
    assert list(failed.reasons) == ["no capacity"]
    assert plugin.read(NETWORK, failed.id)[0] == failed.id


def test_a_lost_answer_leaves_the_resource(plugin: Plugin) -> None:
    inject(plugin, verb="create", after="lost")
    with pytest.raises(grpc.RpcError) as caught:
        plugin.create(NETWORK, {"name": "n"})
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    assert plugin.read(NETWORK, f"{P}/global/networks/n")[0]


POOL = {"cluster": f"{P}/locations/us-central1/clusters/c"}
A100 = {"nodeConfig": {"machineType": "a2-highgpu-1g"}}


@pytest.mark.parametrize(
    ("pool", "fits"),
    [
        pytest.param({**A100, "nodeLocations": ["us-central1-a"], "nodeCount": 8}, True, id="just fits"),
        pytest.param({**A100, "nodeLocations": ["us-central1-a"], "nodeCount": 9}, False, id="one too many"),
        pytest.param({**A100, "nodeCount": 3}, False, id="in three zones"),
        pytest.param({**A100, "autoscaling": {"totalMaxNodeCount": 9}}, False, id="autoscaling"),
        pytest.param({"nodeConfig": {**A100["nodeConfig"], "spot": True}, "nodeCount": 9}, True, id="another quota"),
        pytest.param(
            {"nodeConfig": {"guestAccelerators": [{"type": "nvidia-tesla-a100", "count": 4}]}, "nodeCount": 1}, False,
            id="accelerators given",
        ),
        pytest.param({"nodeConfig": {"machineType": "n1-highcpu-16"}, "nodeCount": 100}, True, id="no accelerators"),
    ],
)  # fmt: skip
def test_accelerators_have_a_quota(plugin: Plugin, pool: dict[str, Any], fits: bool) -> None:
    plugin.create(CLUSTER, {"name": "c", "location": "us-central1"})
    (plugin.state / "gcp" / "quotas.json").write_text(json.dumps({"NVIDIA_A100_GPUS/us-central1": 8}))
    inputs = {"name": "p", **POOL, **pool}
    if fits:
        assert plugin.create(NODE_POOL, inputs)[0]
    else:
        assert "NVIDIA_A100_GPUS" in refused(plugin.create, NODE_POOL, inputs)
        assert plugin.read(NODE_POOL, "p")[0] == ""


def test_pools_share_a_quota(plugin: Plugin) -> None:
    plugin.create(CLUSTER, {"name": "c", "location": "us-central1"})
    (plugin.state / "gcp" / "quotas.json").write_text(json.dumps({"NVIDIA_A100_GPUS/us-central1": 8}))
    inputs = {"name": "p", **POOL, **A100, "nodeLocations": ["us-central1-a"], "nodeCount": 6}
    id, outputs = plugin.create(NODE_POOL, inputs)
    assert "403" in refused(plugin.create, NODE_POOL, {**inputs, "name": "q"})
    assert plugin.update(NODE_POOL, id, outputs, {**inputs, "nodeCount": 8})["nodeCount"] == 8
    assert "403" in refused(plugin.update, NODE_POOL, id, outputs, {**inputs, "nodeCount": 9})
