"""The types of storage, registry, identity, secrets and GKE.

What replaces a resource is as in the Terraform provider for Google Cloud (ForceNew in its schemas), which Pulumi's gcp
provider is made from; defaults are those of each service's API reference.
"""

from __future__ import annotations

from sandbox.gcp import control_plane
from sandbox.gcp.compute_types import made_up_address, number
from sandbox.gcp.control_plane import NO_CERTIFICATE
from sandbox.gcp.resource_type import BUCKETS, CONTAINER, Kind, Properties, words

NO_CLIENT: Properties = {"clientCertificate": "", "clientKey": ""}
GKE_VERSION = "1.33.5-gke.1080000"
ACCOUNT_ID = r"[a-z][-a-z0-9]{4,28}[a-z0-9]"
BUCKET = r"[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]"
CLUSTER = r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?"
ALL = frozenset({"*"})

# Properties of a node's configuration that GKE changes in a pool that exists; the others make a new pool.
NODE_CONFIG_CHANGES = words(
    "bootDisk containerdConfig diskSizeGb diskType fastSocket gcfsConfig gvnic imageType "
    "kubeletConfig labels linuxNodeConfig loggingVariant machineType resourceLabels "
    "resourceManagerTags storagePools tags taints windowsNodeConfig workloadMetadataConfig"
)
IN_NODE_CONFIG = frozenset(f"nodeConfig.{name}" for name in NODE_CONFIG_CHANGES)


def bucket_outputs(properties: Properties) -> Properties:
    """Return the location as Cloud Storage writes it, and the number of the project."""
    return {"location": str(properties["location"]).upper(), "projectNumber": project_number(properties["project"])}


def project_number(project: str) -> int:
    """Return the number that stands for a project id in the sandbox."""
    return number(project, 12)


def secret_outputs(properties: Properties) -> Properties:
    """Return the secret's name, which Secret Manager writes with the project's number, and its annotations."""
    return {
        "name": f"projects/{project_number(properties['project'])}/secrets/{properties['secretId']}",
        "effectiveAnnotations": properties.get("annotations") or {},
    }


def zones_of(location: str) -> list[str]:
    """Return the zones that nodes of a cluster at a location are in by default: the zone, or three of the region."""
    return [location] if location.count("-") == 2 else [f"{location}-{letter}" for letter in "abc"]


def cluster_outputs(properties: Properties) -> Properties:
    """Return what a running cluster shows: its endpoint, its version and its zones."""
    endpoint, authority = control_plane.address() or (made_up_address(properties["name"]), NO_CERTIFICATE)
    version = properties.get("minMasterVersion") or GKE_VERSION
    zones = zones_of(properties["location"])
    return {
        "endpoint": endpoint,
        "masterAuth": {**NO_CLIENT, "clusterCaCertificate": authority, **(properties.get("masterAuth") or {})},
        "masterVersion": version,
        "nodeLocations": properties.get("nodeLocations") or zones[1 if len(zones) == 1 else 0 :],
        "nodeVersion": properties.get("nodeVersion") or version,
        "servicesIpv4Cidr": "34.118.224.0/20",
    }


def pool_outputs(properties: Properties) -> Properties:
    """Return the instance groups of a node pool, one a zone."""
    zones = properties.get("nodeLocations") or zones_of(properties["location"])
    cluster = str(properties["cluster"]).rpartition("/")[2]
    groups = [
        f"https://www.googleapis.com/compute/v1/projects/{properties['project']}/zones/{zone}/instanceGroupManagers/"
        f"gke-{cluster}-{properties['name']}-{number(cluster + zone, 8)}-grp"
        for zone in zones
    ]
    return {
        "instanceGroupUrls": groups,
        "managedInstanceGroupUrls": [group.replace("/instanceGroupManagers/", "/instanceGroups/") for group in groups],
        "nodeLocations": zones,
        "version": properties.get("version") or GKE_VERSION,
        "nodeCount": properties.get("nodeCount", properties.get("initialNodeCount", 1)),
    }


def member(type: str, id: str, owner: str = "") -> Kind:
    """Return the kind of an IAM grant: one role for one member on what `owner` names."""
    return Kind(type=type, id=id, what="policy", owner=owner, idempotent=True, immutable=ALL)


