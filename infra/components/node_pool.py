"""What GKE is told of a node pool. Pure: a plan's pool → the properties of gcp:container NodePool."""

from __future__ import annotations

from typing import Any

from infra import catalog
from infra.plan.gpu_networks import networks_of
from infra.plan.node_pools import NodePool
from infra.spec.job import ReservationAffinity

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
SPOT_TAINT = {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NO_SCHEDULE"}
# Only reducers tolerate it: a trainer on their machines would take their bandwidth.
REDUCER_TAINT = {"key": "training-role", "value": "reducer", "effect": "NO_SCHEDULE"}


def node_pool_body(pool: NodePool, project: str, *, private_nodes: bool, workload_identity: bool) -> dict[str, Any]:
    """Returns the properties of a node pool without its cluster, its networks' links and its account."""
    body: dict[str, Any] = {
        "project": project,
        "name": pool.name,
        "initialNodeCount": 0,
        # ANY looks for machines where there are some; BALANCED would wait for even numbers a zone.
        "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": pool.max_nodes, "locationPolicy": "ANY"},
        # GKE does not repair machines that are queued for.
        "management": {"autoRepair": pool.strategy != "FLEX_START" and not pool.queued, "autoUpgrade": True},
        # No machine can be surged where all there are were bought; compact placement excludes blue-green.
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
        "networkConfig": _network(pool, private_nodes),
        "nodeConfig": _node(pool, project, workload_identity),
    }
    if pool.zones:
        body["nodeLocations"] = list(pool.zones)
    if pool.compact:
        body["placementPolicy"] = {"type": "COMPACT"}
    if pool.queued:
        body["queuedProvisioning"] = {"enabled": True}
    return body


def node_networks(pool: NodePool, gpu: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the additional node networks of a pool, in the order of its NICs, from VPC name → links."""
    return [
        {"network": gpu[one.name]["network"], "subnetwork": subnetwork}
        for one in networks_of(pool.machine_type, pool.gpu_networks, next(iter(pool.zones), None))
        for subnetwork in gpu[one.name]["subnetworks"]
    ]


def _network(pool: NodePool, private_nodes: bool) -> dict[str, Any]:
    tier = {"networkPerformanceConfig": {"totalEgressBandwidthTier": "TIER_1"}} if pool.tier1 else {}
    return {"enablePrivateNodes": private_nodes, **tier}


def _node(pool: NodePool, project: str, workload_identity: bool) -> dict[str, Any]:
    taints = [GPU_TAINT] if pool.accelerator_count else []
    taints += [SPOT_TAINT] if pool.strategy == "SPOT" else []
    taints += [REDUCER_TAINT] if pool.reducers else []
    config: dict[str, Any] = {
        "machineType": pool.machine_type,
        "imageType": "COS_CONTAINERD",
        "gvnic": {"enabled": True},
        "oauthScopes": SCOPES,
        "metadata": {"disable-legacy-endpoints": "true"},
        # The GPUDirect daemons of machines with GPU networks are not signed for secure boot.
        "shieldedInstanceConfig": {"enableSecureBoot": not pool.gpu_networks, "enableIntegrityMonitoring": True},
        "labels": {"training-pool": pool.name},
        "resourceLabels": {"training-pool": pool.name},
    }
    if taints:
        config["taints"] = taints
    if workload_identity:
        config["workloadMetadataConfig"] = {"mode": "GKE_METADATA"}
    if pool.accelerator_type and pool.accelerator_count:
        config["guestAccelerators"] = [
            {
                "type": catalog.gke_accelerator(pool.accelerator_type) or pool.accelerator_type,
                "count": pool.accelerator_count,
                "gpuDriverInstallationConfig": {"gpuDriverVersion": pool.gpu_driver_version},
            }
        ]
    for key, value in (
        ("diskType", pool.boot_disk_type),
        ("diskSizeGb", pool.boot_disk_size_gb),
        ("minCpuPlatform", pool.min_cpu_platform),
    ):
        if value is not None:
            config[key] = value
    if pool.local_ssd_count:
        config["ephemeralStorageLocalSsdConfig"] = {"localSsdCount": pool.local_ssd_count}
    if pool.fast_socket:
        config["fastSocket"] = {"enabled": True}
    return {**config, **_bought(pool, project)}


def _bought(pool: NodePool, project: str) -> dict[str, Any]:
    """Returns how the machines are bought: what is queued for or spot takes no reservation by chance."""
    if pool.reservation is not None and pool.reservation.values:
        return {"reservationAffinity": _reservation(pool.reservation, project)}
    bought: dict[str, Any] = {}
    if pool.strategy == "SPOT":
        bought["spot"] = True
    if pool.strategy == "FLEX_START":
        bought["flexStart"] = True
    if pool.max_run_seconds is not None:
        bought["maxRunDuration"] = f"{pool.max_run_seconds}s"
    plain = pool.reservation.reservation_affinity_type if pool.reservation else None
    if plain is None and (bought or pool.queued):
        plain = "NO_RESERVATION"
    return bought | ({"reservationAffinity": {"consumeReservationType": plain}} if plain else {})


def _reservation(affinity: ReservationAffinity, project: str) -> dict[str, Any]:
    """Returns GKE's form: a reservation of the project by its name, a shared one with its owner's project."""
    return {
        "consumeReservationType": affinity.reservation_affinity_type,
        "key": affinity.key or "compute.googleapis.com/reservation-name",
        "values": [_named(value, project) for value in affinity.values or ()],
    }


def _named(value: str, project: str) -> str:
    parts = value.split("/")
    if len(parts) < 4 or parts[0] != "projects" or "reservations" not in parts:
        return value
    name = "/".join(parts[parts.index("reservations") + 1 :])
    return name if parts[1] == project else f"projects/{parts[1]}/reservations/{name}"
