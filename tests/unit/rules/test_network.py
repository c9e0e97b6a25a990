from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainingjobs.core.paths import FieldPath
from trainingjobs.plan.network import layout, network_facts
from trainingjobs.rules import evaluate
from trainingjobs.spec.network import Network


def network(**fields: Any) -> Network:
    return Network.model_validate(fields)


def overlaps(**fields: Any) -> list[str]:
    findings = evaluate(network_facts(network(**fields), FieldPath("training:network"), "dev"))
    assert {each.rule for each in findings} <= {"cidr-overlap"}
    return [each.path for each in findings]


@given(st.integers(8, 20), st.integers(0, 2**32 - 1))
def test_the_layout_lies_within_the_range_and_overlaps_nowhere(prefix: int, address: int) -> None:
    whole = ipaddress.IPv4Network((address >> (32 - prefix) << (32 - prefix), prefix))
    parts = [ipaddress.IPv4Network(part) for part in layout(network(cidr=str(whole))).values()]
    assert all(part.subnet_of(whole) for part in parts)
    assert not [(a, b) for i, a in enumerate(parts) for b in parts[:i] if a.overlaps(b)]


def test_what_the_user_says_of_a_part_goes_first() -> None:
    assert layout(network(cidr="10.20.0.0/16", podsCidr="10.128.0.0/14"))["pods"] == "10.128.0.0/14"


@pytest.mark.parametrize("prefix", [7, 21])
def test_a_range_that_is_too_large_or_too_small_has_no_layout(prefix: int) -> None:
    assert layout(network(cidr=f"10.0.0.0/{prefix}")) == {}


def test_ranges_in_use_elsewhere_are_kept_clear() -> None:
    assert overlaps(cidr="10.20.0.0/16", reservedCidrs=["192.168.0.0/16"]) == []
    assert overlaps(cidr="10.20.0.0/16", reservedCidrs=["10.20.64.0/19"]) == ["training:network.reservedCidrs[0]"]


def test_an_overlap_is_reported_where_the_user_can_correct_it() -> None:
    paths = overlaps(cidr="10.20.0.0/16", podsCidr="10.20.0.0/17")
    assert set(paths) == {"training:network.podsCidr"}
    assert overlaps(cidr="10.20.0.0/16", nodesCidr="10.20.128.0/18") == ["training:network.nodesCidr"]
    assert overlaps(cidr="10.20.0.0/16", podsCidr="10.21.0.0/16", servicesCidr="10.21.0.0/20")
