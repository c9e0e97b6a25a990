"""A description of a job from elsewhere → a job document: what kind it is, and which module reads it.

Owns neither files nor judgement: whether the job holds together is the plan's affair (infra/plan).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from infra.dialects.from_ai_platform import from_ai_platform
from infra.dialects.from_gcloud import from_gcloud
from infra.dialects.from_kubeflow import from_kubeflow
from infra.dialects.from_vertex import from_vertex
from infra.dialects.gcloud_words import is_command
from infra.problems import Finding, sort_findings
from infra.spec.job import Job
from infra.spec.text import DocumentError, parse_document

Kind = Literal["job", "custom-job", "ai-platform", "tfjob", "pytorchjob", "gcloud"]

VERTEX_KEYS = {
    "jobSpec", "job_spec", "workerPoolSpecs", "worker_pool_specs", "trialJobSpec", "trial_job_spec",
    "trainingTaskInputs", "training_task_inputs",
}  # fmt: skip
AI_PLATFORM_KEYS = {
    "trainingInput", "training_input", "scaleTier", "scale_tier", "masterType", "master_type", "masterConfig",
    "master_config",
}  # fmt: skip
KUBEFLOW: dict[str, Kind] = {"TFJob": "tfjob", "PyTorchJob": "pytorchjob"}
# Several objects in one, as `oc process` and `kubectl get` write them.
LISTS = {"List": "items", "Template": "objects"}


def recognise(source: str | Mapping[str, Any]) -> Kind | None:
    """Returns the kind of a text or of a document, None where nothing tells it. Raises DocumentError."""
    if isinstance(source, str):
        return "gcloud" if is_command(source) else recognise(parse_document(source))
    keys = {key for key in source if isinstance(key, str)}
    kind = _object(source).get("kind")
    if isinstance(kind, str) and kind in KUBEFLOW:
        return KUBEFLOW[kind]
    if keys & VERTEX_KEYS:
        return "custom-job"
    if keys & AI_PLATFORM_KEYS:
        return "ai-platform"
    return "job" if keys & {str(field.alias) for field in Job.model_fields.values()} else None


def to_job_document(
    kind: Kind, source: str | Mapping[str, Any], name: str, files: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document and, sorted, what is wrong with the source or could not be carried over.

    Paths are places in the source; `name` is the job's, and `files` has the texts of files that a command names.
    Raises DocumentError where the source is no document or command.
    """
    if kind == "gcloud":
        if not isinstance(source, str):
            raise DocumentError("a mapping is no command line", "give the command's text")
        document, findings = from_gcloud(source, files or {})
        return document, sort_findings(findings)
    given = parse_document(source) if isinstance(source, str) else source
    if kind == "custom-job":
        document, findings = from_vertex(given)
    elif kind == "ai-platform":
        document, findings = from_ai_platform(given)
    elif kind in ("tfjob", "pytorchjob"):
        document, findings = from_kubeflow("TFJob" if kind == "tfjob" else "PyTorchJob", _object(given), name)
    else:
        document, findings = dict(given), []
    return document, sort_findings(findings)


def _object(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the one training job of a list of objects, else the document itself."""
    items = document.get(LISTS.get(str(document.get("kind")), ""))
    objects = [one for one in items if isinstance(one, Mapping)] if isinstance(items, list) else []
    jobs = [one for one in objects if str(one.get("kind")) in KUBEFLOW]
    return jobs[0] if len(jobs) == 1 else document
