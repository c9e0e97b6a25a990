"""Node pools and clusters that somebody wrote by hand are judged as the declared ones are."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2

from trainingjobs.policy_pack.observe import judged
from trainingjobs.rules.registry import DEFAULT_LEVELS

POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SOUND = {
    "privateClusterConfig": {"enablePrivateNodes": True},
    "workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"},
}


def violations_of(token: str, props: dict[str, Any], environment: str = "prod") -> set[tuple[str, str]]:
    struct = json_format.ParseDict(props, struct_pb2.Struct())
    return {(finding.rule, finding.severity) for finding in judged(token, struct, DEFAULT_LEVELS, environment)}


def test_a_sound_cluster_and_pool() -> None:
    assert violations_of(CLUSTER, SOUND) == set()
    assert violations_of(POOL, {"nodeConfig": {"machineType": "n1-standard-4", "spot": True}}) == set()


@pytest.mark.parametrize(
    ("key", "rule"), [("privateClusterConfig", "private-nodes"), ("workloadIdentityConfig", "workload-identity")]
)
def test_what_a_cluster_lacks_is_an_error_in_prod(key: str, rule: str) -> None:
    props = {name: value for name, value in SOUND.items() if name != key}
    assert (rule, "error") in violations_of(CLUSTER, props)
    assert (rule, "advice") in violations_of(CLUSTER, props, "dev")
    assert (rule, "advice") in violations_of(CLUSTER, {**props, key: UNKNOWN})


def test_a_reservation_beside_spot() -> None:
    node = {
        "machineType": "a2-highgpu-8g",
        "spot": True,
        "reservationAffinity": {"consumeReservationType": "ANY_RESERVATION"},
    }
    assert ("consumption-model", "error") in violations_of(POOL, {"nodeConfig": node})


def test_networks_of_gpu_interfaces_are_counted_exactly() -> None:
    networks = [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(7)]
    props = {
        "nodeConfig": {"machineType": "a3-megagpu-8g"},
        "networkConfig": {"additionalNodeNetworkConfigs": networks},
    }
    assert ("nic-topology", "error") in violations_of(POOL, props)
