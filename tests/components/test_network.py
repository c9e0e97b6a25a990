from __future__ import annotations

import ipaddress
from typing import Any

import pytest

from tests.components.recorder import Registered, declared, of, the_only
from tests.components.stacks import job, stack
from trainingjobs.components import tokens

MEGA = {
    "machineType": "a3-megagpu-8g",
    "nodePool": {"gpuNetworks": 8, "placementPolicy": "COMPACT", "nodeLocations": ["us-central1-a"]},
}
ULTRA = {"machineType": "a3-ultragpu-8g", "nodePool": {"gpuNetworks": 8, "nodeLocations": ["us-central1-b"]}}


def subnets(resources: list[Registered]) -> dict[str, str]:
    return {each.inputs["name"]: each.inputs["ipCidrRange"] for each in of(resources, tokens.SUBNETWORK)}


def test_a_cluster_gets_one_vpc_with_ranges_nat_and_firewall() -> None:
    resources = declared(stack({"bert": job({"machineType": "a2-highgpu-8g"})}))
    vpc = the_only(resources, tokens.VPC)
    assert (vpc["mtu"], vpc["autoCreateSubnetworks"]) == (8896, False)
    nodes = the_only(resources, tokens.SUBNETWORK)
    assert nodes["privateIpGoogleAccess"]
    assert {each["rangeName"] for each in nodes["secondaryIpRanges"]} == {"pods", "services"}
    assert the_only(resources, tokens.ROUTER_NAT)["natIpAllocateOption"] == "AUTO_ONLY"
    firewall = the_only(resources, tokens.FIREWALL)
    pods = next(each["ipCidrRange"] for each in nodes["secondaryIpRanges"] if each["rangeName"] == "pods")
    assert set(firewall["sourceRanges"]) == {nodes["ipCidrRange"], pods}


@pytest.mark.parametrize(
    ("primary", "networks", "mtu", "nics"), [(MEGA, 8, 8244, 8), (ULTRA, 2, 8896, 9)], ids=["tcpxo", "rdma"]
)
def test_gpu_nics_get_networks_of_their_own(primary: Any, networks: int, mtu: int, nics: int) -> None:
    resources = declared(stack({"big": job(primary, 3)}))
    own = [each for each in of(resources, tokens.VPC) if each.name != "training"]
    assert len(own) == networks
    assert {each.inputs["mtu"] for each in own} == {mtu}
    pool = next(each.inputs for each in of(resources, tokens.NODE_POOL) if each.name != "system")
    additional = pool["networkConfig"]["additionalNodeNetworkConfigs"]
    assert len(additional) == nics
    assert len({each["subnetwork"] for each in additional}) == nics
    assert the_only(resources, tokens.GKE_CLUSTER)["enableMultiNetworking"] is True


def test_rdma_takes_the_zones_profile_and_no_firewall() -> None:
    resources = declared(stack({"big": job(ULTRA, 3)}))
    vpc = the_only(resources, tokens.VPC, "a3-ultragpu-8g-rdma")
    assert vpc["networkProfile"].endswith("us-central1-b-vpc-roce")
    assert not of(resources, tokens.FIREWALL, "allow-a3-ultragpu-8g-rdma")


def test_no_two_subnets_overlap_and_a_second_machine_moves_none() -> None:
    alone = subnets(declared(stack({"big": job(MEGA, 3)})))
    both = subnets(declared(stack({"big": job(MEGA, 3), "other": job(ULTRA, 3)})))
    assert alone.items() <= both.items()
    ranges = [ipaddress.ip_network(each) for each in both.values()]
    assert not [(a, b) for i, a in enumerate(ranges) for b in ranges[:i] if a.overlaps(b)]


def test_vertex_jobs_ask_for_an_attachment_or_a_peering() -> None:
    base: dict[str, Any] = {
        "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64},
        "pools": {"primary": {"machineType": "n1-standard-4"}},
    }
    plain = declared(stack({"a": base}, cluster=None))
    assert not of(plain, tokens.NETWORK_ATTACHMENT)
    assert not of(plain, tokens.PEERING)
    psc = declared(stack({"a": {**base, "pscInterfaceConfig": {}}}, cluster=None))
    attachment = the_only(psc, tokens.NETWORK_ATTACHMENT)
    assert attachment["connectionPreference"] == "ACCEPT_AUTOMATIC"
    spec = the_only(psc, "trainingjobs:vertex:CustomJob")["jobSpec"]
    assert spec["pscInterfaceConfig"]["networkAttachment"] == "id/attachment"
    peered = declared(stack({"a": {**base, "network": "projects/1/global/networks/test-training"}}, cluster=None))
    assert the_only(peered, tokens.GLOBAL_ADDRESS)["purpose"] == "VPC_PEERING"
    assert the_only(peered, tokens.PEERING)["service"] == "servicenetworking.googleapis.com"


def test_a_stack_of_vertex_jobs_alone_declares_no_network() -> None:
    plain = {
        "gcp:project": "acme-ml-dev",
        "training:jobs": {
            "a": {
                "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64},
                "pools": {"primary": {"machineType": "n1-standard-4"}},
            }
        },
    }
    resources = declared(plain)
    assert not [each for each in resources if each.token.startswith(("gcp:compute", "gcp:container", "kubernetes:"))]


def test_a_shared_network_is_another_stacks() -> None:
    shared = {"shared": "base", "gpuCidr": "10.99.0.0/19"}
    resources = declared(stack({"big": job(MEGA, 3)}, network=shared))
    assert the_only(resources, "pulumi:pulumi:StackReference")["name"] == "organization/training/base"
    cluster = the_only(resources, tokens.GKE_CLUSTER)
    assert (cluster["network"], cluster["subnetwork"]) == ("link/shared", "link/shared-nodes")
    assert cluster["ipAllocationPolicy"] == {"clusterSecondaryRangeName": "pods"}
    # What belongs to the pools is their own stack's.
    assert len(of(resources, tokens.VPC)) == 8
    assert not of(resources, tokens.ROUTER_NAT)


def test_a_networks_owner_keeps_room_for_clusters_of_others() -> None:
    resources = declared(stack({}, cluster=None))
    assert {each["rangeName"] for each in the_only(resources, tokens.SUBNETWORK)["secondaryIpRanges"]} == {
        "pods",
        "services",
    }
