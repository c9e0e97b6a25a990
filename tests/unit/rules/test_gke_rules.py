from __future__ import annotations

from typing import Any

import pytest

from tests.unit.rules.test_consumption import gke, of_rule
from trainingjobs.facts.infrastructure import ClusterFacts, NodePoolFacts
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.rules import evaluate
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

ZONE = {"nodeLocations": ["us-central1-a"]}


@pytest.mark.parametrize(
    ("machine", "networks", "verdict"),
    [
        ("a3-megagpu-8g", 8, set()),
        ("a3-megagpu-8g", 7, {"error"}),
        ("a3-megagpu-8g", 9, {"error"}),
        ("a3-megagpu-8g", None, {"advice"}),
        ("a3-highgpu-8g", 4, set()),
        ("a3-ultragpu-8g", 8, set()),
        ("a2-highgpu-8g", 1, {"error"}),
        ("a2-highgpu-8g", None, set()),
    ],
)
def test_exactly_as_many_networks_as_gpu_nics(machine: str, networks: int | None, verdict: set[str]) -> None:
    pool = {**ZONE, **({} if networks is None else {"gpuNetworks": networks})}
    severities = {severity for severity, _ in of_rule("nic-topology", gke({"machineType": machine, "nodePool": pool}))}
    assert severities == verdict


def test_an_rdma_network_is_of_one_zone() -> None:
    document = gke({"machineType": "a4-highgpu-8g", "nodePool": {"gpuNetworks": 8}})
    assert ("error", "pools.primary.nodePool.nodeLocations") in of_rule("nic-topology", document)


def test_a_node_pools_own_list_has_the_second_host_nic() -> None:
    nine = NodePoolFacts(name="p", machine_type="a4-highgpu-8g", gpu_networks=9, zones=("z",), has_accelerators=True)
    assert not [each for each in evaluate(nine) if each.rule == "nic-topology"]


def test_one_machine_alone_needs_no_gpu_networks() -> None:
    alone = gke({"machineType": "a3-megagpu-8g"}, pools={"primary": {"machineType": "a3-megagpu-8g"}})
    assert of_rule("nic-topology", alone) == set()


def test_declared_gpu_networks_make_losing_reducers_an_error() -> None:
    from tests.unit.jobs import IMAGE

    reducers = {"machineType": "auto", "container": {"imageUri": IMAGE}}
    for networks, severity in ((8, "error"), (0, "advice")):
        document = gke({"machineType": "a3-megagpu-8g", "nodePool": {"gpuNetworks": networks}})
        document["pools"] |= {"reducers": reducers, "workers": {"replicaCount": 7}}
        assert of_rule("reducer-break-even", document) == {(severity, "pools.reducers")}


@pytest.mark.parametrize(
    ("packages", "fast_socket", "paths"),
    [
        (["google-reduction-server"], False, set()),
        (["google-fast-socket"], True, set()),
        (
            ["google-reduction-server", "google-fast-socket"],
            False,
            {"container.declares.packages"},
        ),
        (["google-reduction-server"], True, {"pools.primary.nodePool.fastSocket"}),
    ],
)
def test_fast_socket_and_the_plug_in_exclude_each_other(
    packages: list[str], fast_socket: bool, paths: set[str]
) -> None:
    from tests.unit.jobs import IMAGE

    container = {"imageUri": IMAGE, "declares": {"packages": packages}}
    document = gke({"nodePool": {"fastSocket": fast_socket}}, container=container)
    assert {path for _, path in of_rule("fast-socket-conflict", document)} == paths


@pytest.mark.parametrize(("environment", "severity"), [("dev", "advice"), ("prod", "error")])
def test_private_nodes_and_workload_identity_are_errors_in_prod(environment: str, severity: str) -> None:
    facts = ClusterFacts(path="c", environment=environment, private_nodes=False, workload_identity=False)
    assert {(each.rule, each.severity) for each in evaluate(facts)} == {
        ("private-nodes", severity),
        ("workload-identity", severity),
    }


def stack_paths(document: dict[str, Any]) -> set[tuple[str, str]]:
    reading = read_model(Stack, {"project": "acme-ml-dev", **document})
    assert reading.findings == ()
    _, findings = judge_stack(reading.value)
    return {(each.rule, each.path) for each in findings if each.severity == "error"}


MEGA = {"machineType": "a3-megagpu-8g", "nodePool": {"gpuNetworks": 8, **ZONE}}
JOB = {"jobs": {"a": gke({})}}
NETWORK, CLUSTER = {"network": {"cidr": "10.20.0.0/16"}}, {"cluster": {}}


def test_a_sound_stack() -> None:
    assert stack_paths({**JOB, **NETWORK, **CLUSTER}) == set()
    assert stack_paths({**JOB, "cluster": {"existing": "shared"}}) == set()
    assert stack_paths({**JOB, **CLUSTER, "network": {"shared": "base"}}) == set()


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({**JOB, **NETWORK}, "training:cluster"),
        ({**JOB, **CLUSTER}, "training:network"),
        ({**JOB, **CLUSTER, "network": {}}, "training:network.cidr"),
        ({**JOB, **CLUSTER, "network": {"cidr": "10.0.0.0/24"}}, "training:network.cidr"),
        ({**JOB, **CLUSTER, "network": {"shared": "base", "mtu": 1500}}, "training:network.mtu"),
        (
            {"jobs": {"a": gke(MEGA)}, **CLUSTER, "network": {"shared": "base"}},
            "training:network.gpuCidr",
        ),
        ({**JOB, **NETWORK, "cluster": {"context": "x"}}, "training:cluster.existing"),
        (
            {**JOB, **NETWORK, "cluster": {"existing": "x", "releaseChannel": "RAPID"}},
            "training:cluster.releaseChannel",
        ),
        ({"jobs": {"a": gke({}, platform="kubernetes")}, **NETWORK, **CLUSTER}, "training:jobs.a.platform"),
        ({"jobs": {"a": gke({"nodePool": {}}, platform="vertex")}}, "training:jobs.a.pools.primary.nodePool"),
        (
            {"jobs": {"a": gke({"instanceGroup": {"zone": "z"}})}, **NETWORK, **CLUSTER},
            "training:jobs.a.pools.primary.instanceGroup",
        ),
        ({"jobs": {"a": gke({}, platform="vertex", kubernetes={})}}, "training:jobs.a.kubernetes"),
    ],
)
def test_what_a_stack_misses_or_contradicts(document: dict[str, Any], path: str) -> None:
    assert ("schema", path) in stack_paths(document)


def test_what_the_kind_of_object_cannot_hold_is_reported_before_anything_is_declared() -> None:
    document = gke({}, kind="pytorchjob")
    document["pools"]["parameterServers"] = {"machineType": "n1-standard-8"}
    assert ("schema", "training:jobs.a.pools.parameterServers") in stack_paths(
        {"jobs": {"a": document}, **NETWORK, **CLUSTER}
    )
