"""`convert`: a description of a job from elsewhere as a job document."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from trainingjobs.convert.from_gcloud import config_file
from trainingjobs.convert.recognise import GCLOUD, recognise, to_job_document
from trainingjobs.core.documents import SIZE_LIMIT, DocumentError, decode
from trainingjobs.core.findings import CODE, SCHEMA, Finding, schema_error
from trainingjobs.core.yaml_text import yaml_text
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source
from trainingjobs.project.files import read_text
from trainingjobs.project.judged import job_name
from trainingjobs.terminal.output import complain, print_json, refuse, status_of

STANDARD_INPUT = "-"
EXAMPLES = ("config.yaml > job.yaml", "submit.sh --json", "- < tfjob.yaml")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="an AI Platform config.yaml, a Vertex AI job (JSON or YAML), a gcloud command line, a TFJob or a "
        "PyTorchJob; - reads standard input",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the job document, also where the source has errors, but none with a secret. Returns the exit status."""
    source = "" if args.file == STANDARD_INPUT else args.file
    try:
        document, findings = converted(_text(args.file), source)
    except DocumentError as error:
        return refuse(args, [error.finding.at(source)])
    findings = [finding.at(source) for finding in findings]
    if not document:
        return refuse(args, findings)
    complain(findings)
    print_json(document) if args.json else print(yaml_text(document), end="")
    return status_of(findings)


def converted(text: str, source: str) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the document and what is wrong with the source, lost, or wrong with the job that it describes.

    The document is empty where there is none, or where a secret stands in it.
    """
    kind = recognise(text)
    if kind is None:
        known = "an AI Platform config.yaml, a Vertex AI job, a gcloud command, a TFJob or a PyTorchJob is needed"
        return {}, [schema_error("", f"not recognised; {known}")]
    name = job_name(Path(source)) if source else "job"
    document, findings = to_job_document(kind, text, name, _files(text, source) if kind == GCLOUD else {})
    job_findings = _of_job(document, name, {finding.rule for finding in findings})
    return {} if any(map(_of_a_secret, job_findings)) else document, findings + job_findings


def _of_a_secret(finding: Finding) -> bool:
    # No rule has looked at a variable or an argument that is ill-formed.
    return finding.rule == "no-plain-secrets" or (finding.rule == SCHEMA and bool(CODE.search(finding.path)))


def _of_job(document: dict[str, Any], name: str, reported: set[str]) -> list[Finding]:
    """Returns the errors of the resulting job, and its old interfaces; a rule that has spoken is not repeated."""
    findings = judge(document, Source(name=name)).findings
    return [
        finding
        for finding in findings
        if finding.rule == SCHEMA
        or (finding.rule not in reported and (finding.severity == "error" or finding.rule == "deprecated-api"))
    ]


def _text(file: str) -> str:
    """Returns the text of the source. Raises DocumentError where it cannot be read."""
    return decode(sys.stdin.buffer.read(4 * SIZE_LIMIT)) if file == STANDARD_INPUT else read_text(Path(file))


def _files(text: str, source: str) -> dict[str, str]:
    """Returns the text of the file that a command names by --config, looked for beside the command's own."""
    named = config_file(text)
    if named is None:
        return {}
    try:
        return {named: _text(str(Path(source).parent / named))}
    except DocumentError:
        return {}
