"""What the user has been told already in this run: what neither the program, the policy pack nor the provider repeats.

Who starts the engine may judge the stack first, show what it found, and name a file of it by TRAINING_TOLD. Errors are
never left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from infra.problems import Finding

VARIABLE = "TRAINING_TOLD"


def untold(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the errors, and the advice that the user has not been told yet."""
    return [one for one in findings if one.severity == "error" or _key(one) not in _told()]


def untold_notes(notes: Iterable[str]) -> list[str]:
    """Returns the notes that the user has not been told yet."""
    return [note for note in notes if note not in _told()]


def write_told(path: Path, findings: Iterable[Finding], notes: Iterable[str]) -> None:
    """Writes the file that TRAINING_TOLD names."""
    # A note is `file: rule message`; the pack says rule and message without the file.
    keys = {*map(_key, findings), *notes, *(note.partition(": ")[2] for note in notes)}
    path.write_text(json.dumps(sorted(keys)), encoding="utf-8")


def is_new(message: str) -> bool:
    """Returns whether nobody has told the message in this run: its phases are processes of their own.

    Always true where no file is named: then nothing outlives a phase.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        return True
    try:
        Path(path).with_name(f"{hashlib.sha256(message.encode()).hexdigest()}.told").touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def _key(finding: Finding) -> str:
    # Without the path: the pack knows the resource's, the program the document's.
    return f"{finding.rule} {finding.message}"


@cache
def _told() -> frozenset[str]:
    path = os.environ.get(VARIABLE)
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8")) if path else []
    except (OSError, ValueError):
        return frozenset()
    return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()
