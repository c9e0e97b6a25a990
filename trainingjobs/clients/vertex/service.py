"""Calls to Vertex AI's REST API: where it is, with which credentials, and when a call is tried again.

The endpoint is never a property of a resource: it is Google's own, or what the environment names at each call. Owns
no resource: see jobs.py.
"""

from __future__ import annotations

import ipaddress
import os
import random
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from trainingjobs.clients.errors import ServiceError, from_answer, from_connection, from_credentials
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE

if TYPE_CHECKING:
    import requests

    from trainingjobs.clients.operation import Operation

ENDPOINT_VARIABLE: Final = "TRAINING_VERTEX_ENDPOINT"
TOKEN_VARIABLE: Final = "TRAINING_VERTEX_TOKEN"

# Seconds: for all tries of one call together, between two tries, to connect, and for an answer.
BUDGET: Final = 120.0
FIRST_DELAY: Final = 0.5
LONGEST_DELAY: Final = 20.0
TIMEOUTS: Final = (10.0, 60.0)

_SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)
_per_thread = threading.local()
_credentials_lock = threading.Lock()
_credentials_found: list[Any] = []


def local_endpoint() -> str | None:
    """Returns the endpoint that the environment names, None for Google's own; ServiceError where it may not be used."""
    endpoint = os.environ.get(ENDPOINT_VARIABLE, "")
    if not endpoint:
        if os.environ.get(SANDBOX_VARIABLE):
            raise ServiceError(
                f"{SANDBOX_VARIABLE} is set but {ENDPOINT_VARIABLE} is not, and a sandbox never reaches Google; "
                f"start the sandbox and take its variables from `python -m sandbox env`"
            )
        return None
    parts = urlsplit(endpoint)
    if parts.scheme != "http" or not _is_loopback(parts.hostname or ""):
        # Credentials and jobs must not go to a host that a variable happens to name.
        raise ServiceError(f"{ENDPOINT_VARIABLE}: {endpoint} is not on this machine; http://127.0.0.1:PORT is allowed")
    return endpoint.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def vertex_url(location: str, path: str) -> str:
    """Returns the address of a resource's path, such as projects/P/locations/L/customJobs."""
    return f"{local_endpoint() or f'https://{location}-aiplatform.googleapis.com'}/v1/{path}"


def call(
    op: Operation, method: str, url: str, doing: str, *, body: object = None, project: str = "", tries: int = 1000
) -> dict[str, Any]:
    """Returns the answer's object. Tries again what may pass by itself, within BUDGET seconds and `tries` tries.

    Raises ServiceError for what the service refuses, Interrupted where the run is stopped between two tries.
    """
    deadline = time.monotonic() + BUDGET
    for attempt in range(tries):
        try:
            return _once(method, url, doing, body, project)
        except ServiceError as failure:
            delay = retry_delay(failure, attempt)
            if delay is None or attempt + 1 == tries or time.monotonic() + delay > deadline:
                raise
            op.status(f"{doing}: the service does not answer well (HTTP {failure.code}); trying again in {delay:.0f} s")
            op.pause(delay)
    raise AssertionError("unreachable: the last try returns or raises")


def retry_delay(failure: ServiceError, attempt: int) -> float | None:
    """Returns the seconds to wait before the next try, None where another try cannot help."""
    if not failure.retryable:
        return None
    if failure.retry_after is not None:
        return failure.retry_after
    # Spread, so that several jobs that failed together do not come back together.
    return min(FIRST_DELAY * 2.0**attempt, LONGEST_DELAY) * random.uniform(0.75, 1.25)


def _once(method: str, url: str, doing: str, body: object, project: str) -> dict[str, Any]:
    import google.auth.exceptions
    import requests

    try:
        answer = _session(url).request(
            method, url, json=body, headers=_headers(), timeout=TIMEOUTS, allow_redirects=False
        )
        text = answer.text
    except google.auth.exceptions.TransportError as problem:
        raise from_connection(problem, doing) from None
    except google.auth.exceptions.GoogleAuthError as problem:
        raise from_credentials(problem) from None
    except requests.RequestException as problem:
        raise from_connection(problem, doing) from None
    if answer.status_code // 100 != 2:
        raise from_answer(answer.status_code, text, answer.headers.get("Retry-After"), doing, project)
    try:
        parsed = answer.json() if text.strip() else {}
    except ValueError as problem:
        raise from_connection(problem, doing) from None
    if not isinstance(parsed, dict):
        raise from_connection(ValueError("the answer is not an object"), doing)
    return parsed


def _headers() -> dict[str, str]:
    token = os.environ.get(TOKEN_VARIABLE, "")
    return {"Authorization": f"Bearer {token}"} if token and local_endpoint() else {}


def _session(url: str) -> requests.Session:
    """Returns this thread's session: requests' own are not made for several threads at once."""
    local = url.startswith("http://")
    name = "local" if local else "google"
    session: requests.Session | None = getattr(_per_thread, name, None)
    if session is None:
        session = _local_session() if local else _google_session()
        setattr(_per_thread, name, session)
    return session


def _local_session() -> requests.Session:
    import requests

    session = requests.Session()
    # A proxy of the environment would take calls to this machine away from it.
    session.trust_env = False
    return session


def _google_session() -> requests.Session:
    from google.auth.transport.requests import AuthorizedSession

    session: requests.Session = AuthorizedSession(_credentials())  # type: ignore[no-untyped-call]
    return session


def _credentials() -> Any:
    """Returns the process's Google credentials. Looking for them takes seconds where there are none: once is enough."""
    import google.auth
    import google.auth.exceptions

    with _credentials_lock:
        if not _credentials_found:
            try:
                with warnings.catch_warnings():
                    # A user's own login without a quota project: the service says so itself where it matters.
                    warnings.simplefilter("ignore")
                    _credentials_found.append(google.auth.default(scopes=_SCOPES)[0])  # type: ignore[no-untyped-call]
            except google.auth.exceptions.GoogleAuthError as problem:
                _credentials_found.append(problem)
        credentials = _credentials_found[0]
    if isinstance(credentials, Exception):
        raise credentials
    return credentials
