"""Every rule, written once: importing this package registers them all. Ids are public (docs/rules.md)."""

from __future__ import annotations

from collections.abc import Mapping

from infra.plan.body_facts import facts_of_body
from infra.plan.rules import (
    consumption,
    deprecated,
    gke,
    identity,
    limits,
    machines,
    network,
    operations,
    pools,
    reducer_software,
    reducers,
    secrets,
)
from infra.plan.rules.registry import RULES, Levels, Problem, Rule, judge
from infra.problems import Finding, sort_findings

__all__ = ["RULES", "Levels", "Problem", "Rule", "judge", "structural_findings"]

MODULES = (
    consumption,
    deprecated,
    gke,
    identity,
    limits,
    machines,
    network,
    operations,
    pools,
    reducer_software,
    reducers,
    secrets,
)


def structural_findings(job_spec: Mapping[str, object], path: str = "jobSpec") -> list[Finding]:
    """Returns what the structural rules find in a CustomJobSpec body; nobody may lower them (the provider's check).

    A value that is not known yet is `infra.plan.facts.UNKNOWN`; a rule that needs it is put off.
    """
    facts, findings = facts_of_body(job_spec, path)
    return sort_findings([*findings, *judge(facts, only=lambda one: one.structural)])
