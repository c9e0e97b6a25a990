"""The list methods' filter and pages."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.vertex.errors import ApiError

Record = Mapping[str, Any]

_TERM = re.compile(
    r"\s*(?P<field>[A-Za-z_]+(?:\.(?:\"[^\"]*\"|[^\s=!:<>\"]+))?)\s*(?P<op>!=|=|:)\s*"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"|[^\s\"]+)(?=\s|$)"
)
_CONJUNCTION = re.compile(r"\s+(?:(?P<word>AND|OR)\s+)?")
_MAX_PAGE_SIZE = 100


def read_filter(text: str) -> Callable[[Record], bool]:
    """Returns the predicate of a filter: terms on display_name, state and labels, joined by AND and OR.

    OR binds tighter than AND, as in google.aip.dev/160. Raises ApiError for anything else; the service also knows NOT,
    parentheses and create_time.
    """
    groups: list[list[Callable[[Record], bool]]] = []
    position, alternative = 0, False
    while position < len(text.rstrip()):
        match = _TERM.match(text, position)
        if match is None or match["field"] in ("OR", "NOT"):
            supported = "terms of display_name, state and labels joined by AND and OR"
            message = f"Invalid filter: {text!r} at {position}; the sandbox knows {supported}."
            raise ApiError("INVALID_ARGUMENT", message)
        term = _term(match["field"], match["op"], _unquote(match["value"]))
        if alternative:
            groups[-1].append(term)
        else:
            groups.append([term])
        position = match.end()
        if conjunction := _CONJUNCTION.match(text, position):
            position, alternative = conjunction.end(), conjunction["word"] == "OR"
    return lambda record: all(any(term(record) for term in group) for group in groups)


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def _term(field: str, op: str, value: str) -> Callable[[Record], bool]:
    if field.startswith("labels."):
        key = _unquote(field.removeprefix("labels."))
        if op == ":":
            return lambda record: key in record.get("labels", {}) and value in ("*", record["labels"][key])
        return lambda record: (record.get("labels", {}).get(key) == value) == (op == "=")
    name = {"display_name": "displayName", "displayName": "displayName", "state": "state"}.get(field)
    if name is None:
        raise ApiError("INVALID_ARGUMENT", f"Invalid filter: field {field!r}; known: display_name, state, labels.KEY.")
    if op == ":":
        pattern = re.compile(".*".join(map(re.escape, value.split("*"))) if "*" in value else f".*{re.escape(value)}.*")
        return lambda record: bool(pattern.fullmatch(str(record.get(name, ""))))
    return lambda record: (record.get(name) == value) == (op == "=")


def page_of(records: Sequence[Record], size: str, token: str) -> tuple[list[Record], str]:
    """Returns one page of `records`, newest first, and the token of the next page ("" after the last).

    A token stands for the last job shown, so a job that is made between two pages moves nothing.
    """
    if not re.fullmatch(r"[0-9]{0,9}", size):
        raise ApiError("INVALID_ARGUMENT", f"Invalid value at 'page_size' (TYPE_INT32), \"{size}\"")
    count = min(int(size or 0) or _MAX_PAGE_SIZE, _MAX_PAGE_SIZE)
    ordered = sorted(records, key=_sort_key, reverse=True)
    if token:
        last = _read_token(token)
        ordered = [record for record in ordered if _sort_key(record) < last]
    page = ordered[:count]
    has_more = len(ordered) > count
    return page, base64.urlsafe_b64encode("\n".join(_sort_key(page[-1])).encode()).decode() if has_more else ""


def _sort_key(record: Record) -> tuple[str, str]:
    return record["createTime"], record["name"]


def _read_token(token: str) -> tuple[str, str]:
    try:
        created, name = base64.b64decode(token, altchars=b"-_", validate=True).decode().split("\n")
    except (binascii.Error, ValueError):
        raise ApiError("INVALID_ARGUMENT", "Invalid page token.") from None
    return created, name
