"""Ranges at the pack's two gates, and the infrastructure rules' samples as the resources that the program declares."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.components.recorder import Registered, declared
from tests.policies.pack import UNKNOWN, WORDS, analyzed, configured
from tests.policies.samples import SAMPLES, Sample, stack_samples
from trainingjobs.facts.infrastructure import ClusterFacts, NetworkFacts
from trainingjobs.policy_pack.analyzer import Analyzer
from trainingjobs.policy_pack.networks import ADDRESS, RULE, SUBNETWORK
from trainingjobs.rules import RULES

PROPS = {"network": "projects/p/global/networks/one", "ipCidrRange": "10.0.0.0/20"}
INFRASTRUCTURE_RULES = sorted(id_ for id_, rule in RULES.items() if {ClusterFacts, NetworkFacts} & set(rule.subjects))
INFRASTRUCTURE_SAMPLES = [sample for sample in stack_samples() if sample.rule in INFRASTRUCTURE_RULES]


def together(pack: Analyzer, *resources: dict[str, Any], comes_from: str = "") -> list[tuple[str, str, str]]:
    request = pb.AnalyzeStackRequest()
    for number, given in enumerate(resources):
        props = {key: value for key, value in given.items() if key != "token"}
        resource = request.resources.add(type=given.get("token", SUBNETWORK), name=f"r{number}")
        resource.properties.update(props)
        if comes_from:
            resource.propertyDependencies["network"].urns.append(f"{comes_from}{number % 2}")
    return [(d.policyName, WORDS[d.enforcementLevel], d.message) for d in pack.AnalyzeStack(request, None).diagnostics]


def reserving(*ranges: Any) -> Analyzer:
    pack = configured()
    config = {"training:network": json.dumps({"reservedCidrs": list(ranges)})}
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(stack="dev", project="training", config=config), None)
    return pack


@pytest.mark.parametrize("rule", INFRASTRUCTURE_RULES)
def test_each_infrastructure_rule_has_an_allowed_and_a_disallowed_sample(rule: str) -> None:
    assert {sample.allowed for sample in INFRASTRUCTURE_SAMPLES if sample.rule == rule} == {True, False}


def test_every_rule_has_samples() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == set(RULES)


def at_pack(resources: list[Registered], config: dict[str, Any]) -> set[tuple[str, str]]:
    pack = configured(environment=config["training:environment"])
    request = pb.AnalyzeStackRequest()
    violations = set()
    for resource in resources:
        inputs = {
            key: value for key, value in resource.inputs.items() if isinstance(value, str | int | bool | dict | list)
        }
        violations |= {(policy, level) for policy, level, _ in analyzed(pack, inputs, resource.token, resource.name)}
        properties = struct_pb2.Struct()
        properties.update(inputs)
        request.resources.add(type=resource.token, name=resource.name, properties=properties)
    return violations | {
        (d.policyName, WORDS[d.enforcementLevel]) for d in pack.AnalyzeStack(request, None).diagnostics
    }


# What breaks an error declares nothing: the program itself refuses it.
DECLARED = [sample for sample in INFRASTRUCTURE_SAMPLES if sample.allowed or RULES[sample.rule].severity == "advice"]


@pytest.mark.parametrize("sample", DECLARED, ids=lambda sample: sample.name)
def test_what_the_program_declares_gets_the_same_answer(sample: Sample) -> None:
    config = sample.document["config"]
    violations = {
        (policy, level) for policy, level in at_pack(declared(config), config) if policy in INFRASTRUCTURE_RULES
    }
    assert violations == (set() if sample.allowed else {(sample.rule, "advisory")})


def test_a_subnetwork_whose_own_ranges_overlap_is_stopped_before_it_is_made() -> None:
    inside = {**PROPS, "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.0.8.0/24"}]}
    [(policy, level, message)] = analyzed(configured(), inside, SUBNETWORK)
    assert (policy, level) == (RULE, "mandatory")
    assert message.startswith("secondaryIpRanges[0].ipCidrRange: ")
    assert together(configured(), inside) == [], "reported at the resource's own gate"
    apart = {**PROPS, "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.1.0.0/16"}]}
    assert analyzed(configured(), apart, SUBNETWORK) == []


def test_two_subnetworks_of_one_network_are_judged_together() -> None:
    inside = {**PROPS, "ipCidrRange": "10.0.8.0/24"}
    assert [analyzed(configured(), props, SUBNETWORK) for props in (PROPS, inside)] == [[], []]
    [(policy, level, message)] = together(configured(), PROPS, inside)
    assert (policy, level) == (RULE, "mandatory")
    assert "r1.ipCidrRange" in message
    assert together(configured(), PROPS, {**inside, "network": "projects/p/global/networks/two"}) == []
    full = "https://www.googleapis.com/compute/v1/projects/p/global/networks/one"
    assert together(configured(), PROPS, {**inside, "network": full})


def test_a_network_that_is_not_known_yet_is_identified_by_what_it_comes_from() -> None:
    unknown = {**PROPS, "network": UNKNOWN}
    assert together(configured(), unknown, unknown, comes_from="urn::vpc") == [], "two networks"
    assert together(configured(), unknown, unknown, {**unknown, "ipCidrRange": "10.0.8.0/24"}, comes_from="urn::vpc")


def test_what_is_peered_and_what_is_in_use_elsewhere_count() -> None:
    peered = {"token": ADDRESS, "purpose": "VPC_PEERING", "address": "10.0.4.0", "prefixLength": 24}
    assert together(configured(), PROPS, {**peered, "network": PROPS["network"]})
    assert not together(
        configured(), PROPS, {**peered, "purpose": "PRIVATE_SERVICE_CONNECT", "network": PROPS["network"]}
    )
    pack = reserving("10.0.0.0/8", "10.0.0.0/8", 7, "none")
    assert {policy for policy, _, _ in analyzed(pack, PROPS, SUBNETWORK)} == {RULE}
    assert analyzed(pack, {**PROPS, "ipCidrRange": "192.168.0.0/16"}, SUBNETWORK) == []


@pytest.mark.parametrize("cidr", [UNKNOWN, "10.0.0.0/40", "", 7, None, ["10.0.0.0/8"]])
def test_a_range_that_is_none_breaks_nothing_and_an_unknown_one_is_said(cidr: Any) -> None:
    violations = analyzed(configured(), {**PROPS, "ipCidrRange": cidr}, SUBNETWORK)
    assert {(policy, level) for policy, level, _ in violations} == ({(RULE, "advisory")} if cidr == UNKNOWN else set())


def test_equal_ranges_in_networks_of_two_projects() -> None:
    one, two = ({**PROPS, "network": "default", "project": project} for project in ("one", "two"))
    assert together(configured(), one, two) == []
    assert together(configured(), one, {**one, "ipCidrRange": "10.0.8.0/24"})
    link = {**PROPS, "network": "projects/one/global/networks/default"}
    assert together(configured(), one, link), "by its name and by its link it is the same network"
    assert together(configured(), {**one, "network": UNKNOWN}, {**two, "network": UNKNOWN}) == []
    assert together(
        configured(), {**one, "network": UNKNOWN}, {**one, "network": UNKNOWN, "ipCidrRange": "10.0.8.0/24"}
    )
