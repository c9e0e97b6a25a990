"""The ways in which an operation of the sandbox's Google Cloud fails, in the words of Google's client library."""

from __future__ import annotations

from typing import Any


class CloudError(Exception):
    """An operation that was refused; nothing was changed."""


class HalfDone(Exception):
    """An operation that was carried out, but whose answer is an error: `outputs` is None where the answer was lost."""

    def __init__(self, reason: str, id: str, outputs: dict[str, Any] | None) -> None:
        super().__init__(reason)
        self.id = id
        self.outputs = outputs


def google_error(code: int, message: str, reason: str) -> CloudError:
    """Return an error as Google's client library prints it."""
    return CloudError(f"googleapi: Error {code}: {message}, {reason}")
