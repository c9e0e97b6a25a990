"""Limits that a program gives by itself: read as numbers, and never taken for no limit where they are ill-formed."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.stack import limits_of

V100 = "NVIDIA_TESLA_V100"
NOTHING = {"max_usd_per_hour": None, "accelerators": {}, "unknown": frozenset()}


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        (None, {}),
        (UNKNOWN, {"unknown": frozenset("*")}),
        ({}, NOTHING),
        ({"maxUsdPerHour": 100}, {**NOTHING, "max_usd_per_hour": 100.0}),
        ({"maxUsdPerHour": 0}, {**NOTHING, "max_usd_per_hour": 0.0}),
        ({"maxUsdPerHour": UNKNOWN}, {**NOTHING, "unknown": frozenset({"maxUsdPerHour"})}),
        ({"accelerators": {V100: 8.0, "A": 0}}, {**NOTHING, "accelerators": {V100: 8, "A": 0}}),
        ({"accelerators": {V100: None}}, NOTHING),
        ({"accelerators": UNKNOWN}, {**NOTHING, "unknown": frozenset({"accelerators"})}),
        (
            {"accelerators": {V100: UNKNOWN, "A": 1}},
            {**NOTHING, "accelerators": {"A": 1}, "unknown": frozenset({"accelerators"})},
        ),
    ],
)
def test_what_is_read(given: Any, limits: dict[str, Any]) -> None:
    assert limits_of(given, "limits") == (limits, [])


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ([1], "limits"),
        ("100", "limits"),
        ({"maxUsdPerHour": "100"}, "limits.maxUsdPerHour"),
        ({"maxUsdPerHour": -1}, "limits.maxUsdPerHour"),
        ({"maxUsdPerHour": True}, "limits.maxUsdPerHour"),
        ({"maxUsdPerHour": float("nan")}, "limits.maxUsdPerHour"),
        ({"accelerators": 8}, "limits.accelerators"),
        ({"accelerators": {V100: "8"}}, f"limits.accelerators.{V100}"),
        ({"maxUsd": 1}, "limits.maxUsd"),
        ({"something else": UNKNOWN}, "limits.something else"),
    ],
)
def test_what_is_ill_formed(given: Any, path: str) -> None:
    _, findings = limits_of(given, "limits")
    assert [(each.rule, each.severity, each.path) for each in findings] == [("schema", "error", path)]


def test_an_ill_formed_whole_puts_its_rules_off() -> None:
    assert limits_of("100", "limits")[0] == {"unknown": frozenset("*")}


def test_a_word_that_is_nearly_one_of_the_keys_is_named() -> None:
    _, [finding] = limits_of({"maxUsdPerHours": 1}, "limits")
    assert "maxUsdPerHour" in finding.fix
