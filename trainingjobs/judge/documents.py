"""A document and where it came from → its judgement: a stack file, a job document, or a job in another language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs.convert.recognise import CUSTOM_JOB, JOB, recognise, to_job_document
from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.vertex_body import camel_keys, doubled_keys
from trainingjobs.judge.jobs import judge_job
from trainingjobs.judge.judgement import Judgement, Source
from trainingjobs.judge.stacks import judge_stack_file
from trainingjobs.judge.vertex_bodies import beside_spec, body_findings
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job

Judged = tuple[tuple[JobPlan, ...], list[Finding]]


def judge(document: Mapping[str, Any], source: Source) -> Judgement:
    """Returns what a document holds; its findings are said of `source.label`.

    A Vertex AI body is judged as it stands; jobs in other languages are judged as the job that they become.
    """
    if source.is_stack:
        return judge_stack_file(document, source)
    language = recognise(document) or JOB
    plans, findings = _job(document, source.name) if language == JOB else _converted(language, document, source.name)
    if language == CUSTOM_JOB:
        body = camel_keys(document)
        of_job, findings = findings, [*doubled_keys(document), *body_findings(body, source.name)]
        findings += beside_spec(body, of_job, {finding.path for finding in findings})
    return Judgement(source.label, plans, tuple(finding.at(source.label) for finding in sort_findings(findings)))


def _converted(language: str, document: Mapping[str, Any], name: str) -> Judged:
    try:
        converted, losses = to_job_document(language, document, name)
    except DocumentError as error:
        return (), [error.finding]
    plans, findings = _job(converted, name)
    return plans, [*losses, *findings]


def _job(document: Mapping[str, Any], name: str) -> Judged:
    reading = read_job(document)
    if reading.value is None:
        return (), list(reading.findings)
    plan, findings = judge_job(name, reading.value, unknown=reading.unknown)
    return (plan,), [*reading.findings, *findings]
