"""What the fault tests saw, for docs/reliability.md: rows in the file that RELIABILITY_ROWS names, if it does."""

from __future__ import annotations

import json
import os
from pathlib import Path


def record(table: str, **row: str | int) -> None:
    """Adds a row to a table of the page."""
    path = os.environ.get("RELIABILITY_ROWS")
    if path:
        with Path(path).open("a", encoding="utf-8") as rows:
            rows.write(json.dumps({"table": table, **row}) + "\n")
