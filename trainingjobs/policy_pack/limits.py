"""The limits of a stack at the pack's gates: one job before it is made, all jobs of the stack together.

A limit stands in the stack's configuration and, from our own program, in the jobs' property `limits`; the strictest of
all that are told holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.stack import StackFacts, limits_of
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.registry import Levels

KEY = "training:limits"
PATH = "limits"


def configured_limits(config: Mapping[str, str]) -> Any:
    """Returns the limits of a stack's configuration, None where there are none."""
    try:
        return json.loads(config[KEY]) if config.get(KEY) else None
    except ValueError:
        # Our own program refuses such a configuration; here it limits nothing that could be read.
        return None


def limit_findings(
    jobs: Iterable[tuple[JobFacts, Any]], configured: Any, levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what the limits find in jobs, each given with its property `limits`, sorted."""
    facts, all_limits = [], [configured]
    for job, limits in jobs:
        facts.append(job)
        all_limits.append(limits)
    if not facts:
        return []
    readings = [limits_of(limits, PATH) for limits in all_limits]
    strictest = _strictest([limits for limits, _ in readings])
    environment = facts[0].environment or environment
    stack = StackFacts(jobs=tuple(facts), path=PATH, environment=environment, **strictest)
    return sort_findings([*(finding for _, findings in readings for finding in findings), *judge_facts(stack, levels)])


def together(
    jobs: list[tuple[JobFacts, Any]], configured: Any, levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what only all jobs together show: what each shows by itself was told at its own gate."""
    alone = {finding for job in jobs for finding in limit_findings([job], configured, levels, environment)}
    return [finding for finding in limit_findings(jobs, configured, levels, environment) if finding not in alone]


def _strictest(all_limits: list[dict[str, Any]]) -> dict[str, Any]:
    amounts = [limits["max_usd_per_hour"] for limits in all_limits if limits.get("max_usd_per_hour") is not None]
    accelerators: dict[str, int] = {}
    for limits in all_limits:
        for name, count in limits.get("accelerators", {}).items():
            accelerators[name] = min(count, accelerators.get(name, count))
    return {
        "max_usd_per_hour": min(amounts, default=None),
        "accelerators": accelerators,
        "unknown": frozenset().union(*(limits.get("unknown", ()) for limits in all_limits)),
    }
