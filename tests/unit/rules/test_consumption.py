from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, findings_of
from trainingjobs.facts.infrastructure import NodePoolFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import evaluate

A2 = "a2-highgpu-8g"
SPECIFIC = {
    "reservationAffinityType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["gpus"],
}
ANY = {"reservationAffinityType": "ANY_RESERVATION"}
COMPACT = {"placementPolicy": "COMPACT", "nodeLocations": ["us-central1-a"]}


def gke(primary: dict[str, Any], strategy: str | None = None, **more: Any) -> dict[str, Any]:
    scheduling = {"restartJobOnWorkerRestart": True, "timeout": "3600s", **({"strategy": strategy} if strategy else {})}
    document = {
        "platform": "gke",
        "framework": "pytorch",
        "container": {"imageUri": IMAGE},
        "pools": {"primary": {"machineType": A2, **primary}, "workers": {"replicaCount": 1}},
        "scheduling": scheduling,
    }
    return {**document, **more}


def of_rule(rule: str, document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(severity, path) for name, severity, path in findings_of(document) if name == rule}


PRIMARY = "pools.primary"
ALLOWED = [
    gke({}),
    gke({}, "SPOT"),
    gke({}, "FLEX_START"),
    gke({"reservationAffinity": SPECIFIC}),
    gke({"reservationAffinity": ANY}),
    gke({"nodePool": {"queuedProvisioning": True}}),
    gke({"nodePool": {"queuedProvisioning": True}}, "FLEX_START"),
    gke({"nodePool": COMPACT}),
    gke({"machineType": "a4-highgpu-8g", "nodePool": {**COMPACT, "gpuNetworks": 8}}, "FLEX_START"),
    gke({"reservationAffinity": SPECIFIC}, platform="vertex"),
]
DISALLOWED = [
    (gke({"reservationAffinity": SPECIFIC}, "SPOT"), f"{PRIMARY}.reservationAffinity"),
    (gke({"reservationAffinity": ANY}, "LOW_COST", platform="vertex"), f"{PRIMARY}.reservationAffinity"),
    (gke({"reservationAffinity": ANY}, "FLEX_START"), f"{PRIMARY}.reservationAffinity"),
    (gke({"reservationAffinity": {**SPECIFIC, "values": []}}), f"{PRIMARY}.reservationAffinity.values"),
    (gke({"reservationAffinity": {**ANY, "values": ["x"]}}), f"{PRIMARY}.reservationAffinity.values"),
    (gke({"nodePool": {"queuedProvisioning": True}}, "SPOT"), f"{PRIMARY}.nodePool.queuedProvisioning"),
    (
        gke({"nodePool": {"queuedProvisioning": True}, "reservationAffinity": SPECIFIC}),
        f"{PRIMARY}.nodePool.queuedProvisioning",
    ),
    (gke({"nodePool": {**COMPACT, "queuedProvisioning": True}}), f"{PRIMARY}.nodePool.queuedProvisioning"),
    (gke({"nodePool": {"placementPolicy": "COMPACT"}}), f"{PRIMARY}.nodePool.nodeLocations"),
    (gke({"nodePool": {**COMPACT, "nodeLocations": ["a", "b"]}}), f"{PRIMARY}.nodePool.nodeLocations"),
    (gke({"nodePool": COMPACT}, "FLEX_START"), f"{PRIMARY}.nodePool.placementPolicy"),
    (gke({}, scheduling={"strategy": "FLEX_START", "timeout": "604801s"}), "scheduling.timeout"),
    (gke({"machineType": "n2-standard-16"}, "FLEX_START"), "scheduling.strategy"),
]


@pytest.mark.parametrize("document", ALLOWED)
def test_what_goes_together(document: dict[str, Any]) -> None:
    assert of_rule("consumption-model", document) == set()


@pytest.mark.parametrize(("document", "path"), DISALLOWED)
def test_what_does_not(document: dict[str, Any], path: str) -> None:
    assert ("error", path) in of_rule("consumption-model", document)


def test_a_reservation_of_gpus_is_of_no_use_to_reducers() -> None:
    document = gke({"reservationAffinity": SPECIFIC})
    document["pools"]["reducers"] = {
        "machineType": "n2-highcpu-16",
        "container": {"imageUri": IMAGE},
        "reservationAffinity": SPECIFIC,
    }
    assert ("error", "pools.reducers.reservationAffinity.values") in of_rule("consumption-model", document)


def test_a_strategy_that_is_not_ours_is_on_demand() -> None:
    machine = {"machineType": A2, "reservationAffinity": SPECIFIC}
    spec = {
        "workerPoolSpecs": [{"replicaCount": 1, "machineSpec": machine}],
        "scheduling": {"strategy": "STRATEGY_UNSPECIFIED"},
    }
    assert [each.path for each in evaluate(facts_of_body(spec)[0]) if each.rule == "consumption-model"] == []


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ({"is_spot_and_flex": True, "strategy": "FLEX_START", "auto_repair": False}, "nodeConfig"),
        ({"strategy": "FLEX_START", "auto_repair": True}, "management.autoRepair"),
        ({"queued": True, "min_nodes": 1}, "autoscaling"),
        ({"strategy": "SPOT", "reservation": "ANY_RESERVATION"}, "nodeConfig.reservationAffinity"),
    ],
)
def test_a_node_pool_by_itself(facts: dict[str, Any], path: str) -> None:
    pool = NodePoolFacts(name="p", machine_type=A2, has_accelerators=True, **facts)
    assert (path, "consumption-model") in {(each.path, each.rule) for each in evaluate(pool)}


def test_what_a_node_pool_does_not_say_yet_puts_the_rule_off() -> None:
    pool = NodePoolFacts(name="p", strategy="SPOT", unknown=frozenset({"reservationAffinity"}))
    assert evaluate(pool) == []
    assert [each.severity for each in evaluate(pool, say_unknown=True)] != []
