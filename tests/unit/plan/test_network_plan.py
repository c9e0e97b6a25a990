"""What of a network is declared, by what runs in it, and where each range lies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.plan.test_node_pools import plan
from tests.unit.rules.test_consumption import gke
from trainingjobs import catalog
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.infrastructure import Range
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.plan.gpu_networks import GpuNetwork, networks_of
from trainingjobs.plan.infrastructure import plan_infrastructure, with_hosts
from trainingjobs.plan.network import NetworkPlan, layout, network_facts, network_plan
from trainingjobs.plan.node_pools import NodePool, node_pools
from trainingjobs.plan.stack import StackPlan
from trainingjobs.spec.network import Network
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

RANGES = {
    "nodes": "10.20.0.0/18",
    "gpu": "10.20.64.0/19",
    "services": "10.20.96.0/20",
    "psc": "10.20.112.0/21",
    "peering": "10.20.120.0/21",
    "pods": "10.20.128.0/17",
}
NOTHING = NetworkPlan(
    mtu=8896,
    nodes=RANGES["nodes"],
    pods=RANGES["pods"],
    services=RANGES["services"],
    psc=None,
    peering=None,
    gpu=(),
    health_checks=False,
)


def network(**fields: Any) -> Network:
    return Network.model_validate({"cidr": "10.20.0.0/16", **fields})


def planned(given: Network, pools: tuple[NodePool, ...] = (), **asked: bool) -> NetworkPlan | None:
    return network_plan(given, pools, **{"psc": False, "peering": False, "health_checks": False, **asked})


def of_machine(machine: str, count: int, zones: tuple[str, ...] = ("z",)) -> NodePool:
    [pool] = node_pools([plan("j", gke({"machineType": "a2-highgpu-8g"}))])[0]
    return replace(pool, machine_type=machine, gpu_networks=count, zones=zones)


def test_the_parts_of_a_range() -> None:
    assert layout(network()) == RANGES
    assert layout(Network.model_validate({})) == {}
    assert layout(network(cidr="10.0.0.0/8"))["pods"] == "10.128.0.0/9"
    assert layout(network(cidr="10.0.0.0/20"))["peering"] == "10.0.7.128/25"


@pytest.mark.parametrize("part", RANGES)
def test_each_part_may_be_declared(part: str) -> None:
    assert layout(network(**{f"{part}Cidr": "192.168.0.0/17"})) == {**RANGES, part: "192.168.0.0/17"}


@pytest.mark.parametrize(
    ("asked", "changes"),
    [
        ({}, {}),
        ({"psc": True}, {"psc": RANGES["psc"]}),
        ({"peering": True}, {"peering": RANGES["peering"]}),
        ({"health_checks": True}, {"health_checks": True}),
    ],
)
def test_what_nothing_needs_is_not_declared(asked: dict[str, bool], changes: dict[str, Any]) -> None:
    assert planned(network(), **asked) == replace(NOTHING, **changes)
    assert planned(network(mtu=1460), **asked) == replace(NOTHING, mtu=1460, **changes)


def test_a_network_without_a_range_is_none() -> None:
    assert planned(Network.model_validate({})) is None


def test_gpu_nics_have_networks_of_their_own() -> None:
    pools = (of_machine("a3-highgpu-8g", 2), of_machine("a3-highgpu-8g", 2), of_machine("a2-highgpu-8g", 0))
    planned_network = planned(network(), pools)
    assert planned_network is not None
    assert planned_network.gpu == (
        (GpuNetwork(name="a3-highgpu-8g-gpu-0", mtu=8244, slots=(0,)), ("10.20.64.0/25",)),
        (GpuNetwork(name="a3-highgpu-8g-gpu-1", mtu=8244, slots=(1,)), ("10.20.64.128/25",)),
    )


def test_rdma_has_a_host_network_and_one_of_its_zone() -> None:
    assert networks_of("a3-ultragpu-8g", 2, "us-central1-a") == (
        GpuNetwork(name="a3-ultragpu-8g-host", mtu=8896, slots=(16,)),
        GpuNetwork(name="a3-ultragpu-8g-rdma", mtu=8896, slots=(17, 18), device_mode="RDMA", zone="us-central1-a"),
    )
    [_, (rdma, ranges)] = (planned(network(), (of_machine("a3-ultragpu-8g", 2, ()),)) or NOTHING).gpu
    assert (rdma.zone, ranges) == (None, ("10.20.72.128/25", "10.20.73.0/25"))


@pytest.mark.parametrize(("machine", "count"), [("a2-highgpu-8g", 4), ("a3-highgpu-8g", 0), ("n1-standard-4", 1)])
def test_no_gpu_nics_no_networks(machine: str, count: int) -> None:
    assert networks_of(machine, count, None) == ()


def test_no_two_machines_share_a_piece_of_the_range() -> None:
    machines = ("a3-highgpu-8g", "a3-edgegpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g", "a4x-highgpu-4g")
    nics = {name: machine.gpu_nics for name in machines if (machine := catalog.machine(name))}
    slots = [
        slot for name in machines for gpu_network in networks_of(name, nics[name], None) for slot in gpu_network.slots
    ]
    assert len(slots) == len(set(slots))
    assert max(slots) < 64


def test_of_a_shared_network_the_gpu_networks_alone_are_declared() -> None:
    shared = replace(NOTHING, nodes=None, pods=None, services=None)
    given = Network.model_validate({"shared": "base"})
    assert planned(given, psc=True, peering=True, health_checks=True) == shared
    own = Network.model_validate({"shared": "base", "gpuCidr": "10.9.0.0/19"})
    planned_network = planned(own, (of_machine("a3-highgpu-8g", 1),))
    assert planned_network == replace(
        shared, gpu=((GpuNetwork(name="a3-highgpu-8g-gpu-0", mtu=8244, slots=(0,)), ("10.9.0.0/25",)),)
    )


@pytest.mark.parametrize(("cidr", "networks"), [("10.9.0.0/23", 1), ("10.9.0.0/24", 0)])
def test_a_gpu_range_has_eight_addresses_a_subnet_at_least(cidr: str, networks: int) -> None:
    planned_network = planned(network(gpuCidr=cidr), (of_machine("a3-highgpu-8g", 1),))
    assert planned_network is not None
    assert len(planned_network.gpu) == networks


def test_every_range_is_judged_where_it_is_written() -> None:
    facts = network_facts(
        network(podsCidr="10.30.0.0/16", reservedCidrs=["10.1.0.0/16", "10.2.0.0/16"]), FieldPath("n"), "dev"
    )
    assert (facts.path, facts.environment) == ("n", "dev")
    assert [(each.path, each.cidr) for each in facts.ranges] == [
        ("n.cidr", RANGES["nodes"]),
        ("n.cidr", RANGES["gpu"]),
        ("n.cidr", RANGES["services"]),
        ("n.cidr", RANGES["psc"]),
        ("n.cidr", RANGES["peering"]),
        ("n.podsCidr", "10.30.0.0/16"),
        ("n.reservedCidrs[0]", "10.1.0.0/16"),
        ("n.reservedCidrs[1]", "10.2.0.0/16"),
    ]
    assert all(isinstance(each, Range) and each.what for each in facts.ranges)


def of_stack(jobs: dict[str, Any], **more: Any) -> StackPlan:
    document = {"project": "acme-ml-dev", "environment": "dev", "jobs": jobs, **more}
    reading = read_model(Stack, document)
    assert reading.findings == ()
    assert isinstance(reading.value, Stack)
    return StackPlan(stack=reading.value, jobs=judge_stack(reading.value)[0])


ALONE = {"network": {"cidr": "10.20.0.0/16"}}
VMS = {
    "machineType": "n1-highcpu-16",
    "instanceGroup": {"zone": "us-central1-a"},
    "container": {"imageUri": "x/y@sha256:" + "0" * 64},
    "bootDiskType": "pd-ssd",
    "bootDiskSizeGb": 200,
}


def with_vms(machine: str = "n1-highcpu-16", strategy: str | None = None) -> dict[str, Any]:
    document = gke({}, strategy)
    reducers = {**VMS, "machineType": machine, "replicaCount": 7}
    return {**document, "pools": {**document["pools"], "reducers": reducers}}


def test_reducers_that_are_vms() -> None:
    stack_plan = of_stack({"bert": with_vms("n1-highcpu-16", "SPOT")}, **ALONE, cluster={})
    [vms] = stack_plan.infrastructure.reducer_vms
    assert (vms.job, vms.name, vms.path) == ("bert", "dev-bert-reducer", "training:jobs.bert.pools.reducers")
    assert (vms.machine_type, vms.count, vms.zone) == ("n1-highcpu-16", 7, "us-central1-a")
    assert (vms.tier1, vms.min_cpu_platform, vms.strategy) == (False, "Intel Skylake", "SPOT")
    assert (vms.boot_disk_type, vms.boot_disk_size_gb) == ("pd-ssd", 200)
    assert vms.container.image_uri == VMS["container"]["imageUri"]
    assert stack_plan.infrastructure.network is not None
    assert stack_plan.infrastructure.network.health_checks
    assert ("bert", "reducers") not in stack_plan.infrastructure.runs_on
    assert stack_plan.jobs[0].reducer_hosts == tuple(
        f"dev-bert-reducer-{i}.us-central1-a.c.acme-ml-dev.internal:2222" for i in range(7)
    )


@pytest.mark.parametrize(("environment", "name"), [(None, "dev-bert-reducer"), ("staging", "staging-bert-reducer")])
def test_reducers_that_are_vms_are_named_by_the_environment(environment: str | None, name: str) -> None:
    made = replace(plan("bert", with_vms()), environment=environment)
    assert [host.split(".")[0] for host in with_hosts(made, "acme-ml-dev").reducer_hosts] == [
        f"{name}-{i}" for i in range(7)
    ]


@pytest.mark.parametrize(
    "reducers",
    [{"machineType": "auto", "replicaCount": 3}, {"machineType": "n1-highcpu-16"}],
    ids=["no machine", "no number"],
)
def test_reducers_whose_size_cannot_be_known_are_no_vms_yet(reducers: dict[str, Any]) -> None:
    document = gke({"machineType": "no-such-machine"})
    document["pools"]["reducers"] = {**VMS, **reducers}
    made = plan("bert", document)
    stack = Stack.model_validate({"project": "acme-ml-dev"})
    assert plan_infrastructure(stack, (made,)).reducer_vms == ()
    assert with_hosts(made, "acme-ml-dev") is made


def test_tier_1_is_bought_where_the_machine_has_it() -> None:
    [vms] = of_stack({"bert": with_vms("n2-highcpu-80")}, **ALONE, cluster={}).infrastructure.reducer_vms
    assert (vms.tier1, vms.min_cpu_platform, vms.strategy) == (True, None, "STANDARD")


def test_a_stack_of_nothing_declares_nothing() -> None:
    bare = of_stack({}).infrastructure
    assert (bare.network, bare.declares_cluster, bare.node_pools, bare.runs_on, bare.reducer_vms) == (
        None, False, (), {}, ()
    )  # fmt: skip
    with_network = of_stack({}, **ALONE).infrastructure
    assert with_network.network == NOTHING


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"network": "projects/1/global/networks/n"}, {"peering": RANGES["peering"]}),
        ({"pscInterfaceConfig": {}}, {"psc": RANGES["psc"]}),
        ({"pscInterfaceConfig": {"networkAttachment": "projects/p/regions/r/networkAttachments/a"}}, {}),
    ],
)
def test_what_jobs_of_vertex_ask_of_the_network(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    job = {**gke({}), "platform": "vertex", **changes}
    assert of_stack({"a": job}, **ALONE).infrastructure.network == replace(NOTHING, **expected)


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({}, False),
        ({"pscInterfaceConfig": {}}, True),
        ({"pscInterfaceConfig": {"networkAttachment": "projects/p/regions/r/networkAttachments/a"}}, False),
        ({"network": "projects/1/global/networks/n"}, False),
    ],
)
def test_an_attachment_that_is_to_be_made_needs_a_network(changes: dict[str, Any], needed: bool) -> None:
    document = {"project": "acme-ml-dev", "jobs": {"a": {**gke({}), "platform": "vertex", **changes}}}
    stack = read_model(Stack, document).value
    assert isinstance(stack, Stack)
    paths = [each.path for each in judge_stack(stack)[1] if each.severity == "error"]
    assert paths == ["training:network"] * needed
