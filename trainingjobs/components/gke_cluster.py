"""The GKE cluster of a stack, with the identity of its nodes and a small pool for GKE's own pods."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.components.network import PODS, SERVICES, NetworkHandles
from trainingjobs.plan import names
from trainingjobs.plan.infrastructure import Infrastructure
from trainingjobs.spec.cluster import AuthorizedNetwork, Cluster
from trainingjobs.spec.stack import Stack

if TYPE_CHECKING:
    from trainingjobs.wire import google

# What a node needs: its logs and metrics, and the images of the project's registry.
NODE_ROLES = ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")
PROTECTED = ("staging", "prod")
# DCGM are the GPUs' own metrics.
METRICS = ["SYSTEM_COMPONENTS", "STORAGE", "POD", "JOBSET", "CADVISOR", "KUBELET", "DCGM"]
SYSTEM_NODES = 3
GET_CLUSTER = "gcp:container/getCluster:getCluster"


class NodeIdentity(pulumi.ComponentResource):
    """The account that a stack's nodes and VMs act as: it pulls images and writes logs, no more."""

    def __init__(self, name: str, project: str, opts: pulumi.ResourceOptions | None = None) -> None:
        stack = pulumi.get_stack()
        # The blank cannot stand in a job's name, so no job's account has this one's.
        email = names.account_email(stack, "training nodes", project)
        props = {"email": email, "roles": list(NODE_ROLES)}
        super().__init__(tokens.NODE_IDENTITY, name, props, opts)
        # Registering makes outputs of attributes that are named like properties.
        self.email = email
        child = pulumi.ResourceOptions(parent=self)
        account_id = names.account_id(stack, "training nodes")
        account = declare(tokens.SERVICE_ACCOUNT)(
            f"{name}-account",
            {"project": project, "accountId": account_id, "displayName": f"nodes of training stack {stack}"},
            child,
            outputs=("email", "member"),
        )
        for role in NODE_ROLES:
            declare(tokens.PROJECT_IAM_MEMBER)(
                f"{name}-{role.split('.')[-1]}",
                {"project": project, "role": role, "member": account.output("member")},
                child,
            )
        self.register_outputs(props)


class TrainingCluster(pulumi.ComponentResource):
    """The cluster. Its name and location are known beforehand; its kubeconfig gets tokens of gke-gcloud-auth-plugin."""

    def __init__(
        self,
        name: str,
        stack: Stack,
        spec: Cluster,
        planned: Infrastructure,
        network: NetworkHandles,
        nodes: NodeIdentity,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        # Registering makes outputs of attributes that are named like properties.
        self.cluster_name = spec.name or names.cluster(pulumi.get_stack())
        self.cluster_location = spec.location or stack.region
        body = cluster_body(self.cluster_name, stack, spec, planned)
        super().__init__(tokens.CLUSTER, name, body, opts)
        child = pulumi.ResourceOptions(parent=self, protect=True if stack.environment == "prod" else None)
        placed: google.ContainerCluster = {**body, "network": network.network, "subnetwork": network.subnetwork}
        self.cluster = declare(tokens.GKE_CLUSTER)("cluster", placed, child, ("endpoint", "masterAuth", "selfLink"))
        self.system_pool = declare(tokens.NODE_POOL)(
            "system",
            {
                "project": stack.project,
                "location": self.cluster_location,
                "cluster": pulumi.get(self.cluster, "name"),
                "name": "system",
                "initialNodeCount": 1,
                "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": SYSTEM_NODES},
                "management": {"autoRepair": True, "autoUpgrade": True},
                "nodeConfig": {
                    "machineType": spec.system_machine_type,
                    "serviceAccount": nodes.email,
                    "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
                    "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
                    **({"workloadMetadataConfig": {"mode": "GKE_METADATA"}} if spec.workload_identity else {}),
                },
            },
            pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[nodes])),
        )
        authority = self.cluster.output("masterAuth").apply(lambda auth: auth["clusterCaCertificate"])
        self.kubeconfig = kubeconfig(self.cluster_name, self.cluster.output("endpoint"), authority)
        self.outputs = {**body, "endpoint": self.cluster.output("endpoint")}
        self.register_outputs(self.outputs)


