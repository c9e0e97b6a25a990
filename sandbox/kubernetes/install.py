"""What the controllers need in the cluster: their kinds, their webhooks' configurations, their certificate."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from sandbox.kubernetes.bed_settings import Settings
from sandbox.kubernetes.client import Client, KubernetesError

_POLL_SECONDS = 0.05
_KIND_SECONDS = 30.0
# What a GKE cluster has by itself.
_GKE_KINDS = Path(__file__).parent / "kinds"
_OPERATOR_NAMESPACE = "kubeflow"
_OPERATOR_SECRET = "training-operator-webhook-cert"


def install(client: Client, settings: Settings, operator: Path, jobset: Path) -> None:
    """Applies what both controllers need, idempotently; `operator` and `jobset` are the folders of their builds."""
    kinds = dict(_kind_files(operator / "crds", jobset / "crds", _GKE_KINDS))
    # 57,000 lines of schemas: each file goes to the server as it stands, and all at once.
    with ThreadPoolExecutor(len(kinds)) as pool:
        list(pool.map(lambda name: _apply_kind(client, name, kinds[name]), kinds))
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _OPERATOR_NAMESPACE}})
    client.apply(_operator_secret(settings))
    for configuration in _webhooks(operator / "webhook", settings, settings.ports.operator_webhook):
        client.apply(configuration)
    for configuration in _webhooks(jobset / "webhook", settings, settings.ports.jobset_webhook, prefix="jobset-"):
        client.apply(configuration)
    _wait_for(client, sorted(kinds))


def write_serving_files(settings: Settings) -> None:
    """Writes, where the controllers look for them, their serving certificate and the JobSet controller's settings."""
    certificates = settings.folder / "tmp" / "k8s-webhook-server" / "serving-certs"
    certificates.mkdir(parents=True, exist_ok=True)
    for name in ("tls.crt", "tls.key"):
        target = certificates / name
        target.write_bytes(settings.secret(name).read_bytes())
        target.chmod(0o600)
    configuration = {
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "internalCertManagement": {"enable": False},
        "leaderElection": {"leaderElect": False},
        "webhook": {"host": "127.0.0.1", "port": settings.ports.jobset_webhook, "certDir": str(certificates)},
    }
    (settings.folder / "jobset.yaml").write_text(json.dumps(configuration, indent=2, sort_keys=True), encoding="utf-8")


def _operator_secret(settings: Settings) -> dict[str, Any]:
    """Returns the secret that the operator would fill with a certificate of its own, which names no address."""
    files = {"ca.crt": "ca.crt", "ca.key": "ca.key", "tls.crt": "tls.crt", "tls.key": "tls.key"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": _OPERATOR_SECRET, "namespace": _OPERATOR_NAMESPACE},
        "data": {key: base64.b64encode(settings.secret(name).read_bytes()).decode() for key, name in files.items()},
    }


def _webhooks(folder: Path, settings: Settings, port: int, prefix: str = "") -> Iterator[dict[str, Any]]:
    """Yields the webhook configurations as the project ships them, except that they are reached on loopback."""
    authority = base64.b64encode(settings.secret("ca.crt").read_bytes()).decode()
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        for item in _documents(folder, kind):
            _patch(item, folder)
            item["metadata"]["name"] = prefix + item["metadata"]["name"]
            for webhook in item["webhooks"]:
                path = webhook["clientConfig"]["service"]["path"]
                webhook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority}
            yield item


def _patch(item: dict[str, Any], folder: Path) -> None:
    """Replaces what the shipped patches for this kind replace: the names, and which pods are looked at."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    for patch in kustomization["patches"]:
        if patch["target"]["kind"] != item["kind"]:
            continue
        for operation in yaml.safe_load((folder / Path(patch["path"]).name).read_text(encoding="utf-8")):
            *parents, key = operation["path"].strip("/").split("/")
            parent: Any = item
            for part in parents:
                parent = parent[int(part) if isinstance(parent, list) else part]
            parent[int(key) if isinstance(parent, list) else key] = operation["value"]


def _documents(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    for document in yaml.safe_load_all((folder / "manifests.yaml").read_text(encoding="utf-8")):
        if document and document["kind"] == kind:
            yield document


def _kind_files(*folders: Path) -> Iterator[tuple[str, Path]]:
    """Yields the name of each kind's definition and its file, which is called GROUP_PLURAL.yaml."""
    for folder in folders:
        for file in sorted(folder.glob("*_*.yaml")):
            group, _, plural = file.stem.partition("_")
            yield f"{plural}.{group}", file


def _apply_kind(client: Client, name: str, file: Path) -> None:
    client.apply_text("apiextensions.k8s.io/v1", "CustomResourceDefinition", name, file.read_bytes())


def _wait_for(client: Client, kinds: list[str]) -> None:
    deadline = time.monotonic() + _KIND_SECONDS
    for name in kinds:
        while not _established(client, name):
            if time.monotonic() > deadline:
                raise KubernetesError(504, "Timeout", f"{name} is not established after {_KIND_SECONDS:.0f} s")
            time.sleep(_POLL_SECONDS)


def _established(client: Client, name: str) -> bool:
    kind = client.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", name)
    conditions = kind.get("status", {}).get("conditions") or []  # null until the server has looked at it
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)
