"""How a cluster is read: a kubeconfig (its text, its file, or what KUBECONFIG names) → GET requests. It never writes.

Kubernetes' own Python client loads the kubeconfig and makes the calls; it takes a second to load, so that only who asks
a cluster imports this module.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import urllib3.exceptions
import yaml
from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException, load_kube_config, load_kube_config_from_dict

from trainingjobs.clients.errors import ServiceError, in_short, root_cause

TIMEOUT_SECONDS: Final = 30
DEFAULT_FILE: Final = "~/.kube/config"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


@dataclass
class Cluster:
    """One cluster that is read. `load` reads its kubeconfig anew: a token may have run out."""

    load: Callable[[], Configuration]
    client: ApiClient

    @property
    def server(self) -> str:
        """Returns the API server's address."""
        return str(self.client.configuration.host)

    def get(self, path: str, doing: str) -> dict[str, Any] | None:
        """Returns the object at a path, None where there is none. Raises ServiceError."""
        try:
            return dict(json.loads(self._ask(path, doing)))
        except ApiException as refusal:
            if refusal.status == 404:
                return None
            raise ServiceError(
                f"{doing}: {_explanation(refusal)} (HTTP {refusal.status})",
                refusal.status,
                retryable=refusal.status in (429, 500, 502, 503, 504),
            ) from None

    def text(self, path: str) -> str:
        """Returns the text at a path, "" where it cannot be had."""
        try:
            return self._ask(path, "").decode(errors="replace")
        except (ServiceError, ApiException):
            return ""

    def _ask(self, path: str, doing: str) -> bytes:
        try:
            return self._answer(path)
        except ApiException as refusal:
            if refusal.status != 401:
                raise
            self.client = ApiClient(self.load())
            return self._answer(path)
        except (urllib3.exceptions.HTTPError, OSError) as problem:
            raise ServiceError(
                f"{doing}: no answer from {self.server} ({root_cause(problem)})", retryable=True
            ) from None

    def _answer(self, path: str) -> bytes:
        response, _, _ = self.client.call_api(
            path, "GET", auth_settings=["BearerToken"], _preload_content=False, _request_timeout=TIMEOUT_SECONDS
        )
        content: bytes = response.data
        return content


def connect(kubeconfig: str | None, context: str | None) -> Cluster:
    """Returns the cluster that a kubeconfig's context names; without one what kubectl would take.

    Raises ServiceError where the kubeconfig cannot be used.
    """

    def load() -> Configuration:
        return configuration(kubeconfig, context)

    return Cluster(load, ApiClient(load()))


def configuration(kubeconfig: str | None, context: str | None) -> Configuration:
    """Returns how a kubeconfig's context is reached: its text or its file, else the files that KUBECONFIG names.

    Raises ServiceError where it cannot be used.
    """
    loaded = Configuration()
    # Who asks decides whether to ask again.
    loaded.retries = False
    log = _Log()
    try:
        with log:
            _load(loaded, kubeconfig, context)
    except (ConfigException, OSError, yaml.YAMLError, LookupError, TypeError, ValueError, AttributeError) as problem:
        source = getattr(problem, "filename", None) or type(problem).__name__
        raise ServiceError(f"the kubeconfig cannot be used: {source}: {in_short(problem)}") from None
    if log.errors:
        raise ServiceError(f"the kubeconfig cannot be used: {log.errors[0]}")
    if urlsplit(loaded.host).hostname in LOOPBACK:
        # As kubectl does: a proxy cannot reach this machine's own addresses.
        loaded.proxy = None
    return loaded


class _Log(logging.Handler):
    """The errors that are logged within it: of a plug-in that fails the client says no more, and asks as nobody."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a message."""
        self.errors.append(record.getMessage())

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)


def _load(loaded: Configuration, kubeconfig: str | None, context: str | None) -> None:
    if kubeconfig and ("\n" in kubeconfig or kubeconfig.lstrip().startswith("{")):
        load_kube_config_from_dict(yaml.safe_load(kubeconfig), context, loaded, persist_config=False)
        return
    files = kubeconfig or os.environ.get("KUBECONFIG") or DEFAULT_FILE
    load_kube_config(files, context or _current_context(files), loaded, persist_config=False)


def _current_context(files: str) -> str | None:
    """Returns the current context of several files. kubectl takes the first one's, the Python client the last one's."""
    for name in files.split(os.pathsep):
        path = Path(name).expanduser()
        content = yaml.safe_load(path.read_text(encoding="utf-8")) if name and path.is_file() else None
        if isinstance(content, dict) and content.get("current-context"):
            return str(content["current-context"])
    return None


def _explanation(refusal: ApiException) -> str:
    body = refusal.body.decode(errors="replace") if isinstance(refusal.body, bytes) else str(refusal.body or "")
    try:
        return str(json.loads(body)["message"])[:300]
    except (ValueError, LookupError, TypeError):
        return body[:300] or "no explanation"
