"""What the user has seen already in this run: what neither the program, the policy pack nor the provider repeats.

Who starts the engine may judge the stack first, show what it found, and name a file of it by TRAINING_SHOWN. Errors are
never left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from trainingjobs.core.findings import Finding

VARIABLE = "TRAINING_SHOWN"


def not_shown(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the errors, and the advice that the user has not seen yet."""
    return [finding for finding in findings if finding.severity == "error" or _key(finding) not in _shown()]


def notes_not_shown(notes: Iterable[str]) -> list[str]:
    """Returns the notes that the user has not seen yet."""
    return [note for note in notes if note not in _shown()]


def write_shown(path: Path, findings: Iterable[Finding], notes: Iterable[str]) -> None:
    """Writes the file that TRAINING_SHOWN names."""
    # A note is `file: rule message`; the pack says rule and message without the file.
    keys = {*map(_key, findings), *notes, *(note.partition(": ")[2] for note in notes)}
    path.write_text(json.dumps(sorted(keys)), encoding="utf-8")


def is_new(message: str) -> bool:
    """Returns whether the message has not been shown in this run: its phases are processes of their own.

    Always true where no file is named: then nothing outlives a phase.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        return True
    try:
        Path(path).with_name(f"{hashlib.sha256(message.encode()).hexdigest()}.shown").touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def _key(finding: Finding) -> str:
    # Without the path: the pack knows the resource's, the program the document's.
    return f"{finding.rule} {finding.message}"


@cache
def _shown() -> frozenset[str]:
    path = os.environ.get(VARIABLE)
    try:
        keys = json.loads(Path(path).read_text(encoding="utf-8")) if path else []
    except (OSError, ValueError):
        return frozenset()
    return frozenset(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else frozenset()
