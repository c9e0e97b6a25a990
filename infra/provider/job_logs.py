"""The last lines that a job's replicas wrote, from Cloud Logging: for the message of a failed job, nothing else."""

from __future__ import annotations

from typing import Final

from infra.provider.errors import Interrupted, ServiceError
from infra.provider.jobs import JobName
from infra.provider.operation import Operation
from infra.provider.service import call, local_endpoint

LINES: Final = 10
LINE_LIMIT: Final = 300


def last_lines(op: Operation, name: JobName) -> list[str]:
    """Returns the job's last log lines, oldest first; none where the log cannot be read."""
    body = {
        "resourceNames": [f"projects/{name.project}"],
        "filter": f'resource.type="ml_job" AND resource.labels.job_id="{name.number}"',
        "orderBy": "timestamp desc",
        "pageSize": LINES,
    }
    url = f"{local_endpoint() or 'https://logging.googleapis.com'}/v2/entries:list"
    try:
        answer = call(op, "POST", url, "reading the log", body=body, project=name.project, tries=1)
    except (ServiceError, Interrupted):
        # The log is a courtesy: a caller without the right to read it still learns that the job failed.
        return []
    entries = answer.get("entries")
    return [_line(entry) for entry in reversed(entries)] if isinstance(entries, list) else []


def _line(entry: object) -> str:
    if not isinstance(entry, dict):
        return ""
    labels = entry.get("resource", {}).get("labels", {})
    payload = entry.get("jsonPayload")
    text = entry.get("textPayload") or (payload.get("message") if isinstance(payload, dict) else "") or ""
    return f"{labels.get('task_name', '')}: {text}"[:LINE_LIMIT].lstrip(": ").rstrip()
