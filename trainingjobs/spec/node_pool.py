"""What the machines of a pool are bought and wired with on GKE and Compute Engine, by GKE's own names."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from trainingjobs.spec.base import Items, Part, Text


class NodePool(Part):
    """The GKE node pool of a job's pool. Pools that are alike share one, whichever job they belong to."""

    gpu_networks: Annotated[int, Field(ge=0, le=16)] | None = Field(
        None,
        description="GPU networks, one for each GPU NIC of the machine; the stack declares them. 0 or left out: none.",
    )
    fast_socket: bool = Field(False, description="NCCL Fast Socket; never beside the reduction server's plug-in.")
    placement_policy: Literal["COMPACT"] | None = Field(None, description="Machines close to each other, in one zone.")
    queued_provisioning: bool = Field(False, description="All machines at once or none (ProvisioningRequest, Kueue).")
    local_ssd_count: Annotated[int, Field(ge=0, le=32)] | None = Field(
        None, description="Local SSDs of 375 GB for the pods' files; left out: those that come with the machine."
    )
    gpu_driver_version: Literal["DEFAULT", "LATEST", "INSTALLATION_DISABLED"] = "LATEST"
    node_locations: Items[Text] | None = Field(None, description="Zones of the machines; left out: the cluster's.")


class InstanceGroup(Part):
    """Compute Engine VMs in place of a node pool: of reducers, which need no Kubernetes."""

    zone: Text = Field(description="Zone of the VMs, the trainers' own for the full bandwidth.")
