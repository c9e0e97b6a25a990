"""Names: the automatic ones, and whether a name is one that the service takes."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from sandbox.gcp.resource_type import Kind
from sandbox.gcp.values import Secret

Autonaming = tuple[str, str]  # the engine's proposal and "PROPOSE", "ENFORCE" or "DISABLE"
DIGITS = 7


def with_name(
    kind: Kind, inputs: dict[str, Any], olds: dict[str, Any], resource: str, seed: bytes, autonaming: Autonaming | None
) -> dict[str, Any]:
    """Return the inputs with a name where the user gave none, and `__defaults` to say so.

    The old automatic name stays as long as there is one; a new one is the resource's name and seven hex digits that
    follow from the engine's seed. With automatic naming disabled the inputs come back as they are.
    """
    key = kind.named
    if not key or inputs.get(key) is not None:
        return inputs
    if key in olds.get("__defaults", []) and isinstance(olds.get(key), str):
        return {**inputs, key: olds[key], "__defaults": [key]}
    proposal, mode = autonaming or ("", "PROPOSE")
    if mode == "DISABLE":
        return inputs
    prefix = inputs.get("namePrefix")
    digits = hashlib.sha256(seed).hexdigest()[:DIGITS] if seed else secrets.token_hex(4)[:DIGITS]
    name = proposal or f"{prefix if isinstance(prefix, str) else resource + '-'}{digits}"
    return {**inputs, key: name.lower() if key == "name" and "bucket" in kind.type else name, "__defaults": [key]}


def name_fault(kind: Kind, inputs: dict[str, Any]) -> tuple[str, str] | None:
    """Return (property, reason) where the name is missing or not one that the service takes, else None."""
    if not kind.named:
        return None
    name = inputs.get(kind.named)
    if isinstance(name, Secret):
        name = name.value
    if name is None:
        return kind.named, f"missing required property '{kind.named}': automatic naming is disabled"
    if isinstance(name, str) and not re.fullmatch(kind.pattern, name):
        return kind.named, f'"{kind.named}" ("{name}") doesn\'t match regexp "^{kind.pattern}$"'
    return None
