"""Property values between the engine's form (protobuf Struct with marked objects) and plain Python (values.py).

A resource reference is its id in Python, a whole number an int.
"""

from __future__ import annotations

from typing import Any

from sandbox.gcp.values import UNKNOWN, Secret, reveal
from trainingjobs.engine.sdk import struct_pb2

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN_MARK = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
UNKNOWN_MARKS = frozenset(
    {
        UNKNOWN_MARK,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # bool
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # number
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # array
        "030794c1-ac77-496b-92df-f27374a8bd58",  # asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
    }
)


def read_struct(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Return a Struct's properties as Python values."""
    return {key: read_value(value) for key, value in struct.fields.items()}


def read_value(value: struct_pb2.Value) -> Any:
    """Return one protobuf value as a Python value."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value in UNKNOWN_MARKS else value.string_value
    if kind == "number_value":
        return int(value.number_value) if value.number_value.is_integer() else value.number_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [read_value(item) for item in value.list_value.values]
    if kind == "struct_value":
        return _read_object(value.struct_value)
    return None


def _read_object(struct: struct_pb2.Struct) -> Any:
    plain = read_struct(struct)
    mark = plain.get(SIGNATURE)
    if mark == SECRET:
        return Secret(reveal(plain["value"]))
    if mark == RESOURCE:
        return plain.get("id", UNKNOWN)
    if mark == OUTPUT:
        value = plain.get("value", UNKNOWN)
        return Secret(reveal(value)) if plain.get("secret") else value
    return plain


def write_struct(properties: dict[str, Any]) -> struct_pb2.Struct:
    """Return Python values as a Struct that the engine reads."""
    struct = struct_pb2.Struct()
    for key, value in properties.items():
        struct.fields[key].CopyFrom(write_value(value))
    return struct


def write_value(value: Any) -> struct_pb2.Value:
    """Return one Python value as a protobuf value."""
    if value is UNKNOWN:
        return struct_pb2.Value(string_value=UNKNOWN_MARK)
    if isinstance(value, Secret):
        return struct_pb2.Value(struct_value=write_struct({SIGNATURE: SECRET, "value": value.value}))
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    if isinstance(value, bool):
        return struct_pb2.Value(bool_value=value)
    if isinstance(value, int | float):
        return struct_pb2.Value(number_value=value)
    if isinstance(value, str):
        return struct_pb2.Value(string_value=value)
    if isinstance(value, list):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[write_value(item) for item in value]))
    return struct_pb2.Value(struct_value=write_struct(value))
