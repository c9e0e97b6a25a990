"""Reads and writes kubeconfig files: where an API server is, whom it is trusted by and who asks.

Of the ways to say who asks: a token, a client certificate, and a command that prints a token (as Google Cloud's does).
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_COMMAND_SECONDS = 60


class KubeconfigError(Exception):
    """A kubeconfig that cannot be read or used, as one message for the user."""


@dataclass(frozen=True)
class Access:
    """How an API server is reached: its address, what it is trusted by, and the header that says who asks."""

    server: str
    context: ssl.SSLContext
    headers: dict[str, str]


def write_kubeconfig(file: Path, *, server: str, authority: str, token: str, namespace: str = "default") -> None:
    """Writes a kubeconfig of one cluster, one user and one context, readable by its owner alone."""
    cluster = {"server": server, "certificate-authority-data": _encoded(authority)}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "sandbox",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "sandbox", "user": {"token": token}}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox", "namespace": namespace}}],
    }
    temporary = file.with_name(f".{file.name}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(content, out, indent=2, sort_keys=True)  # JSON is YAML, which is what a kubeconfig is
    temporary.replace(file)


def read_kubeconfig(file: Path) -> Access:
    """Returns the access of the file's current context. Raises KubeconfigError, which names the file."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        context = _named(content, "contexts", content["current-context"])["context"]
        cluster = _named(content, "clusters", context["cluster"])["cluster"]
        user = _named(content, "users", context["user"])["user"]
        server = str(cluster["server"]).rstrip("/")
        trust = _trust(cluster, file.parent)
        _add_certificate(trust, user, file.parent)
        headers = _headers(user, file.parent)
    except (
        OSError,
        ssl.SSLError,
        subprocess.SubprocessError,
        yaml.YAMLError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise KubeconfigError(f"{file} cannot be used: {type(error).__name__}: {error}") from None
    return Access(server=server, context=trust, headers=headers)


def _named(content: dict[str, Any], collection: str, name: str) -> dict[str, Any]:
    for entry in content[collection]:
        if entry["name"] == name:
            return dict(entry)
    raise KeyError(f"{collection}: {name}")


def _trust(cluster: dict[str, Any], folder: Path) -> ssl.SSLContext:
    if "certificate-authority-data" in cluster:
        return ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    if "certificate-authority" in cluster:
        return ssl.create_default_context(cafile=folder / cluster["certificate-authority"])
    return ssl.create_default_context()


def _add_certificate(trust: ssl.SSLContext, user: dict[str, Any], folder: Path) -> None:
    if "client-certificate-data" in user:
        pair = base64.b64decode(user["client-certificate-data"]) + b"\n" + base64.b64decode(user["client-key-data"])
        # ssl loads a client's certificate from a file only.
        with tempfile.NamedTemporaryFile() as held:
            held.write(pair)
            held.flush()
            trust.load_cert_chain(held.name)
    elif "client-certificate" in user:
        trust.load_cert_chain(folder / user["client-certificate"], folder / user["client-key"])


def _headers(user: dict[str, Any], folder: Path) -> dict[str, str]:
    token = user.get("token")
    if "tokenFile" in user:
        token = (folder / user["tokenFile"]).read_text(encoding="utf-8").strip()
    if "exec" in user:
        token = _token_of_command(user["exec"])
    return {"Authorization": f"Bearer {token}"} if token else {}


def _token_of_command(command: dict[str, Any]) -> str | None:
    asked = {"apiVersion": command["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    given = {entry["name"]: entry["value"] for entry in command.get("env") or []}
    answer = subprocess.run(
        [command["command"], *(command.get("args") or [])],
        env={**os.environ, **given, "KUBERNETES_EXEC_INFO": json.dumps(asked)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=_COMMAND_SECONDS,
        check=True,
    )
    token: str | None = json.loads(answer.stdout)["status"].get("token")
    return token


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
