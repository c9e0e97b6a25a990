"""The running stack's configuration, read once from Pulumi and turned into a checked plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from infra.plan.plan import Plan, stack_findings
from infra.problems import Finding, has_errors, render_findings, sort_findings
from infra.project_files import stack_levels
from infra.spec.keys import PATHS, specification
from infra.spec.reading import read_model
from infra.spec.stack import Stack


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
    reading = read_model(Stack, specification(_configuration()), renamed=PATHS)
    if not isinstance(reading.value, Stack):
        raise _refusal(list(reading.findings))
    levels, faults, notes = stack_levels(name, reading.value.environment)
    jobs, found = stack_findings(reading.value, levels, reading.unknown)
    findings = sort_findings([*reading.findings, *faults, *found])
    for note in notes:
        pulumi.log.info(note)
    if has_errors(findings):
        raise _refusal(findings)
    if findings:
        pulumi.log.info(render_findings(findings))
    return Settings(name, Plan(stack=reading.value, jobs=jobs, findings=tuple(findings)))


def _configuration() -> dict[str, Any]:
    return {key: _value(text) for key, text in {**get_config_env(), **CONFIG.get()}.items()}


def _value(text: Any) -> Any:
    """An object arrives as JSON text, anything else as it was written."""
    if isinstance(text, str) and text[:1] in ("{", "["):
        return json.loads(text)
    return text


def _refusal(findings: list[Finding]) -> pulumi.RunError:
    return pulumi.RunError("the stack's configuration breaks rules:\n" + render_findings(findings))
