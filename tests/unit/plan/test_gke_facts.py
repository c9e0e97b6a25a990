from __future__ import annotations

from typing import Any

import pytest

from infra.plan.facts import UNKNOWN
from infra.plan.gke_facts import cluster_facts, node_pool_facts
from infra.plan.rules import judge

MEGA: dict[str, Any] = {
    "name": "mega",
    "location": "us-central1-a",
    "nodeConfig": {
        "machineType": "a3-megagpu-8g",
        "guestAccelerators": [{"type": "nvidia-h100-mega-80gb", "count": 8}],
    },
    "networkConfig": {"additionalNodeNetworkConfigs": [{"network": str(i)} for i in range(8)]},
    "placementPolicy": {"type": "COMPACT"},
}


def rules(props: dict[str, Any], **options: Any) -> set[tuple[str, str]]:
    return {(each.rule, each.path) for each in judge(node_pool_facts(props), **options)}


def with_node(**config: Any) -> dict[str, Any]:
    return {**MEGA, "nodeConfig": {**MEGA["nodeConfig"], **config}}


def test_a_sound_pool() -> None:
    assert rules(MEGA) == set()


@pytest.mark.parametrize(
    ("props", "found"),
    [
        ({**MEGA, "networkConfig": {}}, ("nic-topology", "networkConfig.additionalNodeNetworkConfigs")),
        ({**MEGA, "location": "us-central1"}, ("consumption-model", "nodeLocations")),
        (with_node(spot=True, flexStart=True), ("consumption-model", "nodeConfig")),
        (
            with_node(spot=True, reservationAffinity={"consumeReservationType": "ANY_RESERVATION"}),
            ("consumption-model", "nodeConfig.reservationAffinity"),
        ),
        (with_node(flexStart=True, maxRunDuration="700000s"), ("consumption-model", "nodeConfig.maxRunDuration")),
        ({**MEGA, "queuedProvisioning": {"enabled": True}}, ("consumption-model", "queuedProvisioning")),
    ],
)
def test_what_the_rules_find(props: dict[str, Any], found: tuple[str, str]) -> None:
    assert found in rules(props)


def test_what_is_not_known_is_said_and_not_passed_over() -> None:
    props = with_node(spot=True, reservationAffinity=UNKNOWN)
    assert rules(props) == set()
    assert ("consumption-model", "nodeConfig.reservationAffinity") in rules(props, say_unknown=True)


def test_networks_that_are_not_made_yet_are_no_networks_too_few() -> None:
    props = {**MEGA, "networkConfig": {"additionalNodeNetworkConfigs": UNKNOWN}}
    assert rules(props) == set()
    path = "networkConfig.additionalNodeNetworkConfigs"
    assert rules(props, say_unknown=True) == {("nic-topology", path)}


@pytest.mark.parametrize(
    ("props", "expected"),
    [
        ({}, {"private-nodes", "workload-identity"}),
        (
            {
                "privateClusterConfig": {"enablePrivateNodes": True},
                "workloadIdentityConfig": {"workloadPool": "acme.svc.id.goog"},
            },
            set(),
        ),
        ({"enableAutopilot": True, "privateClusterConfig": {"enablePrivateNodes": True}}, set()),
        ({"workloadIdentityConfig": {"workloadPool": UNKNOWN}}, {"private-nodes"}),
    ],
)
def test_a_cluster(props: dict[str, Any], expected: set[str]) -> None:
    assert {each.rule for each in judge(cluster_facts(props, "prod"))} == expected
