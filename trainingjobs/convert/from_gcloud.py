"""`gcloud ai custom-jobs create` and `gcloud ai-platform jobs submit training` → a job document.

Sources: Vertex AI distributed training guide; AI Platform containers guide, "API mapping"; gcloud reference. The flags
become the body that gcloud would send, which the modules of the bodies read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.convert.from_ai_platform import from_ai_platform
from trainingjobs.convert.gcloud_flags import Flags
from trainingjobs.convert.gcloud_training import PLACES, training_job
from trainingjobs.convert.gcloud_words import STANDARD_INPUT, Command, CommandError, read_command
from trainingjobs.convert.gcloud_worker_pools import custom_job
from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import Finding, quote, schema_advice, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.vertex_body import camel_keys, doubled_keys
from trainingjobs.workloads.vertex_reading import from_vertex

CUSTOM_JOB = ("ai", "custom-jobs", "create")
TRAINING = ("ai-platform", "jobs", "submit", "training")
OLD_TRAINING = ("ml-engine", "jobs", "submit", "training")
SWITCHES = frozenset(
    {
        "--async", "--stream-logs", "--enable-web-access", "--no-enable-web-access", "--enable-dashboard-access",
        "--no-enable-dashboard-access", "--quiet", "-q", "--log-http", "--no-log-http", "--user-output-enabled",
        "--no-user-output-enabled", "--help",
    }
)  # fmt: skip


def from_gcloud(text: str, files: Mapping[str, str]) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document of a command, and what is wrong with it or lost.

    `files` has the texts of the files that the command names by --config. Raises DocumentError for no command.
    """
    command = _read(text)
    findings: list[Finding] = []
    flags = Flags(command, findings)
    raw_config = _config(command, files, findings)
    findings += doubled_keys(raw_config)
    config = camel_keys(raw_config)
    if command.verb == CUSTOM_JOB:
        body = custom_job(flags, config)
        document, body_findings = from_vertex(body)
        place_of: Callable[[str], str] = _of_worker_pools
    else:
        body = training_job(flags, config)
        document, body_findings = from_ai_platform(body)
        place_of = _of_training
    if config:
        place_of = _unmoved
    if "$" in document.get("displayName", ""):
        del document["displayName"]
    findings += _variables(command, document)
    findings += [replace(finding, path=place_of(finding.path)) for finding in body_findings]
    return document, findings


def _variables(command: Command, document: dict[str, Any]) -> list[Finding]:
    """Returns a finding for each shell variable that has no value; advice where the document does not need it."""
    text = json.dumps(document)
    findings = []
    for name in command.variables:
        needed = f"${name}" in text or f"${{{name}}}" in text
        say = schema_error if needed else schema_advice
        findings.append(say(f"${name}", "a shell variable; its value is not in the text", "write its value"))
    return findings


def config_file(text: str) -> str | None:
    """Returns the file that a command names by --config and that is not in the command itself."""
    try:
        name = _read(text).last("--config")
    except DocumentError:
        return None
    return None if name in (None, *STANDARD_INPUT) else name


def _read(text: str) -> Command:
    try:
        return read_command(text, (CUSTOM_JOB, TRAINING, OLD_TRAINING), SWITCHES)
    except CommandError as error:
        raise DocumentError(str(error), "give one command") from None


def _config(command: Command, files: Mapping[str, str], findings: list[Finding]) -> dict[str, Any]:
    name = command.last("--config")
    if name is None:
        return {}
    text = command.document if name in STANDARD_INPUT else files.get(name)
    if text is None:
        fix = "put the file beside the command's, or convert it by itself"
        findings.append(schema_error("--config", f"{quote(name)} is not to be read here", fix))
        return {}
    try:
        return parse_document(text)
    except DocumentError as error:
        findings.append(schema_error("--config", error.finding.message, error.finding.fix))
        return {}


def _of_worker_pools(path: str) -> str:
    """Returns the flag that a place in the CustomJob's body came from."""
    path = path.removeprefix("jobSpec.")
    path = re.sub(r"^workerPoolSpecs(\[\d+\])?(\.(machine|disk|container)Spec)?", r"--worker-pool-spec\1", path)
    return path if path.startswith("--") else _flag(path)


def _of_training(path: str) -> str:
    """Returns the flag that a place in the TrainingInput came from."""
    inner = FieldPath(path.removeprefix("trainingInput."))
    place = next((prefix for prefix in PLACES if inner.within(prefix)), None)
    return PLACES[place] if place else _flag(inner)


def _flag(path: str) -> str:
    return "--" + re.split(r"[.\[]", path)[0]


def _unmoved(path: str) -> str:
    return path
