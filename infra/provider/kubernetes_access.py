"""How the provider reads a cluster: a kubeconfig (its text or its file) → GET requests. It never writes.

Of the ways to say who asks: a token, a file with one, a client certificate, and a command that prints a token, which is
run again when the token has run out.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import requests
import yaml

from infra.provider.errors import ServiceError, in_short, root_cause

TIMEOUT_SECONDS: Final = 30
COMMAND_SECONDS: Final = 60


@dataclass
class Cluster:
    """One cluster that is read. Files are temporary: requests takes certificates as files only."""

    server: str
    user: Mapping[str, Any]
    folder: Path
    session: requests.Session
    held: list[Any] = field(default_factory=list)

    def get(self, path: str, doing: str) -> dict[str, Any] | None:
        """Returns the object at a path, None where there is none. Raises ServiceError."""
        answer = self._ask(path, doing)
        if answer.status_code == 401:
            self.session.headers.update(_headers(self.user, self.folder))
            answer = self._ask(path, doing)
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise ServiceError(
                f"{doing}: {_said(answer)} (HTTP {answer.status_code})",
                answer.status_code,
                retryable=answer.status_code in (429, 500, 502, 503, 504),
            )
        found: dict[str, Any] = answer.json()
        return found

    def text(self, path: str) -> str:
        """Returns the text at a path, "" where it cannot be had."""
        try:
            answer = self._ask(path, "")
        except ServiceError:
            return ""
        return answer.text if answer.status_code == 200 else ""

    def _ask(self, path: str, doing: str) -> requests.Response:
        try:
            return self.session.get(f"{self.server}{path}", timeout=TIMEOUT_SECONDS)
        except requests.RequestException as problem:
            why = root_cause(problem)
            raise ServiceError(f"{doing}: no answer from {self.server} ({why})", retryable=True) from None


def connect(kubeconfig: str | None, context: str | None) -> Cluster:
    """Returns the cluster that a kubeconfig's context names; without one what kubectl would take.

    Raises ServiceError where the kubeconfig cannot be used.
    """
    try:
        return _cluster(*_content(kubeconfig), context)
    except (OSError, yaml.YAMLError, LookupError, TypeError, ValueError, subprocess.SubprocessError) as problem:
        what = getattr(problem, "filename", None) or type(problem).__name__
        raise ServiceError(f"the kubeconfig cannot be used: {what}: {in_short(problem)}") from None


def _content(kubeconfig: str | None) -> tuple[dict[str, Any], Path]:
    if kubeconfig and ("\n" in kubeconfig or kubeconfig.lstrip().startswith("{")):
        return yaml.safe_load(kubeconfig), Path.cwd()
    named = kubeconfig or os.environ.get("KUBECONFIG", "").split(os.pathsep)[0] or "~/.kube/config"
    file = Path(named).expanduser()
    return yaml.safe_load(file.read_text(encoding="utf-8")), file.parent


def _cluster(content: dict[str, Any], folder: Path, context: str | None) -> Cluster:
    chosen = _named(content, "contexts", context or content["current-context"])["context"]
    cluster = _named(content, "clusters", chosen["cluster"])["cluster"]
    user = _named(content, "users", chosen["user"])["user"]
    session = requests.Session()
    made = Cluster(server=str(cluster["server"]).rstrip("/"), user=user, folder=folder, session=session)
    session.trust_env = False
    session.verify = _file(made, cluster, "certificate-authority") or True
    certificate, key = _file(made, user, "client-certificate"), _file(made, user, "client-key")
    if certificate and key:
        session.cert = (certificate, key)
    session.headers.update(_headers(user, folder))
    return made


def _named(content: Mapping[str, Any], collection: str, name: str) -> dict[str, Any]:
    for entry in content[collection]:
        if entry["name"] == name:
            return dict(entry)
    raise KeyError(f"no {name} among {collection}")


def _file(cluster: Cluster, section: Mapping[str, Any], key: str) -> str:
    data = section.get(f"{key}-data")
    if data:
        held = tempfile.NamedTemporaryFile()  # noqa: SIM115
        held.write(base64.b64decode(data))
        held.flush()
        cluster.held.append(held)
        return held.name
    return str(cluster.folder / section[key]) if key in section else ""


def _headers(user: Mapping[str, Any], folder: Path) -> dict[str, str]:
    token = user.get("token")
    if "tokenFile" in user:
        token = (folder / user["tokenFile"]).read_text(encoding="utf-8").strip()
    if "exec" in user:
        token = _token_of_command(user["exec"])
    return {"Authorization": f"Bearer {token}"} if token else {}


def _token_of_command(command: Mapping[str, Any]) -> str | None:
    asked = {"apiVersion": command["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    given = {entry["name"]: entry["value"] for entry in command.get("env") or []}
    answer = subprocess.run(
        [command["command"], *(command.get("args") or [])],
        env={**os.environ, **given, "KUBERNETES_EXEC_INFO": json.dumps(asked)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=COMMAND_SECONDS,
        check=True,
    )
    token: str | None = json.loads(answer.stdout)["status"].get("token")
    return token


def _said(answer: requests.Response) -> str:
    try:
        return str(answer.json()["message"])[:300]
    except (ValueError, LookupError, TypeError):
        return answer.text[:300] or "no explanation"
