"""The resources on disk: one JSON file each, under the state folder's gcp/resources/<area>.<Type>/.

A file may be read, edited (that is drift), added (then it can be imported) or deleted by hand.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.gcp.errors import CloudError
from sandbox.state_folder import write_json

# A file name's limit is 255 bytes; grants have long ids.
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One resource: its properties as the service shows them, and which of them the user gave (None: not known)."""

    type: str
    id: str
    properties: dict[str, Any]
    given: tuple[str, ...] | None


@contextmanager
def locked(state: Path) -> Iterator[None]:
    """Hold the resources for one change: the engine works in parallel, and stacks may share a sandbox."""
    folder = state / "gcp"
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def path_of(state: Path, token: str, id: str) -> Path:
    """Return the file of a resource."""
    _, module, type_name = token.split(":")
    name = id.replace("/", "~")
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(id.encode()).hexdigest()[:12]}"
    return state / "gcp" / "resources" / f"{module.partition('/')[0]}.{type_name}" / f"{name}.json"


def load(state: Path, token: str, id: str) -> Record | None:
    """Return a resource, or None where there is none."""
    path = path_of(state, token, id)
    return _read(path) if path.exists() else None


def records(state: Path) -> list[Record]:
    """Return all resources, in the order of their files."""
    entries = (_read(path) for path in sorted((state / "gcp" / "resources").glob("*/*.json")))
    return [record for record in entries if record]


def save(state: Path, record: Record) -> None:
    """Write a resource."""
    body = {"type": record.type, "id": record.id, "properties": record.properties}
    if record.given is not None:
        body["given"] = sorted(record.given)
    write_json(path_of(state, record.type, record.id), body)


def remove(state: Path, record: Record) -> None:
    """Delete a resource's file; one that is gone is fine."""
    path_of(state, record.type, record.id).unlink(missing_ok=True)


def _read(path: Path) -> Record | None:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        given = body.get("given")
        return Record(
            type=body["type"],
            id=body["id"],
            properties=body["properties"],
            given=None if given is None else tuple(given),
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = "a JSON object with type, id and properties"
        raise CloudError(f"{path}: not {expected} ({error}); correct or delete the file") from None
