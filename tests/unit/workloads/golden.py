"""Files that hold what a format looks like. UPDATE_GOLDENS=1 writes them anew; the difference is then to be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "workloads"


def check(name: str, value: Any) -> None:
    """Compares a value, as indented JSON, with the golden file of that name."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDENS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
