"""Errors in the form of Google's JSON APIs."""

from __future__ import annotations

from collections.abc import Sequence

# Google's canonical codes (google.rpc.Code): number and the HTTP status it is sent with.
CODES = {
    "CANCELLED": (1, 499),
    "INVALID_ARGUMENT": (3, 400),
    "DEADLINE_EXCEEDED": (4, 504),
    "NOT_FOUND": (5, 404),
    "RESOURCE_EXHAUSTED": (8, 429),
    "FAILED_PRECONDITION": (9, 400),
    "INTERNAL": (13, 500),
    "UNAVAILABLE": (14, 503),
    "UNAUTHENTICATED": (16, 401),
}
_BY_HTTP = {http: name for name, (_, http) in CODES.items() if name != "FAILED_PRECONDITION"}


class ApiError(Exception):
    """A request that is refused, with the canonical status and the violations of single fields if there are any."""

    def __init__(self, status: str, message: str, violations: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.http = CODES[status][1]
        self.violations = list(violations)

    def body(self) -> dict[str, object]:
        """Returns the answer's body."""
        error = {"code": self.http, "message": str(self), "status": self.status}
        if self.violations:
            fields = [{"field": field, "description": text} for field, text in self.violations]
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": fields}]
        return {"error": error}


def status_body(http: int) -> dict[str, object]:
    """Returns the body of an error that is known only by its HTTP status."""
    name = _BY_HTTP.get(http, "UNKNOWN")
    return {
        "error": {"code": http, "message": f"The service answers {http} because a fault was asked for.", "status": name}
    }


def job_error(status: str, message: str) -> dict[str, object]:
    """Returns the google.rpc.Status that stands in a job's `error`."""
    return {"code": CODES[status][0], "message": message}
