"""The running stack's configuration, read once from Pulumi and turned into a checked plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env, get_config_secret_keys_env, is_config_secret

from infra.plan.plan import Plan, stack_findings
from infra.problems import Finding, has_errors, render_findings, schema_error, sort_findings
from infra.project_files import stack_levels
from infra.spec.keys import FIELDS, PATHS, specification
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from infra.told import untold, untold_notes


@dataclass(frozen=True, slots=True)
class Settings:
    """The stack's name and its plan."""

    stack: str
    plan: Plan


def load() -> Settings:
    """Returns the settings of the running stack.

    Raises pulumi.RunError, which the engine shows without a traceback, with every finding where one is an error.
    """
    name = pulumi.get_stack()
    if encrypted := _encrypted():
        # Other findings could quote what is encrypted.
        raise _refusal(encrypted)
    reading = read_model(Stack, specification(_configuration()), renamed=PATHS)
    if not isinstance(reading.value, Stack):
        raise _refusal(list(reading.findings))
    levels, faults, notes = stack_levels(name, reading.value.environment)
    jobs, found = stack_findings(reading.value, levels, reading.unknown)
    findings = sort_findings([*reading.findings, *faults, *found])
    for note in untold_notes(notes):
        pulumi.log.info(note)
    if has_errors(findings):
        raise _refusal(findings)
    if new := untold(findings):
        pulumi.log.info(render_findings(new))
    return Settings(name, Plan(stack=reading.value, jobs=jobs, findings=tuple(findings)))


def _encrypted() -> list[Finding]:
    """Returns a finding for each key of ours with an encrypted part: a job's description is in every state and log."""
    keys = {*get_config_secret_keys_env(), *filter(is_config_secret, CONFIG.get())} & FIELDS.keys()
    what = "has an encrypted value; what a stack declares is in its state and its jobs in plain text"
    fix = "give the name of a Secret Manager version (projects/P/secrets/S/versions/V) and read it in the job"
    return [schema_error(key, what, fix) for key in sorted(keys)]


def _configuration() -> dict[str, Any]:
    return {key: _value(text) for key, text in {**get_config_env(), **CONFIG.get()}.items()}


def _value(text: Any) -> Any:
    """An object arrives as JSON text, anything else as it was written."""
    if isinstance(text, str) and text[:1] in ("{", "["):
        return json.loads(text)
    return text


def _refusal(findings: list[Finding]) -> pulumi.RunError:
    return pulumi.RunError("the stack's configuration breaks rules:\n" + render_findings(findings))
