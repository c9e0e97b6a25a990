"""The jobs and operations that the sandbox knows: kept in memory, each change on disk before anyone sees it.

Owns one JSON file a record in <state>/vertex/<collection>/<number>.json. How a job lives is sandbox/vertex/lives.py's.
"""

from __future__ import annotations

import copy
import json
import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sandbox.state_folder import write_json
from sandbox.vertex.errors import job_error

Record = dict[str, Any]

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
_STOPPED = "the sandbox was stopped"


def now() -> str:
    """Returns the time as the service writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def has_ended(record: Record) -> bool:
    """Returns whether a job's state is final."""
    return str(record["state"]).endswith(ENDED)


def number_of(name: str) -> str:
    """Returns the last part of a resource name."""
    return name.rpartition("/")[2]


def collection_of(name: str) -> str:
    """Returns the collection of a resource name projects/P/locations/L/COLLECTION/NUMBER."""
    return name.split("/")[4]


def stopped_error() -> dict[str, object]:
    """Returns the error of a job that ran when the sandbox ended."""
    return job_error("UNAVAILABLE", _STOPPED)


class Records:
    """The records of one sandbox. Safe for several threads; what it returns are copies.

    Nothing is written where `has_folder` says no: a folder that was removed must not come back.
    """

    def __init__(self, folder: Path, has_folder: Callable[[], bool] = lambda: True) -> None:
        self._folder = folder
        self._has_folder = has_folder
        self._changed = threading.Condition()
        self._records: dict[str, Record] = {}
        for path in sorted(folder.glob("*/*.json")):
            try:
                record = json.loads(path.read_text(encoding="utf-8"))
            except FileNotFoundError:
                # `status` reads the folder of a running server, which may delete a job at any moment.
                continue
            self._records[record["name"]] = record

    def fail_unended(self) -> None:
        """Marks as failed the jobs whose processes ended with an earlier server."""
        for record in self.all():
            if "state" in record and not has_ended(record):
                self.change(record["name"], fail_as_stopped)

    def add(self, parent: str, collection: str, content: Record) -> Record:
        """Returns a new record: `content` with a name under `parent` and the time."""
        created = now()
        # As the service's: 19 digits that fit a signed 64-bit number.
        number = secrets.randbelow(8 * 10**18) + 10**18
        record = {**content, "name": f"{parent}/{collection}/{number}", "createTime": created, "updateTime": created}
        with self._changed:
            self._store(record)
        return copy.deepcopy(record)

    def get(self, name: str) -> Record | None:
        """Returns the record of that name or None."""
        with self._changed:
            return copy.deepcopy(self._records.get(name))

    def all(self, prefix: str = "") -> list[Record]:
        """Returns the records whose name starts with `prefix`."""
        with self._changed:
            return [copy.deepcopy(record) for name, record in self._records.items() if name.startswith(prefix)]

    def change(self, name: str, edit: Callable[[Record], None]) -> Record:
        """Returns the record after `edit` changed it in place. Raises KeyError where it is gone."""
        with self._changed:
            record = copy.deepcopy(self._records[name])
            edit(record)
            record["updateTime"] = now()
            self._store(record)
            return copy.deepcopy(record)

    def remove(self, name: str) -> None:
        """Forgets the record."""
        with self._changed:
            self._path(name).unlink(missing_ok=True)
            self._records.pop(name, None)
            self._changed.notify_all()

    def wait_other_state(self, name: str, state: str) -> str:
        """Returns the state of a job as soon as it is not `state`; CANCELLED for a job that is gone."""
        with self._changed:
            while (record := self._records.get(name)) is not None and record["state"] == state:
                self._changed.wait()
            return str(record["state"]) if record is not None else "JOB_STATE_CANCELLED"

    def _store(self, record: Record) -> None:
        if self._has_folder():
            write_json(self._path(record["name"]), record)
        self._records[record["name"]] = record
        self._changed.notify_all()

    def _path(self, name: str) -> Path:
        return self._folder / collection_of(name) / f"{number_of(name)}.json"


def fail_as_stopped(record: Record) -> None:
    """Turns a job's record into that of a job which ran when the sandbox ended."""
    record["state"] = record["state"].partition("_STATE_")[0] + "_STATE_FAILED"
    record["error"] = stopped_error()
    record["endTime"] = now()
    record.pop("webAccessUris", None)
    for trial in record.get("trials", []):
        if trial["state"] == "ACTIVE":
            trial.update(state="INFEASIBLE", infeasibleReason=_STOPPED, endTime=record["endTime"])