def cluster_body(name: str, stack: Stack, spec: Cluster, planned: Infrastructure) -> google.ContainerCluster:
    """Returns the cluster's properties without its network's links; what nobody says is left out."""
    protected = stack.environment in PROTECTED if spec.deletion_protection is None else spec.deletion_protection
    body: google.ContainerCluster = {
        "project": stack.project,
        "name": name,
        "location": spec.location or stack.region,
        "networkingMode": "VPC_NATIVE",
        "ipAllocationPolicy": _addresses(stack),
        "datapathProvider": "ADVANCED_DATAPATH",
        # The pool that GKE insists on is removed; every pool of the stack is a resource of its own.
        "initialNodeCount": 1,
        "removeDefaultNodePool": True,
        "releaseChannel": {"channel": spec.release_channel},
        "privateClusterConfig": {"enablePrivateNodes": spec.private_nodes, "enablePrivateEndpoint": False},
        "addonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": True}},
        "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
        "monitoringConfig": {"enableComponents": METRICS, "managedPrometheus": {"enabled": True}},
        "enableShieldedNodes": True,
        "deletionProtection": protected,
        "resourceLabels": {"training-environment": stack.environment},
    }
    if spec.workload_identity:
        body["workloadIdentityConfig"] = {"workloadPool": f"{stack.project}.svc.id.goog"}
    if spec.node_locations:
        body["nodeLocations"] = list(spec.node_locations)
    if any(pool.gpu_networks for pool in planned.node_pools):
        body["enableMultiNetworking"] = True
    if spec.maintenance_window is not None:
        window = spec.maintenance_window
        body["maintenancePolicy"] = {
            "recurringWindow": {
                "startTime": window.start_time,
                "endTime": window.end_time,
                "recurrence": window.recurrence,
            }
        }
    if spec.master_authorized_networks is not None:
        blocks = [_block(network) for network in spec.master_authorized_networks]
        body["masterAuthorizedNetworksConfig"] = {"cidrBlocks": blocks}
    if planned.reducer_vms:
        # VMs find the primary's pod by name only where the cluster's names are the VPC's.
        body["dnsConfig"] = {
            "clusterDns": "CLOUD_DNS",
            "clusterDnsScope": "VPC_SCOPE",
            "clusterDnsDomain": cluster_domain(name),
        }
    return body


def _block(network: AuthorizedNetwork) -> google.ContainerClusterMasterAuthorizedNetworksConfigCidrBlock:
    block: google.ContainerClusterMasterAuthorizedNetworksConfigCidrBlock = {"cidrBlock": network.cidr_block}
    if network.display_name is not None:
        block["displayName"] = network.display_name
    return block


def _addresses(stack: Stack) -> google.ContainerClusterIpAllocationPolicy:
    """Clusters may share a range of pods, never one of services: in another stack's network GKE gives the services'."""
    if stack.network is not None and stack.network.shared is not None:
        return {"clusterSecondaryRangeName": PODS}
    return {"clusterSecondaryRangeName": PODS, "servicesSecondaryRangeName": SERVICES}


def cluster_domain(name: str) -> str:
    """Returns the DNS domain of a cluster whose names are known in its VPC."""
    return f"{name}.training.internal"


def kubeconfig(name: str, endpoint: pulumi.Input[str], authority: pulumi.Input[str]) -> pulumi.Output[str]:
    """Returns a kubeconfig without credentials: gke-gcloud-auth-plugin gets a token at each use."""
    return pulumi.Output.all(endpoint, authority).apply(
        lambda known: json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": name,
                "clusters": [
                    {
                        "name": name,
                        "cluster": {"server": f"https://{known[0]}", "certificate-authority-data": known[1]},
                    }
                ],
                "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
                "users": [
                    {
                        "name": name,
                        "user": {
                            "exec": {
                                "apiVersion": "client.authentication.k8s.io/v1beta1",
                                "command": "gke-gcloud-auth-plugin",
                                "provideClusterInfo": True,
                                "interactiveMode": "Never",
                            }
                        },
                    }
                ],
            },
            sort_keys=True,
        )
    )


def existing_kubeconfig(
    name: str, location: str, project: str, google: pulumi.ResourceOptions | None
) -> pulumi.Output[str]:
    """Returns the kubeconfig of a cluster that is there, whose address Google is asked for."""
    providers = google.providers if google is not None else None
    provider = providers[0] if isinstance(providers, list) else None
    cluster = pulumi.runtime.invoke_output(
        GET_CLUSTER,
        {"name": name, "location": location, "project": project},
        pulumi.InvokeOutputOptions(provider=provider),
    )
    return kubeconfig(
        name,
        cluster.apply(lambda known: known["endpoint"]),
        cluster.apply(lambda known: known["masterAuths"][0]["clusterCaCertificate"]),
    )
