"""A pod's container as a local process: its command, environment, folder and log.

An image stands for a local command as in the sandbox for Vertex AI (sandbox/images.json). There is no cluster DNS
here: where the environment or the arguments name a pod of a job, by its service's name, the loopback address that the
pod's processes have takes the name's place. Init containers, volumes, probes and resource limits are not played.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.vertex.images import Image, find_image, map_file

Object = dict[str, Any]
# Returns the ConfigMap or Secret of that name, with its data decoded, or None where there is none.
Lookup = Callable[[str, str], dict[str, str] | None]

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
# Variables whose value is a pod's bare name: Kubeflow's operators and launchers write no more than that.
_HOST_VARIABLES = {"MASTER_ADDR", "PET_MASTER_ADDR", "DMLC_PS_ROOT_URI"}


class ConfigurationError(Exception):
    """A container whose configuration names something that is not there."""


@dataclass(frozen=True)
class Command:
    """What is run for a container."""

    argv: list[str]
    cwd: Path
    environment: dict[str, str]
    log: Path


def local_address(namespace: str, host: str) -> str:
    """Returns the loopback address of the pod with this host name: always the same, and another for another name."""
    first, second, third = hashlib.sha256(f"{namespace}/{host}".encode()).digest()[:3]
    # 127.0 and 127.255 have uses of their own; nor is the last part a network's first or last address.
    return f"127.{first % 254 + 1}.{second}.{third % 254 + 1}"


def pod_address(pod: Object) -> str:
    """Returns the loopback address on which this pod's processes are reached."""
    return local_address(pod["metadata"]["namespace"], pod["spec"].get("hostname") or pod["metadata"]["name"])


def announced_address(pod: Object) -> str:
    """Returns the address for the pod's status: Kubernetes refuses a loopback address as a service's endpoint."""
    return "10" + pod_address(pod).removeprefix("127")


def command_of(pod: Object, spec: Object, folder: Path, lookup: Lookup) -> Command:
    """Returns what runs for the container `spec` of the pod, and makes its folders under `folder`.

    Raises ImageError where its image stands for nothing here, ConfigurationError where a reference leads nowhere.
    """
    image = find_image(spec["image"], map_file())
    metadata = pod["metadata"]
    scratch = folder / "scratch" / metadata["uid"] / spec["name"]
    log = folder / "logs" / metadata["namespace"] / metadata["name"] / f"{spec['name']}.log"
    for path in (scratch, log.parent):
        path.mkdir(parents=True, exist_ok=True)
    base = {
        "PATH": ":".join([*map(str, image.path), _SYSTEM_PATH]),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "HOSTNAME": pod["spec"].get("hostname") or metadata["name"],
        "PYTHONUNBUFFERED": "1",
        **({"PYTHONPATH": ":".join(map(str, image.pythonpath))} if image.pythonpath else {}),
    }
    namespace = metadata["namespace"]
    environment = base | {
        name: _with_addresses(value, namespace, bare=name in _HOST_VARIABLES)
        for name, value in _variables(pod, spec, base, lookup).items()
    }
    argv = [
        _with_addresses(_expand(part, environment), namespace)
        for part in [*(spec.get("command") or image.entrypoint), *spec.get("args", [])]
    ]
    return Command(argv=argv, cwd=_work_folder(image, scratch), environment=environment, log=log)


def _work_folder(image: Image, scratch: Path) -> Path:
    """Returns a folder with what the image's own has; what the container writes there goes with its pod."""
    folder = scratch / "work"
    folder.mkdir(exist_ok=True)
    for entry in image.cwd.iterdir() if image.cwd else ():
        link = folder / entry.name
        if not link.is_symlink():
            link.symlink_to(entry)
    return folder


def _variables(pod: Object, spec: Object, base: dict[str, str], lookup: Lookup) -> dict[str, str]:
    variables: dict[str, str] = {}
    for source in spec.get("envFrom", []):
        kind = "ConfigMap" if "configMapRef" in source else "Secret"
        reference = source.get("configMapRef") or source["secretRef"]
        data = _referenced_data(lookup, kind, reference)
        variables |= {source.get("prefix", "") + key: value for key, value in data.items()}
    for entry in spec.get("env", []):
        if "valueFrom" not in entry:
            variables[entry["name"]] = _expand(entry.get("value", ""), base | variables)
        elif (value := _referenced(pod, entry["valueFrom"], lookup)) is not None:
            variables[entry["name"]] = value
    return variables


def _referenced(pod: Object, source: Object, lookup: Lookup) -> str | None:
    if "fieldRef" in source:
        return _field(pod, source["fieldRef"]["fieldPath"])
    for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if key in source:
            data = _referenced_data(lookup, kind, source[key])
            if source[key]["key"] not in data and not source[key].get("optional"):
                raise ConfigurationError(f"{kind} {source[key]['name']} has no key {source[key]['key']}")
            return data.get(source[key]["key"])
    raise ConfigurationError(f"{', '.join(source)} cannot be played here")


def _referenced_data(lookup: Lookup, kind: str, reference: Object) -> dict[str, str]:
    data = lookup(kind, reference["name"])
    if data is None and not reference.get("optional"):
        raise ConfigurationError(f"{kind} {reference['name']} not found")
    return data or {}


def _field(pod: Object, path: str) -> str:
    if path in ("status.podIP", "status.hostIP"):
        return pod_address(pod)
    if match := re.fullmatch(r"metadata\.(labels|annotations)\['([^']+)'\]", path):
        return str(pod["metadata"].get(match[1], {}).get(match[2], ""))
    value: Any = pod
    for part in path.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return str(value)


def _expand(text: str, variables: dict[str, str]) -> str:
    """Returns the text with $(NAME) replaced where NAME is known; $$(NAME) means $(NAME)."""

    def replace(match: re.Match[str]) -> str:
        return match[0][1:] if match[0].startswith("$$") else variables.get(match[1], match[0])

    return re.sub(r"\$?\$\(([^()]+)\)", replace, text)


def _with_addresses(text: str, namespace: str, *, bare: bool = False) -> str:
    if bare and re.fullmatch(rf"(?=.*[a-z]){_LABEL}", text) and text != "localhost":
        return local_address(namespace, text)
    # HOST.NAMESPACE.svc, or HOST.SUBDOMAIN.NAMESPACE.svc: the host is the pod in both.
    name = rf"(?<![-.\w])({_LABEL})(?:\.{_LABEL})?\.{re.escape(namespace)}\.svc(?:\.cluster\.local)?(?![-.\w])"
    return re.sub(name, lambda match: local_address(namespace, match[1]), text)


def decoded(item: Object) -> dict[str, str]:
    """Returns the data of a ConfigMap or a Secret as text."""
    data: dict[str, str] = item.get("data") or {}
    if item["kind"] == "ConfigMap":
        return data
    return {key: base64.b64decode(value).decode("utf-8", "replace") for key, value in data.items()}
