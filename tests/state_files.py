"""Where a file back end keeps a stack's state, and what is in it: no process of the engine is started for a look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def checkpoint(back_end: Path, stack: str, project: str = "training") -> Path:
    """Returns the file that holds a stack's state."""
    return back_end / ".pulumi" / "stacks" / project / f"{stack}.json"


def deployment(file: Path) -> dict[str, Any]:
    """Returns the state that a file holds, empty before the first run."""
    return dict(json.loads(file.read_text())["checkpoint"]["latest"] or {})
