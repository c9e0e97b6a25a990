from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.facts.gke import cluster_facts, node_pool_facts
from trainingjobs.facts.infrastructure import NODE_POOL_FIELDS, ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.rules import evaluate

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
    return {(each.rule, each.path) for each in evaluate(node_pool_facts(props), **options)}


def with_node(**config: Any) -> dict[str, Any]:
    return {**MEGA, "nodeConfig": {**MEGA["nodeConfig"], **config}}


def test_a_sound_pool() -> None:
    assert rules(MEGA) == set()


@pytest.mark.parametrize(
    ("props", "finding"),
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
def test_what_the_rules_find(props: dict[str, Any], finding: tuple[str, str]) -> None:
    assert finding in rules(props)


def test_what_is_not_known_is_reported_and_not_passed_over() -> None:
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
    assert {each.rule for each in evaluate(cluster_facts(props, "prod"))} == expected


FULL: dict[str, Any] = {
    "name": "train",
    "location": "us-central1",
    "nodeLocations": ["us-central1-a", "us-central1-b"],
    "nodeConfig": {
        "machineType": "n1-standard-8",
        "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 1}],
        "preemptible": True,
        "maxRunDuration": "3600.5s",
        "fastSocket": {"enabled": True},
        "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["mine", "yours"]},
    },
    "queuedProvisioning": {"enabled": True},
    "placementPolicy": {"type": "COMPACT"},
    "networkConfig": {"additionalNodeNetworkConfigs": [{}, {}]},
    "management": {"autoRepair": False},
    "autoscaling": {"totalMinNodeCount": 1, "minNodeCount": 2},
}


def test_every_field_of_a_node_pool_is_read() -> None:
    assert node_pool_facts(FULL, "prod", "pools.train") == NodePoolFacts(
        name="train",
        path="pools.train",
        environment="prod",
        machine_type="n1-standard-8",
        has_accelerators=True,
        strategy="SPOT",
        is_spot_and_flex=False,
        timeout=3600.5,
        reservation="SPECIFIC_RESERVATION",
        reservation_values=("mine", "yours"),
        queued=True,
        compact=True,
        zones=("us-central1-a", "us-central1-b"),
        fast_socket=True,
        gpu_networks=2,
        auto_repair=False,
        min_nodes=2,
    )


def test_what_is_absent_is_not_assumed() -> None:
    assert node_pool_facts({}) == NodePoolFacts(name="")


def test_everything_unknown_is_named_so_and_nothing_else() -> None:
    facts = node_pool_facts({"name": UNKNOWN, **dict.fromkeys([place.partition(".")[0] for place in FIELDS], UNKNOWN)})
    assert facts == NodePoolFacts(name="", unknown=frozenset(NODE_POOL_FIELDS))


FIELDS = tuple(NODE_POOL_FIELDS.values())


@pytest.mark.parametrize(
    ("props", "field", "value"),
    [
        ({"nodeConfig": {"spot": True}}, "strategy", "SPOT"),
        ({"nodeConfig": {"flexStart": True}}, "strategy", "FLEX_START"),
        ({"nodeConfig": {"flexStart": UNKNOWN}}, "strategy", "STANDARD"),
        ({"nodeConfig": {"spot": True, "flexStart": True}}, "is_spot_and_flex", True),
        ({"nodeConfig": {"spot": True}}, "is_spot_and_flex", False),
        ({"nodeConfig": {"machineType": 7}}, "machine_type", None),
        ({"nodeConfig": {"machineType": UNKNOWN}}, "has_accelerators", False),
        ({"nodeConfig": {"machineType": "a2-highgpu-1g"}}, "has_accelerators", True),
        ({"nodeConfig": {"machineType": "n1-standard-8"}}, "has_accelerators", False),
        ({"nodeConfig": {"reservationAffinity": {"values": UNKNOWN}}}, "reservation_values", ("unknown",)),
        ({"nodeConfig": {"reservationAffinity": {"consumeReservationType": 1}}}, "reservation", None),
        ({"nodeConfig": {"reservationAffinity": {"consumeReservationType": ""}}}, "reservation", None),
        ({"nodeConfig": {"maxRunDuration": "604800s"}}, "timeout", 604800.0),
        ({"nodeConfig": {"maxRunDuration": "1.2.3s"}}, "timeout", None),
        ({"nodeConfig": {"maxRunDuration": "soon"}}, "timeout", None),
        ({"nodeConfig": {"maxRunDuration": "9" * 19 + "s"}}, "timeout", float("9" * 19)),
        ({"nodeConfig": {"maxRunDuration": "9" * 20 + "s"}}, "timeout", None),
        ({"nodeConfig": {"fastSocket": {"enabled": False}}}, "fast_socket", False),
        ({"placementPolicy": {"type": "SPREAD"}}, "compact", False),
        ({"management": {"autoRepair": True}}, "auto_repair", True),
        ({"management": {"autoRepair": "yes"}}, "auto_repair", None),
        ({"autoscaling": {"totalMinNodeCount": 3}}, "min_nodes", 3),
        ({"autoscaling": {"minNodeCount": 1.0}}, "min_nodes", 1),
        ({"autoscaling": {"minNodeCount": UNKNOWN}}, "min_nodes", None),
        ({"location": "us-central1-a"}, "zones", ("us-central1-a",)),
        ({"location": "us-central1"}, "zones", ()),
        ({"location": "us-central1-a", "nodeLocations": ["us-central1-b"]}, "zones", ("us-central1-b",)),
    ],
)
def test_a_field(props: dict[str, Any], field: str, value: object) -> None:
    assert getattr(node_pool_facts(props), field) == value


@pytest.mark.parametrize(
    ("props", "expected"),
    [
        ({}, ClusterFacts(path="c", environment="dev", workload_identity=False)),
        (
            {
                "privateClusterConfig": {"enablePrivateNodes": False},
                "workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"},
            },
            ClusterFacts(path="c", environment="dev", private_nodes=False, workload_identity=True),
        ),
        (
            {"privateClusterConfig": UNKNOWN, "workloadIdentityConfig": {"workloadPool": UNKNOWN}},
            ClusterFacts(
                path="c",
                environment="dev",
                workload_identity=False,
                unknown=frozenset({"privateNodes", "workloadIdentity"}),
            ),
        ),
        ({"enableAutopilot": True}, ClusterFacts(path="c", environment="dev", workload_identity=True)),
    ],
)
def test_every_field_of_a_cluster_is_read(props: dict[str, Any], expected: ClusterFacts) -> None:
    assert cluster_facts(props, "dev", "c") == expected


def test_paths_start_where_the_thing_stands() -> None:
    assert NodePoolFacts(name="p", path="a.b").at("machineType") == "a.b.nodeConfig.machineType"
    assert NodePoolFacts(name="p").at("machineType") == "nodeConfig.machineType"
    assert ClusterFacts(path="a").at("privateNodes") == "a.privateNodes"
    assert ClusterFacts(path="").at("privateNodes") == "privateNodes"


def test_a_cluster_by_itself_has_no_path() -> None:
    assert cluster_facts({}) == ClusterFacts(path="", workload_identity=False)


def test_faults_of_a_cluster_are_reported_at_their_place() -> None:
    bare = ClusterFacts(path="c", environment="prod", private_nodes=False, workload_identity=False)
    assert {(each.rule, each.path) for each in evaluate(bare)} == {
        ("private-nodes", "c.privateNodes"),
        ("workload-identity", "c.workloadIdentity"),
    }
