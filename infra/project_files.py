"""The project's own files on disk: stacks, policy configurations, and documents that a user names."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from infra.plan.levels import read_levels
from infra.plan.rules.registry import DEFAULT_LEVELS, Levels
from infra.problems import Finding
from infra.spec.text import SIZE_LIMIT, DocumentError, decode, parse_document

ROOT = Path(__file__).resolve().parents[1]
STACKS = ROOT / "stacks"
POLICY_CONFIG = ROOT / "policies" / "config"


def stack_names() -> list[str]:
    """Returns the names of the stacks that have a file, sorted."""
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in STACKS.glob("Pulumi.*.yaml"))


def stack_levels(name: str, environment: str | None) -> tuple[Levels, tuple[Finding, ...], tuple[str, ...]]:
    """Returns the severities that policies/config/<stack>.json sets, its faults, and what to say of it."""
    path = POLICY_CONFIG / f"{name}.json"
    source = f"policies/config/{name}.json"
    if not path.is_file():
        return DEFAULT_LEVELS, (), (f"{source}: not there; rules have the default severities of {environment}",)
    try:
        config = read_file(path)
    except DocumentError as error:
        return DEFAULT_LEVELS, (error.finding.at(source),), ()
    levels, faults, lowered = read_levels(config, environment, datetime.now(UTC).date())
    notes = tuple(f"{source}: {finding.rule} {finding.message}" for finding in lowered)
    return levels, tuple(finding.at(source) for finding in faults), notes


def read_file(path: Path) -> dict[str, Any]:
    """Returns the mapping in a file. Raises DocumentError where it cannot be read or is none."""
    try:
        if path.stat().st_size > 4 * SIZE_LIMIT:
            raise DocumentError(f"{path.stat().st_size} bytes; at most {SIZE_LIMIT} characters are read")
        return parse_document(decode(path.read_bytes()))
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}", "name a readable file") from None
