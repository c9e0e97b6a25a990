"""Places in a document as findings name them: `pools.primary.machineType`, `args[2]`; the document itself is empty."""

from __future__ import annotations


class FieldPath(str):
    """A place in a document. It is its own text, so it prints, sorts and compares as what a finding shows."""

    __slots__ = ()

    def __truediv__(self, key: str) -> FieldPath:
        """Returns the place of a key, or of a path of keys, below this one."""
        if not self or not key:
            return FieldPath(self or key)
        return FieldPath(f"{self}{key}" if key.startswith("[") else f"{self}.{key}")

    def key(self, key: str) -> FieldPath:
        """Returns the place of a key as its document spells it: it may be empty, or begin with `[`."""
        return FieldPath(f"{self}.{key}" if self else key)

    def item(self, index: int) -> FieldPath:
        """Returns the place of an element of the list that is here."""
        return FieldPath(f"{self}[{index}]")

    def within(self, other: str) -> bool:
        """Returns whether this place is `other` or below it."""
        return not other or self == other or self.startswith((f"{other}.", f"{other}["))

    def relative_to(self, other: str) -> FieldPath:
        """Returns the rest of a path that is within `other`: `machineType` of `pools.primary.machineType`."""
        return FieldPath(self[len(other) :].removeprefix(".")) if other else self
