"""Stacks and job files from disk, planned and judged: what the verbs share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infra.dialects.vertex_fields import CUSTOM_JOB, type_errors, unknown_keys
from infra.plan.body_facts import camel_keys, facts_of_body
from infra.plan.job_plan import JobPlan
from infra.plan.levels import read_levels
from infra.plan.plan import judged_job, stack_findings
from infra.plan.rules import judge
from infra.plan.rules.registry import DEFAULT_LEVELS, Levels
from infra.problems import Finding, did_you_mean, schema_error, sort_findings
from infra.spec.keys import PATHS, stack_document
from infra.spec.reading import read_job, read_model
from infra.spec.stack import Stack
from infra.spec.text import SIZE_LIMIT, DocumentError, decode, parse_document

ROOT = Path(__file__).resolve().parents[2]
STACKS = ROOT / "stacks"
POLICY_CONFIG = ROOT / "policies" / "config"
STACK_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Judged:
    """What an input holds: its plans, the findings, and lines that are worth saying beside them."""

    source: str
    plans: tuple[JobPlan, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    stack: Stack | None = field(default=None)


def stack_names() -> list[str]:
    """Returns the names of the stacks that have a file, sorted."""
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in STACKS.glob("Pulumi.*.yaml"))


def judged_stack(name: str) -> Judged:
    """Returns what the stack's file holds."""
    path = STACKS / f"Pulumi.{name}.yaml"
    source = f"stacks/Pulumi.{name}.yaml"
    if not STACK_NAME.fullmatch(name) or not path.is_file():
        near = did_you_mean(name, stack_names())
        fix = f"did you mean {near}?" if near else f"there are {', '.join(stack_names()) or 'none'}"
        return _unreadable(source, DocumentError("no such stack", fix).finding)
    try:
        document = stack_document(read_file(path))
    except DocumentError as error:
        return _unreadable(source, error.finding)
    reading = read_model(Stack, document, renamed=PATHS)
    if not isinstance(reading.value, Stack):
        return Judged(source, findings=tuple(finding.at(source) for finding in reading.findings))
    levels, faults, notes = stack_levels(name, reading.value.environment)
    plans, findings = stack_findings(reading.value, levels, reading.unknown)
    return Judged(
        source,
        plans,
        (*(finding.at(source) for finding in (*reading.findings, *findings)), *faults),
        notes,
        reading.value,
    )


def stack_levels(name: str, environment: str | None) -> tuple[Levels, tuple[Finding, ...], tuple[str, ...]]:
    """Returns the severities that policies/config/<stack>.json sets, its faults, and what to say of it."""
    path = POLICY_CONFIG / f"{name}.json"
    source = f"policies/config/{name}.json"
    if not path.is_file():
        return DEFAULT_LEVELS, (), (f"{source}: not there; rules have the default severities of {environment}",)
    try:
        config = read_file(path)
    except DocumentError as error:
        return DEFAULT_LEVELS, (error.finding.at(source),), ()
    levels, faults, lowered = read_levels(config, environment)
    notes = tuple(f"{source}: {finding.rule} {finding.message}" for finding in lowered)
    return levels, tuple(finding.at(source) for finding in faults), notes


def read_file(path: Path) -> dict[str, Any]:
    """Returns the mapping in a file. Raises DocumentError where it cannot be read or is none."""
    try:
        if path.stat().st_size > 4 * SIZE_LIMIT:
            raise DocumentError(f"{path.stat().st_size} bytes; at most {SIZE_LIMIT} characters are read")
        return parse_document(decode(path.read_bytes()))
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}", "name a readable file") from None


def job_name(path: Path) -> str:
    """Returns the file's stem made a legal job name: lower case, other characters `-`; never refused."""
    words = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")
    if not words or not words[0].isalpha():
        words = f"job-{words}".strip("-")
    return words[:40].rstrip("-")


def judged_file(given: str) -> Judged:
    """Returns what a file holds: a job document, or a description from elsewhere, which is recognised."""
    path = Path(given)
    try:
        document = read_file(path)
    except DocumentError as error:
        return _unreadable(given, error.finding)
    return judged_document(document, job_name(path), given)


def judged_body(document: Mapping[str, Any], name: str, source: str) -> Judged:
    """Returns what a Vertex CustomJob, or a bare CustomJobSpec, holds: its findings; a body has no plan."""
    body = camel_keys(document)
    inner = body.get("jobSpec") if "jobSpec" in body else body
    path = "jobSpec" if "jobSpec" in body else ""
    if not isinstance(inner, Mapping):
        return Judged(source, findings=(schema_error("jobSpec", "no object; a CustomJobSpec is needed").at(source),))
    facts, findings = facts_of_body(inner, path, name=name)
    findings += judge(facts)
    reported = {finding.path for finding in findings}
    wrong = [*type_errors(inner, "CustomJobSpec", path), *(unknown_keys(body, CUSTOM_JOB, "") if path else ())]
    findings += [schema_error(place, reason) for place, reason in wrong if place not in reported]
    return Judged(source, findings=tuple(finding.at(source) for finding in sort_findings(findings)))


def is_body(document: Mapping[str, Any]) -> bool:
    """Returns whether a document is a Vertex CustomJob or CustomJobSpec."""
    return bool({"jobSpec", "job_spec", "workerPoolSpecs", "worker_pool_specs"} & document.keys())


def judged_document(document: Mapping[str, Any], name: str, source: str) -> Judged:
    """Returns what a job document holds; `source` names it in the findings."""
    if is_body(document):
        return judged_body(document, name, source)
    reading = read_job(document)
    findings = list(reading.findings)
    plans: tuple[JobPlan, ...] = ()
    if reading.value is not None:
        plan, found = judged_job(name, reading.value, unknown=reading.unknown)
        plans, findings = (plan,), findings + found
    return Judged(source, plans, tuple(finding.at(source) for finding in findings))


def one_job(args: Any) -> tuple[JobPlan | None, Judged]:
    """Returns the job that `--stack S --job J` or `--file F` names, None where there is none, and its input."""
    judged = judged_file(args.file) if args.file else judged_stack(args.stack)
    if args.file:
        return (judged.plans[0] if judged.plans else None), judged
    found = next((plan for plan in judged.plans if plan.name == args.job), None)
    if found is None:
        return None, _without_job(judged, args.job)
    prefix = f"{found.path}."
    mine = tuple(
        f for f in judged.findings if f.path == found.path or f.path.startswith(prefix) or "training:" not in f.path
    )
    return found, Judged(judged.source, (found,), mine, judged.notes, judged.stack)


def _without_job(judged: Judged, job: str) -> Judged:
    names = [plan.name for plan in judged.plans]
    near = did_you_mean(job, names)
    missing = schema_error(
        f"training:jobs.{job}",
        "no such job",
        f"did you mean {near}?" if near else f"there are {', '.join(names) or 'none'}",
    )
    if any(finding.rule == "syntax" for finding in judged.findings):
        return judged
    return Judged(judged.source, (), (*judged.findings, missing.at(judged.source)), judged.notes)


def dump(value: Any) -> str:
    """Returns a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _unreadable(source: str, finding: Finding) -> Judged:
    return Judged(source, findings=(finding.at(source),))
