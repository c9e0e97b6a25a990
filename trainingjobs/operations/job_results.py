"""How the jobs of a stack ended: what `make up` shows once the engine is done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.vertex import jobs
from trainingjobs.clients.vertex.job_outputs import observed
from trainingjobs.operations import display
from trainingjobs.operations.pending_operations import Deployment
from trainingjobs.operations.pending_submissions import operation_of, service_of
from trainingjobs.operations.promotion.checks import stack_outputs
from trainingjobs.operations.sandbox import primary_log
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.workloads.states import UNSUCCESSFUL

LAST_LINES = 3
LONGEST_REASON = 240
MOST_ASKED = 20


def show_results(stack: str, environment: Mapping[str, str], state: Deployment) -> None:
    """Tells each job on Vertex AI that ended without success; of a sandbox's jobs the last lines of the primary too."""
    sandbox = environment.get(SANDBOX_VARIABLE)
    outputs = stack_outputs(state).get("jobs") or {}
    # An output that holds a secret is encrypted.
    named_jobs = sorted((name, job) for name, job in outputs.items() if isinstance(job, Mapping))
    for number, (name, job) in enumerate(named_jobs):
        job_id = str(job.get("jobId", ""))
        for line in _last_lines(Path(sandbox), job_id) if sandbox else ():
            display.tell(f"{name}: {line}")
        # One call each: hundreds of jobs would be waited for longer than the run took.
        ended = current_job(environment, job_id) if number < MOST_ASKED else None
        if ended and jobs.state_of(ended) in UNSUCCESSFUL:
            reason = shorten(str(observed(ended).get("error", "no reason given")), LONGEST_REASON)
            outcome = f"{name}: {jobs.state_of(ended)}: {reason}"
            display.tell(f"{outcome}; to run it again raise `run`; `trainingjobs status {stack}`")


def current_job(environment: Mapping[str, str], job_id: str) -> dict[str, Any] | None:
    """Returns a job as its service has it, empty where it is gone, None where the service cannot be asked at once."""
    name = jobs.parse_name(job_id)
    if name is None:
        return None
    try:
        with service_of(environment):
            return jobs.get(operation_of(lambda _: None), name, tries=1) or {}
    except (ServiceError, Interrupted):
        return None


def _last_lines(state: Path, job_id: str) -> list[str]:
    log = primary_log(state, job_id)
    return log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:] if log.is_file() else []
