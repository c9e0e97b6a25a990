"""Plain values → typed specification, with every finding of structure at once.

What is ill-typed is left out and remembered as unknown, so that the rules can still judge the rest in the same run.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from trainingjobs.core.findings import Finding, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.spec.job import Job
from trainingjobs.spec.validation_errors import Loc, finding_of

Model = TypeVar("Model", bound=BaseModel)
# The nearest right word of each of a hundred thousand wrong ones takes a minute to find.
MOST_FINDINGS = 200
FIX_FIRST = "fix these first"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document says: the typed value (None where nothing of it could be read), what is wrong, what is unknown.

    `unknown` are the paths that were left out because they are ill-formed.
    """

    value: Any
    findings: tuple[Finding, ...]
    unknown: frozenset[FieldPath]


def path_of(loc: Iterable[str | int], prefix: str = "") -> FieldPath:
    """Returns a place in a document as messages write it, `pools.primary.machineType` or `args[2]`."""
    path = FieldPath(prefix)
    for part in loc:
        if isinstance(part, int):
            path = path.item(part)
        elif part != "[key]":
            path = path.key(quote(part))
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
    remaining: Any = document
    findings: list[Finding] = []
    unknown: set[FieldPath] = set()
    for _ in range(4):
        try:
            value = model.model_validate(remaining)
            break
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=True)
        places = [path_of(_as_written(problem["loc"], names), prefix) for problem in problems]
        # What was left out in an earlier round is missing in this one, or its list too short, and said already.
        reported = unknown | _lists_around((*unknown, *places))
        new = [(problem, place) for problem, place in zip(problems, places, strict=True) if place not in reported]
        findings += [finding_of(model, problem, place, names) for problem, place in new[:MOST_FINDINGS]]
        if len(new) > MOST_FINDINGS:
            findings.append(schema_error(prefix, f"and {len(new) - MOST_FINDINGS} more ill-formed parts", FIX_FIRST))
        unknown |= set(places)
        remaining = _without(remaining, [problem["loc"] for problem in problems])
    return Reading(value, tuple(findings), frozenset(unknown))


def _lists_around(places: Iterable[str]) -> set[str]:
    """Returns the lists that are left out, each as a whole, because of an element at one of the places."""
    return {place[: match.start()] for place in places for match in re.finditer(r"\[[0-9]+\]", place)}


def _as_written(loc: Loc, names: Mapping[str, str]) -> Loc:
    return (names.get(str(loc[0]), loc[0]), *loc[1:]) if loc else loc


def _without(document: Any, locs: Iterable[Loc]) -> Any:
    """Returns the document without the given places; a list that holds one goes as a whole, its order being meaning."""
    remaining = copy.deepcopy(document)
    for loc in locs:
        parts = [part for part in loc if part != "[key]"]
        cut = next((i for i, part in enumerate(parts) if isinstance(part, int)), len(parts))
        parent: Any = remaining
        for part in parts[: cut - 1]:
            parent = parent.get(part) if isinstance(parent, dict) else None
        if isinstance(parent, dict) and cut:
            parent.pop(parts[cut - 1], None)
    return remaining
