"""The cluster of a stack as a user writes it: one that is declared, one that is there, or any Kubernetes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from trainingjobs.spec.base import Items, Part, Text
from trainingjobs.spec.forms import Form
from trainingjobs.spec.network import Cidr

ClusterName = Annotated[
    str,
    Form(r"^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$", "a name of at most 40 lower case letters, digits and -", "dev-training"),
]
Timestamp = Annotated[
    str,
    Form(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", "a time in UTC", "2026-01-03T02:00:00Z"),
]


class MaintenanceWindow(Part):
    """When GKE may change the cluster: GKE's recurringWindow."""

    start_time: Timestamp = Field(examples=["2026-01-03T02:00:00Z"])
    end_time: Timestamp = Field(examples=["2026-01-03T10:00:00Z"])
    recurrence: Text = Field(description="RFC 5545 rule.", examples=["FREQ=WEEKLY;BYDAY=SA,SU"])


class AuthorizedNetwork(Part):
    """A range whose machines reach the control plane."""

    cidr_block: Cidr
    display_name: Text | None = None


class Cluster(Part):
    """A GKE cluster to declare; with `existing` one that is there; with `kubeconfig` or `context` alone any other."""

    name: ClusterName | None = Field(None, description="Left out: the stack's name with -training.")
    location: Text | None = Field(None, description="Region or zone; left out: the stack's region.")
    node_locations: Items[Text] | None = Field(None, description="Zones of the nodes; left out: GKE's choice.")
    release_channel: Literal["RAPID", "REGULAR", "STABLE", "EXTENDED"] = "REGULAR"
    maintenance_window: MaintenanceWindow | None = None
    private_nodes: bool = Field(True, description="Nodes have no public addresses; Cloud NAT lets them out.")
    workload_identity: bool = Field(True, description="Pods act as Google accounts without keys.")
    master_authorized_networks: Items[AuthorizedNetwork] | None = Field(
        None, description="Left out: any address may ask the control plane, which asks for credentials."
    )
    deletion_protection: bool | None = Field(None, description="Left out: in staging and prod.")
    system_machine_type: Text = Field("e2-standard-4", description="Machines of GKE's own pods; one to three nodes.")
    create_namespaces: bool = Field(
        True,
        description="Declare the jobs' namespaces with a quota; false where they are there, as OpenShift projects.",
    )
    existing: ClusterName | None = Field(
        None, description="A GKE cluster that is there: node pools and jobs are declared in it, it is not."
    )
    kubeconfig: Text | None = Field(
        None, description="File by which the cluster is reached; left out: a GKE cluster's own address."
    )
    context: Text | None = Field(None, description="Context of the kubeconfig; left out: its current one.")
