"""Why a stack cannot be run or asked."""

from __future__ import annotations


class StackError(Exception):
    """What a user has to put right first, or the engine's own words; one message."""
