"""Starts, stops and describes a control plane: what `python -m sandbox.kubernetes` and the tests do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dev.control_plane.parts import PROVIDER, built, missing
from sandbox.kubernetes.bed_settings import Settings, load_settings, new_settings
from sandbox.kubernetes.client import Client, KubernetesError
from sandbox.kubernetes.control_plane import Component, Programs, api_server, controllers, etcd
from sandbox.kubernetes.install import install, write_serving_files
from sandbox.kubernetes.kubeconfig import write_kubeconfig
from sandbox.kubernetes.processes import process_id, start_process, stop_process, tail
from sandbox.state_folder import ROOT, take_lock

_POLL_SECONDS = 0.05
_READY_SECONDS = 60.0
KUBELET = "kubelet"
_CAME_UP = "came-up"
# In the order in which they are ended: nothing loses what it talks to.
NAMES = (KUBELET, "jobset-controller", "training-operator", "kube-controller-manager", "kube-apiserver", "etcd")

Say = Callable[[str], None]


class BedError(Exception):
    """What a verb could not do, as one message for the user."""


def start(folder: Path, *, kubelet: bool, say: Say) -> Settings:
    """Starts what does not run of the control plane in `folder` and returns its settings once all of it is ready.

    `kubelet`: the pods' containers run as local processes; without it pods stay Pending until their status is patched.
    Raises BedError where a part is not built, or does not come up within a minute.
    """
    previous = load_settings(folder)
    names = NAMES if kubelet else NAMES[1:]
    if previous and all(process_id(folder, name) for name in names):
        return previous
    programs = _programs()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    lock = take_lock(folder, "start.lock")
    if lock is None:
        raise BedError(f"another start is under way in {folder}")
    try:
        _stop_all(folder)
        settings = new_settings(folder, previous)
        _prepare(settings, programs)
        _start_all(settings, programs, kubelet, say)
    except BaseException as error:
        _stop_all(folder)
        if isinstance(error, KubernetesError | OSError | subprocess.SubprocessError):
            raise BedError(f"the control plane did not start: {error}") from error
        raise
    finally:
        os.close(lock)
    return settings


def stop(folder: Path) -> bool:
    """Ends everything that `start` started in `folder` and returns whether anything ran. Its data stay."""
    return bool(_stop_all(folder))


def states(folder: Path) -> dict[str, int | None]:
    """Returns the id of each process, None for one that does not live."""
    return {name: process_id(folder, name) for name in reversed(NAMES)}


def running(folder: Path, *, kubelet: bool = False) -> bool:
    """Returns whether the whole control plane lives, with the kubelet's player if asked for."""
    return all(process_id(folder, name) for name in (NAMES if kubelet else NAMES[1:]))


def exports(folder: Path) -> str:
    """Returns the shell's export lines: KUBECONFIG, and PATH with the provider's folder. BedError if it is not up."""
    settings = load_settings(folder)
    if settings is None or not running(folder):
        raise BedError("not running: python -m sandbox.kubernetes start")
    lines = [f"export KUBECONFIG={shlex.quote(str(settings.kubeconfig))}"]
    provider = built(PROVIDER)
    if provider:
        lines.append(f'export PATH={shlex.quote(str(provider / "bin"))}:"$PATH"')
    return "\n".join(lines)


def _programs() -> Programs:
    unbuilt = [name for name in missing() if name != PROVIDER]
    if unbuilt:
        raise BedError(f"not built yet: {', '.join(unbuilt)}: python3 -m dev.control_plane build")
    folders = [built(name) for name in ("etcd", "kubernetes", "training-operator", "jobset")]
    return {file.name: file for folder in folders if folder for file in (folder / "bin").iterdir()}


def _prepare(settings: Settings, programs: Programs) -> None:
    (settings.folder / "tmp").mkdir(exist_ok=True)
    if not (settings.folder / _CAME_UP).exists():
        # A server that was ended while it took up a new kind never takes it up afterwards.
        shutil.rmtree(settings.folder / "etcd", ignore_errors=True)
    pki = settings.folder / "pki"
    if not pki.is_dir():
        temporary = settings.folder / "pki.tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(mode=0o700)
        subprocess.run([programs["certificates"], temporary], check=True, capture_output=True)
        temporary.rename(pki)
    tokens = settings.folder / "tokens.csv"
    tokens.touch(mode=0o600)
    tokens.write_text(f'{settings.token},sandbox,sandbox,"system:masters"\n', encoding="utf-8")
    authority = settings.secret("ca.crt").read_text(encoding="utf-8")
    write_kubeconfig(settings.kubeconfig, server=settings.server, authority=authority, token=settings.token)
    write_serving_files(settings)


def _start_all(settings: Settings, programs: Programs, kubelet: bool, say: Say) -> None:
    started = time.monotonic()
    for component in (etcd(settings, programs), api_server(settings, programs)):
        _start(settings.folder, [component])
    say(f"API server at {settings.server} after {time.monotonic() - started:.1f} s")
    install(Client.of(settings.kubeconfig), settings, _build_folder(programs, "training-operator"),
            _build_folder(programs, "jobset-controller"))  # fmt: skip
    _start(settings.folder, controllers(settings, programs))
    (settings.folder / _CAME_UP).touch()
    if kubelet:
        command = [sys.executable, "-m", "sandbox.kubernetes.kubelet", str(settings.kubeconfig), str(settings.folder)]
        start_process(settings.folder, KUBELET, command, {**os.environ, "PYTHONPATH": str(ROOT)})
    say(f"ready after {time.monotonic() - started:.1f} s")


def _build_folder(programs: Programs, name: str) -> Path:
    return programs[name].parent.parent


def _start(folder: Path, components: list[Component]) -> None:
    """Starts the components side by side and returns once each is ready. Raises BedError with the end of a log."""
    for component in components:
        start_process(folder, component.name, component.command, component.environment)
    deadline = time.monotonic() + _READY_SECONDS
    for component in components:
        while not component.ready():
            if process_id(folder, component.name) is None or time.monotonic() > deadline:
                log = folder / f"{component.name}.log"
                raise BedError(f"{component.name} did not come up; the end of {log}:\n{tail(folder, component.name)}")
            time.sleep(_POLL_SECONDS)


def _stop_all(folder: Path) -> list[str]:
    return [name for name in NAMES if stop_process(folder, name)]
