"""Which service answers for a stack: Google's own, or the sandbox on this machine for a stack that is tried there."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.clients.vertex.service import ENDPOINT_VARIABLE, TOKEN_VARIABLE, local_endpoint
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE, state_folder

KUBECONFIG = "KUBECONFIG"
NO_SANDBOX = "the sandbox does not run; `make up` starts it, or `python -m sandbox start`"
OTHER_SANDBOX = f'nobody answers at {{}} ({ENDPOINT_VARIABLE}), the sandbox is at {{}}: eval "$(python -m sandbox env)"'
NO_CLUSTER = "its cluster does not run; `make up` with this STACK starts it"


def operation() -> Operation:
    """Returns a call that says nothing to the user and is not stopped."""
    return Operation(urn="", log=lambda *_: None, stopping=threading.Event())


def in_sandbox(environment: str | None) -> bool:
    """Returns whether a stack of that environment is tried on this machine."""
    return environment == "sandbox" or SANDBOX_VARIABLE in os.environ


@contextmanager
def reached(environment: str | None) -> Iterator[None]:
    """Reaches the service of a stack within a block: another stack's must not answer for the next one."""
    before = dict(os.environ)
    try:
        reach(environment)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def reach(environment: str | None) -> None:
    """Puts the sandbox's endpoint and cluster into this process's environment, for a stack that is tried there.

    Raises ServiceError where such a stack's sandbox does not run.
    """
    if not in_sandbox(environment):
        return
    state = state_folder()
    os.environ[SANDBOX_VARIABLE] = str(state)
    # Also where it is not there: the user's own cluster must not answer for the sandbox's.
    os.environ.setdefault(KUBECONFIG, str(state / "kubernetes" / "kubeconfig"))
    if os.environ.get(ENDPOINT_VARIABLE):
        return
    api = _api(state)
    if api is None:
        raise ServiceError(NO_SANDBOX)
    os.environ[ENDPOINT_VARIABLE], os.environ[TOKEN_VARIABLE] = api


def check_sandbox() -> None:
    """Raises ServiceError where the endpoint is the sandbox's and nobody is there.

    Who waits for a job asks on, for the sandbox may be starting again; who only looks would wait for minutes.
    """
    endpoint = local_endpoint()
    if endpoint is None or not refuses(endpoint):
        return
    sandbox_api = _api(state_folder())
    if sandbox_api is not None and sandbox_api[0] != endpoint:
        raise ServiceError(OTHER_SANDBOX.format(endpoint, sandbox_api[0]))
    raise ServiceError(NO_SANDBOX)


def refuses(url: str) -> bool:
    """Returns whether nobody listens at an address of this machine."""
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        socket.create_connection((parts.hostname, port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    except (OSError, LookupError, ValueError):
        # No answer to this question: the call itself says what is wrong.
        return False
    return False


def _api(state: Path) -> tuple[str, str] | None:
    """Returns the sandbox's endpoint and token, None where its file says neither."""
    try:
        api = json.loads((state / "api.json").read_text(encoding="utf-8"))
        return str(api["endpoint"]), str(api["token"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
