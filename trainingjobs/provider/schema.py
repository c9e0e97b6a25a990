"""The schema of the provider's resources, and what is wrong with properties by it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from trainingjobs.core.findings import quote, shown
from trainingjobs.core.paths import FieldPath
from trainingjobs.engine.values import UNKNOWN
from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.vertex_resources import PACKAGE, VERSION, resources
from trainingjobs.workloads.vertex_types import type_errors, unknown_keys

# Resource Manager's label format; Vertex AI takes 64 labels, of which two are the provider's own.
_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
LABELS_LIMIT: Final = 62


def property_errors(inputs: Mapping[str, object], table: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    """Yields (property path, reason) for what is missing, misspelt or of the wrong type; unknown values are fine."""
    for key in sorted(table):
        if table[key].required and inputs.get(key) is None:
            yield key, f"missing; {table[key].about}"
    yield from unknown_keys(inputs, table, "")
    for key in sorted(inputs.keys() & table.keys()):
        yield from _value_errors(inputs[key], table[key].kind, key)


def _value_errors(value: object, kind: str, path: str) -> Iterator[tuple[str, str]]:
    if value is UNKNOWN:
        return
    if kind == "labels":
        if isinstance(value, Mapping):
            yield from _label_errors(value, path)
        else:
            yield path, f"{shown(value, path)} is not an object"
    else:
        yield from type_errors(value, kind, path)


def _label_errors(labels: Mapping[str, object], path: str) -> Iterator[tuple[str, str]]:
    at = FieldPath(path)
    if len(labels) > LABELS_LIMIT:
        yield path, f"{len(labels)} labels; at most {LABELS_LIMIT} are allowed beside the provider's own two"
    for key, value in sorted(labels.items()):
        if not _LABEL_KEY.fullmatch(key):
            yield at.key(key), f"{quote(key)} is no label key; lower case letters, digits, _ and -, at most 63"
        if value is not UNKNOWN and not (isinstance(value, str) and _LABEL_VALUE.fullmatch(value)):
            yield at.key(key), f"{quote(value)} is no label value; lower case letters, digits, _ and -, at most 63"


_SCHEMA_TYPES: Final[Mapping[str, Mapping[str, object]]] = {
    "string": {"type": "string"},
    "duration": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "trials": {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}},
}
_ANY_OBJECT: Final[Mapping[str, object]] = {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}


def schema() -> str:
    """Returns the package's Pulumi schema, as JSON."""
    described = {}
    for token, (about, inputs, outputs) in resources().items():
        described[token] = {
            "description": about,
            "inputProperties": _schema_properties(inputs),
            "requiredInputs": _required(inputs),
            "properties": _schema_properties({**inputs, **outputs}),
            "required": _required({**inputs, **outputs}),
        }
    package = {
        "name": PACKAGE,
        "version": VERSION,
        "description": "Distributed training jobs on Vertex AI, and waiting for them.",
        "resources": described,
    }
    return json.dumps(package, sort_keys=True)


def _schema_properties(table: Mapping[str, Field]) -> dict[str, object]:
    return {key: {**_SCHEMA_TYPES.get(f.kind, _ANY_OBJECT), "description": f.about} for key, f in table.items()}


def _required(table: Mapping[str, Field]) -> list[str]:
    return sorted(key for key, field in table.items() if field.required)
