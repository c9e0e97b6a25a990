"""A stack's plan: its jobs planned, and the facts of it that no job shows by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainingjobs import catalog
from trainingjobs.core.findings import Finding, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.stack import KeptFacts, StackFacts
from trainingjobs.plan.infrastructure import Infrastructure, plan_infrastructure
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.placement import CLUSTER, declares_cluster
from trainingjobs.spec.stack import Stack

LIMITS, REGION = FieldPath("training:limits"), FieldPath("gcp:region")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """What a stack declares."""

    stack: Stack
    jobs: tuple[JobPlan, ...]

    @property
    def infrastructure(self) -> Infrastructure:
        """Returns what the jobs need under them."""
        return plan_infrastructure(self.stack, self.jobs)


def stack_facts(stack: Stack, plans: tuple[JobPlan, ...]) -> list[StackFacts | KeptFacts]:
    """Returns what the rules judge of the stack as a whole: its jobs beside its limits, and the cluster it keeps."""
    limits = stack.limits
    facts: list[StackFacts | KeptFacts] = [
        StackFacts(
            jobs=tuple(plan.facts for plan in plans),
            path=LIMITS,
            environment=stack.environment,
            max_usd_per_hour=limits.max_usd_per_hour if limits else None,
            accelerators=(limits.accelerators if limits else None) or {},
        )
    ]
    if stack.cluster is not None and declares_cluster(stack.cluster):
        facts.append(
            KeptFacts(
                path=CLUSTER / "deletionProtection",
                what="the cluster",
                environment=stack.environment,
                protected=stack.cluster.deletion_protection is not False,
            )
        )
    return facts


def region_findings(stack: Stack) -> Iterator[Finding]:
    """Yields an error for a region that does not exist: Google finds it only when the job is submitted."""
    if stack.region not in catalog.regions():
        nearest = catalog.nearest_region(stack.region)
        allowed = "" if nearest else f"; one of {', '.join(catalog.regions())}"
        yield schema_error(
            REGION,
            f"{quote(stack.region)} is no region with custom training{allowed}",
            f"did you mean {nearest}?" if nearest else "",
        )
