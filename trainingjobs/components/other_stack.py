"""What this stack reads of another one: the one reader of what infra/outputs.py exports."""

from __future__ import annotations

import pulumi

from trainingjobs.components.network import NetworkHandles


def shared_network(stack: str) -> NetworkHandles:
    """Returns the network that another stack declares and exports. Fails where it exports none: it is no None here."""
    # File and bucket back ends call every organization so; Pulumi Cloud has names of its own.
    owner = pulumi.get_organization() or "organization"
    output = pulumi.StackReference(f"{owner}/{pulumi.get_project()}/{stack}").require_output("network")
    return NetworkHandles(
        network=output.apply(lambda network: network["network"]),
        subnetwork=output.apply(lambda network: network["subnetwork"]),
        gpu=output.apply(lambda network: network["gpuNetworks"]),
        attachment=output.apply(lambda network: network.get("attachment")),
    )
