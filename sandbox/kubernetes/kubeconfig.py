"""Writes the control plane's kubeconfig, and reads one: where an API server is, whom it is trusted by and who asks."""

from __future__ import annotations

import base64
import json
import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.kubernetes.access import configuration


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
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority.encode()).decode()}
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
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=2, sort_keys=True)  # JSON is YAML, which is what a kubeconfig is
    temporary.replace(file)


def read_kubeconfig(file: Path) -> Access:
    """Returns the access of the file's current context. Raises KubeconfigError, which names the file."""
    try:
        client_configuration = configuration(str(file), None)
        context = ssl.create_default_context(cafile=client_configuration.ssl_ca_cert)
        if client_configuration.cert_file:
            context.load_cert_chain(client_configuration.cert_file, client_configuration.key_file)
    except (ServiceError, OSError, ssl.SSLError) as error:
        raise KubeconfigError(f"{file} cannot be used: {error}") from None
    token = client_configuration.get_api_key_with_prefix("authorization")
    return Access(server=client_configuration.host, context=context, headers={"Authorization": token} if token else {})
