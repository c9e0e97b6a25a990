"""The views that only a whole stack gives: its jobs beside its limits, and what in it holds data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import JobFacts, NotKnownError, Unknown

LIMIT_KEYS = ("maxUsdPerHour", "accelerators")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackFacts:
    """The jobs of a stack, or those of them that are known, and its limits; None and no entry: not limited.

    `path` is the place of the limits; `max_usd_per_hour` in USD per hour, `accelerators` by Vertex AI's name.
    """

    jobs: tuple[JobFacts, ...]
    path: str
    environment: str | None = None
    max_usd_per_hour: float | None = None
    accelerators: Mapping[str, int] = field(default_factory=dict)
    unknown: frozenset[str] = field(default_factory=frozenset)

    def at(self, name: str) -> FieldPath:
        """Returns the path of a limit."""
        return FieldPath(self.path) / name

    def need(self, *names: str) -> None:
        """Raises NotKnownError where one of the limits is unknown."""
        for name in names:
            if name in self.unknown or "*" in self.unknown:
                raise NotKnownError(self.at(name) if "*" not in self.unknown else self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFacts:
    """A resource that holds what cannot be made again. `protected` is None where that is not known."""

    path: str
    what: str
    environment: str | None = None
    protected: bool | None = True


def limits_of(value: Any, path: str) -> tuple[dict[str, Any], list[Finding]]:
    """Returns limits that somebody else's program gave as arguments of StackFacts, and what is ill-formed in them.

    An ill-formed limit is an error of `schema`: taken for no limit it would let everything pass.
    """
    at = FieldPath(path)
    if value is None:
        return {}, []
    if isinstance(value, Unknown):
        return {"unknown": frozenset("*")}, []
    if not isinstance(value, Mapping):
        return {"unknown": frozenset("*")}, [schema_error(at, f"{quote(value)}; an object is needed")]
    findings = [_no_key(at, key) for key in sorted(map(str, value)) if key not in LIMIT_KEYS]
    unknown: set[FieldPath] = set()
    max_usd_per_hour = _number(value.get("maxUsdPerHour"), at / "maxUsdPerHour", unknown, findings)
    counts = value.get("accelerators")
    place = at / "accelerators"
    accelerators: dict[str, int] = {}
    if isinstance(counts, Mapping):
        for name in sorted(map(str, counts)):
            count = _number(counts[name], place / quote(name), unknown, findings)
            if count is not None:
                accelerators[name] = int(count)
    elif isinstance(counts, Unknown):
        unknown.add(place)
    elif counts is not None:
        findings.append(schema_error(place, f"{quote(counts)}; an object is needed"))
    # Paths under accelerators count as that field: one that is unknown puts the whole rule off.
    names = {limit for limit in LIMIT_KEYS if any(path.within(at / limit) for path in unknown)}
    return {"max_usd_per_hour": max_usd_per_hour, "accelerators": accelerators, "unknown": frozenset(names)}, findings


def _number(value: Any, path: FieldPath, unknown: set[FieldPath], findings: list[Finding]) -> float | None:
    if isinstance(value, Unknown):
        unknown.add(path)
    elif value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0):
        findings.append(schema_error(path, f"{quote(value)}; a number from 0 is needed"))
    elif value is not None:
        return float(value)
    return None


def _no_key(path: FieldPath, key: str) -> Finding:
    nearest = did_you_mean(key, LIMIT_KEYS)
    return schema_error(
        path / quote(key),
        f"no such limit; there are {' and '.join(LIMIT_KEYS)}",
        f"did you mean {nearest}?" if nearest else "remove it",
    )
