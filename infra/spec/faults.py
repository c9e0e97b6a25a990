"""What pydantic finds in a document → a finding that says what was given, what is allowed, and the nearest fix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from infra.problems import Finding, did_you_mean, not_one_primary, schema_error, shown
from infra.spec.gcp_keys import KEYS as PROVIDER_KEYS

Loc = tuple[str | int, ...]
# Every key with its type: made from the types, a section a part.
KEYS_PAGE = "docs/reference/configuration.md"
# What a pattern means to people, and an example of it.
FORMS = {
    r"^[0-9]+(\.[0-9]+)*$": ("a version of numbers and dots", "2.18"),
    r"^[0-9]{1,9}(\.[0-9]{1,9})?s$": ("a number of seconds with its unit", "3600s"),
    r"^[A-Za-z_][A-Za-z0-9_]*$": ("a name of letters, digits and _", "NCCL_DEBUG"),
    r"^[a-z][a-z0-9_-]{0,62}$": ("a key of lower case letters, digits, _ and -", "cost-center"),
    r"^[a-z0-9_-]{0,63}$": ("a value of lower case letters, digits, _ and -", "research"),
    r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$": ("a name of at most 40 lower case letters, digits and -", "bert-large"),
    r"^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$": ("a name of at most 40 lower case letters, digits and -", "dev-training"),
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$": ("a time in UTC", "2026-01-03T02:00:00Z"),
    r"^r-[0-9a-f]{12}$": ("a release's id", "r-0123456789ab"),
    r"^\S+$": ("an image's name, without spaces,", "us-docker.pkg.dev/acme-ml-dev/train/bert:1"),
    r"^gs://[a-z0-9]": ("a Cloud Storage folder", "gs://acme-ml-dev-output/bert"),
    r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$": ("a project id of 6 to 30 lower case letters, digits and -", "acme-ml-dev"),
    r"^projects/[^/]+/locations/[^/]+/(customJobs|hyperparameterTuningJobs|trainingPipelines)/[0-9]+$": (
        "a Vertex AI job's name",
        "projects/acme-ml-dev/locations/us-central1/customJobs/123",
    ),
}
WORDS = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "a boolean", "dict": "a mapping"}
NEEDED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
}
# Beyond it a nearest whole number helps nobody.
LARGE = 1e9
RANGES = ("greater_than_equal", "less_than_equal")
# Whatever number is wrong there, it is the rule's; as a count of replicas it may be out of range besides.
PRIMARY_COUNT = ("pools", "primary", "replicaCount")
# What other readers of YAML take for true and false, and this one and Pulumi's do not.
SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def finding_of(model: type[BaseModel], problem: Any, path: str, names: Mapping[str, str]) -> Finding:
    """Returns the finding of one of pydantic's error details; `names` are those of renamed top-level fields."""
    kind, given, loc = problem["type"], problem["input"], problem["loc"]
    value = shown(given, path)
    context = problem.get("ctx", {})
    if kind == "extra_forbidden":
        return _no_such_key(model, loc, path, names)
    if kind == "missing":
        return schema_error(path, "missing; it is required", "add it")
    if kind == "literal_error":
        words = _literals(str(context.get("expected", "")))
        near = did_you_mean(str(given), words)
        return schema_error(
            path, f"{value} is not allowed; one of {', '.join(words)}", f"did you mean {near}?" if near else ""
        )
    if kind in NEEDED:
        fix = _nearest(kind, given, _pattern(_field_at(model, loc)))
        return schema_error(path, f"{value} is {_a(given)}; {NEEDED[kind]} is needed", fix)
    if kind in RANGES and loc[-3:] == PRIMARY_COUNT:
        return not_one_primary(given, path)
    if kind in RANGES:
        low, high = _bounds(_field_at(model, loc))
        allowed = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        end = low if kind == "greater_than_equal" else high
        return schema_error(path, f"{value} is out of range; {allowed} is allowed", f"the nearest is {end}")
    if kind in ("too_short", "string_too_short"):
        least = context.get("min_length")
        return schema_error(path, f"{value or 'empty'} is too short; at least {least} is needed", "add one")
    if kind in ("too_long", "string_too_long"):
        most = context.get("max_length")
        return schema_error(path, f"{len(given)} are too many; at most {most} are allowed", "shorten it")
    if kind == "string_pattern_mismatch":
        form, example = FORMS.get(str(context.get("pattern")), (f"the form {context.get('pattern')}", ""))
        fix = f"write it like {example}" if example else ""
        return schema_error(path, f"{value} is not allowed; {form} is needed", fix)
    return schema_error(path, f"{value}: {_lower(problem['msg'])}")


