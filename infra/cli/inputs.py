"""Stacks and job files from disk, planned and judged: what the verbs share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from infra.cli.output import note, say
from infra.dialects.convert import Kind, recognise, to_job_document
from infra.dialects.from_study import COUNTS
from infra.dialects.vertex_fields import CUSTOM_JOB, beside_errors, type_errors, unknown_keys
from infra.dialects.vertex_refusals import job_refusals, pool_refusals
from infra.plan.body_facts import camel_keys, doubled_keys, facts_of_body
from infra.plan.facts import UNKNOWN
from infra.plan.job_plan import JobPlan
from infra.plan.plan import judged_job, stack_findings
from infra.plan.rules import judge
from infra.problems import Finding, did_you_mean, quote, schema_error, sort_findings
from infra.project_files import POLICY_CONFIG, STACKS, read_file, stack_levels, stack_names
from infra.spec.keys import PATHS, beside_config, stack_document
from infra.spec.reading import read_job, read_model
from infra.spec.stack import Stack
from infra.spec.text import DocumentError

STACK_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Judged:
    """What an input holds: its plans and the findings.

    `lowered` says which rules its configuration lowers, which is said on every run; `hints` what is worth knowing.
    """

    source: str
    plans: tuple[JobPlan, ...] = ()
    findings: tuple[Finding, ...] = ()
    lowered: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    stack: Stack | None = field(default=None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns all lines that are worth saying beside the findings."""
        return (*self.hints, *self.lowered)


def judged_stack(name: str) -> Judged:
    """Returns what the stack's file holds."""
    path = STACKS / f"Pulumi.{name}.yaml"
    source = f"stacks/Pulumi.{name}.yaml"
    if not STACK_NAME.fullmatch(name) or not os.path.lexists(path):
        near = did_you_mean(Path(name).name.removeprefix("Pulumi.").removesuffix(".yaml"), stack_names())
        fix = f"did you mean {near}?" if near else f"there are {', '.join(stack_names()) or 'none'}"
        return _unreadable(source, DocumentError("no such stack", fix).finding)
    try:
        file = read_file(path)
        document = stack_document(file)
    except DocumentError as error:
        return _unreadable(source, error.finding)
    reading = read_model(Stack, document, renamed=PATHS)
    read = (*beside_config(file), *reading.findings)
    if not isinstance(reading.value, Stack):
        return Judged(source, findings=tuple(finding.at(source) for finding in read))
    levels, faults, notes = stack_levels(name, reading.value.environment)
    plans, findings = stack_findings(reading.value, levels, reading.unknown)
    has_configuration = (POLICY_CONFIG / f"{name}.json").is_file()
    return Judged(
        source,
        plans,
        (*(finding.at(source) for finding in (*read, *findings)), *faults),
        lowered=notes if has_configuration else (),
        hints=() if has_configuration else notes,
        stack=reading.value,
    )


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
        _refuse_stack(document, path)
    except DocumentError as error:
        return _unreadable(given, error.finding)
    return judged_document(document, job_name(path), given)


def _refuse_stack(document: Mapping[str, Any], path: Path) -> None:
    """Raises DocumentError for the file of a stack: every key of it would be refused as a job's."""
    config = document.get("config")
    if not isinstance(config, Mapping) or not any(str(key).startswith(("gcp:", "training:")) for key in config):
        return
    name = path.name.removeprefix("Pulumi.").removesuffix(".yaml").removesuffix(".yml")
    there = name in stack_names()
    fix = f"use --stack {name}" if there else f"put it under stacks/ as Pulumi.{name}.yaml and use --stack {name}"
    raise DocumentError("this is the file of a stack, not of a job", fix, "config")


def judged_document(document: Mapping[str, Any], name: str, source: str) -> Judged:
    """Returns what a document holds; `source` names it in the findings.

    A Vertex body is judged as it stands; other languages are judged as the job that they become.
    """
    kind = recognise(document) or "job"
    if kind == "custom-job":
        findings = [*doubled_keys(document), *body_findings(camel_keys(document), name)]
        plan, of_job = _converted(kind, document, name)
        findings += around_body(camel_keys(document), of_job, {finding.path for finding in findings})
        return Judged(source, plan, tuple(finding.at(source) for finding in sort_findings(findings)))
    plan, findings = _job(document, name) if kind == "job" else _converted(kind, document, name)
    return Judged(source, plan, tuple(finding.at(source) for finding in sort_findings(findings)))


