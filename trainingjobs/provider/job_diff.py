"""What a change of a job's inputs means: nothing, a note, an update of bookkeeping, or another job.

A job cannot be changed in place. What the user wrote (the document, else the body), the run, the project, the
location and the key decide on a replacement; what was derived from a document never does. The comparison is with the
old outputs, which say what was submitted: the engine overwrites the old inputs at every run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import document_content, run_number
from trainingjobs.clients.vertex.job_outputs import run_again
from trainingjobs.engine.values import UNKNOWN, differences
from trainingjobs.provider.job import BOOKKEEPING
from trainingjobs.workloads.states import UNSUCCESSFUL, is_live
from trainingjobs.workloads.vertex import VertexWorkload
from trainingjobs.workloads.vertex_types import canonical_spec

Changes = dict[str, str]  # property path → "add" | "delete" | "update" | "unknown"
Properties = Mapping[str, object]
_OF_NEXT_RUN = "set once, at submission; the change applies to the next run"


@dataclass
class Verdict:
    """The changes by property path: those that make another job, those that only update, and notes for the user."""

    replaces: Changes = field(default_factory=dict)
    updates: Changes = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def diff(
    op: Operation,
    kind: VertexWorkload,
    job_id: str,
    outputs: Mapping[str, object],
    old_inputs: Mapping[str, object],
    news: Mapping[str, object],
) -> Verdict:
    """Returns what the new inputs mean for the job. ServiceError where production's guard forbids the replacement."""
    verdict = compare(kind, outputs, old_inputs, news)
    if verdict.replaces:
        _guard(op, job_id, outputs, news, verdict)
        return verdict
    for note in verdict.notes:
        op.info(note)
    _say_how_to_run_again(op, job_id)
    return verdict


def compare(kind: VertexWorkload, outputs: Properties, old_inputs: Properties, news: Properties) -> Verdict:
    """Returns what the new inputs mean, by the properties alone."""
    verdict = Verdict()
    document = news.get("document")
    submitted = outputs.get("document", old_inputs.get("document"))
    changes = dict(_small_changes(outputs, news))
    derived: Changes = {}
    other: Changes = {}
    for key in kind.content:
        derived |= differences_of(kind.canonical(outputs, key), kind.canonical(news, key), key)
        other |= differences_of(kind.identity(outputs, key), kind.identity(news, key), key)
    if isinstance(document, Mapping) and isinstance(submitted, Mapping):
        changes.update(differences(document_content(submitted), document_content(document), "document"))
        if derived and not changes:
            verdict.notes.append(_derived_note(derived))
    elif document is UNKNOWN:
        changes["document"] = "unknown"
    else:
        # No document on one side, as after an import: the bodies say whether it is the same job.
        changes.update(other)
        if derived and not changes:
            verdict.notes.append(f"{_some(derived)}: {_OF_NEXT_RUN}")
    for path, change in changes.items():
        # A value that is not known yet may turn out the same: it never cancels a job.
        (verdict.updates if change == "unknown" else verdict.replaces)[path] = change
    if verdict.updates:
        verdict.notes.append(f"{', '.join(verdict.updates)}: not known yet; if it changes, the job is replaced")
    for key in BOOKKEEPING:
        verdict.updates.update(differences_of(outputs.get(key), news.get(key), key))
    if isinstance(document, Mapping) and submitted is not None and "document" not in outputs:
        verdict.updates["document"] = "add"
    verdict.notes += _set_once_notes(outputs, news)
    return verdict


def differences_of(old: object, new: object, path: str) -> Changes:
    """Returns the changes of one property that may be absent on either side."""
    if old is None or new is None:
        return {} if old is new else {path: "add" if old is None else "delete"}
    return dict(differences(old, new, path))


def _small_changes(outputs: Properties, news: Properties) -> Changes:
    changes: Changes = {}
    if not _same_project(outputs.get("project"), news.get("project")):
        changes.update(differences_of(outputs.get("project"), news.get("project"), "project"))
    changes.update(differences_of(outputs.get("location"), news.get("location"), "location"))
    old_key, new_key = (canonical_spec(side.get("encryptionSpec") or {}, "EncryptionSpec") for side in (outputs, news))
    changes.update(differences(old_key, new_key, "encryptionSpec"))
    changes.update(differences(run_number(outputs), run_number(news), "run"))
    return changes


def _same_project(old: object, new: object) -> bool:
    # The service names a project by its number: an imported job's number and its id are not told apart.
    return old == new or (isinstance(old, str) and isinstance(new, str) and old.isdigit() != new.isdigit())


def _derived_note(derived: Changes) -> str:
    return (
        f"what is derived from the document has changed ({_some(derived)}), the document has not: the job stays as it "
        f"was submitted, the change applies to the next run"
    )


def _set_once_notes(outputs: Properties, news: Properties) -> list[str]:
    changes: Changes = {}
    for key in ("labels", "displayName"):
        if news.get(key) is not UNKNOWN:
            changes.update(differences_of(outputs.get(key) or None, news.get(key) or None, key))
    return [f"{_some(changes)}: {_OF_NEXT_RUN}"] if changes else []


def _some(changes: Changes) -> str:
    paths = list(changes)
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _guard(op: Operation, job_id: str, outputs: Properties, news: Properties, verdict: Verdict) -> None:
    if "prod" not in (outputs.get("environment"), news.get("environment")):
        return
    name = jobs.parse_name(job_id)
    if news.get("allowReplaceWhileRunning") is True or name is None:
        return
    job = jobs.get(op, name)
    if job is None or not is_live(jobs.state_of(job)):
        return
    raise ServiceError(
        f"{name.full} is {jobs.state_of(job)} in prod, and the change of {_some(verdict.replaces)} would cancel it; "
        f"wait for its end, take the change back, or set allowReplaceWhileRunning: true on the job"
    )


def _say_how_to_run_again(op: Operation, job_id: str) -> None:
    """Tells of a job that ended without success. The service may be out of reach: the comparison does not need it."""
    name = jobs.parse_name(job_id)
    try:
        job = jobs.get(op, name, tries=1) if name else None
    except ServiceError:
        return
    if job is not None and jobs.state_of(job) in UNSUCCESSFUL:
        op.warn(run_again(job))