KINDS = (
    Kind(
        type="gcp:storage/bucket:Bucket",
        id="{name}",
        what="bucket",
        link=BUCKETS,
        named="name",
        pattern=BUCKET,
        immutable=frozenset(
            {"customPlacementConfig", "enableObjectRetention", "hierarchicalNamespace", "location", "name", "project"}
        ),
        defaults={
            "forceDestroy": False,
            "publicAccessPrevention": "inherited",
            "softDeletePolicy": {"retentionDurationSeconds": 604800},
            "storageClass": "STANDARD",
            "uniformBucketLevelAccess": False,
        },
        texts={"url": "gs://{name}"},
        more=bucket_outputs,
    ),
    member("gcp:storage/bucketIAMMember:BucketIAMMember", "b/{bucket}/{=role}/{=member}", "bucket"),
    Kind(
        type="gcp:artifactregistry/repository:Repository",
        id="projects/{project}/locations/{location}/repositories/{repositoryId}",
        what="repository",
        immutable=words("format kmsKeyName location mode project remoteRepositoryConfig repositoryId"),
        mutable=frozenset({"remoteRepositoryConfig.disableUpstreamValidation"}),
        defaults={"mode": "STANDARD_REPOSITORY"},
        texts={"name": "{repositoryId}", "registryUri": "{location}-docker.pkg.dev/{project}/{repositoryId}"},
    ),
    member(
        "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
        "projects/{project}/locations/{location}/repositories/{repository}/{=role}/{=member}",
        "repository",
    ),
    Kind(
        type="gcp:serviceaccount/account:Account",
        id="projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com",
        what="service account",
        named="accountId",
        pattern=ACCOUNT_ID,
        immutable=frozenset({"accountId", "project"}),
        defaults={"disabled": False},
        texts={
            "email": "{accountId}@{project}.iam.gserviceaccount.com",
            "member": "serviceAccount:{accountId}@{project}.iam.gserviceaccount.com",
            "name": "projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com",
        },
    ),
    member("gcp:serviceaccount/iAMMember:IAMMember", "{=serviceAccountId}/{=role}/{=member}", "serviceAccountId"),
    member("gcp:projects/iAMMember:IAMMember", "{project}/{=role}/{=member}"),
    Kind(
        type="gcp:projects/service:Service",
        id="{project}/{service}",
        what="service",
        idempotent=True,
        immutable=frozenset({"project", "service"}),
    ),
    member("gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember", "{=cryptoKeyId}/{=role}/{=member}"),
    Kind(
        type="gcp:secretmanager/secret:Secret",
        id="projects/{project}/secrets/{secretId}",
        what="secret",
        named="secretId",
        pattern=r"[-_A-Za-z0-9]{1,255}",
        immutable=frozenset({"project", "replication", "secretId", "secretType", "tags"}),
        more=secret_outputs,
    ),
    member(
        "gcp:secretmanager/secretIamMember:SecretIamMember",
        "projects/{project}/secrets/{secretId}/{=role}/{=member}",
        "secretId",
    ),
    Kind(
        type="gcp:container/cluster:Cluster",
        id="projects/{project}/locations/{location}/clusters/{name}",
        what="cluster",
        link=CONTAINER,
        named="name",
        pattern=CLUSTER,
        immutable=words(
            "clusterIpv4Cidr confidentialNodes datapathProvider defaultMaxPodsPerNode description "
            "enableAutopilot enableKubernetesAlpha enableMultiNetworking enableTpu initialNodeCount "
            "ipAllocationPolicy location masterAuth name network networkingMode nodeConfig nodePools "
            "project subnetwork tpuConfig userManagedKeysConfig"
        )
        | {"privateClusterConfig.masterIpv4CidrBlock", "privateClusterConfig.privateEndpointSubnetwork"},
        mutable=IN_NODE_CONFIG | {"ipAllocationPolicy.additionalIpRangesConfigs", "ipAllocationPolicy.autoIpamConfig"},
        defaults={
            "deletionProtection": True,
            "enableKubernetesAlpha": False,
            "enableLegacyAbac": False,
            "enableShieldedNodes": True,
            "loggingService": "logging.googleapis.com/kubernetes",
            "monitoringService": "monitoring.googleapis.com/kubernetes",
            "network": "default",
            "networkingMode": "VPC_NATIVE",
            "removeDefaultNodePool": False,
        },
        more=cluster_outputs,
    ),
    Kind(
        type="gcp:container/nodePool:NodePool",
        id="projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}",
        what="nodePool",
        named="name",
        owner="cluster",
        pattern=CLUSTER,
        immutable=words(
            "cluster initialNodeCount location maxPodsPerNode name namePrefix networkConfig nodeConfig "
            "placementPolicy project queuedProvisioning"
        ),
        mutable=IN_NODE_CONFIG | {"networkConfig.enablePrivateNodes"},
        defaults={"management": {"autoRepair": True, "autoUpgrade": True}, "maxPodsPerNode": 110},
        more=pool_outputs,
    ),
)
