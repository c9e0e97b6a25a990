"""Rules of a network's ranges."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from trainingjobs.facts.infrastructure import NetworkFacts
from trainingjobs.rules.registry import Problem, rule


@rule(
    "cidr-overlap",
    summary="No two ranges that reach each other overlap.",
    fix="move one of the two",
    source="VPC, Subnets; VPC Network Peering",
    subjects=(NetworkFacts,),
)
def cidr_overlap(network: NetworkFacts) -> Iterator[Problem]:
    """Everything declared, peered and configured; each pair is told once, at the later of the two."""
    ranges = [(entry, ipaddress.IPv4Network(entry.cidr)) for entry in network.ranges]
    for number, (entry, addresses) in enumerate(ranges):
        for other, other_addresses in ranges[:number]:
            if addresses.overlaps(other_addresses):
                yield Problem(
                    path=entry.path,
                    message=f"{entry.cidr} ({entry.what}) overlaps {other.cidr} ({other.what}, {other.path})",
                )
