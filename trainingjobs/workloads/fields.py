"""A property of a resource: what its type is and what it means, for checks, schema and reference alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A property: its type (of vertex_tables.py, or "labels" or "trials"), what it is, and whether it must be given."""

    kind: str
    about: str
    required: bool = False
