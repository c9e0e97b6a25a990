"""`trainingjobs:vertex:CustomJob`: a custom training job on Vertex AI, submitted exactly once.

check, create, read, update and delete; what a change means is custom_job_diff.py's. A job is created as soon as the
service has accepted it, so that its id is in the state whatever happens to it afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from infra.dialects.vertex_fields import DEFAULT_TIMEOUT_SECONDS, canonical_spec
from infra.plan.rules import structural_findings
from infra.provider import jobs
from infra.provider.errors import Interrupted, ServiceError
from infra.provider.fields import CUSTOM_JOB_INPUTS, CUSTOM_JOB_OUTPUTS, property_errors
from infra.provider.identity import LABEL, job_key, run_number
from infra.provider.operation import Operation
from infra.provider.values import UNKNOWN, has_unknown

# Inputs that say how the job is treated: they change without the job being touched.
BOOKKEEPING: Final = ("retainRecord", "allowReplaceWhileRunning", "environment", "limits", "usdPerHour")
DISPLAY_NAME_LIMIT: Final = 128
# Seconds that a delete waits for a cancelled job to end, where the resource sets no timeout of its own.
CANCEL_TIMEOUT: Final = 1800.0


def check(inputs: Mapping[str, object]) -> list[tuple[str, str]]:
    """Returns (property path, reason) for everything that is wrong with the inputs; unknown parts are not judged."""
    failures = list(property_errors(inputs, CUSTOM_JOB_INPUTS))
    failures += _value_failures(inputs)
    spec = inputs.get("jobSpec")
    # A rule must not stumble over a body whose very form is wrong: that is reported first.
    if isinstance(spec, Mapping) and not any(path.startswith("jobSpec") for path, _ in failures):
        for finding in structural_findings(spec, "jobSpec"):
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
    if isinstance(labels, Mapping) and LABEL in labels:
        failures.append((f"labels.{LABEL}", "this label is the provider's own; choose another key"))
    run = run_number(inputs)
    if isinstance(run, int) and run < 1:
        failures.append(("run", f"{run}; runs count from 1"))
    return failures


def create(op: Operation, inputs: dict[str, object], state_id: str, *, preview: bool) -> tuple[str, dict[str, object]]:
    """Returns the job's id and outputs: of the job just submitted, or of an earlier attempt at the same one."""
    if preview:
        op.info(f"to be submitted: {describe_cost(inputs)}")
        return "", {**dict.fromkeys(CUSTOM_JOB_OUTPUTS, UNKNOWN), **inputs}
    project, location = str(inputs["project"]), str(inputs["location"])
    key = job_key(op.urn, inputs, state_id)
    try:
        attempts = jobs.with_key(op, project, location, key)
        job = jobs.standing(op, attempts)
        if job is not None:
            op.warn(_adopted(job))
        else:
            op.info(f"submitting {describe_cost(inputs)}")
            known = frozenset(str(attempt.get("name")) for attempt in attempts)
            job, lost = jobs.submit(op, jobs.Submission(project, location, _body(inputs, key), key, known))
            if lost:
                op.info(f"an answer of the service was lost; {job['name']} is the job that was submitted, the only one")
    except Interrupted as stopped:
        raise ServiceError(str(stopped) or "stopped before the job was submitted; nothing was submitted") from None
    return str(job["name"]), {**inputs, **observed(job)}


def _body(inputs: Mapping[str, object], key: str) -> dict[str, object]:
    labels = inputs.get("labels")
    body: dict[str, object] = {
        "displayName": inputs["displayName"],
        "jobSpec": inputs["jobSpec"],
        "labels": {**(labels if isinstance(labels, Mapping) else {}), LABEL: key},
    }
    if inputs.get("encryptionSpec"):
        body["encryptionSpec"] = inputs["encryptionSpec"]
    return body


def _adopted(job: Mapping[str, Any]) -> str:
    state = jobs.state_of(job)
    again = "; to run it again, raise `run`" if state in jobs.SUCCEEDED else ""
    return f"{job['name']} ({state}) is this very job, submitted earlier: taken over, nothing new is submitted{again}"


