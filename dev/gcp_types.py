"""Builds sandbox/gcp/types.json: what the installed pulumi_gcp SDK says about the resource types of the sandbox.

The sandbox's provider checks inputs against this table, because loading the SDK itself costs seconds. Kinds of values:
"s" string, "n" number, "b" boolean, "a" anything, "[" list of, "{" map of, "@" an object of `objects`; "!" before a
kind: required. `out` holds the properties that only the service sets. Run it after a change of the pulumi-gcp pin.
"""

from __future__ import annotations

import collections.abc
import importlib
import importlib.metadata
import inspect
import json
import sys
import types
import typing
from pathlib import Path

from pulumi import _types

TARGET = Path(__file__).resolve().parents[1] / "sandbox" / "gcp" / "types.json"

TOKENS = (
    "gcp:artifactregistry/repository:Repository",
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
    "gcp:compute/address:Address",
    "gcp:compute/firewall:Firewall",
    "gcp:compute/globalAddress:GlobalAddress",
    "gcp:compute/healthCheck:HealthCheck",
    "gcp:compute/instanceFromTemplate:InstanceFromTemplate",
    "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "gcp:compute/instanceTemplate:InstanceTemplate",
    "gcp:compute/network:Network",
    "gcp:compute/networkAttachment:NetworkAttachment",
    "gcp:compute/perInstanceConfig:PerInstanceConfig",
    "gcp:compute/resourcePolicy:ResourcePolicy",
    "gcp:compute/router:Router",
    "gcp:compute/routerNat:RouterNat",
    "gcp:compute/subnetwork:Subnetwork",
    "gcp:container/cluster:Cluster",
    "gcp:container/nodePool:NodePool",
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/service:Service",
    "gcp:secretmanager/secret:Secret",
    "gcp:secretmanager/secretIamMember:SecretIamMember",
    "gcp:serviceaccount/account:Account",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:servicenetworking/connection:Connection",
    "gcp:storage/bucket:Bucket",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
)

SCALARS = {str: "s", int: "n", float: "n", bool: "b"}


def kind_of(python_type: object, objects: dict[str, dict[str, str]]) -> str:
    """Return the kind of a Python type of the SDK, adding the object types it names to `objects`."""
    if python_type in SCALARS:
        return SCALARS[typing.cast(type, python_type)]
    origin, arguments = typing.get_origin(python_type), typing.get_args(python_type)
    if origin in (typing.Union, types.UnionType):
        kinds = {
            kind_of(member, objects) for member in arguments if member is not type(None) and not is_wrapper(member)
        }
        return kinds.pop() if len(kinds) == 1 else "a"
    if origin in (list, collections.abc.Sequence):
        return "[" + kind_of(arguments[0], objects)
    if origin in (dict, collections.abc.Mapping):
        return "{" + kind_of(arguments[1], objects)
    if isinstance(python_type, type) and _types.is_input_type(python_type):
        return "@" + object_name(python_type, objects)
    return "a"


def is_wrapper(member: object) -> bool:
    """Return whether a member of pulumi.Input's union only wraps a value that another member names."""
    return (
        typing.get_origin(member) is collections.abc.Awaitable
        or getattr(typing.get_origin(member) or member, "__name__", "") == "Output"
    )


def object_name(arguments: type, objects: dict[str, dict[str, str]]) -> str:
    """Return the name of an object type in `objects`, describing it there first; recursive types are fine."""
    name = f"{arguments.__module__.split('.')[1]}.{arguments.__name__.removesuffix('Args')}"
    if name not in objects:
        objects[name] = {}
        objects[name].update(properties(arguments, objects))
    return name


def properties(arguments: type, objects: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the wire names of an Args class with their kinds, required ones with a "!" first."""
    wire = _types.input_type_py_to_pulumi_names(arguments)
    kinds = _types.input_type_types(arguments)
    parameters = inspect.signature(arguments).parameters
    kinds_by_name = {}
    for python_name, wire_name in wire.items():
        required = parameters[python_name].default is inspect.Parameter.empty
        kinds_by_name[wire_name] = ("!" if required else "") + kind_of(kinds[wire_name], objects)
    return kinds_by_name


def resource_module(token: str) -> types.ModuleType:
    """Return the SDK module whose resource class carries this type token; ValueError if none does."""
    package, class_name = token.split(":")[1].split("/")[0], token.split(":")[2]
    package_module = importlib.import_module(f"pulumi_gcp.{package}")
    resource = getattr(package_module, class_name)
    if resource.pulumi_type != token:
        raise ValueError(f"{token}: the SDK calls {package}.{class_name} {resource.pulumi_type}")
    return sys.modules[resource.__module__]


def table() -> dict[str, object]:
    """Return the whole table as types.json holds it."""
    objects: dict[str, dict[str, str]] = {}
    resources = {}
    for token in TOKENS:
        module, name = resource_module(token), token.split(":")[2]
        inputs = properties(getattr(module, f"{name}Args"), objects)
        outputs = _types.input_type_py_to_pulumi_names(getattr(module, f"_{name}State")).values()
        kinds = _types.input_type_types(getattr(module, f"_{name}State"))
        computed = {wire: kind_of(kinds[wire], {}).split("@")[0] or "a" for wire in set(outputs) - set(inputs)}
        resources[token] = {"in": inputs, "out": computed}
    new_names = one_name_each(objects)
    for resource in resources.values():
        resource["in"] = {name: rename(kind, new_names) for name, kind in resource["in"].items()}
    return {"version": importlib.metadata.version("pulumi-gcp"), "objects": objects, "resources": resources}


def rename(kind: str, new_names: dict[str, str]) -> str:
    """Return a kind with its object type's name replaced as `renamed` says."""
    prefix, marker, name = kind.partition("@")
    return prefix + marker + new_names.get(name, name)


def one_name_each(objects: dict[str, dict[str, str]]) -> dict[str, str]:
    """Drop object types that are equal to another but for their name; return what each dropped one is called now.

    A node's configuration is in the SDK three times under different names: a third of the file without the copies.
    """
    new_names: dict[str, str] = {}
    while True:
        name_by_fields: dict[tuple[tuple[str, str], ...], str] = {}
        dropped = {}
        for name in sorted(objects, key=lambda type_name: (len(type_name), type_name)):
            kept_name = name_by_fields.setdefault(tuple(sorted(objects[name].items())), name)
            if kept_name != name:
                dropped[name] = kept_name
        if not dropped:
            return new_names
        for name in dropped:
            del objects[name]
        for body in objects.values():
            body.update({wire: rename(kind, dropped) for wire, kind in body.items()})
        new_names = {old: dropped.get(new, new) for old, new in new_names.items()} | dropped


def rendered() -> str:
    """Return the text of types.json: compact JSON, one resource or object type a line, sorted."""
    content = table()
    parts = []
    for section in ("objects", "resources"):
        rows = ",\n".join(
            f"{json.dumps(name)}:{json.dumps(value, sort_keys=True, separators=(',', ':'))}"
            for name, value in sorted(typing.cast(dict[str, object], content[section]).items())
        )
        parts.append(f'"{section}":{{\n{rows}\n}}')
    return "{\n" + ",\n".join(parts) + f',\n"version":{json.dumps(content["version"])}\n}}\n'


def main() -> int:
    """Write the table; return the exit status."""
    temporary = TARGET.with_suffix(".new")
    temporary.write_text(rendered(), encoding="utf-8")
    temporary.replace(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
