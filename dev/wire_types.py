"""Writes trainingjobs/wire: Google's and Kubernetes' objects as typed dictionaries, for editors and mypy alone.

From what the SDKs say: the table that dev/gcp_types.py makes of pulumi_gcp, and Kubernetes' Python client's models.
Run `python -m dev.wire_types` after a change of either pin; a test compares the files.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from kubernetes.client import models

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "sandbox" / "gcp" / "types.json"
FOLDER = ROOT / "trainingjobs" / "wire"
HEAD = '''"""{what}

Made by `python -m dev.wire_types`. Do not edit.
"""

{imports}
'''
GOOGLE_IMPORTS = """from collections.abc import Mapping, Sequence
from typing import TypedDict

from pulumi import Input"""
KUBERNETES_IMPORTS = "from typing import Any, TypedDict"
SCALARS = {"s": "str", "n": "float", "b": "bool", "a": "Any"}
# What the library writes of Kubernetes; everything that they hold comes with them.
KUBERNETES = (
    "V1PodTemplateSpec",
    "V1Pod",
    "V1JobSpec",
    "V1Service",
    "V1Namespace",
    "V1ResourceQuota",
    "V1ServiceAccount",
)
# The keys whose values are quantities, text or number; the models call them text.
QUANTITIES = ("limits", "requests", "hard")
PYTHON = {"str": "str", "int": "int", "float": "float", "bool": "bool", "datetime": "str", "object": "Any"}


def google() -> str:
    """Returns the module of Google's resources: each has the name of its type, its parts those of the SDK."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    classes = {name.replace(".", "_"): keys for name, keys in table["objects"].items()}
    classes = {f"{_camel(name)}": {key: _kind(kind) for key, kind in keys.items()} for name, keys in classes.items()}
    for token, resource in table["resources"].items():
        area, name = token.split(":")[1].split("/")[0], token.split(":")[2]
        classes[f"{_camel(area)}{name}"] = {key: _kind(kind) for key, kind in resource["in"].items()}
    return _module("Google's resources and their parts, by their wire names.", GOOGLE_IMPORTS, classes)


def kubernetes() -> str:
    """Returns the module of Kubernetes' objects, those that the library writes."""
    classes: dict[str, dict[str, str]] = {}
    waiting = list(KUBERNETES)
    while waiting:
        model = waiting.pop()
        if _kubernetes_name(model) in classes:
            continue
        described = getattr(models, model)
        kinds = {described.attribute_map[key]: kind for key, kind in described.openapi_types.items()}
        classes[_kubernetes_name(model)] = {key: _of_model(key, kind) for key, kind in kinds.items()}
        waiting += sorted(
            {part for kind in kinds.values() for part in re.findall(r"[A-Za-z0-9]*V[0-9][A-Za-z0-9]+", kind)}
        )
    return _module("Kubernetes' objects, as the API server reads them.", KUBERNETES_IMPORTS, classes)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[._]", name))


def _kind(kind: str) -> str:
    """Returns the type of a kind of the table: nested objects can be read and written, all else may be an output."""
    kind = kind.removeprefix("!")
    if kind.startswith("["):
        return f"Input[Sequence[{_inner(kind[1:])}]]"
    if kind.startswith("{"):
        return f"Input[Mapping[str, {_inner(kind[1:])}]]"
    return _inner(kind) if kind.startswith("@") else f"Input[{SCALARS[kind]}]"


def _inner(kind: str) -> str:
    kind = kind.removeprefix("!")
    if kind.startswith("["):
        return f"Sequence[{_inner(kind[1:])}]"
    return _camel(kind[1:]) if kind.startswith("@") else f"Input[{SCALARS[kind]}]"


def _kubernetes_name(model: str) -> str:
    return re.sub(r"V[0-9]+", "", model)


def _of_model(key: str, kind: str) -> str:
    if listed := re.fullmatch(r"list\[(.+)\]", kind):
        return f"list[{_of_model(key, listed[1])}]"
    if mapped := re.fullmatch(r"dict\(str, (.+)\)", kind):
        return f"dict[str, {'str | int' if key in QUANTITIES else _of_model(key, mapped[1])}]"
    return PYTHON.get(kind) or _kubernetes_name(kind)


def _module(what: str, imports: str, classes: Mapping[str, Mapping[str, str]]) -> str:
    return HEAD.format(what=what, imports=imports) + "".join(_class(name, classes[name]) for name in sorted(classes))


def _class(name: str, keys: Mapping[str, str]) -> str:
    if any(keyword.iskeyword(key) or not key.isidentifier() for key in keys):
        entries = ", ".join(f'"{key}": {kind}' for key, kind in sorted(keys.items()))
        return f'\n{name} = TypedDict("{name}", {{{entries}}}, total=False)\n'
    return "\n".join(["", f"class {name}(TypedDict, total=False):", *_lines(keys), ""])


def _lines(keys: Mapping[str, str]) -> Iterable[str]:
    return [f"    {key}: {kind}" for key, kind in sorted(keys.items())] or ["    pass"]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for module, text in (("google", google()), ("kubernetes", kubernetes())):
        (FOLDER / f"{module}.pyi").write_text(text, encoding="utf-8")
        print(f"trainingjobs/wire/{module}.pyi: {text.count('TypedDict') - 1} types")
