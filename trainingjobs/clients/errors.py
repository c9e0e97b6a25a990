"""What went wrong at the service, in the user's words: what Google said, and what to do about it.

Owns the meaning of Google's error form ({"error": {"code", "message", "status", "details"}}), not when to try again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

LOGIN = "run `gcloud auth application-default login` (in CI: give the job a service account's credentials)"

# The most characters of a failure whose words are another library's.
SHORT = 200

# A permission in the message, and the role that grants it (Vertex AI and IAM role references).
_ROLES = (
    ("iam.serviceaccounts.actas", "roles/iam.serviceAccountUser on the job's service account"),
    ("compute.networks", "roles/compute.networkUser on the network's project"),
    ("compute.networkattachments", "roles/compute.networkAdmin on the network attachment's project"),
    ("cloudkms", "roles/cloudkms.cryptoKeyEncrypterDecrypter on the key, for the Vertex AI service agent"),
    ("artifactregistry", "roles/artifactregistry.reader on the image's repository, for the Vertex AI service agent"),
    ("storage.", "roles/storage.objectAdmin on the bucket, for the job's service account"),
    ("aiplatform.tensorboards", "roles/aiplatform.user on the tensorboard's project"),
)
_QUOTA = re.compile(r"[a-z]+\.googleapis\.com/[A-Za-z0-9_]+")


class ServiceError(Exception):
    """The service refused a call. `code` is the HTTP status, 0 where there was no answer at all."""

    def __init__(self, message: str, code: int = 0, *, retryable: bool = False, retry_after: float | None = None):
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after

    @property
    def may_have_taken_effect(self) -> bool:
        """Whether the call may have taken effect although no good answer came."""
        return self.retryable and self.code != 429


class Interrupted(Exception):
    """The run is being stopped: a wait ends before what it waited for."""


def from_answer(code: int, text: str, retry_after: str | None, doing: str, project: str) -> ServiceError:
    """Returns the error for an answer that is no success. `doing` says what was tried, such as "submitting the job"."""
    error = _error_object(text)
    explanation = str(error.get("message") or text.strip()[:300] or "no explanation")
    status = str(error.get("status", ""))
    reasons = " ".join(str(detail.get("reason", "")) for detail in _details(error))
    quota = code == 429 and _is_quota(explanation, reasons)
    fix = _fix(code, explanation, f"{status} {reasons}", project, quota=quota)
    details = "".join(f"\n  {field}: {description}" for field, description in _violations(error))
    message = (
        f"{doing}: {explanation}{details} (HTTP {code}{' ' + status if status else ''}){f'; {fix}' if fix else ''}"
    )
    retryable = code in (429, 500, 502, 503, 504) and not quota
    return ServiceError(message, code, retryable=retryable, retry_after=_seconds(retry_after))


def from_credentials(problem: Exception) -> ServiceError:
    """Returns the error for credentials that are missing or no longer valid."""
    # Without what was tried: one login is missing, whatever is asked.
    return ServiceError(f"no valid Google credentials ({in_short(problem)}); {LOGIN}", 401)


def from_connection(problem: Exception, doing: str) -> ServiceError:
    """Returns the error for a call that got no answer."""
    url = getattr(getattr(problem, "request", None), "url", None)
    host = urlsplit(url).netloc if isinstance(url, str) else ""
    return ServiceError(f"{doing}: no answer from {host or 'the service'} ({root_cause(problem)})", retryable=True)


def root_cause(problem: BaseException) -> str:
    """Returns what lies under a failed connection: what the libraries wrap it in names their objects, not the fault."""
    while True:
        inner = [problem.__cause__, getattr(problem, "reason", None), *reversed(problem.args)]
        cause = next((candidate for candidate in inner if isinstance(candidate, BaseException)), None)
        if cause is None:
            return in_short(problem)
        problem = cause


def in_short(problem: BaseException) -> str:
    """Returns a failure's first line, shortened."""
    words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return shortened(words) or type(problem).__name__


def shortened(text: str, limit: int = SHORT) -> str:
    """Returns a text's first line, whole words of it within `most` characters."""
    line = next(iter(text.strip().splitlines()), "")
    if len(line) <= limit:
        return line
    return f"{line[: limit - 1].rpartition(' ')[0] or line[: limit - 2]} …"


def _fix(code: int, explanation: str, marks: str, project: str, *, quota: bool) -> str:
    lower = explanation.lower()
    if code == 401:
        return LOGIN
    if "SERVICE_DISABLED" in marks or "has not been used in project" in lower:
        return f"run `gcloud services enable aiplatform.googleapis.com --project {project}`"
    if "BILLING_DISABLED" in marks:
        return f"link a billing account to project {project}"
    if code == 403:
        role = next((role for mark, role in _ROLES if mark in lower), f"roles/aiplatform.user on project {project}")
        return f"the caller needs {role}"
    if quota:
        metric = _QUOTA.search(explanation)
        quota_name = f"quota {metric[0]}" if metric else "the quota"
        return f"raise {quota_name} of project {project} in the region, use fewer replicas, or another region"
    if code == 404:
        return f"check that project {project} and the location exist"
    return ""


def _is_quota(explanation: str, reasons: str) -> bool:
    # A limit on requests a minute passes by itself; one on accelerators does not.
    per_minute = "RATE_LIMIT_EXCEEDED" in reasons or "per minute" in explanation.lower()
    return not per_minute and ("quota" in explanation.lower() or "QUOTA" in reasons)


def _error_object(text: str) -> Mapping[str, object]:
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return error if isinstance(error, dict) else {}


def _details(error: Mapping[str, object]) -> list[Mapping[str, object]]:
    details = error.get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _violations(error: Mapping[str, object]) -> list[tuple[str, str]]:
    violations = []
    for detail in _details(error):
        field_violations = detail.get("fieldViolations")
        for violation in field_violations if isinstance(field_violations, list) else []:
            if isinstance(violation, dict):
                violations.append((str(violation.get("field", "?")), str(violation.get("description", ""))))
    return violations


def _seconds(retry_after: str | None) -> float | None:
    # The date form of the header is not used by Google's APIs: it is taken as absent.
    return float(retry_after) if retry_after and retry_after.strip().isdigit() else None
