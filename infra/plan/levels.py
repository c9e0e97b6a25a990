"""A stack's policy configuration (Pulumi's own format) → severities of the rules, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.plan.rules.registry import RULES, Level, Levels, Rule
from infra.problems import Finding, did_you_mean, quote, schema_error

ENFORCEMENT: dict[str, Level] = {"mandatory": "error", "remediate": "error", "advisory": "advice", "disabled": "off"}
RANK = {"off": 0, "advice": 1, "error": 2}


def read_levels(config: Mapping[str, Any], environment: str | None) -> tuple[Levels, list[Finding], list[Finding]]:
    """Returns the severities, the faults of the configuration, and one line of advice for each error that is lowered.

    A value is an enforcement level or an object with `enforcementLevel`, as Pulumi reads it; `all` sets the default of
    every rule that is not named.
    """
    levels: dict[str, Level] = {}
    faults: list[Finding] = []
    lowered: list[Finding] = []
    everywhere = _level("all", config["all"], faults) if "all" in config else None
    for key in sorted(config):
        if key != "all" and key not in RULES:
            near = did_you_mean(key, RULES)
            faults.append(schema_error(key, "no such rule", f"did you mean {near}?" if near else "see docs/rules.md"))
    for rule_id, rule in RULES.items():
        level = _level(rule_id, config[rule_id], faults) if rule_id in config else everywhere
        if level is None:
            continue
        if rule.structural and RANK[level] < RANK["error"]:
            if rule_id in config:
                faults.append(schema_error(rule_id, "structural; nobody may lower it", "remove it"))
            continue
        levels[rule_id] = level
        if RANK[level] < RANK[rule.default_severity(environment)] == RANK["error"]:
            lowered.append(_lowered(rule, level, config.get(rule_id)))
    return Levels(levels), faults, lowered


def _level(key: str, value: Any, faults: list[Finding]) -> Level | None:
    said = value.get("enforcementLevel") if isinstance(value, Mapping) else value
    if said is None:
        return None
    if not isinstance(said, str) or said not in ENFORCEMENT:
        near = did_you_mean(str(said), ENFORCEMENT)
        faults.append(
            schema_error(
                key,
                f"{quote(said)} is no enforcement level; one of {', '.join(sorted(ENFORCEMENT))}",
                f"did you mean {near}?" if near else "",
            )
        )
        return None
    return ENFORCEMENT[said]


def _lowered(rule: Rule, level: Level, value: Any) -> Finding:
    reason = value.get("reason") if isinstance(value, Mapping) else None
    why = f": {quote(reason)}" if reason else ""
    return Finding(
        rule=rule.id,
        severity="advice",
        path=rule.id,
        message=f"lowered from error to {level}{why}",
        fix="remove the line to raise it again",
    )
