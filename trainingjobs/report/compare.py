"""How two stacks differ: in what is written, and in what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainingjobs.core.paths import FieldPath
from trainingjobs.report.view import StackView, shown, usd
from trainingjobs.spec.stack_keys import PATHS


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two stacks differ; "" where one of them says nothing."""

    path: str
    here: str
    there: str


def written(here: StackView, there: StackView) -> list[Difference]:
    """Returns the places where the two documents differ, sorted."""
    return _differences(dict(_document(here)), dict(_document(there)))


def derived(here: StackView, there: StackView) -> list[Difference]:
    """Returns where pools, bandwidths, prices and findings differ, job by job."""
    return _differences(dict(_plan(here)), dict(_plan(there)))


def _differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[Difference]:
    places = [*here, *(place for place in there if place not in here)]
    return [
        Difference(place, here.get(place, ""), there.get(place, ""))
        for place in places
        if here.get(place) != there.get(place)
    ]


def _document(view: StackView) -> Iterator[tuple[str, str]]:
    document = view.stack.model_dump(mode="json", by_alias=True, exclude_unset=True)
    yield from sorted(leaf for name in document for leaf in _leaves(FieldPath(PATHS.get(name, name)), document[name]))


def _leaves(path: FieldPath, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(path.key(key), inner)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(path.item(index), item)
    else:
        yield path, " ".join(map(str, value)) if isinstance(value, list) else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plan(view: StackView) -> Iterator[tuple[str, str]]:
    yield "price", usd(view.usd_per_hour)
    for job in view.jobs:
        for pool in job.pools:
            yield f"{job.name}: {pool.role}", f"{pool.count or '?'} × {pool.machine}, {shown(pool.gbps)} in all"
        sizing = job.plan.sizing
        if sizing is not None and sizing.verdict.speedup is not None:
            yield f"{job.name}: speed-up over the ring", f"{float(sizing.verdict.speedup):.2f}"
    errors = sum(finding.severity == "error" for finding in view.findings)
    yield "errors", str(errors)
    yield "advice", str(len(view.findings) - errors)
