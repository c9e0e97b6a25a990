"""The body of a Vertex AI job: which keys it has, of which type, and when two bodies mean the same.

The tables of keys are vertex_tables.py's. Owns no rule of meaning: those are trainingjobs.rules.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Final, TypeGuard

from trainingjobs.core.findings import MOST_HINTS, MOST_WRONG, QUOTE_LIMIT, did_you_mean, quote, shown
from trainingjobs.facts.job import MOST_POOLS, UNKNOWN
from trainingjobs.facts.vertex_body import is_placeholder
from trainingjobs.workloads.vertex_tables import BESIDE_SPEC, ENUMS, MESSAGES, ONEOFS

# What the service fills in where a body says nothing (Vertex AI REST reference, DiskSpec and Scheduling).
SERVICE_DEFAULTS: Final[dict[str, dict[str, object]]] = {
    "DiskSpec": {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 100},
    "Scheduling": {"timeout": "604800s", "strategy": "STANDARD"},
    "MachineSpec": {"acceleratorType": "ACCELERATOR_TYPE_UNSPECIFIED", "acceleratorCount": 0},
}
# The keys of a CustomJob: what is given, and what the service says of it.
CUSTOM_JOB: Final = dict.fromkeys(
    (
        *("displayName", "jobSpec", "labels", "encryptionSpec", "name", "state", "createTime", "startTime", "endTime"),
        *("updateTime", "error", "webAccessUris", "satisfiesPzs", "satisfiesPzi"),
    )
)
# How much alike a misspelt key and the right one are: lustreMounts and nfsMounts, 0.67, are two fields.
NEARLY: Final = 0.75
DEFAULT_TIMEOUT_SECONDS: Final = 604800.0

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_DOUBLE = re.compile(r"[-+]?[0-9]{1,40}(\.[0-9]{0,40})?([eE][-+]?[0-9]{1,3})?")
_DURATION = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?s")
# Said even where empty: no replicas are a fault that must stay visible, an environment variable and a default value may
# be "" or 0, and early stopping is asked for by {}.
_KEPT_WHEN_EMPTY: Final = frozenset(
    {
        *("replicaCount", "value", "defaultValue"),
        *("decayCurveStoppingSpec", "medianAutomatedStoppingSpec", "convexAutomatedStoppingSpec"),
    }
)
_WORDS: Final = {
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "number": "a number",
    "double": "a number",
    "object": "an object",
    "labels": "an object of strings",
    "duration": "seconds with an s, such as 86400s",
}


def child(path: str, key: str | int) -> str:
    """Returns the property path of a part, in the engine's own notation."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    plain = key and all(c.isalnum() or c in "_-" for c in key)
    if not path and plain:
        return key
    return f"{path}.{key}" if plain else f'{path}["{key}"]'


def type_errors(value: object, kind: str, path: str, *, keys: bool = True) -> Iterator[tuple[str, str]]:
    """Yields (property path, reason) for each part of the value that is not of the type; unknown parts are fine.

    A field that is null is one that is not there, as in Google's JSON. Without `keys` a key that there is not is fine;
    with it one is an error that is nearly one of the table: any other is newer_fields' to tell.
    """
    if value is UNKNOWN:
        return
    if kind.startswith("["):
        if not isinstance(value, list):
            yield path, f"{shown(value, path)} is not a list; a list of {_items(kind[1:-1])} is needed"
            return
        for index, item in enumerate(value[:MOST_POOLS] if kind == "[WorkerPoolSpec]" else value):
            # A null pool is the rule pool-placeholder's to report.
            if item is not None or kind != "[WorkerPoolSpec]":
                yield from type_errors(item, kind[1:-1], child(path, index), keys=keys)
    elif kind in MESSAGES:
        if not isinstance(value, Mapping):
            yield path, f"{shown(value, path)} is not an object; one with {_keys(kind)} is needed"
            return
        if keys:
            yield from _misspelt_keys(value, MESSAGES[kind], path)
        yield from _beside_each_other(value, kind, path)
        yield from _parts(value, MESSAGES[kind], path, keys=keys)
    elif kind == "labels" and isinstance(value, Mapping):
        for key in sorted(value):
            yield from type_errors(value[key], "string", child(path, key))
    elif kind in ENUMS:
        if value not in ENUMS[kind]:
            nearest = did_you_mean(value, ENUMS[kind]) if isinstance(value, str) else None
            hint = f"; did you mean {nearest}?" if nearest else ""
            yield path, f"{shown(value, path)} is not one of {', '.join(ENUMS[kind])}{hint}"
    elif not _is_scalar(value, kind):
        yield path, f"{shown(value, path)} is not {_WORDS[kind]}"


def _parts(
    value: Mapping[str, object], kinds: Mapping[str, str], path: str, *, keys: bool
) -> Iterator[tuple[str, str]]:
    for key in sorted(value.keys() & kinds.keys()):
        if value[key] is not None:
            yield from type_errors(value[key], kinds[key], child(path, key), keys=keys)


def _beside_each_other(value: Mapping[str, object], kind: str, path: str) -> Iterator[tuple[str, str]]:
    present = [key for key in ONEOFS.get(kind, ()) if value.get(key) not in (None, UNKNOWN)]
    for key in present[1:]:
        yield child(path, key), f"stands beside {present[0]}; one of {', '.join(ONEOFS[kind])} is allowed"


