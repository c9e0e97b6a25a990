"""The ranges of networks at the pack's gates: one resource before it is made, all resources of the stack together.

Subnetworks and peering ranges count as one network where they name the same one: by its link, or, while that is not
known, by the resource that it comes from. What is in use elsewhere stands in the stack's `training:network`.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from infra.plan.facts import UNKNOWN
from infra.plan.infra_facts import NetworkFacts, Range
from infra.plan.rules import judge
from infra.plan.rules.registry import Levels
from infra.problems import Finding, sort_findings
from policies.observe import plain

SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
KEY = "training:network"
RULE = "cidr-overlap"


def configured_ranges(config: Mapping[str, str]) -> tuple[Range, ...]:
    """Returns the ranges that the stack's configuration says are in use elsewhere."""
    try:
        network = json.loads(config.get(KEY) or "{}")
    except ValueError:
        return ()
    given = network.get("reservedCidrs") if isinstance(network, Mapping) else None
    listed = given if isinstance(given, list) else []
    return tuple(_ranges((f"{KEY}.reservedCidrs[{at}]", "in use elsewhere", one) for at, one in enumerate(listed)))


def overlaps(
    token: str, struct: Any, reserved: tuple[Range, ...], levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what is wrong with the ranges of one resource, sorted; what is not known yet is advice."""
    if token not in (SUBNETWORK, ADDRESS):
        return []
    props = plain(struct)
    found = _judged(reserved, _of_resource(token, props, ""), levels, environment)
    for path in ("ipCidrRange", "secondaryIpRanges", "address"):
        if props.get(path) is UNKNOWN:
            waits = "not known yet, so the rule is judged again once it is"
            found.append(Finding(rule=RULE, severity="advice", path=path, message=waits, fix="nothing to do"))
    return sort_findings(found)


def overlaps_together(
    resources: Iterable[Any], reserved: tuple[Range, ...], levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns the overlaps between resources of one network: what each shows by itself was told at its own gate."""
    networks: dict[str, list[list[Range]]] = {}
    for one in resources:
        if one.type in (SUBNETWORK, ADDRESS):
            props = plain(one.properties)
            networks.setdefault(_network(one, props), []).append(_of_resource(one.type, props, f"{one.name}."))
    findings: list[Finding] = []
    for _, ranges in sorted(networks.items()):
        alone = {found for own in ranges for found in _judged(reserved, own, levels, environment)}
        together = _judged(reserved, [one for own in ranges for one in own], levels, environment)
        findings += [found for found in together if found not in alone]
    return sort_findings(findings)


def _judged(reserved: tuple[Range, ...], own: list[Range], levels: Levels, environment: str | None) -> list[Finding]:
    """What the configuration's ranges break among themselves is no resource's fault."""
    told, found = (
        judge(NetworkFacts(path="", environment=environment, ranges=(*reserved, *ranges)), levels)
        for ranges in ([], own)
    )
    return [one for one in found if one not in told]


def _network(resource: Any, props: Mapping[str, Any]) -> str:
    """Returns what tells the resource's network from others."""
    link = props.get("network")
    if isinstance(link, str):
        return link[max(link.find("projects/"), 0) :]
    dependencies = resource.propertyDependencies
    return " ".join(sorted(dependencies["network"].urns)) if "network" in dependencies else ""


def _of_resource(token: str, props: Mapping[str, Any], name: str) -> list[Range]:
    if token == ADDRESS:
        if props.get("purpose") != "VPC_PEERING":
            return []
        cidr = f"{props.get('address')}/{props.get('prefixLength')}"
        return list(_ranges([(f"{name}address", "peered", cidr)]))
    listed = props.get("secondaryIpRanges")
    secondary = listed if isinstance(listed, list) else []
    return list(
        _ranges(
            [
                (f"{name}ipCidrRange", "subnetwork", props.get("ipCidrRange")),
                *(
                    (f"{name}secondaryIpRanges[{at}].ipCidrRange", "secondary range", one.get("ipCidrRange"))
                    for at, one in enumerate(secondary)
                    if isinstance(one, Mapping)
                ),
            ]
        )
    )


def _ranges(given: Iterable[tuple[str, str, Any]]) -> Iterator[Range]:
    """Yields what is a range: anything else is refused by Google or the program."""
    for path, what, cidr in given:
        try:
            ipaddress.IPv4Network(cidr if isinstance(cidr, str) else "")
        except ValueError:
            continue
        yield Range(path=path, what=what, cidr=cidr)
