"""What one control plane is made of: its folder's files, its ports and its token.

They stay the same from one start to the next, so that what Pulumi's state says of the cluster stays true.
"""

from __future__ import annotations

import json
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.state_folder import write_json

FILE = "bed.json"


@dataclass(frozen=True)
class Ports:
    """The loopback ports of a control plane."""

    etcd: int
    etcd_peer: int
    api: int
    operator_webhook: int
    operator_health: int
    jobset_webhook: int
    jobset_health: int


@dataclass(frozen=True)
class Settings:
    """One control plane. `folder` holds everything of it, data and keys included."""

    folder: Path
    ports: Ports
    token: str

    @property
    def kubeconfig(self) -> Path:
        """The file that KUBECONFIG names."""
        return self.folder / "kubeconfig"

    @property
    def server(self) -> str:
        """The API server's address."""
        return f"https://127.0.0.1:{self.ports.api}"

    def secret(self, name: str) -> Path:
        """Returns a key or certificate that the `certificates` program made."""
        return self.folder / "pki" / name


def bed_folder(state: Path) -> Path:
    """Returns the folder of the control plane within a sandbox's state folder."""
    return state / "kubernetes"


def load_settings(folder: Path) -> Settings | None:
    """Returns the settings of an earlier start, or None where there was none."""
    try:
        content = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return Settings(folder=folder, ports=Ports(**content["ports"]), token=content["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def new_settings(folder: Path, previous: Settings | None) -> Settings:
    """Returns settings whose ports are free, those of the last start where they still are, and writes them."""
    if previous and all(_is_free(port) for port in asdict(previous.ports).values()):
        return previous
    names = list(Ports.__dataclass_fields__)
    ports = Ports(**dict(zip(names, _free_ports(len(names)), strict=True)))
    settings = Settings(folder=folder, ports=ports, token=previous.token if previous else secrets.token_urlsafe(24))
    write_json(folder / FILE, {"ports": asdict(ports), "token": settings.token}, private=True)
    return settings


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: a connection of the last start that lingers does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()
