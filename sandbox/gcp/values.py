"""Property values in plain Python: an unknown is `UNKNOWN`, a secret is `Secret(value)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Unknown:
    """The type of UNKNOWN, the value that a preview cannot know yet."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that the engine must encrypt in its state."""

    value: Any


def reveal(value: Any) -> Any:
    """Return a value without its marks of secrecy, at any depth."""
    if isinstance(value, Secret):
        return reveal(value.value)
    if isinstance(value, dict):
        return {key: reveal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [reveal(item) for item in value]
    return value


def has_unknown(value: Any) -> bool:
    """Return whether a value is unknown or has an unknown inside."""
    if isinstance(value, Secret):
        return has_unknown(value.value)
    if isinstance(value, dict):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return value is UNKNOWN


def hide_as(model: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """Return `properties` with those marked secret that hold a secret, at any depth, in `model`."""
    return {
        key: Secret(value) if key in model and _has_secret(model[key]) and not isinstance(value, Secret) else value
        for key, value in properties.items()
    }


def _has_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_secret(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_secret(item) for item in value)
    return isinstance(value, Secret)
