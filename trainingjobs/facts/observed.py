"""A value of an observed resource together with its place: what is within an unknown value is unknown there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainingjobs.core.findings import Finding, schema_error, shown
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import MOST_POOLS, Unknown

# Kubernetes' counts have 32 bits.
LARGEST_COUNT = 2**31 - 1


class Part:
    """A value at its path; anything may stand there, also nothing."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = FieldPath(path)

    @property
    def is_unknown(self) -> bool:
        """Returns whether a preview does not know the value yet."""
        return isinstance(self.value, Unknown)

    @property
    def text(self) -> str | None:
        """Returns the value where it is a string that is not empty, else None."""
        return self.value if isinstance(self.value, str) and self.value else None

    def get(self, key: str) -> Part:
        """Returns the part under a key; this part itself where it is unknown: its path says what is not known."""
        if self.is_unknown:
            return self
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return Part(value, self.path.key(key))

    def within(self, *keys: str) -> Part:
        """Returns the part under several keys, one below the other."""
        part = self
        for key in keys:
            part = part.get(key)
        return part

    def items(self) -> list[Part]:
        """Returns the elements of a list, none of anything else; a hostile list is cut."""
        values = self.value[:MOST_POOLS] if isinstance(self.value, list) else []
        return [Part(value, self.path.item(index)) for index, value in enumerate(values)]

    def entries(self) -> Iterator[tuple[str, Part]]:
        """Yields the keys of a mapping with their parts, nothing of anything else; a hostile mapping is cut."""
        keys = list(self.value)[:MOST_POOLS] if isinstance(self.value, Mapping) else []
        yield from ((key, self.get(key)) for key in keys)

    def texts(self) -> dict[str, str]:
        """Returns the entries of a mapping that are strings, such as labels."""
        entries = self.value.items() if isinstance(self.value, Mapping) else ()
        return {key: value for key, value in entries if isinstance(value, str)}

    def count(self, default: int) -> tuple[int | None, list[Finding]]:
        """Returns a number of things: the default where nothing is said, None and why where it cannot be said."""
        value = self.value
        if value is None:
            return default, []
        if self.is_unknown:
            return None, []
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_COUNT:
            return None, [schema_error(self.path, f"{shown(value, self.path)}; a whole number from 0 is needed")]
        return value, []