def _no_such_key(model: type[BaseModel], loc: Loc, path: str, names: Mapping[str, str]) -> Finding:
    here = _part_at(model, loc[:-1])
    keys = [str(field.alias) for field in here.model_fields.values()] if _is_model(here) else []
    of_stack = bool(names) and len(loc) == 1
    allowed = [names.get(key, key) for key in keys] if of_stack else keys
    near = _nearest_key_of_stack(path, allowed) if of_stack else did_you_mean(str(loc[-1]), allowed)
    if near is None:
        return schema_error(path, f"no such key; allowed here: {', '.join(allowed)}", "remove it")
    section = "under-config" if of_stack else here.__name__.lower()
    return schema_error(path, "no such key", f"did you mean {near}? All keys: {KEYS_PAGE}#{section}")


def _nearest_key_of_stack(key: str, allowed: list[str]) -> str | None:
    """Compares without the namespaces: every key of ours would be near by its own."""
    by_name = {one.partition(":")[2]: one for one in (*PROVIDER_KEYS, *allowed)}
    near = did_you_mean(re.split("[:.]", key)[-1], by_name)
    return by_name[near] if near else None


def _nearest(kind: str, given: object, pattern: str) -> str:
    if kind == "string_type" and isinstance(given, int | float):
        return _as_text(str(given), pattern)
    if kind in ("int_type", "float_type") and isinstance(given, str) and given.strip().isdigit():
        return "take the quotes away"
    if kind in ("int_type", "int_from_float") and isinstance(given, float) and abs(given) < LARGE:
        return f"the nearest is {round(given)}"
    if kind == "bool_type" and isinstance(given, str) and given.lower() in SWITCHES:
        return f"write {SWITCHES[given.lower()]}"
    return "remove the key, or give it a value" if given is None else ""


def _as_text(given: str, pattern: str) -> str:
    """Returns how a number is written where a string is needed: in quotes it may be no better."""
    if re.search(pattern, given):
        return "put it in quotes"
    example = f"{given}s" if re.search(pattern, f"{given}s") else FORMS.get(pattern, ("", ""))[1]
    return f"write it like {example}" if example else "put it in quotes"


def _a(given: object) -> str:
    return "empty" if given is None else WORDS.get(type(given).__name__, "a list")


def _lower(message: str) -> str:
    return message.replace("Input should", "must").replace("Value error, ", "")


def _literals(expected: str) -> list[str]:
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _part_at(model: type[BaseModel], loc: Loc) -> Any:
    """Returns the model at a place; a list and a map are passed through."""
    here: Any = model
    for part in loc:
        field = _field_of(here, part)
        here = here if field is None else _model_within(field.annotation)
    return here


def _field_at(model: type[BaseModel], loc: Loc) -> FieldInfo | None:
    """Returns the last field on the way to a place."""
    here: Any = model
    last = None
    for part in loc:
        field = _field_of(here, part)
        if field is not None:
            last, here = field, _model_within(field.annotation)
    return last


def _field_of(here: Any, part: str | int) -> FieldInfo | None:
    fields = here.model_fields.values() if _is_model(here) else ()
    return next((field for field in fields if field.alias == part), None)


def _pattern(field: FieldInfo | None) -> str:
    """Returns the pattern that a string field has to match, "" without one; a map's patterns are its keys'."""
    marks = () if field is None or _has_map(field.annotation) else _marks_of(field)
    return next((str(mark.pattern) for mark in marks if getattr(mark, "pattern", None)), "")


def _has_map(annotation: Any) -> bool:
    return get_origin(annotation) is dict or any(map(_has_map, get_args(annotation)))


def _bounds(field: FieldInfo | None) -> tuple[Any, Any]:
    """Returns the least and the greatest value that a field takes, None where there is no such bound."""
    marks = [] if field is None else [*_marks_of(field)]
    low = next((mark.ge for mark in marks if hasattr(mark, "ge")), None)
    high = next((mark.le for mark in marks if hasattr(mark, "le")), None)
    return low, high


def _marks_of(field: FieldInfo) -> Iterator[Any]:
    yield from _marks(field.metadata)
    yield from _marks_within(field.annotation)


def _marks(metadata: Any) -> Iterator[Any]:
    for mark in metadata:
        yield from mark.metadata if isinstance(mark, FieldInfo) else (mark,)


def _marks_within(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        yield from _marks(annotation.__metadata__)
    for inner in get_args(annotation):
        yield from _marks_within(inner)


def _model_within(annotation: Any) -> Any:
    if _is_model(annotation):
        return annotation
    return next((found for arg in get_args(annotation) if _is_model(found := _model_within(arg))), None)


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
