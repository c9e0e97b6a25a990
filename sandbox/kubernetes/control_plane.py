"""The programs of the control plane: how each is started, in which order, and when it is ready.

etcd and kube-apiserver; the controller manager, without which a Job makes no pods and a deleted namespace stays; the
training operator (TFJob, PyTorchJob, …) and the JobSet controller, each with its admission webhooks. There is no
scheduler and no node: pods are started where they are (sandbox/kubernetes/kubelet.py).
"""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.kubernetes.bed_settings import Settings
from sandbox.kubernetes.client import Client

Programs = dict[str, Path]
SERVICE_RANGE = "10.96.0.0/16"


@dataclass(frozen=True)
class Component:
    """One program: its command, what it needs in its environment, and a probe that it is ready."""

    name: str
    command: list[str]
    environment: dict[str, str]
    ready: Callable[[], bool]


def etcd(settings: Settings, programs: Programs) -> Component:
    """Returns the store. It does not sync to disk: what a power cut takes is a sandbox's."""
    client = f"http://127.0.0.1:{settings.ports.etcd}"
    peer = f"http://127.0.0.1:{settings.ports.etcd_peer}"
    command = [
        str(programs["etcd"]),
        f"--data-dir={settings.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]
    return Component("etcd", command, _environment(settings), lambda: _answers(f"{client}/health"))


def api_server(settings: Settings, programs: Programs) -> Component:
    """Returns the API server, with its admission plugins as they are by default."""
    tokens = settings.folder / "tokens.csv"
    command = [
        str(programs["kube-apiserver"]),
        f"--etcd-servers=http://127.0.0.1:{settings.ports.etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={settings.ports.api}",
        f"--tls-cert-file={settings.secret('tls.crt')}",
        f"--tls-private-key-file={settings.secret('tls.key')}",
        f"--service-account-key-file={settings.secret('sa.key')}",
        f"--service-account-signing-key-file={settings.secret('sa.key')}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        # An address on loopback cannot be an endpoint of the service "kubernetes".
        "--endpoint-reconciler-type=none",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        "--profiling=false",
        "--v=1",
    ]
    return Component("kube-apiserver", command, _environment(settings), lambda: _client(settings).healthy("/readyz"))


def controllers(settings: Settings, programs: Programs) -> list[Component]:
    """Returns the controllers. They need the API server, their kinds and their webhooks' configurations."""
    return [
        _controller_manager(settings, programs),
        _training_operator(settings, programs),
        _jobset(settings, programs),
    ]


def _controller_manager(settings: Settings, programs: Programs) -> Component:
    command = [
        str(programs["kube-controller-manager"]),
        f"--kubeconfig={settings.kubeconfig}",
        f"--service-account-private-key-file={settings.secret('sa.key')}",
        f"--root-ca-file={settings.secret('ca.crt')}",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--secure-port=0",
        "--v=1",
    ]

    def ready() -> bool:
        # The account that every pod runs as is this controller's to make.
        return bool(_client(settings).healthy("/api/v1/namespaces/default/serviceaccounts/default"))

    return Component("kube-controller-manager", command, _environment(settings), ready)


def _training_operator(settings: Settings, programs: Programs) -> Component:
    health = f"127.0.0.1:{settings.ports.operator_health}"
    command = [
        str(programs["training-operator"]),
        f"--kubeconfig={settings.kubeconfig}",
        f"--webhook-server-port={settings.ports.operator_webhook}",
        f"--health-probe-bind-address={health}",
        "--metrics-bind-address=0",
        "--zap-log-level=info",
    ]
    # It looks for its serving certificate under the folder for temporary files.
    environment = {**_environment(settings), "TMPDIR": str(settings.folder / "tmp")}
    return Component("training-operator", command, environment, lambda: _answers(f"http://{health}/readyz"))


def _jobset(settings: Settings, programs: Programs) -> Component:
    health = f"127.0.0.1:{settings.ports.jobset_health}"
    command = [
        str(programs["jobset-controller"]),
        f"--kubeconfig={settings.kubeconfig}",
        f"--config={settings.folder / 'jobset.yaml'}",
        f"--health-probe-bind-address={health}",
        "--metrics-bind-address=0",
        "--zap-log-level=info",
    ]
    return Component("jobset-controller", command, _environment(settings), lambda: _answers(f"http://{health}/readyz"))


def _environment(settings: Settings) -> dict[str, str]:
    # Nothing of the user's own reaches the programs: neither another KUBECONFIG nor a proxy that loopback would take.
    return {"PATH": os.defpath, "HOME": str(settings.folder), "TMPDIR": str(settings.folder / "tmp")}


def _client(settings: Settings) -> Client:
    return Client.of(settings.kubeconfig)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
