"""The states that jobs have, on every platform, by Vertex AI's names without their prefix."""

from __future__ import annotations

from typing import Final

SUCCEEDED: Final = frozenset({"SUCCEEDED", "PARTIALLY_SUCCEEDED"})
UNSUCCESSFUL: Final = frozenset({"FAILED", "CANCELLED", "EXPIRED"})
ENDED: Final = SUCCEEDED | UNSUCCESSFUL
# The state that a job waits for → those in which it is there.
REACHED: Final = {"running": frozenset({"RUNNING"}) | SUCCEEDED, "succeeded": SUCCEEDED}


def is_live(state: str) -> bool:
    """Returns whether a job in that state costs money, or soon will, and nobody has asked it to stop."""
    return state not in ENDED and state != "CANCELLING"
