"""What a cluster of the sandbox shows of its control plane: the API server on loopback where one was started.

It writes no more than a kubeconfig that gke-gcloud-auth-plugin's stand-in gets its token from.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

from trainingjobs.project.sandbox_folder import state_folder

# What stands where no API server is: programs put it into a kubeconfig, which then reaches nothing.
NO_CERTIFICATE = base64.b64encode(b"no cluster of the sandbox answers").decode()


def kubeconfig_file() -> Path:
    """Return the file that `python -m sandbox.kubernetes start` writes."""
    return state_folder() / "kubernetes" / "kubeconfig"


def address() -> tuple[str, str] | None:
    """Return the API server's host and port, and its authority in base64; None where none was started."""
    try:
        cluster = json.loads(kubeconfig_file().read_text(encoding="utf-8"))["clusters"][0]["cluster"]
        return cluster["server"].removeprefix("https://"), cluster["certificate-authority-data"]
    except (OSError, ValueError, LookupError):
        return None


def credential() -> str:
    """Return what gke-gcloud-auth-plugin prints: an ExecCredential. OSError or LookupError where there is none."""
    user = json.loads(kubeconfig_file().read_text(encoding="utf-8"))["users"][0]["user"]
    return json.dumps(
        {
            "kind": "ExecCredential",
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "status": {"token": user["token"]},
        }
    )


if __name__ == "__main__":
    print(credential())
