"""What the service says of a job, as outputs: its state, and what it has brought (best trials, an uploaded model)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainingjobs.clients.errors import shortened
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.identity import LABEL
from trainingjobs.workloads.vertex import by_body

# The most characters of a reason beside other words; `status` and the wait for the job have the whole of it.
REASON: Final = 120
COMMON: Final = ("name", "state", "createTime", "startTime", "endTime")


def observed(job: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs that come from the service; what it does not say is left out."""
    name = jobs.parse_name(job.get("name"))
    error = job.get("error")
    outputs = {key: job.get(key) for key in COMMON}
    outputs["error"] = error.get("message") if isinstance(error, Mapping) else None
    outputs["consoleUrl"] = name.console_url if name else None
    outputs["submittedHash"] = (job.get("labels") or {}).get(LABEL)
    outputs |= results(job)
    return {key: value for key, value in outputs.items() if value is not None}


def results(job: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the job has brought so far, as its kind knows it."""
    kind = by_body(job)
    return kind.observed_results(job, jobs.state_of(job)) if kind else {}


def run_again(job: Mapping[str, Any]) -> str:
    """Returns how an ended job without success ended, in one line, and how to run it again."""
    error = job.get("error")
    message = str(error.get("message") or "") if isinstance(error, Mapping) else ""
    # What follows the first sentence is where to look, or lines of a log.
    reason = f": {shortened(message.partition('. ')[0], REASON).rstrip('.')}" if message else ""
    return (
        f"{job['name']} is {jobs.state_of(job)}{reason}; it is not run again by itself: raise `run`, or change the job"
    )
