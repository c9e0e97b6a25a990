"""The provider's own configuration, and the guard that keeps the stand-in away from real stacks."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sandbox.gcp.errors import CloudError
from trainingjobs.project.sandbox_folder import state_folder

# Where the real provider looks when its configuration says nothing.
ENVIRONMENT = {
    "project": ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"),
    "region": ("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
    "zone": ("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
}
FIX = 'run `eval "$(python -m sandbox env)"` to use the sandbox, or take sandbox/bin off PATH to use Google'


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the provider was configured with; "" where neither it nor the environment says."""

    project: str = ""
    region: str = ""
    zone: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    attribution: bool = True


def read_settings(configuration: Mapping[str, Any]) -> Settings:
    """Return the settings for a provider's configuration, whose nested values may come as JSON text."""

    def place(name: str) -> str:
        value = configuration.get(name)
        if isinstance(value, str) and value:
            return value
        return next((os.environ[variable] for variable in ENVIRONMENT[name] if os.environ.get(variable)), "")

    labels = configuration.get("defaultLabels") or {}
    if isinstance(labels, str):
        labels = json.loads(labels)
    zone = place("zone")
    return Settings(
        project=place("project"),
        region=place("region") or zone.rpartition("-")[0],
        zone=zone,
        labels=labels,
        attribution=str(configuration.get("addPulumiAttributionLabel", True)).lower() != "false",
    )


def guarded_state() -> Path:
    """Return the sandbox's state folder.

    Raises CloudError where this is no sandbox: without TRAINING_SANDBOX, or with an endpoint that is not on loopback,
    the stack is a real one, and a stand-in that answered it would report resources that nobody has.
    """
    if not os.environ.get("TRAINING_SANDBOX"):
        raise CloudError(f"TRAINING_SANDBOX is not set: the sandbox's gcp provider refuses a real stack; {FIX}")
    endpoint = os.environ.get("TRAINING_VERTEX_ENDPOINT", "")
    if not is_loopback(endpoint):
        problem = f"{endpoint!r} is not a loopback address" if endpoint else "is not set"
        raise CloudError(f"TRAINING_VERTEX_ENDPOINT {problem}: the sandbox's gcp provider refuses a real stack; {FIX}")
    return state_folder()


def is_loopback(endpoint: str) -> bool:
    """Return whether a URL's host is this machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
