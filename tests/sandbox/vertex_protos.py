"""Builds the field table of sandbox/vertex/fields.json from the official protos; run as a program, prints it."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

warnings.filterwarnings("ignore", category=FutureWarning, module="google")

from google.cloud import aiplatform_v1  # noqa: E402
from google.cloud.aiplatform_v1 import types  # noqa: E402
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor  # noqa: E402

JOBS = (aiplatform_v1.CustomJob, aiplatform_v1.HyperparameterTuningJob, aiplatform_v1.TrainingPipeline)
PACKAGE = "google.cloud.aiplatform.v1."
# A model's explanation is a world of its own that no training job here declares: any value is taken.
OPAQUE = frozenset({"ExplanationSpec"})
SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
}
WELL_KNOWN = {
    "Duration": "duration",
    "Timestamp": "timestamp",
    "Value": "value",
    "BoolValue": "optional bool",
    "Int32Value": "optional int32",
}


def table() -> dict[str, Any]:
    """Returns {"enums", "messages"} for everything that a create request of the three kinds of job can hold."""
    schema: dict[str, Any] = {"enums": {}, "messages": {}}
    for job in JOBS:
        _add_message(job.pb(job()).DESCRIPTOR, schema)
    return schema


def proto_names() -> dict[str, str]:
    """Returns the proto's own field name for each JSON name of the table."""
    names: dict[str, str] = {}
    visited: set[str] = set()

    def walk(message: Descriptor) -> None:
        if message.full_name in visited:
            return
        visited.add(message.full_name)
        for field in message.fields:
            names[field.json_name] = field.name
            if field.message_type is not None:
                walk(field.message_type)

    for job in JOBS:
        walk(job.pb(job()).DESCRIPTOR)
    return names


def _add_message(message: Descriptor, schema: dict[str, Any]) -> None:
    name = message.full_name.removeprefix(PACKAGE)
    if name in schema["messages"]:
        return
    entry: dict[str, Any] = {"fields": {}, "oneofs": {}, "outputOnly": []}
    schema["messages"][name] = entry
    hidden = output_only(name)
    for field in message.fields:
        if field.name in hidden:
            entry["outputOnly"].append(field.json_name)
            continue
        entry["fields"][field.json_name] = _type_of(field, schema)
        if field.containing_oneof is not None:
            entry["oneofs"].setdefault(field.containing_oneof.name, []).append(field.json_name)


def output_only(message: str) -> set[str]:
    """Returns the fields that the library documents as output only: its descriptors drop the mark."""
    documented: Any = types
    for part in message.split("."):
        documented = getattr(documented, part)
    entries = re.findall(
        r"^ {8}(\w+) \(.*?\):\n(.*?)(?=^ {8}\S|\Z)", documented.__doc__ or "", re.DOTALL | re.MULTILINE
    )
    return {field for field, text in entries if text.strip().startswith("Output only")}


def _type_of(field: FieldDescriptor, schema: dict[str, Any]) -> str:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return "{" + _single_type(field.message_type.fields_by_name["value"], schema) + "}"
    kind = _single_type(field, schema)
    return f"[{kind}]" if field.label == FieldDescriptor.LABEL_REPEATED else kind


def _single_type(field: FieldDescriptor, schema: dict[str, Any]) -> str:
    if field.enum_type is not None:
        return "enum " + _add_enum(field.enum_type, schema)
    if field.message_type is None:
        return SCALARS[field.type]
    name = field.message_type.full_name
    if not name.startswith(PACKAGE):
        return WELL_KNOWN[name.removeprefix("google.protobuf.")]
    if name.removeprefix(PACKAGE) in OPAQUE:
        return "value"
    _add_message(field.message_type, schema)
    return name.removeprefix(PACKAGE)


def _add_enum(enum: EnumDescriptor, schema: dict[str, Any]) -> str:
    name = enum.full_name.removeprefix(PACKAGE)
    schema["enums"][name] = {value.name: value.number for value in enum.values}
    return name


if __name__ == "__main__":
    print(json.dumps(table(), indent=1, sort_keys=True))
