"""Findings about what a language cannot hold. Owns their wording; what is lost where is each language's own affair."""

from __future__ import annotations

from infra.problems import SCHEMA, Finding


def not_carried(path: str, what: str, fix: str = "") -> Finding:
    """Returns advice: the value at `path` is left out of the result, which is sound without it."""
    return Finding(rule=SCHEMA, severity="advice", path=path, message=f"not carried over: {what}", fix=fix)


def not_expressible(path: str, what: str, fix: str = "") -> Finding:
    """Returns an error: the result would be another job without the value at `path`."""
    return Finding(rule=SCHEMA, severity="error", path=path, message=what, fix=fix)
