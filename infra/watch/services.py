"""Which service answers for a stack: Google's own, or the sandbox on this machine for a stack that is tried there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.project_files import ROOT
from infra.provider.errors import ServiceError
from infra.provider.operation import Operation
from infra.provider.service import ENDPOINT_VARIABLE, SANDBOX_VARIABLE, TOKEN_VARIABLE

KUBECONFIG = "KUBECONFIG"


def operation() -> Operation:
    """Returns a call that says nothing to the user and is not stopped."""
    return Operation(urn="", log=lambda *_: None, stopping=threading.Event())


@contextmanager
def reached(environment: str | None) -> Iterator[None]:
    """The same for a block: another stack's service must not answer for the next one."""
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
    if environment != "sandbox" and SANDBOX_VARIABLE not in os.environ:
        return
    state = Path(os.environ.get(SANDBOX_VARIABLE) or ROOT / ".sandbox")
    os.environ[SANDBOX_VARIABLE] = str(state)
    kubeconfig = state / "kubernetes" / "kubeconfig"
    if KUBECONFIG not in os.environ and kubeconfig.is_file():
        os.environ[KUBECONFIG] = str(kubeconfig)
    if os.environ.get(ENDPOINT_VARIABLE):
        return
    try:
        api = json.loads((state / "api.json").read_text(encoding="utf-8"))
        os.environ[ENDPOINT_VARIABLE], os.environ[TOKEN_VARIABLE] = api["endpoint"], api["token"]
    except (OSError, ValueError, LookupError, TypeError):
        raise ServiceError("the sandbox does not run; `make up` starts it, or `python -m sandbox start`") from None
