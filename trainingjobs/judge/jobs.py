"""A typed job → its plan and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainingjobs.core.findings import Finding, did_you_mean, has_errors, quote, schema_error, sort_findings
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import JobFacts
from trainingjobs.plan.job import JobPlan, plan_job
from trainingjobs.plan.placement import job_placement
from trainingjobs.plan.structure import structure_findings
from trainingjobs.rules import evaluate
from trainingjobs.rules.registry import DEFAULT_LEVELS, Levels
from trainingjobs.spec.job import Job
from trainingjobs.workloads.kubernetes import KubernetesWorkload, Placement, deployed
from trainingjobs.workloads.registry import Workload, is_kind, kind_findings, kinds, workload_of


def judge_job(
    name: str,
    job: Job,
    *,
    region: str = "us-central1",
    environment: str | None = None,
    path: str = "",
    unknown: frozenset[str] = frozenset(),
    levels: Levels = DEFAULT_LEVELS,
    in_stack: bool = False,
) -> tuple[JobPlan, list[Finding]]:
    """Returns a job's plan and what is wrong with it, sorted.

    Paths start with `path`; `unknown` are places that were left out because they are ill-formed. A stack (`in_stack`)
    gives a Vertex AI job that names none a folder of its own in the output bucket.
    """
    at = FieldPath(path)
    findings = list(_unknown_kind(job, at))
    if findings:
        job, unknown = job.model_copy(update={"kind": None}), unknown | {at / "kind"}
    kind = workload_of(job)
    plan = plan_job(
        name,
        job,
        kind=kind.kind,
        region=region,
        environment=environment,
        path=at,
        unknown=unknown,
        in_stack=in_stack,
    )
    plan = replace(plan, facts=_with_kind(plan, kind))
    findings += _structure(plan, at, unknown)
    findings += job_placement(plan)
    findings += evaluate(plan.facts, levels)
    if isinstance(kind, KubernetesWorkload) and not has_errors(findings) and not unknown:
        # What the job's kind of object cannot hold, where the job would be another without it.
        findings += [finding for finding in deployed(plan, Placement())[1] if finding.severity == "error"]
    return plan, sort_findings(findings)


def _unknown_kind(job: Job, path: FieldPath) -> Iterator[Finding]:
    if job.kind is None or is_kind(job.kind):
        return
    nearest = did_you_mean(job.kind, kinds())
    message = f"{quote(job.kind)} is not allowed; one of {', '.join(kinds())}"
    yield schema_error(path / "kind", message, f"did you mean {nearest}?" if nearest else "")


def _with_kind(plan: JobPlan, kind: Workload) -> JobFacts:
    deprecation = f"{kind.title} {kind.deprecation}" if kind.deprecation else ""
    return replace(
        plan.facts,
        kind_deprecation=deprecation,
        kind_successor=kind.successor,
        names_master=kind.names_master(plan.job),
    )


def _structure(plan: JobPlan, path: FieldPath, unknown: frozenset[str]) -> Iterator[Finding]:
    """Yields what is missing or stands where it cannot; nothing about fields that are reported already."""
    # What goes with a kind cannot be said of a kind, or of a platform's default kind, that is ill-formed.
    kind_is_known = unknown.isdisjoint((path / "kind", path / "platform"))
    of_kind = kind_findings(plan.job, path) if kind_is_known else ()
    for finding in (*of_kind, *structure_findings(plan.job, plan.pools, path)):
        if not any(FieldPath(finding.path).within(place) for place in unknown):
            yield finding
