"""A training job on Vertex AI, of any kind (`trainingjobs:vertex:…`), submitted exactly once.

check, create, read, update and delete; what a change means is job_diff.py's, what tells the kinds apart workloads/'.
A job is created as soon as the service has accepted it, so that its id is in the state whatever happens afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import DECLARATION_LABEL, LABEL, OWN_LABELS, declaration, job_key, run_number
from trainingjobs.clients.vertex.job_outputs import observed, run_again
from trainingjobs.core.numbers import whole
from trainingjobs.core.paths import FieldPath
from trainingjobs.engine.values import UNKNOWN, has_unknown
from trainingjobs.facts.vertex_body import is_placeholder
from trainingjobs.provider import earlier
from trainingjobs.provider.job_cost import describe_cost
from trainingjobs.provider.schema import property_errors
from trainingjobs.rules import structural_findings
from trainingjobs.workloads.states import ENDED, SUCCEEDED, UNSUCCESSFUL
from trainingjobs.workloads.vertex import VertexWorkload
from trainingjobs.workloads.vertex_resources import job_inputs, job_outputs
from trainingjobs.workloads.vertex_tables import MESSAGES
from trainingjobs.workloads.vertex_types import newer_fields

# Inputs that say how the job is treated: they change without the job being touched.
BOOKKEEPING: Final = ("retainRecord", "allowReplaceWhileRunning", "environment", "limits", "usdPerHour")
DISPLAY_NAME_LIMIT: Final = 128
# Seconds that a delete waits for a cancelled job to end, where the resource sets no timeout of its own.
CANCEL_TIMEOUT: Final = 1800.0


def check(kind: VertexWorkload, inputs: Mapping[str, object]) -> list[tuple[str, str]]:
    """Returns (property path, reason) for everything that is wrong with the inputs; unknown parts are not judged."""
    failures = [*property_errors(inputs, job_inputs(kind)), *_value_failures(inputs), *kind.failures(inputs)]
    spec = inputs.get(kind.spec_key)
    # A rule must not stumble over a body whose very form is wrong: that is reported first.
    if isinstance(spec, Mapping) and not any(FieldPath(path).within(kind.spec_key) for path, _ in failures):
        for finding in structural_findings(spec, kind.spec_key):
            fix = f"; {finding.fix}" if finding.fix else ""
            failures.append((finding.path, f"{finding.message}{fix} [{finding.rule}]"))
    return failures


def _value_failures(inputs: Mapping[str, object]) -> list[tuple[str, str]]:
    failures = []
    for key, pattern, example in (("project", jobs.PROJECT, "my-project"), ("location", jobs.LOCATION, "us-central1")):
        value = inputs.get(key)
        if isinstance(value, str) and not pattern.fullmatch(value):
            failures.append((key, f"{value!r} is no {key}; {example} is one"))
    name = inputs.get("displayName")
    if isinstance(name, str) and not 0 < len(name) <= DISPLAY_NAME_LIMIT:
        failures.append(("displayName", f"{len(name)} characters; 1 to {DISPLAY_NAME_LIMIT} are allowed"))
    labels = inputs.get("labels")
    reserved = sorted(OWN_LABELS & labels.keys()) if isinstance(labels, Mapping) else []
    failures += [(f"labels.{key}", "this label is the provider's own; choose another key") for key in reserved]
    run = whole(run_number(inputs))
    if run is not None and run < 1:
        failures.append(("run", f"{run}; runs count from 1"))
    return failures


def create(
    op: Operation, kind: VertexWorkload, inputs: dict[str, object], state_id: str, *, preview: bool
) -> tuple[str, dict[str, object]]:
    """Returns the job's id and outputs: of the job just submitted, or of an earlier attempt at the same one."""
    for key, field in kind.content.items():
        for path, message in newer_fields(inputs.get(key), field.kind, key):
            op.warn(f"{path}: {message}")
    if preview:
        op.info(f"to be submitted: {describe_cost(kind, inputs)}")
        return "", {**dict.fromkeys(job_outputs(kind), UNKNOWN), **inputs}
    parent = jobs.Parent(str(inputs["project"]), str(inputs["location"]), kind.collection)
    key, mark = job_key(op.urn, inputs, state_id), declaration(op.urn, state_id)
    try:
        attempts, others = earlier.attempts(op, parent, key, mark)
        job = jobs.standing(op, attempts)
        for other in earlier.in_the_way(op, others, inputs, taken_over=job is not None):
            delete(op, str(other["name"]), inputs)
        if job is not None:
            op.warn(_adopted(job))
            op.taken_over.add(str(job["name"]))
        else:
            op.info(f"submitting {describe_cost(kind, inputs)}")
            known = frozenset(str(attempt.get("name")) for attempt in attempts)
            body = _body(kind, inputs, {LABEL: key, DECLARATION_LABEL: mark})
            submission = jobs.Submission(parent, body, key, known)
            job, answer_lost = jobs.submit(op, submission)
            if answer_lost:
                op.info(f"an answer of the service was lost; {job['name']} is the job that was submitted, the only one")
    except Interrupted as stopped:
        raise ServiceError(str(stopped) or "stopped before the job was submitted; nothing was submitted") from None
    return str(job["name"]), {**inputs, **observed(job)}


