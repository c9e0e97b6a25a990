"""Numbers as JSON brings them: Google's answers write 64-bit integers as strings, a struct has doubles only."""

from __future__ import annotations

import re

# No count has more digits, and a hostile string of a million would take seconds.
WHOLE = re.compile(r"-?[0-9]{1,11}")


def whole(value: object) -> int | None:
    """Returns a whole number that is written as 8, 8.0 or "8"; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        return int(value) if WHOLE.fullmatch(value) else None
    return value if isinstance(value, int) else None
