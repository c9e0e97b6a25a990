"""A stack's plan: every job planned and judged before anything is declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from infra import catalog
from infra.plan.infrastructure import Infrastructure, infrastructure_findings, plan_infrastructure, with_hosts
from infra.plan.job_plan import JobPlan, plan_job
from infra.plan.placement import job_placement
from infra.plan.protected import unprotect_findings
from infra.plan.rules import Levels, judge
from infra.plan.structure import structure_findings
from infra.plan.whole_stack import whole_stack_findings
from infra.problems import Finding, has_errors, quote, render_findings, schema_error, sort_findings
from infra.spec.job import Job
from infra.spec.stack import Stack


class PlanError(Exception):
    """A specification that breaks rules; carries every finding, advice too."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(render_findings(findings))
        self.findings = findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a stack declares, and the advice that was found on the way."""

    stack: Stack
    jobs: tuple[JobPlan, ...]
    findings: tuple[Finding, ...]

    @property
    def infrastructure(self) -> Infrastructure:
        """Returns what the jobs need under them."""
        return plan_infrastructure(self.stack, self.jobs)


def judged_job(
    name: str,
    job: Job,
    *,
    region: str = "us-central1",
    environment: str | None = None,
    path: str = "",
    unknown: frozenset[str] = frozenset(),
    levels: Levels | None = None,
    in_stack: bool = False,
) -> tuple[JobPlan, list[Finding]]:
    """Returns a job's plan and what is wrong with it, sorted; `in_stack` as in plan_job."""
    plan = plan_job(name, job, region=region, environment=environment, path=path, unknown=unknown, in_stack=in_stack)
    structure = [*structure_findings(job, plan.pools, path, unknown), *job_placement(plan)]
    findings = [*structure, *judge(plan.facts, levels or Levels())]
    if job.platform != "vertex" and not has_errors(findings) and not unknown:
        findings += _without_objects(plan)
    return plan, sort_findings(findings)


def _without_objects(plan: JobPlan) -> list[Finding]:
    """Returns what a job's kind of Kubernetes object cannot hold, where the job would be another without it."""
    # The dialects know plans, so they are loaded where they are needed.
    from infra.dialects.deployed import Placement, deployed

    return [finding for finding in deployed(plan, Placement())[1] if finding.severity == "error"]


def stack_findings(
    stack: Stack, levels: Levels | None = None, unknown: frozenset[str] = frozenset()
) -> tuple[tuple[JobPlan, ...], list[Finding]]:
    """Returns the plans of a stack's jobs, by name, and everything that is wrong with them."""
    plans: list[JobPlan] = []
    findings: list[Finding] = list(_region_findings(stack))
    for name in sorted(stack.jobs):
        plan, found = judged_job(
            name,
            stack.jobs[name],
            region=stack.region,
            environment=stack.environment,
            path=f"training:jobs.{name}",
            unknown=unknown,
            levels=levels,
            in_stack=True,
        )
        plans.append(with_hosts(plan, stack.project))
        findings += found
    findings += infrastructure_findings(stack, tuple(plans), levels or Levels(), unknown)
    findings += whole_stack_findings(stack, tuple(plans), levels or Levels())
    if stack.unprotect and not unknown:
        findings += unprotect_findings(stack, plan_infrastructure(stack, tuple(plans)))
    return tuple(plans), sort_findings(findings)


def _region_findings(stack: Stack) -> Iterator[Finding]:
    """A region that does not exist is found by Google only when the job is submitted."""
    if stack.region not in catalog.regions():
        near = catalog.nearest_region(stack.region)
        allowed = "" if near else f"; one of {', '.join(catalog.regions())}"
        yield schema_error(
            "gcp:region",
            f"{quote(stack.region)} is no region with custom training{allowed}",
            f"did you mean {near}?" if near else "",
        )


def build_plan(stack: Stack, levels: Levels | None = None) -> Plan:
    """Returns the plan of a stack. Raises PlanError with all findings where one of them is an error."""
    plans, findings = stack_findings(stack, levels)
    if has_errors(findings):
        raise PlanError(findings)
    return Plan(stack=stack, jobs=plans, findings=tuple(findings))
