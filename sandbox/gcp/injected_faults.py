"""Faults that are injected: gcp/faults.json in the state folder, a list that each fault leaves when it has been used.

One fault: {"type": token, "verb": "create" | "read" | "update" | "delete", "times": 1, "error": text, "after": false}.
`after`: false fails before anything is done; true does it and answers with an error that says so (the resource is kept,
marked as failed); "lost" does it and loses the answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sandbox.gcp.errors import CloudError
from sandbox.state_folder import write_json


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault to act on now."""

    error: str
    after: bool | str


def take(state: Path, token: str, verb: str) -> Fault | None:
    """Return the first fault for this type and verb, counted down in the file; None where there is none.

    Raises CloudError where the file is malformed. The caller holds the state's lock.
    """
    path = state / "gcp" / "faults.json"
    if not path.exists():
        return None
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        for entry in entries:
            if entry["type"] == token and entry["verb"] == verb:
                fault = Fault(str(entry["error"]), entry.get("after", False))
                entry["times"] = int(entry.get("times", 1)) - 1
                write_json(path, [remaining for remaining in entries if remaining.get("times", 1) > 0])
                return fault
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = "a JSON list of objects with type, verb and error"
        raise CloudError(f"{path}: not {expected} ({error})") from None
    return None
