"""What GKE is told of a node pool. Pure: a plan's pool → the properties of gcp:container NodePool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainingjobs import catalog
from trainingjobs.plan.gpu_networks import networks_of
from trainingjobs.plan.node_pools import NodePool
from trainingjobs.spec.job import ReservationAffinity

if TYPE_CHECKING:
    from trainingjobs.wire import google

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
GPU_TAINT: google.ContainerClusterNodeConfigTaint = {
    "key": "nvidia.com/gpu",
    "value": "present",
    "effect": "NO_SCHEDULE",
}
SPOT_TAINT: google.ContainerClusterNodeConfigTaint = {
    "key": "cloud.google.com/gke-spot",
    "value": "true",
    "effect": "NO_SCHEDULE",
}
# Only reducers tolerate it: a trainer on their machines would take their bandwidth.
REDUCER_TAINT: google.ContainerClusterNodeConfigTaint = {
    "key": "training-role",
    "value": "reducer",
    "effect": "NO_SCHEDULE",
}


def node_pool_body(
    pool: NodePool, project: str, *, private_nodes: bool, workload_identity: bool
) -> google.ContainerNodePool:
    """Returns the properties of a node pool without its cluster, its networks' links and its account."""
    body: google.ContainerNodePool = {
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


def node_networks(
    pool: NodePool, gpu: dict[str, Any]
) -> list[google.ContainerNodePoolNetworkConfigAdditionalNodeNetworkConfig]:
    """Returns the additional node networks of a pool, in the order of its NICs, from VPC name → links."""
    return [
        {"network": gpu[network.name]["network"], "subnetwork": subnetwork}
        for network in networks_of(pool.machine_type, pool.gpu_networks, next(iter(pool.zones), None))
        for subnetwork in gpu[network.name]["subnetworks"]
    ]


def _network(pool: NodePool, private_nodes: bool) -> google.ContainerNodePoolNetworkConfig:
    config: google.ContainerNodePoolNetworkConfig = {"enablePrivateNodes": private_nodes}
    if pool.tier1:
        config["networkPerformanceConfig"] = {"totalEgressBandwidthTier": "TIER_1"}
    return config


def _node(pool: NodePool, project: str, workload_identity: bool) -> google.ContainerClusterNodeConfig:
    taints = [GPU_TAINT] if pool.accelerator_count else []
    taints += [SPOT_TAINT] if pool.strategy == "SPOT" else []
    taints += [REDUCER_TAINT] if pool.reducers else []
    config: google.ContainerClusterNodeConfig = {
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
    if pool.boot_disk_type is not None:
        config["diskType"] = pool.boot_disk_type
    if pool.boot_disk_size_gb is not None:
        config["diskSizeGb"] = pool.boot_disk_size_gb
    if pool.min_cpu_platform is not None:
        config["minCpuPlatform"] = pool.min_cpu_platform
    if pool.local_ssd_count:
        config["ephemeralStorageLocalSsdConfig"] = {"localSsdCount": pool.local_ssd_count}
    if pool.fast_socket:
        config["fastSocket"] = {"enabled": True}
    return {**config, **_bought(pool, project)}


def _bought(pool: NodePool, project: str) -> google.ContainerClusterNodeConfig:
    """Returns how the machines are bought: what is queued for or spot takes no reservation by chance."""
    if pool.reservation is not None and pool.reservation.values:
        return {"reservationAffinity": _reservation(pool.reservation, project)}
    consumption: google.ContainerClusterNodeConfig = {}
    if pool.strategy == "SPOT":
        consumption["spot"] = True
    if pool.strategy == "FLEX_START":
        consumption["flexStart"] = True
    if pool.max_run_seconds is not None:
        consumption["maxRunDuration"] = f"{pool.max_run_seconds}s"
    affinity_type = pool.reservation.reservation_affinity_type if pool.reservation else None
    if affinity_type is None and (consumption or pool.queued):
        affinity_type = "NO_RESERVATION"
    if affinity_type is not None:
        consumption["reservationAffinity"] = {"consumeReservationType": affinity_type}
    return consumption


def _reservation(affinity: ReservationAffinity, project: str) -> google.ContainerClusterNodeConfigReservationAffinity:
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
