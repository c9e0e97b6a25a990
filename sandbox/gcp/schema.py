"""Checks inputs against types.json, the table of what the pulumi_gcp SDK takes (dev/gcp_types.py builds it).

It judges keys, required ones and types. What Google's services accept beyond that is not judged here.
"""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox.gcp.values import UNKNOWN, Secret

TABLE = Path(__file__).with_name("types.json")
WORDS = {"s": "string", "n": "number", "b": "boolean"}

Failure = tuple[str, str]


@functools.cache
def table() -> dict[str, Any]:
    """Return types.json: `version`, `objects` and `resources` (its form: dev/gcp_types.py)."""
    content: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return content


def version() -> str:
    """Return the version of the pulumi_gcp SDK that the table was made from."""
    return str(table()["version"])


def input_kinds(token: str) -> dict[str, str]:
    """Return a resource type's input properties and their kinds; KeyError for a type that the table lacks."""
    kinds: dict[str, str] = table()["resources"][token]["in"]
    return kinds


def output_kinds(token: str) -> dict[str, str]:
    """Return the properties that only the service sets, with their kinds."""
    kinds: dict[str, str] = table()["resources"][token]["out"]
    return kinds


def failures(token: str, inputs: dict[str, Any]) -> list[Failure]:
    """Return every fault of a resource's inputs as (property path, reason), in the order of the paths."""
    if token not in table()["resources"]:
        matches = difflib.get_close_matches(token, table()["resources"], 1, 0.5)
        hint = f"; did you mean {matches[0]}?" if matches else ""
        return [("", f"{token} is not a resource type of the sandbox's gcp provider{hint}")]
    properties = {key: value for key, value in inputs.items() if key != "__defaults"}
    return sorted(_object_failures(input_kinds(token), properties, ""))


def _object_failures(kinds: dict[str, str], properties: dict[str, Any], path: str) -> Iterator[Failure]:
    prefix = f"{path}." if path else ""
    for key, value in properties.items():
        if key not in kinds:
            yield prefix + key, _unknown_key(key, kinds)
        elif value is not None:
            yield from _value_failures(kinds[key].removeprefix("!"), value, prefix + key)
    for key, kind in kinds.items():
        if kind.startswith("!") and properties.get(key) is None:
            yield prefix + key, f"missing required property '{key}'"


def _unknown_key(key: str, kinds: dict[str, str]) -> str:
    matches = difflib.get_close_matches(key, kinds, 1, 0.6)
    return f"unknown property '{key}'; " + (
        f"did you mean '{matches[0]}'?" if matches else f"allowed: {', '.join(kinds)}"
    )


def _value_failures(kind: str, value: Any, path: str) -> Iterator[Failure]:
    if isinstance(value, Secret):
        # A reason goes to the terminal and the log: it must not quote what is secret.
        for failure_path, reason in _value_failures(kind, value.value, path):
            yield failure_path, reason.partition(", got ")[0]
        return
    if value is UNKNOWN or value is None or kind == "a":
        return
    if kind in WORDS:
        if not _is_scalar(kind, value):
            yield path, f"expected a {WORDS[kind]}, got {_describe(value)}"
    elif kind[0] == "[":
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _value_failures(kind[1:], item, f"{path}[{index}]")
        else:
            yield path, f"expected a list, got {_describe(value)}"
    elif not isinstance(value, dict):
        yield path, f"expected {'a map' if kind[0] == '{' else 'an object'}, got {_describe(value)}"
    elif kind[0] == "{":
        for key, item in value.items():
            yield from _value_failures(kind[1:], item, f"{path}.{key}")
    else:
        yield from _object_failures(table()["objects"][kind[1:]], value, path)


def _is_scalar(kind: str, value: Any) -> bool:
    if kind == "n":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str if kind == "s" else bool)


def _describe(value: Any) -> str:
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f"the string {json.dumps(value)}"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "an object"