def beside_errors(body: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields (property path, reason) for each part of a job beside its CustomJobSpec that is not of its type."""
    yield from _parts(body, BESIDE_SPEC, "", keys=False)


def unknown_keys(value: Mapping[str, object], allowed: Mapping[str, object], path: str) -> Iterator[tuple[str, str]]:
    """Yields (property path, reason) for each key that is not allowed, with the nearest one that is."""
    for number, key in enumerate(sorted(value.keys() - allowed.keys())[:MOST_WRONG]):
        nearest = did_you_mean(key, allowed) if number < MOST_HINTS else None
        hint = f"did you mean {nearest}?" if nearest else f"known are {', '.join(sorted(allowed))}"
        yield child(path, key), f"unknown key {quote(key)}; {hint}"


def _misspelt_keys(value: Mapping[str, object], table: Mapping[str, object], path: str) -> Iterator[tuple[str, str]]:
    for key, nearest in strange_keys(value, table):
        if nearest:
            yield child(path, key), f"unknown key {quote(key)}; did you mean {nearest}?"


def newer_fields(value: object, kind: str, path: str) -> Iterator[tuple[str, str]]:
    """Yields (property path, message) for each key that no table has and that is no misspelt one of it either.

    Vertex AI's API gets fields faster than the tables: what of them is wrong the service says.
    """
    if isinstance(value, list) and kind.startswith("["):
        for index, item in enumerate(value[:MOST_POOLS]):
            yield from newer_fields(item, kind[1:-1], child(path, index))
    elif isinstance(value, Mapping) and kind in MESSAGES:
        for key, nearest in strange_keys(value, MESSAGES[kind]):
            if not nearest:
                yield child(path, key), f"{quote(key)} is no field of {kind} that is known here, and is not judged"
        for key in sorted(value.keys() & MESSAGES[kind].keys()):
            yield from newer_fields(value[key], MESSAGES[kind][key], child(path, key))


def strange_keys(value: Mapping[str, object], table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields each key that is not in the table, with the one that it nearly is or is a part of, "" where none is."""
    folded = {key.lower(): key for key in table}
    for number, key in enumerate(sorted(value.keys() - table.keys())[:MOST_WRONG]):
        word = key[:QUOTE_LIMIT].lower()
        nearest = difflib.get_close_matches(word, folded, n=1, cutoff=NEARLY) if number < MOST_HINTS else []
        nearest = nearest or [known for known in folded if len(word) > 2 and word in known]
        yield key, folded[nearest[0]] if nearest else ""


def _keys(kind: str) -> str:
    return f"the keys {', '.join(MESSAGES[kind])}"


def _items(kind: str) -> str:
    return f"objects with {_keys(kind)}" if kind in MESSAGES else f"{kind}s"


def _is_scalar(value: object, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "integer":
        # Vertex's own answers write 64-bit integers as strings, so an imported body may hold them; 1.0 is 1 in JSON.
        whole = isinstance(value, str) and _WHOLE.fullmatch(value) is not None
        return whole or (_is_number(value) and value % 1 == 0)
    if kind == "number":
        return _is_double(value)
    if kind == "double":
        return _is_double(value) or (isinstance(value, str) and _DOUBLE.fullmatch(value) is not None)
    if kind in ("object", "labels"):
        return isinstance(value, Mapping)
    if kind == "duration":
        return isinstance(value, str) and _DURATION.fullmatch(value) is not None
    return isinstance(value, str)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_double(value: object) -> bool:
    # JSON has no word for infinity.
    return _is_number(value) and abs(value) <= sys.float_info.max


def canonical_spec(spec: object, kind: str = "CustomJobSpec") -> object:
    """Returns the body with what changes nothing left out, so that equal jobs compare equal.

    Whole numbers as int, no empty parts, no value that the service would fill in, no trailing empty pools.
    """
    if isinstance(spec, list):
        items = [canonical_spec(item, kind) for item in spec]
        while kind == "WorkerPoolSpec" and items and items[-1] in (None, {}):
            items.pop()
        return items
    if kind == "WorkerPoolSpec" and is_placeholder(spec):
        return {}
    if kind == "integer" and isinstance(spec, str | float) and _is_scalar(spec, kind):
        return int(spec)
    if kind == "double" and isinstance(spec, str) and _DOUBLE.fullmatch(spec):
        return float(spec)
    if kind == "duration" and isinstance(spec, str) and _DURATION.fullmatch(spec):
        return f"{float(spec[:-1]):.9f}".rstrip("0").rstrip(".") + "s"
    if not isinstance(spec, Mapping) or kind in ("object", "labels"):
        return spec
    fields = MESSAGES.get(kind, {})
    parts = {key: canonical_spec(value, fields.get(key, "").strip("[]")) for key, value in spec.items()}
    defaults = SERVICE_DEFAULTS.get(kind, {})
    return {
        key: value
        for key, value in parts.items()
        if key in _KEPT_WHEN_EMPTY or (value not in (None, "", [], {}, False) and value != defaults.get(key))
    }
