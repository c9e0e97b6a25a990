"""The environment that a resource or a stack's configuration says, and which of two holds."""

from __future__ import annotations

from typing import Any

from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_advice, schema_error
from trainingjobs.facts.job import Unknown
from trainingjobs.spec.environments import ENVIRONMENTS

STRICTEST = "prod"


def read_environment(value: Any, path: str) -> tuple[str | None, list[Finding]]:
    """Returns the environment that a value names, None where it names none, and what is wrong with it.

    A word that is no environment is an error, and the strictest of them until it is mended. One that is not known yet
    is advice.
    """
    if isinstance(value, Unknown):
        return None, [schema_advice(path, "not known yet, so it is judged again once it is", "nothing to do")]
    if value is None or value in ENVIRONMENTS:
        return value, []
    nearest = did_you_mean(value, ENVIRONMENTS) if isinstance(value, str) else None
    message = f"{quote(value)} is no environment, so it is judged as {STRICTEST}; one of {', '.join(ENVIRONMENTS)}"
    return STRICTEST, [schema_error(path, message, f"did you mean {nearest}?" if nearest else "")]


def stricter(own: str | None, around: str | None) -> str | None:
    """Returns the stricter of a resource's own environment and that of what is around it; its own where both are."""
    return STRICTEST if STRICTEST in (own, around) else own or around
