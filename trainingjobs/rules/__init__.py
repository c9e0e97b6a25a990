"""Every rule, written once: importing this package registers them all. Ids are public (docs/rules.md)."""

from __future__ import annotations

from collections.abc import Mapping

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import (
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
    unjudged,
)
from trainingjobs.rules.registry import RULES, Levels, Problem, Rule, evaluate

__all__ = ["RULES", "Levels", "Problem", "Rule", "evaluate", "structural_findings"]

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
    unjudged,
)


def structural_findings(job_spec: Mapping[str, object], path: str = "jobSpec") -> list[Finding]:
    """Returns what the structural rules find in a CustomJobSpec body; nobody may lower them (the provider's check).

    A value that is not known yet is `trainingjobs.facts.job.UNKNOWN`; a rule that needs it is put off.
    """
    facts, findings = facts_of_body(job_spec, path)
    return sort_findings([*findings, *evaluate(facts, only=lambda rule: rule.structural)])
