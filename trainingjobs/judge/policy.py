"""A policy configuration read: the levels in force, what is wrong with it, and which errors it lowers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding
from trainingjobs.rules.enforcement import read_levels
from trainingjobs.rules.registry import DEFAULT_LEVELS, Levels

if TYPE_CHECKING:
    from trainingjobs.judge.judgement import Source


@dataclass(frozen=True, slots=True)
class Policy:
    """The levels in force, the configuration's own findings, and one of advice for each error that it lowers."""

    levels: Levels = DEFAULT_LEVELS
    findings: tuple[Finding, ...] = ()
    lowered: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, config: Mapping[str, Any], environment: str | None, today: date) -> Policy:
        """Returns what a configuration says; `environment` is the stack's, None where nothing says it."""
        levels, faults, lowered = read_levels(config, environment, today)
        return cls(levels, tuple(faults), tuple(lowered))


def policy_of(source: Source, environment: str | None) -> tuple[Policy, tuple[str, ...], tuple[str, ...]]:
    """Returns the policy of a stack, one line for each error that it lowers, and hints."""
    if source.unread_policy is not None:
        return Policy(findings=(source.unread_policy.at(source.policy_label),)), (), ()
    if source.policy is None:
        hint = f"{source.policy_label}: not there; rules have the default severities of {environment}"
        return Policy(), (), (hint,) if source.policy_label else ()
    policy = Policy.of(source.policy, environment, source.today)
    findings = tuple(finding.at(source.policy_label) for finding in policy.findings)
    lowered = tuple(f"{source.policy_label}: {finding.rule} {finding.message}" for finding in policy.lowered)
    return Policy(policy.levels, findings, policy.lowered), lowered, ()