def _body(kind: VertexWorkload, inputs: Mapping[str, object], own_labels: Mapping[str, str]) -> dict[str, object]:
    labels = inputs.get("labels")
    body: dict[str, object] = {
        "displayName": inputs["displayName"],
        **{name: _written(inputs[name]) for name in kind.content if inputs.get(name) is not None},
        "labels": {**(labels if isinstance(labels, Mapping) else {}), **own_labels},
    }
    if inputs.get("encryptionSpec"):
        body["encryptionSpec"] = inputs["encryptionSpec"]
    return body


def _written(part: object) -> object:
    """Returns a part of a body as it is sent: a pool whose only word is that it has no replicas is {}."""
    pools = part.get("workerPoolSpecs") if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping) or not isinstance(pools, list):
        return part
    return {**part, "workerPoolSpecs": [{} if is_placeholder(pool) else pool for pool in pools]}


def _adopted(job: Mapping[str, Any]) -> str:
    state = jobs.state_of(job)
    hint = "; to run it again, raise `run`" if state in SUCCEEDED else ""
    return f"{job['name']} ({state}) is this very job, submitted earlier: taken over, nothing new is submitted{hint}"


def read(
    op: Operation, kind: VertexWorkload, job_id: str, outputs: dict[str, object], inputs: dict[str, object]
) -> tuple[dict[str, object], dict[str, object]] | None:
    """Returns the job's outputs and inputs as they are now, None where the job is gone.

    A refresh takes from the service only what a job's life changes: its content cannot change there, and what the
    service fills in must not look like a change. An import (no outputs yet) takes everything.
    """
    name = jobs.parse_name(job_id)
    if name is None or name.collection != kind.collection:
        form = f"projects/P/locations/L/{kind.collection}/N"
        raise ServiceError(f"{job_id!r} is no {kind.title}'s name; {form} is one")
    job = jobs.get(op, name)
    if job is None:
        return None
    if not outputs:
        inputs = _imported(kind, name, job)
        outputs = inputs
    if jobs.state_of(job) in UNSUCCESSFUL:
        op.warn(run_again(job))
    kept = {key: value for key, value in outputs.items() if key not in job_outputs(kind)}
    return {**kept, **observed(job)}, inputs


def _imported(kind: VertexWorkload, name: jobs.JobName, job: Mapping[str, Any]) -> dict[str, object]:
    labels = {key: value for key, value in (job.get("labels") or {}).items() if key not in OWN_LABELS}
    inputs = {
        "project": name.project,
        "location": name.location,
        "displayName": job.get("displayName", ""),
        **{key: kind.canonical(_given(kind, job), key) for key in kind.content},
        "labels": labels or None,
        "encryptionSpec": job.get("encryptionSpec") or None,
        "run": 1,
    }
    return {key: value for key, value in inputs.items() if value is not None}


def _given(kind: VertexWorkload, job: Mapping[str, Any]) -> dict[str, object]:
    """Returns the job's body without what the service has written into it, such as the name of an uploaded model."""
    body: dict[str, object] = {}
    for key in kind.content:
        part, known = job.get(key), MESSAGES.get(kind.content[key].kind)
        inner = part if known is None or not isinstance(part, Mapping) else {k: part[k] for k in part if k in known}
        body[key] = inner
    return body


def update(outputs: dict[str, object], inputs: dict[str, object]) -> dict[str, object]:
    """Returns the outputs after a change that does not touch the job: what was submitted stays as it was."""
    kept = {key: value for key, value in outputs.items() if key not in BOOKKEEPING}
    kept.update({key: inputs[key] for key in BOOKKEEPING if key in inputs})
    if "document" not in kept and "document" in inputs and not has_unknown(inputs["document"]):
        # An imported job has no document yet: from here on it is what the user wrote.
        kept["document"] = inputs["document"]
    return kept


def delete(op: Operation, job_id: str, outputs: Mapping[str, object]) -> None:
    """Stops the job if it is live, waits for its end, and deletes its record unless that is to be kept."""
    name = jobs.parse_name(job_id)
    if name is None:
        raise ServiceError(f"{job_id!r} is no job's name")
    if job_id in op.taken_over:
        # The old resource of a replacement that creates first: its successor has the same job.
        op.warn(f"{job_id} goes on: the replacement is the same job and has taken it over; to run it anew, raise `run`")
        return
    try:
        state = _ended(op, name)
        if state is None:
            return
        if outputs.get("retainRecord") is True:
            op.info(f"{name.full} ({state}) is kept as a record")
            return
        jobs.delete(op, name)
    except Interrupted:
        raise ServiceError(
            f"stopped while {name.full} was being cancelled or deleted; the next run goes on with it"
        ) from None


def _ended(op: Operation, name: jobs.JobName) -> str | None:
    """Returns the state in which the job ended, after a cancellation if it was live; None where it is gone."""
    limit = op.timeout or CANCEL_TIMEOUT
    cancel_requested = False
    for delay in jobs.poll_intervals():
        job = jobs.get(op, name)
        state = jobs.state_of(job) if job is not None else ""
        if job is None or state in ENDED:
            return state or None
        if not cancel_requested and state != "CANCELLING":
            op.status(f"cancelling {name.full} ({state})")
            jobs.cancel(op, name)
        cancel_requested = True
        if op.elapsed() > limit:
            raise ServiceError(f"{name.full} is still {state} after {limit:g} s; look at {name.console_url}")
        op.progress(f"{name.full} is {state}, waiting for its end")
        op.pause(delay)
    raise AssertionError("unreachable: poll_intervals() never ends")
