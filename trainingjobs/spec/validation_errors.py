"""What pydantic finds in a document → a finding that says what was given, what is allowed, and the nearest fix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from trainingjobs.core.findings import Finding, did_you_mean, not_one_primary, schema_error, shown
from trainingjobs.spec.forms import FORM, Form
from trainingjobs.spec.provider_keys import KEYS as PROVIDER_KEYS

Loc = tuple[str | int, ...]
# Every key with its type: made from the types, a section a part.
KEYS_PAGE = "docs/reference/configuration.md"
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
    kind, input_value, loc = problem["type"], problem["input"], problem["loc"]
    value = shown(input_value, path)
    context = problem.get("ctx", {})
    if kind == "extra_forbidden":
        return _no_such_key(model, loc, path, names)
    if kind == "missing":
        return schema_error(path, "missing; it is required", "add it")
    if kind == "literal_error":
        words = _literals(str(context.get("expected", "")))
        nearest = did_you_mean(str(input_value), words)
        return schema_error(
            path, f"{value} is not allowed; one of {', '.join(words)}", f"did you mean {nearest}?" if nearest else ""
        )
    if kind in NEEDED:
        fix = _nearest(kind, input_value, _form(_field_at(model, loc)))
        return schema_error(path, f"{value} is {_a(input_value)}; {NEEDED[kind]} is needed", fix)
    if kind in RANGES and loc[-3:] == PRIMARY_COUNT:
        return not_one_primary(input_value, path)
    if kind in RANGES:
        low, high = _bounds(_field_at(model, loc))
        allowed = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        bound = low if kind == "greater_than_equal" else high
        return schema_error(path, f"{value} is out of range; {allowed} is allowed", f"the nearest is {bound}")
    if kind in ("too_short", "string_too_short"):
        least = context.get("min_length")
        return schema_error(path, f"{value or 'empty'} is too short; at least {least} is needed", "add one")
    if kind in ("too_long", "string_too_long"):
        max_length = context.get("max_length")
        return schema_error(path, f"{len(input_value)} are too many; at most {max_length} are allowed", "shorten it")
    if kind == FORM:
        fix = f"write it like {context['example']}"
        return schema_error(path, f"{value} is not allowed; {context['words']} is needed", fix)
    return schema_error(path, f"{value}: {_lower(problem['msg'])}")


def _no_such_key(model: type[BaseModel], loc: Loc, path: str, names: Mapping[str, str]) -> Finding:
    owner = _part_at(model, loc[:-1])
    keys = [str(field.alias) for field in owner.model_fields.values()] if _is_model(owner) else []
    of_stack = bool(names) and len(loc) == 1
    allowed = [names.get(key, key) for key in keys] if of_stack else keys
    nearest = _nearest_key_of_stack(path, allowed) if of_stack else did_you_mean(str(loc[-1]), allowed)
    if nearest is None:
        return schema_error(path, f"no such key; allowed here: {', '.join(allowed)}", "remove it")
    section = "under-config" if of_stack else owner.__name__.lower()
    return schema_error(path, "no such key", f"did you mean {nearest}? All keys: {KEYS_PAGE}#{section}")


def _nearest_key_of_stack(key: str, allowed: list[str]) -> str | None:
    """Compares without the namespaces: every key of ours would be near by its own."""
    by_name = {name.partition(":")[2]: name for name in (*PROVIDER_KEYS, *allowed)}
    nearest = did_you_mean(re.split("[:.]", key)[-1], by_name)
    return by_name[nearest] if nearest else None


def _nearest(kind: str, value: object, form: Form | None) -> str:
    if kind == "string_type" and isinstance(value, int | float):
        return _as_text(str(value), form)
    if kind in ("int_type", "float_type") and isinstance(value, str) and value.strip().isdigit():
        return "take the quotes away"
    if kind in ("int_type", "int_from_float") and isinstance(value, float) and abs(value) < LARGE:
        return f"the nearest is {round(value)}"
    if kind == "bool_type" and isinstance(value, str) and value.lower() in SWITCHES:
        return f"write {SWITCHES[value.lower()]}"
    return "remove the key, or give it a value" if value is None else ""


def _as_text(value: str, form: Form | None) -> str:
    """Returns how a number is written where a string is needed: in quotes it may be no better."""
    if form is None or re.search(form.pattern, value):
        return "put it in quotes"
    return f"write it like {f'{value}s' if re.search(form.pattern, f'{value}s') else form.example}"


def _a(value: object) -> str:
    return "empty" if value is None else WORDS.get(type(value).__name__, "a list")


def _lower(message: str) -> str:
    return message.replace("Input should", "must").replace("Value error, ", "")


def _literals(expected: str) -> list[str]:
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _part_at(model: type[BaseModel], loc: Loc) -> Any:
    """Returns the model at a place; a list and a map are passed through."""
    current: Any = model
    for part in loc:
        field = _field_of(current, part)
        current = current if field is None else _model_within(field.annotation)
    return current


def _field_at(model: type[BaseModel], loc: Loc) -> FieldInfo | None:
    """Returns the last field on the way to a place."""
    current: Any = model
    last = None
    for part in loc:
        field = _field_of(current, part)
        if field is not None:
            last, current = field, _model_within(field.annotation)
    return last


def _field_of(owner: Any, part: str | int) -> FieldInfo | None:
    fields = owner.model_fields.values() if _is_model(owner) else ()
    return next((field for field in fields if field.alias == part), None)


def _form(field: FieldInfo | None) -> Form | None:
    """Returns the form that a string field has to have, None without one; a map's forms are its keys'."""
    marks = () if field is None or _has_map(field.annotation) else _marks_of(field)
    return next((mark for mark in marks if isinstance(mark, Form)), None)


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
    return next((inner for arg in get_args(annotation) if _is_model(inner := _model_within(arg))), None)


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
