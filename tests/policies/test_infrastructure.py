"""Node pools and clusters that somebody wrote by hand are judged as the declared ones are."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.policies.pack import WORDS, configured
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
    return {(finding.rule, finding.severity) for finding in judged(token, struct, None, DEFAULT_LEVELS, environment)}


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


def findings_of(token: str, props: dict[str, Any], environment: str = "prod") -> set[tuple[str, str, str]]:
    struct = json_format.ParseDict(props, struct_pb2.Struct())
    findings = judged(token, struct, None, DEFAULT_LEVELS, environment)
    return {(finding.rule, finding.severity, finding.path) for finding in findings}


SPOT_AND_FLEX = {"machineType": "a2-highgpu-8g", "spot": True, "flexStart": True}
OPEN = {"machineType": "n1-standard-4", "workloadMetadataConfig": {"mode": "GCE_METADATA"}}
PUBLIC = {"networkConfig": {"enablePrivateNodes": False}}
OF_POOLS = [
    ({"nodeConfig": SPOT_AND_FLEX}, "consumption-model", "nodeConfig"),
    ({"nodeConfig": {**SPOT_AND_FLEX, "reservationAffinity": UNKNOWN}}, "consumption-model", "nodeConfig"),
    ({"nodeConfig": {**SPOT_AND_FLEX, "spot": False, "preemptible": True}}, "consumption-model", "nodeConfig"),
    ({"nodeConfig": OPEN}, "workload-identity", "nodeConfig.workloadMetadataConfig.mode"),
    (PUBLIC, "private-nodes", "networkConfig.enablePrivateNodes"),
]


@pytest.mark.parametrize(("props", "rule", "path"), OF_POOLS)
def test_a_pool_is_judged_alike_wherever_it_stands(props: dict[str, Any], rule: str, path: str) -> None:
    assert (rule, "error", path) in findings_of(POOL, props)
    listed = {**SOUND, "nodePools": [{"name": "other"}, props]}
    assert (rule, "error", f"nodePools[1].{path}") in findings_of(CLUSTER, listed)
    if "nodeConfig" in props:
        assert (rule, "error", path) in findings_of(CLUSTER, {**SOUND, **props})
        assert findings_of(CLUSTER, {**SOUND, **props, "removeDefaultNodePool": True}) == set()


@pytest.mark.parametrize("pools", [UNKNOWN, [UNKNOWN], [{"networkConfig": UNKNOWN}]])
def test_pools_that_are_not_known_are_said(pools: Any) -> None:
    found = findings_of(CLUSTER, {**SOUND, "privateClusterConfig": None, "nodePools": pools})
    assert {severity for _, severity, _ in found} == {"advice"}
    assert ("private-nodes", "advice", "nodePools") in found


@pytest.mark.parametrize(
    ("props", "rule", "path"),
    [
        ({"nodeConfig": {"spot": UNKNOWN}}, "consumption-model", "nodeConfig"),
        ({"placementPolicy": {"type": UNKNOWN}}, "consumption-model", "placementPolicy"),
        (
            {"nodeConfig": {"machineType": "a2-highgpu-8g", "flexStart": True}, "management": UNKNOWN},
            "consumption-model",
            "management.autoRepair",
        ),
        ({"nodeConfig": {"workloadMetadataConfig": UNKNOWN}}, "workload-identity", None),
        ({"networkConfig": UNKNOWN}, "private-nodes", "networkConfig.enablePrivateNodes"),
        ({"placementPolicy": {"type": "COMPACT"}, "location": UNKNOWN}, "consumption-model", "nodeLocations"),
    ],
)
def test_what_a_pool_does_not_say_yet_puts_the_rule_off(props: dict[str, Any], rule: str, path: str | None) -> None:
    found = findings_of(POOL, props)
    assert {severity for _, severity, _ in found} == {"advice"}
    assert (rule, "advice", path or "nodeConfig.workloadMetadataConfig.mode") in found


PRIVATE = {"networkConfig": {"enablePrivateNodes": True}}
COMPACT = {"nodeConfig": {"machineType": "a2-highgpu-8g"}, "placementPolicy": {"type": "COMPACT"}}
IDENTITY = {"workloadIdentityConfig": SOUND["workloadIdentityConfig"], "location": "us-central1-a"}


@pytest.mark.parametrize(
    ("token", "props"),
    [
        (POOL, COMPACT),
        (POOL, {**COMPACT, "location": "us-central1-a"}),
        (CLUSTER, {**SOUND, "location": "us-central1-a", "nodePools": [COMPACT]}),
        (
            POOL,
            {
                "nodeConfig": {"machineType": "n2-standard-8"},
                "networkConfig": {"additionalNodeNetworkConfigs": [{"network": "storage", "subnetwork": "s"}]},
            },
        ),
        (CLUSTER, {**SOUND, "enableMultiNetworking": True}),
        (CLUSTER, {**IDENTITY, "nodePools": [PRIVATE, PRIVATE]}),
    ],
)
def test_what_is_legal(token: str, props: dict[str, Any]) -> None:
    assert findings_of(token, props) == set()


@pytest.mark.parametrize(
    ("pools", "levels"),
    [
        ([PRIVATE, PRIVATE], set()),
        ([PRIVATE, {}], {"mandatory"}),
        ([{}], {"mandatory"}),
        ([], set()),
        ([{"networkConfig": UNKNOWN}], set()),
    ],
)
def test_a_cluster_whose_pools_are_resources_of_their_own(pools: list[dict[str, Any]], levels: set[str]) -> None:
    cluster = {**IDENTITY, "name": "train", "removeDefaultNodePool": True, "initialNodeCount": 1}
    assert findings_of(CLUSTER, cluster) == {("private-nodes", "advice", "nodePools")}
    request = pb.AnalyzeStackRequest()
    for name, token, props in (("c", CLUSTER, cluster), *((f"p{i}", POOL, pool) for i, pool in enumerate(pools))):
        resource = request.resources.add(type=token, name=name, urn=f"urn::{name}")
        resource.properties.update({**props, "cluster": "train"} if token == POOL else props)
    diagnostics = configured(environment="prod").AnalyzeStack(request, None).diagnostics
    assert {WORDS[each.enforcementLevel] for each in diagnostics if each.policyName == "private-nodes"} == levels
    for resource in request.resources:
        if resource.type == POOL:
            resource.properties.update({"cluster": UNKNOWN})
            resource.propertyDependencies["cluster"].urns.append("urn::c")
    diagnostics = configured(environment="prod").AnalyzeStack(request, None).diagnostics
    assert {WORDS[each.enforcementLevel] for each in diagnostics if each.policyName == "private-nodes"} == levels
