"""Every type token that the project registers: its own components and the providers' resources.

A test compares the providers' with the installed SDKs: a misspelt token would be a policy that never fires.
"""

from __future__ import annotations

from typing import Final

JOB_IDENTITY: Final = "training:identity:JobIdentity"
TRAINING_STORAGE: Final = "training:storage:TrainingStorage"
VERTEX_JOB: Final = "training:vertex:VertexJob"
NETWORK: Final = "training:network:Network"
CLUSTER: Final = "training:gke:Cluster"
NODE_IDENTITY: Final = "training:identity:NodeIdentity"
GPU_POOL: Final = "training:gke:GpuPool"
REDUCER_POOL: Final = "training:gke:ReducerPool"
REDUCER_VMS: Final = "training:gce:ReducerPool"
KUBERNETES_SPACE: Final = "training:kubernetes:Space"
KUBERNETES_JOB: Final = "training:kubernetes:Job"

SERVICE_ACCOUNT: Final = "gcp:serviceaccount/account:Account"
PROJECT_IAM_MEMBER: Final = "gcp:projects/iAMMember:IAMMember"
BUCKET: Final = "gcp:storage/bucket:Bucket"
BUCKET_IAM_MEMBER: Final = "gcp:storage/bucketIAMMember:BucketIAMMember"
REPOSITORY: Final = "gcp:artifactregistry/repository:Repository"
REPOSITORY_IAM_MEMBER: Final = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
SERVICE_ACCOUNT_IAM_MEMBER: Final = "gcp:serviceaccount/iAMMember:IAMMember"
VPC: Final = "gcp:compute/network:Network"
SUBNETWORK: Final = "gcp:compute/subnetwork:Subnetwork"
ROUTER: Final = "gcp:compute/router:Router"
ROUTER_NAT: Final = "gcp:compute/routerNat:RouterNat"
FIREWALL: Final = "gcp:compute/firewall:Firewall"
GLOBAL_ADDRESS: Final = "gcp:compute/globalAddress:GlobalAddress"
PEERING: Final = "gcp:servicenetworking/connection:Connection"
NETWORK_ATTACHMENT: Final = "gcp:compute/networkAttachment:NetworkAttachment"
INSTANCE_TEMPLATE: Final = "gcp:compute/instanceTemplate:InstanceTemplate"
INSTANCE_GROUP_MANAGER: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
PER_INSTANCE_CONFIG: Final = "gcp:compute/perInstanceConfig:PerInstanceConfig"
HEALTH_CHECK: Final = "gcp:compute/healthCheck:HealthCheck"
GKE_CLUSTER: Final = "gcp:container/cluster:Cluster"
NODE_POOL: Final = "gcp:container/nodePool:NodePool"

# (apiVersion, kind) of a manifest → the token of its resource.
KUBERNETES: Final = {
    ("v1", "Namespace"): "kubernetes:core/v1:Namespace",
    ("v1", "ResourceQuota"): "kubernetes:core/v1:ResourceQuota",
    ("v1", "ServiceAccount"): "kubernetes:core/v1:ServiceAccount",
    ("v1", "Service"): "kubernetes:core/v1:Service",
    ("v1", "Pod"): "kubernetes:core/v1:Pod",
    ("kubeflow.org/v1", "TFJob"): "kubernetes:kubeflow.org/v1:TFJob",
    ("kubeflow.org/v1", "PyTorchJob"): "kubernetes:kubeflow.org/v1:PyTorchJob",
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
    ("networking.gke.io/v1", "Network"): "kubernetes:networking.gke.io/v1:Network",
    ("networking.gke.io/v1", "GKENetworkParamSet"): "kubernetes:networking.gke.io/v1:GKENetworkParamSet",
}
