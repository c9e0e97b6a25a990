"""The Compute Engine and service networking types.

What replaces a resource is as in the Terraform provider for Google Cloud (ForceNew in its schemas), which Pulumi's gcp
provider is made from; defaults are those of the Compute Engine API reference.
"""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any

from sandbox.gcp.resource_type import COMPUTE, Kind, Properties, short

GLOBAL = frozenset({"name", "project"})
REGIONAL = GLOBAL | {"region"}
ZONAL = GLOBAL | {"zone"}
ADDRESS_DEFAULTS: dict[str, Any] = {"addressType": "EXTERNAL"}
ADDRESS = frozenset({"address", "addressType", "description", "ipVersion", "network", "prefixLength", "purpose"})


def number(text: str, digits: int = 18) -> int:
    """Return a number of so many digits that stands for a text, the same at every call."""
    low: int = 10 ** (digits - 1)
    return low + int(hashlib.sha256(text.encode()).hexdigest(), 16) % (9 * low)


def made_up_address(text: str) -> str:
    """Return an IPv4 address for a text, from the block for documentation (RFC 5737), which nothing answers at."""
    return str(ipaddress.ip_network("203.0.113.0/24")[1 + number(text) % 254])


def subnetwork_outputs(properties: Properties) -> Properties:
    """Return the gateway, the first host address of the range."""
    cidr = properties.get("ipCidrRange")
    return {"gatewayAddress": str(ipaddress.ip_network(cidr, strict=False)[1])} if cidr else {}


def address_outputs(properties: Properties) -> Properties:
    """Return an address where the user chose none."""
    if properties.get("addressType") == "INTERNAL" and properties.get("prefixLength"):
        return {"address": properties.get("address") or f"10.{number(properties['name']) % 200 + 20}.0.0"}
    return {"address": properties.get("address") or made_up_address(properties["name"])}


def attachment_outputs(properties: Properties) -> Properties:
    """Return a network attachment's self link with its number."""
    attachment_number = number(properties["name"])
    return {
        "kind": "compute#networkAttachment",
        "selfLinkWithId": f"{COMPUTE}projects/{properties['project']}/regions/{properties['region']}"
        f"/networkAttachments/{attachment_number}",
        "connectionEndpoints": [],
    }


def template_outputs(properties: Properties) -> Properties:
    """Return the self link that names this very template, not a later one of the same name."""
    link = f"{COMPUTE}projects/{properties['project']}/global/instanceTemplates/{properties['name']}"
    return {"selfLinkUnique": f"{link}?uniqueId={number(link)}"}


def group_outputs(properties: Properties) -> Properties:
    """Return a managed instance group's group and a status in which all is done."""
    prefix = f"{COMPUTE}projects/{properties['project']}/zones/{properties['zone']}"
    return {
        "instanceGroup": f"{prefix}/instanceGroups/{properties['name']}",
        "statuses": [{"isStable": True, "allInstancesConfigs": [], "statefuls": [], "versionTargets": []}],
    }


def instance_outputs(properties: Properties) -> Properties:
    """Return what a running instance shows: its interfaces with an internal address each."""
    interfaces = [
        {"name": f"nic{index}", "networkIp": f"10.128.0.{2 + (number(properties['name']) + index) % 250}"} | interface
        for index, interface in enumerate(properties.get("networkInterfaces") or [{}])
    ]
    return {"currentStatus": "RUNNING", "cpuPlatform": "Intel Skylake", "networkInterfaces": interfaces}


def health_check_outputs(properties: Properties) -> Properties:
    """Return the protocol of the check that was configured."""
    protocols = ("tcp", "http", "https", "http2", "ssl", "grpc")
    return {"type": next((name.upper() for name in protocols if properties.get(f"{name}HealthCheck")), "INVALID")}


def connection_outputs(properties: Properties) -> Properties:
    """Return the name of the peering that the service makes."""
    return {"peering": short(properties["service"]).replace(".", "-")}


