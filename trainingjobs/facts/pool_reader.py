"""Reads the fields of one pool of a Vertex AI body: what is ill-formed is a finding, what is not known yet is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs.core.findings import Finding, not_one_primary, schema_error, shown
from trainingjobs.core.numbers import whole
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import Unknown

# Vertex AI's integers have 64 bits; arithmetic with larger ones ends in an overflow.
LARGEST = 2**63 - 1


class PoolReader:
    """Reads fields of one pool, gathering what is ill-formed and what is unknown."""

    def __init__(self, path: FieldPath) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.unknown: set[str] = set()

    def section(self, parent: Mapping[str, Any], key: str, *names: str) -> Mapping[str, Any]:
        """Returns the object under a key, empty where there is none; `names` are not known where it is not."""
        value = parent.get(key)
        if isinstance(value, Unknown):
            self.unknown.update(names)
        elif value is not None and not isinstance(value, Mapping):
            self.findings.append(schema_error(self.path / key, f"{shown(value, '')}; an object is needed"))
            self.unknown.update(names)
        return value if isinstance(value, Mapping) else {}

    def integer(self, parent: Mapping[str, Any], key: str, where: str, name: str) -> int:
        """Returns the count under a key, 0 where there is none or it is no count."""
        value = parent.get(key)
        if value is None:
            return 0
        if isinstance(value, Unknown):
            self.unknown.add(name)
            return 0
        count = whole(value)
        if count is None or not 0 <= count <= LARGEST:
            self.findings.append(self._no_count(value, where))
            self.unknown.add(name)
            return 0
        return count

    def _no_count(self, value: object, where: str) -> Finding:
        path = self.path / where
        is_number = not isinstance(value, str) and whole(value) is not None
        if is_number and where == "replicaCount" and self.path.endswith("[0]"):
            return not_one_primary(whole(value), path)
        return schema_error(path, f"{shown(value, '')}; a whole number is needed")

    def text(self, parent: Mapping[str, Any], key: str, where: str, name: str) -> str | None:
        """Returns the string under a key, None where there is none or an empty one."""
        value = parent.get(key)
        if isinstance(value, Unknown):
            self.unknown.add(name)
        elif value is not None and not isinstance(value, str):
            self.findings.append(schema_error(self.path / where, f"{shown(value, '')}; a string is needed"))
            self.unknown.add(name)
        return value if isinstance(value, str) and value else None
