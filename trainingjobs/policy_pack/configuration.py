"""The severities of a run: what `--policy-pack-config` says, taken out of what the engine makes of it.

The engine fills in every policy that the file does not name with the level that the pack registered, so a level that
equals the registered one counts as unsaid. A rule whose default follows the environment is registered as `remediate`,
which none of them takes, so that each of mandatory, advisory and disabled can be told from silence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2 as pb

from trainingjobs.core.findings import SCHEMA, Finding
from trainingjobs.judge.policy import Policy
from trainingjobs.rules.registry import DEFAULT_LEVELS, RULES, Level, Levels

ALL = "all"
WORDS = {pb.ADVISORY: "advisory", pb.MANDATORY: "mandatory", pb.DISABLED: "disabled", pb.REMEDIATE: "remediate"}


def registered_level(policy: str) -> pb.EnforcementLevel.ValueType:
    """Returns the enforcement level under which a policy is listed."""
    rule = RULES.get(policy)
    if rule is None:
        return pb.MANDATORY
    if rule.severity != rule.prod_severity:
        return pb.REMEDIATE
    return pb.MANDATORY if rule.severity == "error" else pb.ADVISORY


@dataclass(frozen=True, slots=True)
class Configuration:
    """The severities, what is remediated, and what there is to say on every run: faults of the file, lowered errors.

    In `levels` a rule that is remediated is an error: it is judged after that.
    """

    levels: Levels = DEFAULT_LEVELS
    notes: tuple[Finding, ...] = ()
    remediated: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Any, environment: str | None) -> Configuration:
        """Returns what a ConfigureAnalyzerRequest says; `environment` is the stack's."""
        policy = Policy.of(written(request), environment, datetime.now(UTC).date())
        # A fault of the file lowers nothing, so it stops no run; it stands under the policy's name as written.
        faults = [replace(finding, rule=finding.path.split(".")[0], severity="advice") for finding in policy.findings]
        notes = tuple(replace(note, path="policy configuration") for note in (*faults, *policy.lowered))
        by_rule = policy.levels.by_rule
        remediated = tuple(rule_id for rule_id in sorted(by_rule) if by_rule[rule_id] == "remediate")
        enforced: dict[str, Level] = {**by_rule, **dict.fromkeys(remediated, "error")}
        return cls(replace(policy.levels, by_rule=enforced), notes, remediated)


def written(request: Any) -> dict[str, dict[str, Any]]:
    """Returns the policy configuration without what the engine has filled in."""
    policies = request.policyConfig
    default_level = policies[ALL].enforcementLevel if ALL in policies else None
    entries: dict[str, dict[str, Any]] = {}
    for policy in sorted(policies):
        level = policies[policy].enforcementLevel
        entry = json_format.MessageToDict(policies[policy].properties)
        filled_in = policy != ALL and level == (registered_level(policy) if default_level is None else default_level)
        if default_level is not None and not {"reason", "expires"}.isdisjoint(entry):
            # A line that lowers an error to the level of `all` would be taken for unsaid.
            filled_in = False
        if not filled_in or policy not in (*RULES, SCHEMA):
            entry["enforcementLevel"] = WORDS[level]
        if entry:
            entries[policy] = entry
    return entries