KINDS = (
    Kind(
        type="gcp:compute/network:Network",
        id="projects/{project}/global/networks/{name}",
        what="network",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=GLOBAL
        | {"autoCreateSubnetworks", "deleteDefaultRoutesOnCreate", "description", "enableUlaInternalIpv6"}
        | {"internalIpv6Range", "mtu", "networkProfile", "params"},
        defaults={
            "autoCreateSubnetworks": True,
            "deleteDefaultRoutesOnCreate": False,
            "mtu": 1460,
            "networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL",
            "routingMode": "REGIONAL",
        },
    ),
    Kind(
        type="gcp:compute/subnetwork:Subnetwork",
        id="projects/{project}/regions/{region}/subnetworks/{name}",
        what="subnetwork",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=REGIONAL
        | {"description", "externalIpv6Prefix", "internalIpv6Prefix", "ipCidrRange", "ipCollection", "network"}
        | {"params", "reservedInternalRange"},
        defaults={
            "privateIpGoogleAccess": False,
            "privateIpv6GoogleAccess": "DISABLE_GOOGLE_ACCESS",
            "purpose": "PRIVATE",
            "stackType": "IPV4_ONLY",
        },
        more=subnetwork_outputs,
    ),
    Kind(
        type="gcp:compute/router:Router",
        id="projects/{project}/regions/{region}/routers/{name}",
        what="router",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=REGIONAL | {"encryptedInterconnectRouter", "nccGateway", "network", "params"},
    ),
    Kind(
        type="gcp:compute/routerNat:RouterNat",
        id="{project}/{region}/{router}/{name}",
        what="routerNat",
        named="name",
        owner="router",
        immutable=REGIONAL | {"endpointTypes", "initialNatIps", "router", "type"},
        defaults={
            "autoNetworkTier": "PREMIUM",
            "enableDynamicPortAllocation": False,
            "enableEndpointIndependentMapping": False,
            "icmpIdleTimeoutSec": 30,
            "natIpAllocateOption": "AUTO_ONLY",
            "tcpEstablishedIdleTimeoutSec": 1200,
            "tcpTimeWaitTimeoutSec": 120,
            "tcpTransitoryIdleTimeoutSec": 30,
            "type": "PUBLIC",
            "udpIdleTimeoutSec": 30,
        },
    ),
    Kind(
        type="gcp:compute/firewall:Firewall",
        id="projects/{project}/global/firewalls/{name}",
        what="firewall",
        link=COMPUTE,
        named="name",
        immutable=GLOBAL | {"direction", "network", "params"},
        defaults={"direction": "INGRESS", "disabled": False, "priority": 1000},
    ),
    Kind(
        type="gcp:compute/globalAddress:GlobalAddress",
        id="projects/{project}/global/addresses/{name}",
        what="address",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=GLOBAL | ADDRESS,
        defaults=ADDRESS_DEFAULTS,
        more=address_outputs,
    ),
    Kind(
        type="gcp:compute/address:Address",
        id="projects/{project}/regions/{region}/addresses/{name}",
        what="address",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=REGIONAL | ADDRESS | {"ipCollection", "ipv6EndpointType", "networkTier", "subnetwork"},
        defaults=ADDRESS_DEFAULTS | {"networkTier": "PREMIUM"},
        more=address_outputs,
    ),
    Kind(
        type="gcp:compute/networkAttachment:NetworkAttachment",
        id="projects/{project}/regions/{region}/networkAttachments/{name}",
        what="networkAttachment",
        link=COMPUTE,
        named="name",
        immutable=REGIONAL | {"connectionPreference"},
        more=attachment_outputs,
    ),
    Kind(
        type="gcp:compute/instanceTemplate:InstanceTemplate",
        id="projects/{project}/global/instanceTemplates/{name}",
        what="instanceTemplate",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=frozenset({"*"}),
        defaults={"canIpForward": False},
        more=template_outputs,
    ),
    Kind(
        type="gcp:compute/instanceGroupManager:InstanceGroupManager",
        id="projects/{project}/zones/{zone}/instanceGroupManagers/{name}",
        what="instanceGroupManager",
        link=COMPUTE,
        named="name",
        immutable=ZONAL | {"baseInstanceName", "description", "params"},
        defaults={"listManagedInstancesResults": "PAGELESS", "waitForInstances": False},
        more=group_outputs,
    ),
    Kind(
        type="gcp:compute/perInstanceConfig:PerInstanceConfig",
        id="{project}/{zone}/{instanceGroupManager}/{name}",
        what="perInstanceConfig",
        named="name",
        owner="instanceGroupManager",
        immutable=ZONAL | {"instanceGroupManager"},
        defaults={"minimalAction": "NONE", "mostDisruptiveAllowedAction": "REPLACE"},
    ),
    Kind(
        type="gcp:compute/instanceFromTemplate:InstanceFromTemplate",
        id="projects/{project}/zones/{zone}/instances/{name}",
        what="instance",
        link=COMPUTE,
        named="name",
        immutable=ZONAL
        | {"bootDisk", "canIpForward", "confidentialInstanceConfig", "description", "guestAccelerators", "hostname"}
        | {"metadataStartupScript", "networkPerformanceConfig", "reservationAffinity", "scratchDisks"}
        | {"sourceInstanceTemplate"},
        more=instance_outputs,
    ),
    Kind(
        type="gcp:compute/healthCheck:HealthCheck",
        id="projects/{project}/global/healthChecks/{name}",
        what="healthCheck",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=GLOBAL,
        defaults={"checkIntervalSec": 5, "healthyThreshold": 2, "timeoutSec": 5, "unhealthyThreshold": 2},
        more=health_check_outputs,
    ),
    Kind(
        type="gcp:compute/resourcePolicy:ResourcePolicy",
        id="projects/{project}/regions/{region}/resourcePolicies/{name}",
        what="resourcePolicy",
        link=COMPUTE,
        named="name",
        protected_in_use=True,
        immutable=frozenset({"*"}),
        mutable=frozenset({"snapshotSchedulePolicy", "deletionPolicy"}),
    ),
    Kind(
        type="gcp:servicenetworking/connection:Connection",
        id="{%network}:{%service}",
        what="connection",
        immutable=frozenset({"network", "service"}),
        more=connection_outputs,
    ),
)
