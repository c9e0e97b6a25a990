"""The ranges of networks at the pack's gates: one resource before it is made, all resources of the stack together.

Subnetworks and peering ranges count as one network where they name the same one: by its link, or, while that is not
known, by the resource that it comes from. What is in use elsewhere stands in the stack's `training:network`.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.infrastructure import NetworkFacts, Range
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.judge.resources import judge_facts
from trainingjobs.policy_pack.observe import plain
from trainingjobs.rules.registry import Levels

SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
KEY = FieldPath("training:network")
RULE = "cidr-overlap"


def configured_ranges(config: Mapping[str, str]) -> tuple[Range, ...]:
    """Returns the ranges that the stack's configuration says are in use elsewhere."""
    try:
        network = json.loads(config.get(KEY) or "{}")
    except ValueError:
        return ()
    reserved = network.get("reservedCidrs") if isinstance(network, Mapping) else None
    cidrs = reserved if isinstance(reserved, list) else []
    place = KEY / "reservedCidrs"
    return tuple(_ranges((place.item(at), "in use elsewhere", cidr) for at, cidr in enumerate(cidrs)))


def overlaps(
    token: str, struct: Any, reserved: tuple[Range, ...], levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what is wrong with the ranges of one resource, sorted; what is not known yet is advice."""
    if token not in (SUBNETWORK, ADDRESS):
        return []
    props = plain(struct)
    findings = _judged(reserved, _of_resource(token, props, FieldPath()), levels, environment)
    for path in ("ipCidrRange", "secondaryIpRanges", "address"):
        if props.get(path) is UNKNOWN:
            message = "not known yet, so the rule is judged again once it is"
            findings.append(Finding(rule=RULE, severity="advice", path=path, message=message, fix="nothing to do"))
    return sort_findings(findings)


def overlaps_together(
    resources: Iterable[Any], reserved: tuple[Range, ...], levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns the overlaps between resources of one network: what each shows by itself was told at its own gate."""
    networks: dict[str, list[list[Range]]] = {}
    for resource in resources:
        if resource.type in (SUBNETWORK, ADDRESS):
            props = plain(resource.properties)
            networks.setdefault(_network(resource, props), []).append(
                _of_resource(resource.type, props, FieldPath(resource.name))
            )
    findings: list[Finding] = []
    for _, ranges in sorted(networks.items()):
        alone = {
            finding for resource_ranges in ranges for finding in _judged(reserved, resource_ranges, levels, environment)
        }
        together = _judged(
            reserved, [entry for resource_ranges in ranges for entry in resource_ranges], levels, environment
        )
        findings += [finding for finding in together if finding not in alone]
    return sort_findings(findings)


def _judged(
    reserved: tuple[Range, ...], resource_ranges: list[Range], levels: Levels, environment: str | None
) -> list[Finding]:
    """What the configuration's ranges break among themselves is no resource's fault."""
    of_configuration, findings = (
        judge_facts(
            NetworkFacts(path="", environment=environment, ranges=(*reserved, *ranges)), levels, say_unknown=False
        )
        for ranges in ([], resource_ranges)
    )
    return [finding for finding in findings if finding not in of_configuration]


def _network(resource: Any, props: Mapping[str, Any]) -> str:
    """Returns what tells the resource's network from others: a name by itself is one of the resource's own project."""
    link, project = props.get("network"), props.get("project")
    of_project = f"projects/{project}/" if isinstance(project, str) else ""
    if isinstance(link, str):
        named = link[max(link.find("projects/"), 0) :]
        return named if "projects/" in named else f"{of_project}global/networks/{link.rpartition('/')[2]}"
    dependencies = resource.propertyDependencies
    sources = " ".join(sorted(dependencies["network"].urns)) if "network" in dependencies else ""
    return sources or of_project


def _of_resource(token: str, props: Mapping[str, Any], name: FieldPath) -> list[Range]:
    if token == ADDRESS:
        if props.get("purpose") != "VPC_PEERING":
            return []
        cidr = f"{props.get('address')}/{props.get('prefixLength')}"
        return list(_ranges([(name / "address", "peered", cidr)]))
    value = props.get("secondaryIpRanges")
    secondary = value if isinstance(value, list) else []
    return list(
        _ranges(
            [
                (name / "ipCidrRange", "subnetwork", props.get("ipCidrRange")),
                *(
                    ((name / "secondaryIpRanges").item(at) / "ipCidrRange", "secondary range", entry.get("ipCidrRange"))
                    for at, entry in enumerate(secondary)
                    if isinstance(entry, Mapping)
                ),
            ]
        )
    )


def _ranges(candidates: Iterable[tuple[str, str, Any]]) -> Iterator[Range]:
    """Yields what is a range: anything else is refused by Google or the program."""
    for path, what, cidr in candidates:
        try:
            ipaddress.IPv4Network(cidr if isinstance(cidr, str) else "")
        except ValueError:
            continue
        yield Range(path=path, what=what, cidr=cidr)
