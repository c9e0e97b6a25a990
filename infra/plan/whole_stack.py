"""What is judged of a stack as a whole: its jobs beside its limits, and the cluster that it keeps."""

from __future__ import annotations

from infra.plan.job_plan import JobPlan
from infra.plan.placement import CLUSTER, declares_cluster
from infra.plan.rules.registry import Levels, judge
from infra.plan.stack_facts import KeptFacts, StackFacts
from infra.problems import Finding
from infra.spec.stack import Stack

LIMITS = "training:limits"


def whole_stack_findings(stack: Stack, plans: tuple[JobPlan, ...], levels: Levels) -> list[Finding]:
    """Returns what the rules find in the stack that no job of it shows by itself."""
    limits = stack.limits
    facts = StackFacts(
        jobs=tuple(plan.facts for plan in plans),
        path=LIMITS,
        environment=stack.environment,
        max_usd_per_hour=limits.max_usd_per_hour if limits else None,
        accelerators=(limits.accelerators if limits else None) or {},
    )
    findings = judge(facts, levels)
    if stack.cluster is not None and declares_cluster(stack.cluster):
        cluster = KeptFacts(
            path=f"{CLUSTER}.deletionProtection",
            what="the cluster",
            environment=stack.environment,
            protected=stack.cluster.deletion_protection is not False,
        )
        findings += judge(cluster, levels)
    return findings
