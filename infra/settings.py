"""The running stack's configuration, read once from Pulumi → a checked plan."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env, get_config_secret_keys_env, is_config_secret

from trainingjobs.core.findings import Finding, has_errors, render_findings, schema_error
from trainingjobs.engine.shown_findings import not_shown, notes_not_shown
from trainingjobs.judge.documents import judge
from trainingjobs.plan.stack import StackPlan
from trainingjobs.project.judged import stack_source
from trainingjobs.spec.stack_keys import FIELDS


def load() -> StackPlan:
    """Returns the plan of the running stack.

    Raises pulumi.RunError, which the engine shows without a traceback, with every finding where one is an error.
    """
    name = pulumi.get_stack()
    if encrypted := _encrypted():
        # Other findings could quote what is encrypted.
        raise _refusal(encrypted)
    judgement = judge({"config": _configuration()}, replace(stack_source(name), label=""))
    for note in notes_not_shown(judgement.notes):
        pulumi.log.info(note)
    if has_errors(judgement.findings):
        raise _refusal(judgement.findings)
    if new := not_shown(judgement.findings):
        pulumi.log.info(render_findings(new))
    return judgement.plan


def _encrypted() -> list[Finding]:
    """Returns a finding for each key of ours with an encrypted part: a job's description is in every state and log."""
    keys = {*get_config_secret_keys_env(), *filter(is_config_secret, CONFIG.get())} & FIELDS.keys()
    message = "has an encrypted value; what a stack declares is in its state and its jobs in plain text"
    fix = "give the name of a Secret Manager version (projects/P/secrets/S/versions/V) and read it in the job"
    return [schema_error(key, message, fix) for key in sorted(keys)]


def _configuration() -> dict[str, Any]:
    return {key: _value(text) for key, text in {**get_config_env(), **CONFIG.get()}.items()}


def _value(text: Any) -> Any:
    """An object arrives as JSON text, anything else as it was written."""
    if isinstance(text, str) and text[:1] in ("{", "["):
        return json.loads(text)
    return text


def _refusal(findings: Iterable[Finding]) -> pulumi.RunError:
    return pulumi.RunError("the stack's configuration breaks rules:\n" + render_findings(findings))
