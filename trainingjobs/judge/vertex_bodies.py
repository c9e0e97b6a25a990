"""A Vertex AI body judged as it stands: keys, types, rules, and what of it does not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.core.findings import Finding, quote, schema_advice, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import evaluate
from trainingjobs.workloads.vertex import vertex_workloads
from trainingjobs.workloads.vertex_reading import kind_of_body
from trainingjobs.workloads.vertex_refusals import job_refusals, pool_refusals
from trainingjobs.workloads.vertex_types import beside_errors, child, newer_fields, strange_keys, type_errors


def body_findings(body: Mapping[str, Any], name: str) -> list[Finding]:
    """Returns what is wrong with a body, or a bare CustomJobSpec, in camelCase."""
    place = next((place for place in _spec_paths() if _at(body, place) is not None), ())
    path, spec = ".".join(place), _at(body, place)
    if not isinstance(spec, Mapping):
        return [schema_error(path, "no object; a CustomJobSpec is needed")]
    facts, findings = facts_of_body(spec, path, name=name, labels=body.get("labels") if path else UNKNOWN)
    findings += evaluate(facts)
    reported = {finding.path for finding in findings}
    errors = list(type_errors(spec, "CustomJobSpec", path))
    known_keys = kind_of_body(body).known_keys
    for key, nearest in strange_keys(body, known_keys) if path and known_keys else ():
        if nearest:
            errors.append((child("", key), f"unknown key {quote(key)}; did you mean {nearest}?"))
        else:
            findings.append(schema_advice(child("", key), f"{quote(key)} is no field that is known here"))
    findings += [schema_advice(at, message) for at, message in newer_fields(spec, "CustomJobSpec", path)]
    if path:
        errors += beside_errors(body)
        findings += job_refusals(body)
    findings += [schema_error(at, reason) for at, reason in errors if at not in reported]
    return [*findings, *pool_refusals(spec, facts.pools)]


def beside_spec(body: Mapping[str, Any], of_job: list[Finding], reported: set[str]) -> Iterator[Finding]:
    """Yields what is wrong beside the CustomJobSpec of a kind that has more: with its study, counts or model.

    `of_job` are the findings about the job document that the body becomes; they are said of the body's own places.
    `reported` are the paths that have a finding already.
    """
    kind = kind_of_body(body)
    if len(kind.content) == 1 or kind.spec_key not in body:
        return
    reported = set(reported)
    for finding in of_job:
        path = kind.place_in_body(FieldPath(finding.path))
        key = path.partition(".")[0].partition("[")[0]
        of_spec = any(path.within(".".join(place)) for place in _spec_paths())
        is_reported = any(FieldPath(place).within(path) for place in reported)
        belongs = key in body or key in kind.content
        if finding.severity == "error" and belongs and not of_spec and not is_reported:
            reported.add(path)
            yield replace(finding, path=path)


def _spec_paths() -> tuple[tuple[str, ...], ...]:
    return tuple(place for kind in vertex_workloads() for place in kind.spec_paths)


def _at(body: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        body = body.get(key) if isinstance(body, Mapping) else None
    return body
