"""Every type token that the project registers: its own components and the providers' resources.

A test compares the providers' with the installed SDKs: a misspelt token would be a policy that never fires.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from trainingjobs.wire import google

Properties = TypeVar("Properties")


class Token(str, Generic[Properties]):
    """A provider's token. A type checker knows the resource's properties by it, so a misspelt key is an error."""

    __slots__ = ()


JOB_IDENTITY: Final = "training:identity:JobIdentity"
TRAINING_STORAGE: Final = "training:storage:TrainingStorage"
VERTEX_JOB: Final = "training:vertex:VertexJob"
NETWORK: Final = "training:network:Network"
CLUSTER: Final = "training:gke:Cluster"
NODE_IDENTITY: Final = "training:identity:NodeIdentity"
GPU_POOL: Final = "training:gke:GpuPool"
REDUCER_POOL: Final = "training:gke:ReducerPool"
REDUCER_VMS: Final = "training:gce:ReducerPool"
JOB_NAMESPACE: Final = "training:kubernetes:Space"
KUBERNETES_JOB: Final = "training:kubernetes:Job"

SERVICE_ACCOUNT: Final[Token[google.ServiceaccountAccount]] = Token("gcp:serviceaccount/account:Account")
PROJECT_IAM_MEMBER: Final[Token[google.ProjectsIAMMember]] = Token("gcp:projects/iAMMember:IAMMember")
BUCKET: Final[Token[google.StorageBucket]] = Token("gcp:storage/bucket:Bucket")
BUCKET_IAM_MEMBER: Final[Token[google.StorageBucketIAMMember]] = Token("gcp:storage/bucketIAMMember:BucketIAMMember")
REPOSITORY: Final[Token[google.ArtifactregistryRepository]] = Token("gcp:artifactregistry/repository:Repository")
REPOSITORY_IAM_MEMBER: Final[Token[google.ArtifactregistryRepositoryIamMember]] = Token(
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
)
SERVICE_ACCOUNT_IAM_MEMBER: Final[Token[google.ServiceaccountIAMMember]] = Token(
    "gcp:serviceaccount/iAMMember:IAMMember"
)
VPC: Final[Token[google.ComputeNetwork]] = Token("gcp:compute/network:Network")
SUBNETWORK: Final[Token[google.ComputeSubnetwork]] = Token("gcp:compute/subnetwork:Subnetwork")
ROUTER: Final[Token[google.ComputeRouter]] = Token("gcp:compute/router:Router")
ROUTER_NAT: Final[Token[google.ComputeRouterNat]] = Token("gcp:compute/routerNat:RouterNat")
FIREWALL: Final[Token[google.ComputeFirewall]] = Token("gcp:compute/firewall:Firewall")
GLOBAL_ADDRESS: Final[Token[google.ComputeGlobalAddress]] = Token("gcp:compute/globalAddress:GlobalAddress")
PEERING: Final[Token[google.ServicenetworkingConnection]] = Token("gcp:servicenetworking/connection:Connection")
NETWORK_ATTACHMENT: Final[Token[google.ComputeNetworkAttachment]] = Token(
    "gcp:compute/networkAttachment:NetworkAttachment"
)
INSTANCE_TEMPLATE: Final[Token[google.ComputeInstanceTemplate]] = Token("gcp:compute/instanceTemplate:InstanceTemplate")
INSTANCE_GROUP_MANAGER: Final[Token[google.ComputeInstanceGroupManager]] = Token(
    "gcp:compute/instanceGroupManager:InstanceGroupManager"
)
PER_INSTANCE_CONFIG: Final[Token[google.ComputePerInstanceConfig]] = Token(
    "gcp:compute/perInstanceConfig:PerInstanceConfig"
)
HEALTH_CHECK: Final[Token[google.ComputeHealthCheck]] = Token("gcp:compute/healthCheck:HealthCheck")
GKE_CLUSTER: Final[Token[google.ContainerCluster]] = Token("gcp:container/cluster:Cluster")
NODE_POOL: Final[Token[google.ContainerNodePool]] = Token("gcp:container/nodePool:NodePool")


def kubernetes_object(api_version: str, kind: str) -> str:
    """Returns the token of an object of the API server."""
    return f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{kind}"
