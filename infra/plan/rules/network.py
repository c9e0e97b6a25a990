"""Rules of a network's ranges."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from infra.plan.infra_facts import NetworkFacts
from infra.plan.rules.registry import Problem, rule


@rule(
    "cidr-overlap",
    summary="No two ranges that reach each other overlap.",
    fix="move one of the two",
    source="VPC, Subnets; VPC Network Peering",
    subjects=(NetworkFacts,),
)
def cidr_overlap(network: NetworkFacts) -> Iterator[Problem]:
    """Everything declared, peered and configured; each pair is told once, at the later of the two."""
    ranges = [(one, ipaddress.IPv4Network(one.cidr)) for one in network.ranges]
    for number, (one, addresses) in enumerate(ranges):
        for other, others in ranges[:number]:
            if addresses.overlaps(others):
                yield Problem(
                    path=one.path,
                    message=f"{one.cidr} ({one.what}) overlaps {other.cidr} ({other.what}, {other.path})",
                )
