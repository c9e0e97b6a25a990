"""The last lines that a job's replicas wrote: from Cloud Logging, in the sandbox from its server.

For the message of a failed job and the progress of one that is waited for; operations/log_lines.py reads whole logs.
"""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from typing import Final

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex.jobs import JobName
from trainingjobs.clients.vertex.service import TOKEN_VARIABLE, call, local_endpoint

LINES: Final = 10
LINE_LIMIT: Final = 300
PRIMARY: Final = "workerpool0-0"
# For an answer of the sandbox's server.
SANDBOX_SECONDS: Final = 30


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
        return _lines_of_primary(name) if local_endpoint() else []
    entries = answer.get("entries")
    return [_line(entry) for entry in reversed(entries)] if isinstance(entries, list) else []


def _lines_of_primary(name: JobName) -> list[str]:
    try:
        text = sandbox_log(name.number, PRIMARY)
    except ServiceError:
        return []
    return [f"{PRIMARY}: {line}"[:LINE_LIMIT] for line in text.splitlines() if line.strip()][-LINES:]


def last_line(op: Operation, name: JobName) -> str:
    """Returns the line that the job wrote last, "" where there is none or the log cannot be read."""
    lines = last_lines(op, name)
    return "".join(c for c in lines[-1] if c.isprintable()) if lines else ""


def sandbox_log(run: str, replica: str) -> str:
    """Returns what a replica has written in the sandbox, "" where it has no log yet. Raises ServiceError.

    `run` is the job's number, `-TRIAL` after it for a tuning job's; `replica` is workerpoolP-I.
    """
    path = f"/sandbox/logs/{run}/{replica}"
    headers = {"Authorization": f"Bearer {os.environ.get(TOKEN_VARIABLE, '')}"}
    # local_endpoint() lets only this machine's addresses through.
    request = urllib.request.Request(f"{local_endpoint()}{path}", headers=headers)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=SANDBOX_SECONDS) as answer:
            return str(answer.read().decode(errors="replace"))
    except urllib.error.HTTPError as refused:
        if refused.code == 404:
            return ""
        raise ServiceError(f"reading {path}: HTTP {refused.code}", refused.code) from None
    except OSError as problem:
        raise ServiceError(f"reading {path}: {problem}", retryable=True) from None


def _line(entry: object) -> str:
    if not isinstance(entry, dict):
        return ""
    labels = entry.get("resource", {}).get("labels", {})
    payload = entry.get("jsonPayload")
    text = entry.get("textPayload") or (payload.get("message") if isinstance(payload, dict) else "") or ""
    return f"{labels.get('task_name', '')}: {text}"[:LINE_LIMIT].lstrip(": ").rstrip()
