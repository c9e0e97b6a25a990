"""`trainingjobs:index:Completion`: waits for a job as `waitFor` says. It owns nothing: its delete does nothing.

A job that fails fails the wait, and no Completion is left in the state. Whatever ends the wait early (Ctrl-C, a kill,
a timeout) leaves the job alone: the next run waits again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.kubernetes import jobs as kubernetes_jobs
from trainingjobs.clients.operation import Operation, duration
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.job_logs import last_line, last_lines
from trainingjobs.clients.vertex.job_outputs import results
from trainingjobs.engine.values import UNKNOWN
from trainingjobs.provider.job_diff import Verdict, differences_of
from trainingjobs.provider.schema import property_errors
from trainingjobs.workloads.states import REACHED, UNSUCCESSFUL
from trainingjobs.workloads.vertex import by_body, vertex_workloads, worker_pools_of
from trainingjobs.workloads.vertex_resources import COMPLETION_INPUTS, completion_outputs


def check(inputs: Mapping[str, object]) -> list[tuple[str, str]]:
    """Returns (property path, reason) for everything that is wrong with the inputs; unknown parts are not judged."""
    failures = list(property_errors(inputs, COMPLETION_INPUTS))
    wait_for = inputs.get("waitFor")
    if isinstance(wait_for, str) and wait_for not in REACHED:
        failures.append(("waitFor", f"{wait_for!r}; running and succeeded are allowed (for submitted, declare none)"))
    job = inputs.get("job")
    if isinstance(job, str) and jobs.parse_name(job) is None and kubernetes_jobs.parse(job) is None:
        collections = ", ".join(kind.collection for kind in vertex_workloads())
        form = f"projects/P/locations/L/customJobs/N (or another of {collections})"
        failures.append(("job", f"{job!r} is no job's name; {form} and namespaces/N/jobsets/NAME are"))
    return failures


def diff(outputs: Mapping[str, object], news: Mapping[str, object]) -> Verdict:
    """Returns what a change means: another job or run is another wait, the rest updates this one."""
    verdict = Verdict()
    for key in COMPLETION_INPUTS:
        changes = differences_of(outputs.get(key), news.get(key), key)
        (verdict.replaces if key in ("job", "run") else verdict.updates).update(changes)
    return verdict


def create(op: Operation, inputs: dict[str, object], *, preview: bool) -> tuple[str, dict[str, object]]:
    """Returns the id and the outputs once the job is where it is waited for; nothing is waited for in a preview."""
    if preview:
        return "", {**dict.fromkeys(completion_outputs(), UNKNOWN), **inputs}
    return f"{inputs['job']}/completion", _wait(op, inputs)


def update(op: Operation, outputs: dict[str, object], inputs: dict[str, object], *, preview: bool) -> dict[str, object]:
    """Returns the outputs once the job is where the new inputs wait for it."""
    if preview:
        return {**outputs, **dict.fromkeys(completion_outputs(), UNKNOWN), **inputs}
    return _wait(op, inputs)


def read(op: Operation, outputs: dict[str, object]) -> dict[str, object] | None:
    """Returns the outputs with the job's state as it is now, None where the job is gone."""
    inputs = {key: outputs[key] for key in COMPLETION_INPUTS if key in outputs}
    in_cluster = kubernetes_jobs.parse(outputs.get("job"))
    if in_cluster is not None:
        observed = kubernetes_jobs.read(in_cluster, inputs)
        return None if observed is None else {**inputs, **observed}
    name = jobs.parse_name(outputs.get("job"))
    job = jobs.get(op, name) if name else None
    return None if job is None else {**inputs, **_observed(job)}


def imported(job_id: str) -> dict[str, object]:
    """Returns the inputs of a wait that is imported by its id."""
    return {"job": job_id.removesuffix("/completion"), "waitFor": "succeeded"}


def _wait(op: Operation, inputs: dict[str, object]) -> dict[str, object]:
    in_cluster = kubernetes_jobs.parse(inputs["job"])
    if in_cluster is not None:
        return {**inputs, **kubernetes_jobs.wait(op, in_cluster, inputs)}
    name = jobs.parse_name(inputs["job"])
    if name is None:
        raise ServiceError(f"{inputs['job']!r} is no job's name")
    wait_for = str(inputs["waitFor"])
    timeout = inputs.get("timeout")
    limit = float(timeout[:-1]) if isinstance(timeout, str) else op.timeout
    try:
        job = _reach(op, name, REACHED[wait_for], wait_for, limit)
    except Interrupted:
        raise ServiceError(
            f"stopped waiting for {name.full}; the job is not touched and goes on, the next `pulumi up` waits again"
        ) from None
    return {**inputs, **_observed(job)}


def _reach(op: Operation, name: jobs.JobName, reached: frozenset[str], wait_for: str, limit: float) -> dict[str, Any]:
    for delay in jobs.poll_intervals():
        job = jobs.get(op, name)
        if job is None:
            raise ServiceError(f"{name.full} is gone; run `pulumi refresh`, the next `pulumi up` then submits it again")
        state = jobs.state_of(job)
        if state in reached:
            op.status(f"{state} after {duration(op.elapsed())}")
            return job
        if state in UNSUCCESSFUL:
            raise ServiceError(_failure(op, name, job))
        if limit and op.elapsed() + delay > limit:
            raise ServiceError(
                f"{name.full} is {state}, not {wait_for} within {limit:g} s; the job is not touched and goes on, "
                f"the next `pulumi up` waits again"
            )
        written_by = jobs.parse_name(results(job).get("backingJob")) or name
        op.progress(f"{state}, {_replicas(job)}waiting for {wait_for}", partial(last_line, op, written_by))
        op.pause(delay)
    raise AssertionError("unreachable: poll_intervals() never ends")


def _failure(op: Operation, name: jobs.JobName, job: Mapping[str, Any]) -> str:
    error = job.get("error")
    message = error.get("message") if isinstance(error, Mapping) else None
    lines = [
        f"{name.full} ended as {jobs.state_of(job)}: {message or 'the service gives no reason'}",
        *(f"  | {line}" for line in last_lines(op, jobs.parse_name(results(job).get("backingJob")) or name)),
        f"  page and logs: {name.console_url}",
        "  to run it again, raise the job's `run`, or change the job",
    ]
    return "\n".join(lines)


def _replicas(job: Mapping[str, Any]) -> str:
    count = sum(int(pool.get("replicaCount", 1)) for pool in worker_pools_of(job))
    replicas = f"{count} replica{'s' if count != 1 else ''}" if count else ""
    kind = by_body(job)
    return kind.progress(job, replicas) if kind else ""


def _observed(job: Mapping[str, Any]) -> dict[str, object]:
    outputs = {**{key: job.get(key) for key in completion_outputs()}, **results(job)}
    return {key: value for key, value in outputs.items() if value is not None}
