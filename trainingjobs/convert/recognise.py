"""A description of a job from elsewhere → a job document: what it is, and which module reads it.

Owns neither files nor judgement: whether the job holds together is trainingjobs/judge's to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs.convert.from_ai_platform import from_ai_platform
from trainingjobs.convert.from_gcloud import from_gcloud
from trainingjobs.convert.gcloud_words import is_command
from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.vertex_body import camel
from trainingjobs.spec.job import Job
from trainingjobs.workloads.kubernetes import KubernetesWorkload, kubernetes_workloads
from trainingjobs.workloads.registry import is_kind, workload
from trainingjobs.workloads.vertex import vertex_workloads
from trainingjobs.workloads.vertex_reading import from_vertex

# The languages beside the kinds of a cluster, which are called by their own words.
JOB, CUSTOM_JOB, AI_PLATFORM, GCLOUD = "job", "custom-job", "ai-platform", "gcloud"
AI_PLATFORM_KEYS = {"trainingInput", "scaleTier", "masterType", "masterConfig"}
# Several objects in one, as `oc process` and `kubectl get` write them.
LISTS = {"List": "items", "Template": "objects"}


def recognise(source: str | Mapping[str, Any]) -> str | None:
    """Returns the language of a text or of a document, None where nothing tells it. Raises DocumentError."""
    if isinstance(source, str):
        return GCLOUD if is_command(source) else recognise(parse_document(source))
    keys = {key for key in source if isinstance(key, str)}
    in_cluster = _workload(_object(source))
    if in_cluster is not None:
        return in_cluster.kind
    camel_keys = {camel(key) for key in keys}
    if camel_keys & {"workerPoolSpecs", *(kind.spec_key for kind in vertex_workloads())}:
        return CUSTOM_JOB
    if camel_keys & AI_PLATFORM_KEYS:
        return AI_PLATFORM
    return JOB if keys & {str(field.alias) for field in Job.model_fields.values()} else None


def to_job_document(
    language: str, source: str | Mapping[str, Any], name: str, files: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document and, sorted, what is wrong with the source or could not be carried over.

    Paths are places in the source; `name` is the job's, and `files` has the texts of files that a command names.
    Raises DocumentError where the source is no document or command.
    """
    if language == GCLOUD:
        if not isinstance(source, str):
            raise DocumentError("a mapping is no command line", "give the command's text")
        document, findings = from_gcloud(source, files or {})
        return document, sort_findings(findings)
    parsed = parse_document(source) if isinstance(source, str) else source
    if language == CUSTOM_JOB:
        document, findings = from_vertex(parsed)
    elif language == AI_PLATFORM:
        document, findings = from_ai_platform(parsed)
    else:
        document, findings = _in_cluster(language, parsed, name) or (dict(parsed), [])
    return document, sort_findings(findings)


def _in_cluster(language: str, document: Mapping[str, Any], name: str) -> tuple[dict[str, Any], list[Finding]] | None:
    kind = workload(language) if is_kind(language) else None
    return kind.read(_object(document), name) if isinstance(kind, KubernetesWorkload) else None


def _workload(document: Mapping[str, Any]) -> KubernetesWorkload | None:
    """Returns the kind whose object a document is and can be read, None for any other document."""
    kind = document.get("kind")
    return next((known for known in kubernetes_workloads() if known.reads and known.object_kind == kind), None)


def _object(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the one training job of a list of objects, else the document itself."""
    items = document.get(LISTS.get(str(document.get("kind")), ""))
    objects = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    jobs = [item for item in objects if _workload(item) is not None]
    return jobs[0] if len(jobs) == 1 else document