def _converted(kind: Kind, document: Mapping[str, Any], name: str) -> tuple[tuple[JobPlan, ...], list[Finding]]:
    try:
        converted, lost = to_job_document(kind, document, name)
    except DocumentError as error:
        return (), [error.finding]
    plan, findings = _job(converted, name)
    return plan, [*lost, *findings]


def _job(document: Mapping[str, Any], name: str) -> tuple[tuple[JobPlan, ...], list[Finding]]:
    reading = read_job(document)
    if reading.value is None:
        return (), list(reading.findings)
    plan, findings = judged_job(name, reading.value, unknown=reading.unknown)
    return (plan,), [*reading.findings, *findings]


# What a tuning job has beside its CustomJobSpec.
AROUND_BODY = ("studySpec", *COUNTS)
# Where each of Vertex's jobs keeps its CustomJobSpec.
SPEC_PATHS = (("jobSpec",), ("trialJobSpec",), ("trainingTaskInputs", "trialJobSpec"), ("trainingTaskInputs",))


def body_findings(body: Mapping[str, Any], name: str) -> list[Finding]:
    """Returns what is wrong with a Vertex job body, or a bare CustomJobSpec: keys, types, rules and what is missing."""
    place = next((place for place in SPEC_PATHS if _at(body, place) is not None), ())
    path, spec = ".".join(place), _at(body, place)
    if not isinstance(spec, Mapping):
        return [schema_error(path, "no object; a CustomJobSpec is needed")]
    facts, findings = facts_of_body(spec, path, name=name, labels=body.get("labels") if path else UNKNOWN)
    findings += judge(facts)
    reported = {finding.path for finding in findings}
    wrong = list(type_errors(spec, "CustomJobSpec", path))
    if path == "jobSpec":
        wrong += unknown_keys(body, CUSTOM_JOB, "")
    if path:
        wrong += beside_errors(body)
        findings += job_refusals(body)
    findings += [schema_error(at, reason) for at, reason in wrong if at not in reported]
    return [*findings, *pool_refusals(spec, facts.pools)]


def around_body(body: Mapping[str, Any], converted: list[Finding], reported: set[str]) -> list[Finding]:
    """Returns what is wrong beside the CustomJobSpec of a tuning job or a pipeline: with its study, counts and model.

    `converted` are the findings about the job document that the body becomes; they are told at the body's own places.
    """
    if "trialJobSpec" not in body and "trainingTaskInputs" not in body:
        return []
    found = []
    for finding in converted:
        path = _in_body(finding.path)
        key = path.partition(".")[0].partition("[")[0]
        of_spec = any(path.startswith(".".join(place)) for place in SPEC_PATHS)
        said = any(place.startswith(path) for place in reported)
        if finding.severity == "error" and not of_spec and not said and (key in body or key in AROUND_BODY):
            found.append(replace(finding, path=path))
            reported.add(path)
    return found


def _in_body(path: str) -> str:
    head, _, rest = path.partition(".")
    if head != "tuning":
        return path
    return rest if rest in COUNTS else f"studySpec.{rest}".rstrip(".")


def _at(body: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        body = body.get(key) if isinstance(body, Mapping) else None
    return body


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
    return found, replace(judged, plans=(found,), findings=mine)


def _without_job(judged: Judged, job: str) -> Judged:
    if judged.stack is None:
        # What cannot be read may hold the job.
        return judged
    names = [plan.name for plan in judged.plans]
    near = did_you_mean(job, names)
    fix = f"did you mean {near}?" if near else f"there are {', '.join(names) or 'none'}"
    missing = DocumentError(f"no such job: {quote(job)}", fix, "training:jobs").finding.at(judged.source)
    return replace(judged, plans=(), findings=(missing,))


def tell_notes(args: Any, judged: Judged) -> None:
    """Prints the notes on standard error; --quiet leaves the hints out, never that a rule is lowered."""
    note(args, *judged.hints)
    for line in judged.lowered:
        say(line)


def dump(value: Any) -> str:
    """Returns a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _unreadable(source: str, finding: Finding) -> Judged:
    return Judged(source, findings=(finding.at(source),))
