"""Property values as the engine sends them: protobuf structs to plain Python and back, unknowns, and comparison.

Owns no meaning of any property. The engine takes secrets out before it calls (the provider does not ask for them)
and puts the marks back on what returns under the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from google.protobuf import struct_pb2

# One object for all parts of the project: the rules know an unknown value by it.
from trainingjobs.facts.job import UNKNOWN as UNKNOWN
from trainingjobs.workloads.vertex_types import child

# The engine's word for a string that is not known in a preview (sdk/v3/go/common/resource/plugin/rpc.go); each type
# has its own, and they differ in nothing that matters here.
UNKNOWN_STRING: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
UNKNOWN_WIRE: Final = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        UNKNOWN_STRING,
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)


def from_struct(struct: struct_pb2.Struct) -> dict[str, object]:
    """Returns the properties as plain values: whole numbers as int, what is not known as UNKNOWN, nulls left out."""
    plain = {key: _from_value(value) for key, value in struct.fields.items()}
    return {key: value for key, value in plain.items() if value is not None}


def _from_value(value: struct_pb2.Value) -> object:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [_from_value(item) for item in value.list_value.values]
    return from_scalar(value)


def from_scalar(value: struct_pb2.Value) -> object:
    """Returns a value that is neither struct nor list: whole numbers as int, UNKNOWN where not known, None for null."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        # A struct has doubles only: 2.0 in a body is refused where the service wants an integer.
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    if kind == "string_value":
        return UNKNOWN if value.string_value in UNKNOWN_WIRE else value.string_value
    return None


def to_struct(properties: Mapping[str, object]) -> struct_pb2.Struct:
    """Returns the properties as the engine takes them; None is left out."""
    struct = struct_pb2.Struct()
    for key in sorted(properties):
        if properties[key] is not None:
            struct.fields[key].CopyFrom(_to_value(properties[key]))
    return struct


def _to_value(value: object) -> struct_pb2.Value:
    if value is UNKNOWN:
        return struct_pb2.Value(string_value=UNKNOWN_STRING)
    if isinstance(value, bool):
        return struct_pb2.Value(bool_value=value)
    if isinstance(value, int | float):
        return struct_pb2.Value(number_value=value)
    if isinstance(value, str):
        return struct_pb2.Value(string_value=value)
    if isinstance(value, Mapping):
        return struct_pb2.Value(struct_value=to_struct(value))
    if isinstance(value, list | tuple):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[_to_value(item) for item in value]))
    return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)


def has_unknown(value: object) -> bool:
    """Returns whether some part of the value is not known."""
    if isinstance(value, Mapping):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return value is UNKNOWN


def differences(old: object, new: object, path: str) -> Iterator[tuple[str, str]]:
    """Yields (path, "add" | "delete" | "update" | "unknown") for each part that differs, deepest known place first.

    A part that is not known counts as "unknown", never as a change.
    """
    if new is UNKNOWN or old is UNKNOWN:
        yield path, "unknown"
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield child(path, key), "delete"
            elif key not in old:
                yield child(path, key), "unknown" if new[key] is UNKNOWN else "add"
            else:
                yield from differences(old[key], new[key], child(path, key))
    elif isinstance(old, list) and isinstance(new, list):
        for index, (before, after) in enumerate(zip(old, new, strict=False)):
            yield from differences(before, after, child(path, index))
        for index in range(len(new), len(old)):
            yield child(path, index), "delete"
        for index in range(len(old), len(new)):
            yield child(path, index), "unknown" if new[index] is UNKNOWN else "add"
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield path, "update"
