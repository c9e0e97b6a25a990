"""A stack file → its jobs' plans and what is wrong with any of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error, sort_findings
from trainingjobs.core.paths import FieldPath
from trainingjobs.judge.jobs import judge_job
from trainingjobs.judge.judgement import Judgement, Source, unreadable
from trainingjobs.judge.policy import policy_of
from trainingjobs.plan.infrastructure import (
    infrastructure_facts,
    placement_findings,
    plan_infrastructure,
    with_hosts,
)
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.protected import unprotect_findings
from trainingjobs.plan.stack import region_findings, stack_facts
from trainingjobs.rules import evaluate
from trainingjobs.rules.registry import DEFAULT_LEVELS, Levels
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, beside_config, stack_document
from trainingjobs.workloads.vertex import vertex_workloads

JOBS, KEEP_JOBS = FieldPath("training:jobs"), FieldPath("training:keepJobs")


def judge_stack_file(document: Mapping[str, Any], source: Source) -> Judgement:
    """Returns what a stack file holds."""
    try:
        configuration = stack_document(document)
    except DocumentError as error:
        return unreadable(source.label, error.finding)
    reading = read_model(Stack, configuration, renamed=PATHS)
    of_reading = [*beside_config(document), *reading.findings]
    if not isinstance(reading.value, Stack):
        return Judgement(source.label, findings=tuple(finding.at(source.label) for finding in of_reading))
    policy, lowered, hints = policy_of(source, reading.value.environment)
    plans, findings = judge_stack(reading.value, policy.levels, reading.unknown)
    return Judgement(
        source.label,
        plans,
        (*(finding.at(source.label) for finding in (*of_reading, *findings)), *policy.findings),
        lowered=lowered,
        hints=hints,
        stack=reading.value,
    )


def _kept_jobs(stack: Stack) -> Iterator[Finding]:
    """Yields an error for a job to keep whose collection Vertex AI does not have: nothing would be kept."""
    collections = [kind.collection for kind in vertex_workloads()]
    for index, name in enumerate(stack.keep_jobs or ()):
        collection = name.split("/")[4]
        if collection not in collections:
            nearest = did_you_mean(collection, collections)
            message = f"{quote(collection)} is no collection of jobs; one of {', '.join(collections)}"
            yield schema_error(KEEP_JOBS.item(index), message, f"did you mean {nearest}?" if nearest else "")


def judge_stack(
    stack: Stack, levels: Levels = DEFAULT_LEVELS, unknown: frozenset[str] = frozenset()
) -> tuple[tuple[JobPlan, ...], list[Finding]]:
    """Returns the plans of a stack's jobs, by name, and everything that is wrong with them and under them."""
    plans: list[JobPlan] = []
    findings = [*region_findings(stack), *_kept_jobs(stack)]
    for name in sorted(stack.jobs):
        plan, of_job = judge_job(
            name,
            stack.jobs[name],
            region=stack.region,
            environment=stack.environment,
            path=JOBS / name,
            unknown=unknown,
            levels=levels,
            in_stack=True,
        )
        plans.append(with_hosts(plan, stack.project))
        findings += of_job
    jobs = tuple(plans)
    findings += placement_findings(stack, jobs, unknown)
    for facts in (*infrastructure_facts(stack, unknown), *stack_facts(stack, jobs)):
        findings += evaluate(facts, levels)
    if stack.unprotect and not unknown:
        findings += unprotect_findings(stack, plan_infrastructure(stack, jobs))
    return jobs, sort_findings(findings)
