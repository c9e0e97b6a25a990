from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.components.recorder import Registered, declared, of, the_only
from tests.components.stacks import SERVER, job, stack
from trainingjobs.components import tokens

A2 = {"machineType": "a2-highgpu-8g"}
RESERVED = {
    "reservationAffinityType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["projects/other/zones/us-central1-a/reservations/gpus"],
}


def pools(resources: list[Registered]) -> list[Mapping[str, Any]]:
    return [each.inputs for each in of(resources, tokens.NODE_POOL) if each.name != "system"]


def test_alike_pools_share_a_node_pool_that_scales_from_zero() -> None:
    (pool,) = pools(declared(stack({"a": job(A2, 7), "b": job(A2, 3)})))
    assert pool["autoscaling"] == {"totalMinNodeCount": 0, "totalMaxNodeCount": 12, "locationPolicy": "ANY"}
    config = pool["nodeConfig"]
    (gpu,) = config["guestAccelerators"]
    assert (gpu["type"], gpu["count"]) == ("nvidia-tesla-a100", 8)
    assert gpu["gpuDriverInstallationConfig"]["gpuDriverVersion"] == "LATEST"
    assert config["gvnic"] == {"enabled": True}
    assert config["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert "nvidia.com/gpu" in {taint["key"] for taint in config["taints"]}
    assert config["serviceAccount"].startswith("test-training-nodes")


def test_another_way_of_buying_is_another_pool() -> None:
    node_pools = pools(declared(stack({"a": job(A2), "b": job(A2, scheduling={"strategy": "SPOT"})})))
    assert len({pool["name"] for pool in node_pools}) == 2
    assert [pool["nodeConfig"].get("spot", False) for pool in sorted(node_pools, key=lambda p: len(p["name"]))] == [
        False,
        True,
    ]


SPOT = {"spot": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
FLEX = {
    "flexStart": True,
    "maxRunDuration": "604800s",
    "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
}
QUEUED = {"maxRunDuration": "3600s", "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
SHARED = {
    "reservationAffinity": {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/other/reservations/gpus"],
    }
}


@pytest.mark.parametrize(
    ("primary", "scheduling", "expected"),
    [
        (A2, {}, {}),
        (A2, {"strategy": "SPOT"}, SPOT),
        (A2, {"strategy": "FLEX_START"}, FLEX),
        ({**A2, "nodePool": {"queuedProvisioning": True}}, {"timeout": "3600s"}, QUEUED),
        ({**A2, "reservationAffinity": RESERVED}, {}, SHARED),
    ],
    ids=["on demand", "spot", "flex-start", "queued", "reserved"],
)
def test_consumption_models(primary: Any, scheduling: Any, expected: Any) -> None:
    document = job(primary, 0, scheduling=scheduling, pools={"workers": {"replicaCount": 0}})
    (pool,) = pools(declared(stack({"a": document})))
    bought = ("spot", "flexStart", "maxRunDuration", "reservationAffinity")
    assert {key: pool["nodeConfig"][key] for key in bought if key in pool["nodeConfig"]} == expected
    queued = "nodePool" in primary
    assert pool.get("queuedProvisioning") == ({"enabled": True} if queued else None)
    assert pool["management"]["autoRepair"] == (not queued and scheduling.get("strategy") != "FLEX_START")


def test_wiring_and_disks() -> None:
    primary = {
        "machineType": "a2-ultragpu-8g",
        "bootDiskType": "pd-ssd",
        "bootDiskSizeGb": 500,
        "nodePool": {"fastSocket": True, "placementPolicy": "COMPACT", "nodeLocations": ["us-central1-c"]},
    }
    (pool,) = pools(declared(stack({"a": job(primary)})))
    assert pool["placementPolicy"] == {"type": "COMPACT"}
    assert pool["nodeLocations"] == ["us-central1-c"]
    config = pool["nodeConfig"]
    assert (config["diskType"], config["diskSizeGb"]) == ("pd-ssd", 500)
    assert config["fastSocket"] == {"enabled": True}
    assert config["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 8}


def test_a_reducer_pool_buys_its_bandwidth_and_keeps_others_out() -> None:
    reducers = {"machineType": "auto", "container": {"imageUri": SERVER}}
    resources = declared(stack({"a": job({"machineType": "a2-megagpu-16g"}, 7, pools={"reducers": reducers})}))
    name = the_only(resources, tokens.REDUCER_POOL)["name"]
    pool = next(pool for pool in pools(resources) if pool["name"] == name)
    assert pool["networkConfig"]["networkPerformanceConfig"] == {"totalEgressBandwidthTier": "TIER_1"}
    assert pool["autoscaling"]["totalMaxNodeCount"] == 8
    assert "training-role" in {taint["key"] for taint in pool["nodeConfig"]["taints"]}
    assert "guestAccelerators" not in pool["nodeConfig"]
    trainers = next(pool for pool in pools(resources) if pool["name"] != name)
    assert "networkPerformanceConfig" not in trainers["networkConfig"]


def test_n1_reducers_ask_for_skylake() -> None:
    reducers = {"machineType": "n1-highcpu-16", "container": {"imageUri": SERVER}}
    resources = declared(stack({"a": job(A2, 1, pools={"reducers": reducers})}))
    pool = next(pool for pool in pools(resources) if pool["nodeConfig"]["machineType"] == "n1-highcpu-16")
    assert pool["nodeConfig"]["minCpuPlatform"] == "Intel Skylake"
    assert "networkPerformanceConfig" not in pool["networkConfig"]


def test_reducers_as_vms_have_the_names_that_trainers_know() -> None:
    reducers = {
        "machineType": "auto",
        "container": {"imageUri": SERVER, "command": ["bpslaunch"], "env": {"A": "it's"}},
        "instanceGroup": {"zone": "us-central1-a"},
    }
    resources = declared(stack({"a": job({"machineType": "a2-megagpu-16g"}, 7, pools={"reducers": reducers})}))
    members = sorted(each.inputs["name"] for each in of(resources, tokens.PER_INSTANCE_CONFIG))
    assert members == [f"dev-a-reducer-{i}" for i in range(8)]
    template = the_only(resources, tokens.INSTANCE_TEMPLATE)
    assert template["networkPerformanceConfig"] == {"totalEgressBandwidthTier": "TIER_1"}
    assert template["networkInterfaces"][0]["nicType"] == "GVNIC"
    assert "targetSize" not in the_only(resources, tokens.INSTANCE_GROUP_MANAGER)
    user_data = template["metadata"]["user-data"]
    assert user_data.startswith("#cloud-config\n")
    assert "test-training.training.internal" in user_data
    assert [each.inputs["sourceRanges"] for each in of(resources, tokens.FIREWALL, "allow-health")]
    assert the_only(resources, tokens.GKE_CLUSTER)["dnsConfig"]["clusterDnsScope"] == "VPC_SCOPE"
    jobset = the_only(resources, tokens.kubernetes_object("jobset.x-k8s.io/v1alpha2", "JobSet"))
    assert [each["name"] for each in jobset["spec"]["replicatedJobs"]] == ["primary", "worker"]
    assert "dev-a-reducer-7.us-central1-a.c.acme-ml-dev.internal:2222" in str(jobset)
    assert "reducer-0-0" not in str(jobset)
