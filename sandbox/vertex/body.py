"""Reads the body of a create request as Google's JSON front end does, by the static field table fields.json.

Owns names, types and the JSON mapping of protos: either spelling of a field, int64 as strings, defaults left out.
What a job must have beside well-formed fields is sandbox/vertex/checks.py's.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.vertex.errors import ApiError

_PACKAGE = "type.googleapis.com/google.cloud.aiplatform.v1."
_DURATION = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,9})?s")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_WELL_KNOWN = {"duration": (_DURATION, "Duration"), "timestamp": (_TIMESTAMP, "Timestamp")}
_INTEGER_BITS = {"int32": 31, "int64": 63}
_DEFAULTS = {"string": "", "bool": False, "int32": 0, "int64": "0", "double": 0, "float": 0}
_ABSENT = object()


@cache
def table() -> dict[str, Any]:
    """Returns the field table: "enums" (name to values) and "messages" (name to fields, oneofs, outputOnly)."""
    content: dict[str, Any] = json.loads(Path(__file__).with_name("fields.json").read_text(encoding="utf-8"))
    # The inputs of a training pipeline's tasks are untyped in the proto; their schemas name these messages.
    content["messages"]["TuningTaskInputs"] = {
        "fields": {
            name: kind
            for name, kind in content["messages"]["HyperparameterTuningJob"]["fields"].items()
            if name in {"studySpec", "trialJobSpec", "maxTrialCount", "parallelTrialCount", "maxFailedTrialCount"}
        },
        "oneofs": {},
        "outputOnly": [],
    }
    return content


def snake(name: str) -> str:
    """Returns a field's name in the proto for its JSON name."""
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


def read_body(message: str, body: object, path: str) -> dict[str, Any]:
    """Returns the body as the service gives it back: camelCase, without defaults and output-only fields.

    Raises ApiError that names every unknown field and every value of a wrong type, under `path` as the proto calls it.
    """
    violations: list[tuple[str, str]] = []
    content = _read_message(message, body, path, violations)
    if violations or not isinstance(content, dict):
        raise ApiError("INVALID_ARGUMENT", "\n".join(text for _, text in violations), violations)
    return content


def _read_message(message: str, value: object, path: str, violations: list[tuple[str, str]]) -> object:
    if not isinstance(value, dict):
        return _invalid(value, path, f"{_PACKAGE}{message}", violations)
    entry = table()["messages"][message]
    names_by_spelling = {**{snake(name): name for name in entry["fields"]}, **{name: name for name in entry["fields"]}}
    ignored = {*entry["outputOnly"], *map(snake, entry["outputOnly"])}
    oneof_fields = {name for members in entry["oneofs"].values() for name in members}
    result: dict[str, Any] = {}
    for key, item in value.items():
        name = names_by_spelling.get(key)
        if name is None:
            if key not in ignored:
                _unknown(key, path, "Cannot find field.", violations)
            continue
        if item is None:
            continue
        field_value = _read_field(
            entry["fields"][name], item, f"{path}.{snake(name)}", violations, keep=name in oneof_fields
        )
        if field_value is not _ABSENT:
            result[name] = field_value
    for oneof, members in entry["oneofs"].items():
        if len(present := [name for name in members if name in result]) > 1:
            text = f"Invalid value at '{path}' (oneof), oneof field '{oneof}' is already set. Cannot set '{present[1]}'"
            violations.append((path, text))
    return result


def _read_field(kind: str, value: object, path: str, violations: list[tuple[str, str]], *, keep: bool) -> object:
    parent, _, name = path.rpartition(".")
    if kind[0] == "[":
        items = value if isinstance(value, list) else [value]
        values = [_read_single(kind[1:-1], item, f"{path}[{i}]", violations) for i, item in enumerate(items)]
        return values or _ABSENT
    if kind[0] == "{":
        if not isinstance(value, dict):
            return _invalid(value, path, "Map", violations)
        pairs = {key: _read_single(kind[1:-1], item, f"{path}[{key}]", violations) for key, item in value.items()}
        return pairs or _ABSENT
    if isinstance(value, list) and kind != "value":
        return _unknown(name, parent, "Proto field is not repeating, cannot start list.", violations)
    single = _read_single(kind.removeprefix("optional "), value, path, violations)
    return _ABSENT if not keep and _is_default(kind, single) else single


def _is_default(kind: str, value: object) -> bool:
    """Whether a field without presence holds its type's default, which the service leaves out."""
    if kind.startswith("enum "):
        return bool(table()["enums"][kind.removeprefix("enum ")].get(value) == 0)
    return kind in _DEFAULTS and value == _DEFAULTS[kind]


def _read_single(kind: str, value: object, path: str, violations: list[tuple[str, str]]) -> object:
    if kind == "value":
        return value
    if kind == "string":
        return value if isinstance(value, str) else _invalid(value, path, "TYPE_STRING", violations)
    if kind == "bool":
        return value if isinstance(value, bool) else _invalid(value, path, "TYPE_BOOL", violations)
    if kind in _INTEGER_BITS:
        number = _integer(value)
        if number is None or not -(2 ** _INTEGER_BITS[kind]) <= number < 2 ** _INTEGER_BITS[kind]:
            return _invalid(value, path, f"TYPE_{kind.upper()}", violations)
        return str(number) if kind == "int64" else number
    if kind in ("double", "float"):
        real = _real(value)
        return real if real is not None else _invalid(value, path, f"TYPE_{kind.upper()}", violations)
    if kind in _WELL_KNOWN:
        pattern, name = _WELL_KNOWN[kind]
        fits = isinstance(value, str) and pattern.fullmatch(value)
        return value if fits else _invalid(value, path, f"type.googleapis.com/google.protobuf.{name}", violations)
    if kind.startswith("enum "):
        return _read_enum(kind.removeprefix("enum "), value, path, violations)
    return _read_message(kind, value, path, violations)


def _read_enum(name: str, value: object, path: str, violations: list[tuple[str, str]]) -> object:
    members = table()["enums"][name]
    if isinstance(value, str) and value in members:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        for member, number in members.items():
            if number == value:
                return member
    return _invalid(value, path, _PACKAGE + name, violations)


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value) else None


def _real(value: object) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return value if not isinstance(value, str) and math.isfinite(value) else float(value)
    except (ValueError, OverflowError):
        return None


def _unknown(name: str, path: str, reason: str, violations: list[tuple[str, str]]) -> object:
    violations.append((path, f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': {reason}"))
    return _ABSENT


def _invalid(value: object, path: str, type_name: str, violations: list[tuple[str, str]]) -> object:
    violations.append((path, f"Invalid value at '{path}' ({type_name}), {json.dumps(value)}"))
    return _ABSENT
