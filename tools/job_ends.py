"""How the jobs of a stack ended: what `make up` shows once the engine is done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any

from infra.promotion.checks import stack_outputs
from infra.provider import jobs
from infra.provider.errors import Interrupted, ServiceError
from infra.provider.job_outputs import observed
from infra.provider.service import SANDBOX_VARIABLE
from tools import cluster, display
from tools.doubts import asking, service_of
from tools.pending import Deployment

LAST_LINES = 3
LONGEST_REASON = 240
MOST_LOOKED_AT = 20


def show_ends(stack: str, environment: Mapping[str, str], state: Deployment) -> None:
    """Tells each job on Vertex AI that ended without success; of a sandbox's jobs the last lines of the primary too."""
    sandbox = environment.get(SANDBOX_VARIABLE)
    said = stack_outputs(state).get("jobs") or {}
    # An output that holds a secret is encrypted.
    shown = sorted((name, job) for name, job in said.items() if isinstance(job, Mapping))
    for number, (name, job) in enumerate(shown):
        job_id = str(job.get("jobId", ""))
        for line in _last_lines(Path(sandbox), job_id) if sandbox else ():
            display.tell(f"{name}: {line}")
        # One call each: hundreds of jobs would be waited for longer than the run took.
        found = looked_at(environment, job_id) if number < MOST_LOOKED_AT else None
        if found and jobs.state_of(found) in jobs.UNSUCCESSFUL:
            why = shorten(str(observed(found).get("error", "no reason given")), LONGEST_REASON)
            ended = f"{name}: {jobs.state_of(found)}: {why}"
            display.tell(f"{ended}; to run it again raise `run`; `python -m infra status {stack}`")


def looked_at(environment: Mapping[str, str], job_id: str) -> dict[str, Any] | None:
    """Returns a job as its service has it, empty where it is gone, None where the service cannot be asked at once."""
    name = jobs.parse_name(job_id)
    if name is None:
        return None
    try:
        with service_of(environment):
            return jobs.get(asking(lambda _: None), name, tries=1) or {}
    except (ServiceError, Interrupted):
        return None


def _last_lines(state: Path, job_id: str) -> list[str]:
    log = cluster.primary_log(state, job_id) or state / "logs" / job_id.rpartition("/")[2] / "workerpool0-0.log"
    return log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:] if log.is_file() else []
