"""The network of a stack: a VPC with its ranges, Cloud NAT, firewalls, the VPCs of GPU NICs, and Vertex AI's way in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pulumi

from infra.components import tokens
from infra.components.gcp import GoogleResource
from infra.plan import names
from infra.plan.gpu_networks import GpuNetwork
from infra.plan.network import HEALTH_CHECK_RANGES, NetworkPlan
from infra.plan.ports import SERVER_PORT

PODS, SERVICES = "pods", "services"
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
        gpu = {one.name: self._gpu_vpc(one, ranges) for one, ranges in plan.gpu}
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
        link = self._vpc("training", plan.mtu).output("selfLink")
        nodes = self._nodes(plan, link)
        self._nat(link)
        inside = [cidr for cidr in (plan.nodes, plan.pods) if cidr is not None]
        self._firewall("inside", link, inside, [{"protocol": "all"}], "pools talk to each other")
        if plan.health_checks:
            ports = [{"protocol": "tcp", "ports": [str(SERVER_PORT)]}]
            self._firewall("health", link, list(HEALTH_CHECK_RANGES), ports, "Google's health checks of the reducers")
        attachment = self._attachment(plan.psc, link) if plan.psc else None
        if plan.peering:
            self._peering(plan.peering, link)
        return NetworkHandles(network=link, subnetwork=nodes.output("selfLink"), gpu=gpu, attachment=attachment)

    def _resource(self, token: str, part: str, props: dict[str, Any], regional: bool = True) -> GoogleResource:
        place = {"region": self._region} if regional else {}
        named = {"project": self._project, "name": names.network(self._stack, part)}
        return GoogleResource(token, part, {**named, **place, **props}, self._child, ("selfLink",))

    def _vpc(self, part: str, mtu: int, **more: Any) -> GoogleResource:
        props = {"autoCreateSubnetworks": False, "mtu": mtu, "routingMode": "REGIONAL", **more}
        return self._resource(tokens.VPC, part, props, regional=False)

    def _nodes(self, plan: NetworkPlan, link: pulumi.Input[str]) -> GoogleResource:
        secondary = [
            {"rangeName": name, "ipCidrRange": cidr}
            for name, cidr in ((PODS, plan.pods), (SERVICES, plan.services))
            if cidr is not None
        ]
        props: dict[str, Any] = {"network": link, "ipCidrRange": plan.nodes, "privateIpGoogleAccess": True}
        return self._resource(
            tokens.SUBNETWORK, "nodes", {**props, **({"secondaryIpRanges": secondary} if secondary else {})}
        )

    def _nat(self, link: pulumi.Input[str]) -> None:
        router = self._resource(tokens.ROUTER, "router", {"network": link})
        GoogleResource(
            tokens.ROUTER_NAT,
            "nat",
            {
                "project": self._project,
                "region": self._region,
                "name": names.network(self._stack, "nat"),
                "router": pulumi.get(router, "name"),
                "natIpAllocateOption": "AUTO_ONLY",
                "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
                "logConfig": {"enable": True, "filter": "ERRORS_ONLY"},
            },
            self._child,
        )

    def _firewall(
        self, part: str, link: pulumi.Input[str], sources: list[str], allows: list[dict[str, Any]], what: str
    ) -> None:
        props = {"network": link, "direction": "INGRESS", "sourceRanges": sources, "allows": allows}
        self._resource(tokens.FIREWALL, f"allow-{part}", {**props, "description": what}, regional=False)

    def _gpu_vpc(self, one: GpuNetwork, ranges: tuple[str, ...]) -> dict[str, Any]:
        profile = f"projects/{self._project}/global/networkProfiles/{one.zone}-vpc-roce" if one.zone else None
        vpc = self._vpc(one.name, one.mtu, **({"networkProfile": profile} if profile else {}))
        link = vpc.output("selfLink")
        subnets = []
        for number, cidr in enumerate(ranges):
            part = one.name if len(ranges) == 1 else f"{one.name}-{number}"
            subnet = self._resource(tokens.SUBNETWORK, f"{part}-nics", {"network": link, "ipCidrRange": cidr})
            subnets.append(subnet.output("selfLink"))
        # A network of the RoCE profile takes no firewall rules.
        if one.zone is None:
            self._firewall(one.name, link, list(ranges), [{"protocol": "all"}], "GPU NICs talk to each other")
        return {"network": link, "subnetworks": subnets}

    def _attachment(self, cidr: str, link: pulumi.Input[str]) -> pulumi.Output[str]:
        subnet = self._resource(tokens.SUBNETWORK, "psc", {"network": link, "ipCidrRange": cidr})
        props = {"connectionPreference": "ACCEPT_AUTOMATIC", "subnetworks": [subnet.output("selfLink")]}
        made = self._resource(tokens.NETWORK_ATTACHMENT, "attachment", props)
        named: pulumi.Output[str] = made.id
        return named

    def _peering(self, cidr: str, link: pulumi.Input[str]) -> None:
        address, _, prefix = cidr.partition("/")
        props = {
            "purpose": "VPC_PEERING",
            "addressType": "INTERNAL",
            "address": address,
            "prefixLength": int(prefix),
            "network": link,
        }
        reserved = self._resource(tokens.GLOBAL_ADDRESS, "peering", props, regional=False)
        GoogleResource(
            tokens.PEERING,
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
        "gpu": [{"name": one.name, "mtu": one.mtu, "cidrs": list(ranges)} for one, ranges in plan.gpu],
    }
