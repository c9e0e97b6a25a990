"""The network of a stack: a VPC with its ranges, Cloud NAT, firewalls, the VPCs of GPU NICs, and Vertex AI's way in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.plan import names
from trainingjobs.plan.gpu_networks import GpuNetwork
from trainingjobs.plan.network import HEALTH_CHECK_RANGES, NetworkPlan
from trainingjobs.plan.ports import SERVER_PORT

if TYPE_CHECKING:
    from trainingjobs.wire import google

PODS, SERVICES = "pods", "services"
LINK = ("selfLink",)
PEERING_SERVICE = "servicenetworking.googleapis.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkHandles:
    """What others need of a network, whoever declares it: self links; `gpu` is VPC name → network and subnetworks."""

    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    gpu: pulumi.Input[dict[str, Any]]
    attachment: pulumi.Input[str] | None = None


class TrainingNetwork(pulumi.ComponentResource):
    """The VPC of a stack, or beside a `shared` one the VPCs of GPU NICs alone; `handles` is what others need of it."""

    def __init__(
        self,
        name: str,
        plan: NetworkPlan,
        project: str,
        region: str,
        shared: NetworkHandles | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = network_props(plan)
        super().__init__(tokens.NETWORK, name, props, opts)
        self._project, self._region, self._stack = project, region, pulumi.get_stack()
        self._child = pulumi.ResourceOptions(parent=self)
        gpu = {network.name: self._gpu_vpc(network, ranges) for network, ranges in plan.gpu}
        self.handles = replace(shared, gpu=gpu) if shared is not None else self._own(plan, gpu)
        self.outputs: dict[str, Any] = {
            **props,
            "network": self.handles.network,
            "subnetwork": self.handles.subnetwork,
            "gpuNetworks": gpu,
            "attachment": self.handles.attachment,
        }
        self.register_outputs(self.outputs)

    def _own(self, plan: NetworkPlan, gpu: dict[str, Any]) -> NetworkHandles:
        link = self._vpc("training", plan.mtu)
        nodes = self._nodes(plan, link)
        self._nat(link)
        cidrs = [cidr for cidr in (plan.nodes, plan.pods) if cidr is not None]
        self._firewall("inside", link, cidrs, {"protocol": "all"}, "pools talk to each other")
        if plan.health_checks:
            server: google.ComputeFirewallDeny = {"protocol": "tcp", "ports": [str(SERVER_PORT)]}
            self._firewall("health", link, list(HEALTH_CHECK_RANGES), server, "Google's health checks of the reducers")
        attachment = self._attachment(plan.psc, link) if plan.psc else None
        if plan.peering:
            self._peering(plan.peering, link)
        return NetworkHandles(network=link, subnetwork=nodes, gpu=gpu, attachment=attachment)

    def _resource_name(self, part: str) -> str:
        return names.network(self._stack, part)

    def _vpc(self, part: str, mtu: int, profile: str | None = None) -> pulumi.Output[str]:
        props: google.ComputeNetwork = {
            "project": self._project,
            "name": self._resource_name(part),
            "autoCreateSubnetworks": False,
            "mtu": mtu,
            "routingMode": "REGIONAL",
        }
        if profile is not None:
            props["networkProfile"] = profile
        return declare(tokens.VPC)(part, props, self._child, LINK).output("selfLink")

    def _subnetwork(self, part: str, link: pulumi.Input[str], cidr: str) -> google.ComputeSubnetwork:
        return {
            "project": self._project,
            "region": self._region,
            "name": self._resource_name(part),
            "network": link,
            "ipCidrRange": cidr,
        }

    def _nodes(self, plan: NetworkPlan, link: pulumi.Input[str]) -> pulumi.Output[str]:
        props: google.ComputeSubnetwork = {
            **self._subnetwork("nodes", link, str(plan.nodes)),
            "privateIpGoogleAccess": True,
        }
        secondary: list[google.ComputeSubnetworkSecondaryIpRange] = [
            {"rangeName": name, "ipCidrRange": cidr}
            for name, cidr in ((PODS, plan.pods), (SERVICES, plan.services))
            if cidr is not None
        ]
        if secondary:
            props["secondaryIpRanges"] = secondary
        return declare(tokens.SUBNETWORK)("nodes", props, self._child, LINK).output("selfLink")

    def _nat(self, link: pulumi.Input[str]) -> None:
        router = declare(tokens.ROUTER)(
            "router",
            {"project": self._project, "region": self._region, "name": self._resource_name("router"), "network": link},
            self._child,
            LINK,
        )
        declare(tokens.ROUTER_NAT)(
            "nat",
            {
                "project": self._project,
                "region": self._region,
                "name": self._resource_name("nat"),
                "router": pulumi.get(router, "name"),
                "natIpAllocateOption": "AUTO_ONLY",
                "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
                "logConfig": {"enable": True, "filter": "ERRORS_ONLY"},
            },
            self._child,
        )

    def _firewall(
        self,
        part: str,
        link: pulumi.Input[str],
        sources: list[str],
        allowed: google.ComputeFirewallDeny,
        description: str,
    ) -> None:
        declare(tokens.FIREWALL)(
            f"allow-{part}",
            {
                "project": self._project,
                "name": self._resource_name(f"allow-{part}"),
                "network": link,
                "direction": "INGRESS",
                "sourceRanges": sources,
                "allows": [allowed],
                "description": description,
            },
            self._child,
            LINK,
        )

    def _gpu_vpc(self, network: GpuNetwork, ranges: tuple[str, ...]) -> dict[str, Any]:
        profile = f"projects/{self._project}/global/networkProfiles/{network.zone}-vpc-roce" if network.zone else None
        link = self._vpc(network.name, network.mtu, profile)
        subnets = []
        for number, cidr in enumerate(ranges):
            part = network.name if len(ranges) == 1 else f"{network.name}-{number}"
            subnets.append(self._nics(f"{part}-nics", link, cidr))
        # A network of the RoCE profile takes no firewall rules.
        if network.zone is None:
            self._firewall(network.name, link, list(ranges), {"protocol": "all"}, "GPU NICs talk to each other")
        return {"network": link, "subnetworks": subnets}

    def _nics(self, part: str, link: pulumi.Input[str], cidr: str) -> pulumi.Output[str]:
        """Declares a subnetwork without secondary ranges; returns its link."""
        return declare(tokens.SUBNETWORK)(part, self._subnetwork(part, link, cidr), self._child, LINK).output(
            "selfLink"
        )

    def _attachment(self, cidr: str, link: pulumi.Input[str]) -> pulumi.Output[str]:
        attachment = declare(tokens.NETWORK_ATTACHMENT)(
            "attachment",
            {
                "project": self._project,
                "region": self._region,
                "name": self._resource_name("attachment"),
                "connectionPreference": "ACCEPT_AUTOMATIC",
                "subnetworks": [self._nics("psc", link, cidr)],
            },
            self._child,
            LINK,
        )
        attachment_id: pulumi.Output[str] = attachment.id
        return attachment_id

    def _peering(self, cidr: str, link: pulumi.Input[str]) -> None:
        address, _, prefix = cidr.partition("/")
        reserved = declare(tokens.GLOBAL_ADDRESS)(
            "peering",
            {
                "project": self._project,
                "name": self._resource_name("peering"),
                "purpose": "VPC_PEERING",
                "addressType": "INTERNAL",
                "address": address,
                "prefixLength": int(prefix),
                "network": link,
            },
            self._child,
            LINK,
        )
        declare(tokens.PEERING)(
            "peering-connection",
            {"network": link, "service": PEERING_SERVICE, "reservedPeeringRanges": [pulumi.get(reserved, "name")]},
            self._child,
        )


def network_props(plan: NetworkPlan) -> dict[str, Any]:
    """Returns the plan of a network as the properties of its component."""
    return {
        "mtu": plan.mtu,
        "nodesCidr": plan.nodes,
        "podsCidr": plan.pods,
        "servicesCidr": plan.services,
        "pscCidr": plan.psc,
        "peeringCidr": plan.peering,
        "gpu": [{"name": network.name, "mtu": network.mtu, "cidrs": list(ranges)} for network, ranges in plan.gpu],
    }