def describe_cost(inputs: Mapping[str, object]) -> str:
    """Returns the machines, what they cost an hour, and the most that the job can cost, in US dollars."""
    spec = inputs.get("jobSpec")
    pools = spec.get("workerPoolSpecs") if isinstance(spec, Mapping) else None
    machines = " + ".join(_machines(pool) for pool in pools if pool) if isinstance(pools, list) else "machines unknown"
    scheduling = spec.get("scheduling") if isinstance(spec, Mapping) else None
    timeout = scheduling.get("timeout") if isinstance(scheduling, Mapping) else None
    hours = (float(timeout[:-1]) if isinstance(timeout, str) else DEFAULT_TIMEOUT_SECONDS) / 3600
    limit = f"its timeout of {hours:g} h" if timeout else f"Vertex AI's default timeout of {hours:g} h"
    price = inputs.get("usdPerHour")
    if not isinstance(price, int | float) or timeout is UNKNOWN:
        return f"{machines}; price unknown, at most until {limit}"
    return f"{machines}; {price:.2f} USD an hour, at most {price * hours:.2f} USD in {limit}"


def _machines(pool: object) -> str:
    if not isinstance(pool, Mapping):
        return "a pool not known yet"
    machine = pool.get("machineSpec")
    spec = machine if isinstance(machine, Mapping) else {}
    accelerators = f" with {spec['acceleratorCount']} {spec['acceleratorType']}" if spec.get("acceleratorType") else ""
    return f"{pool.get('replicaCount', 1)} x {spec.get('machineType', 'machine not known yet')}{accelerators}"


def observed(job: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs that come from the service; what it does not say is left out."""
    name = jobs.parse_name(job.get("name"))
    error = job.get("error")
    outputs = {key: job.get(key) for key in ("name", "state", "createTime", "startTime", "endTime")}
    outputs["error"] = error.get("message") if isinstance(error, Mapping) else None
    outputs["consoleUrl"] = name.console_url if name else None
    outputs["submittedHash"] = (job.get("labels") or {}).get(LABEL)
    return {key: value for key, value in outputs.items() if value is not None}


def read(
    op: Operation, job_id: str, outputs: dict[str, object], inputs: dict[str, object]
) -> tuple[dict[str, object], dict[str, object]] | None:
    """Returns the job's outputs and inputs as they are now, None where the job is gone.

    A refresh takes from the service only what a job's life changes: its content cannot change there, and what the
    service fills in must not look like a change. An import (no outputs yet) takes everything.
    """
    name = jobs.parse_name(job_id)
    if name is None or name.collection != "customJobs":
        raise ServiceError(f"{job_id!r} is no custom job's name; projects/P/locations/L/customJobs/N is one")
    job = jobs.get(op, name)
    if job is None:
        return None
    if not outputs:
        inputs = _imported(name, job)
        outputs = inputs
    if jobs.state_of(job) in jobs.UNSUCCESSFUL:
        op.warn(run_again(job))
    kept = {key: value for key, value in outputs.items() if key not in CUSTOM_JOB_OUTPUTS}
    return {**kept, **observed(job)}, inputs


def run_again(job: Mapping[str, Any]) -> str:
    """Returns how an ended job without success ended, and how to run it again."""
    error = job.get("error")
    why = f": {error['message']}" if isinstance(error, Mapping) and error.get("message") else ""
    return f"{job['name']} is {jobs.state_of(job)}{why}; it is not run again by itself: raise `run`, or change the job"


def _imported(name: jobs.JobName, job: Mapping[str, Any]) -> dict[str, object]:
    labels = {key: value for key, value in (job.get("labels") or {}).items() if key != LABEL}
    inputs = {
        "project": name.project,
        "location": name.location,
        "displayName": job.get("displayName", ""),
        "jobSpec": canonical_spec(job.get("jobSpec") or {}),
        "labels": labels or None,
        "encryptionSpec": job.get("encryptionSpec") or None,
        "run": 1,
    }
    return {key: value for key, value in inputs.items() if value is not None}


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
    asked = False
    for delay in jobs.looks():
        job = jobs.get(op, name)
        state = jobs.state_of(job) if job is not None else ""
        if job is None or state in jobs.ENDED:
            return state or None
        if not asked and state != "CANCELLING":
            op.status(f"cancelling {name.full} ({state})")
            jobs.cancel(op, name)
        asked = True
        if op.elapsed() > limit:
            raise ServiceError(f"{name.full} is still {state} after {limit:g} s; look at {name.console_url}")
        op.progress(f"{name.full} is {state}, waiting for its end")
        op.pause(delay)
    raise AssertionError("unreachable: looks() never ends")
