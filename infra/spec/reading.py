"""Plain values → typed specification, with every finding of structure at once.

What is ill-typed is left out and remembered as unknown, so that the rules can still judge the rest in the same run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from infra.problems import Finding, did_you_mean, quote, schema_error
from infra.spec.job import Job

Model = TypeVar("Model", bound=BaseModel)
Loc = tuple[str | int, ...]
# What a pattern means to people, and an example of it.
FORMS = {
    r"^[0-9]+(\.[0-9]+)*$": ("a version of numbers and dots", "2.18"),
    r"^[0-9]{1,9}(\.[0-9]{1,9})?s$": ("a number of seconds with its unit", "3600s"),
    r"^[A-Za-z_][A-Za-z0-9_]*$": ("a name of letters, digits and _", "NCCL_DEBUG"),
    r"^[a-z][a-z0-9_-]{0,62}$": ("a key of lower case letters, digits, _ and -", "cost-center"),
    r"^[a-z0-9_-]{0,63}$": ("a value of lower case letters, digits, _ and -", "research"),
    r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$": ("a name of at most 40 lower case letters, digits and -", "bert-large"),
    r"^gs://[a-z0-9]": ("a Cloud Storage folder", "gs://acme-ml-dev-output/bert"),
    r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$": ("a project id of 6 to 30 lower case letters, digits and -", "acme-ml-dev"),
}
WORDS = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "true or false", "dict": "a mapping"}
NEEDED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document says: the typed value (None where nothing of it could be read), what is wrong, what is unknown.

    `unknown` are the paths that were left out because they are ill-formed.
    """

    value: Any
    findings: tuple[Finding, ...]
    unknown: frozenset[str]


def path_of(loc: Iterable[str | int], prefix: str = "") -> str:
    """Returns a place in a document as messages write it, `pools.primary.machineType` or `args[2]`."""
    path = prefix
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != "[key]":
            path += f".{quote(part)}" if path else quote(part)
    return path


def read_job(document: Mapping[str, Any], prefix: str = "") -> Reading:
    """Returns the reading of a job document; paths start with `prefix`."""
    return read_model(Job, document, prefix)


def read_model(
    model: type[Model], document: Mapping[str, Any], prefix: str = "", renamed: Mapping[str, str] | None = None
) -> Reading:
    """Returns the reading of a mapping as `model`: each round leaves out what was ill-formed in the one before.

    `renamed` gives the top-level fields that stand under another name in the user's document.
    """
    names = renamed or {}
    value: Any = None
    rest: Any = document
    findings: list[Finding] = []
    unknown: set[str] = set()
    for _ in range(4):
        try:
            value = model.model_validate(rest)
            break
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=True)
        places = [path_of(_as_written(problem["loc"], names), prefix) for problem in problems]
        # What was left out in an earlier round is missing in this one, and said already.
        findings += [
            _finding(model, problem, place, names)
            for problem, place in zip(problems, places, strict=True)
            if place not in unknown
        ]
        unknown |= set(places)
        rest = _without(rest, [problem["loc"] for problem in problems])
    return Reading(value, tuple(findings), frozenset(unknown))


def _as_written(loc: Loc, names: Mapping[str, str]) -> Loc:
    return (names.get(str(loc[0]), loc[0]), *loc[1:]) if loc else loc


def _without(document: Any, locs: Iterable[Loc]) -> Any:
    """Returns the document without the given places; a list that holds one goes as a whole, its order being meaning."""
    rest = copy.deepcopy(document)
    for loc in locs:
        parts = [part for part in loc if part != "[key]"]
        cut = next((i for i, part in enumerate(parts) if isinstance(part, int)), len(parts))
        holder: Any = rest
        for part in parts[: cut - 1]:
            holder = holder.get(part) if isinstance(holder, dict) else None
        if isinstance(holder, dict) and cut:
            holder.pop(parts[cut - 1], None)
    return rest


def _finding(model: type[BaseModel], problem: Any, path: str, names: Mapping[str, str]) -> Finding:
    kind, given = problem["type"], problem["input"]
    context = problem.get("ctx", {})
    if kind == "extra_forbidden":
        key = str(problem["loc"][-1])
        allowed = [
            names.get(name, name) if len(problem["loc"]) == 1 else name for name in _keys_at(model, problem["loc"][:-1])
        ]
        near = did_you_mean(key, allowed)
        return schema_error(
            path, f"no such key; allowed here: {', '.join(allowed)}", f"did you mean {near}?" if near else "remove it"
        )
    if kind == "missing":
        return schema_error(path, "missing; it is required", "add it")
    if kind == "literal_error":
        words = _literals(str(context.get("expected", "")))
        near = did_you_mean(str(given), words)
        return schema_error(
            path, f"{quote(given)} is not allowed; one of {', '.join(words)}", f"did you mean {near}?" if near else ""
        )
    if kind in NEEDED:
        # A variable or an argument may be a secret: it is named by its path alone.
        secret = {"env", "args", "command"} & set(problem["loc"])
        shown = "this value" if secret else quote(given)
        fix = "put it in quotes" if kind == "string_type" and isinstance(given, int | float) else ""
        return schema_error(path, f"{shown} is {_a(given)}; {NEEDED[kind]} is needed", fix)
    if kind == "too_short":
        return schema_error(
            path, f"{quote(given)} is too short; at least {context.get('min_length')} is needed", "add one"
        )
    if kind == "string_pattern_mismatch":
        form, example = FORMS.get(str(context.get("pattern")), (f"the form {context.get('pattern')}", ""))
        fix = f"write it like {example}" if example else ""
        return schema_error(path, f"{quote(given)} is not allowed; {form} is needed", fix)
    return schema_error(path, f"{quote(given)}: {_lower(problem['msg'])}")


def _a(given: object) -> str:
    return "empty" if given is None else WORDS.get(type(given).__name__, "a list")


def _lower(message: str) -> str:
    return message.replace("Input should", "must").replace("Value error, ", "")


def _literals(expected: str) -> list[str]:
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _keys_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """Returns the keys that the model allows at a place."""
    here: Any = model
    for part in loc:
        here = _part_of(here, part)
    return [str(field.alias) for field in here.model_fields.values()] if _is_model(here) else []


def _part_of(here: Any, part: str | int) -> Any:
    if _is_model(here):
        for field in here.model_fields.values():
            if field.alias == part:
                return _model_within(field.annotation)
    return here


def _model_within(annotation: Any) -> Any:
    if _is_model(annotation):
        return annotation
    return next((found for arg in get_args(annotation) if _is_model(found := _model_within(arg))), None)


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
