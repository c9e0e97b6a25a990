"""Text of a document → plain values: YAML (and so JSON) without anything that can surprise or hang.

Refused, with the line: duplicate keys, tags, more than one document, nesting deeper than DEPTH_LIMIT, aliases that
expand beyond NODE_LIMIT values, texts over SIZE_LIMIT. Scalars are read as YAML 1.2's core schema, as Pulumi's engine
reads a stack file, so that `on` and `1:30` stay words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from trainingjobs.core.findings import SYNTAX, Finding, quote

SIZE_LIMIT = 2_000_000
NODE_LIMIT = 200_000
DEPTH_LIMIT = 50
CORE_TAGS = ("!", "tag:yaml.org,2002:str")
NULL = re.compile(r"^(~|null|Null|NULL|)$")
INTEGER = re.compile(r"^[-+]?(0|[1-9][0-9]{0,18})$")
FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?$")
# JSON, or a comment before it; then strings, which may hold slashes, or a comment's begin.
JSON_START = re.compile(r"\s*([{\[]|//|/\*)")
JSON_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|(//|/\*)')
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class DocumentError(Exception):
    """A text that is no document; carries the one finding of rule `syntax`."""

    def __init__(self, message: str, fix: str = "", path: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(rule=SYNTAX, severity="error", path=path, message=message, fix=fix)


def decode(raw: bytes) -> str:
    """Returns the bytes as text. Raises DocumentError where they are not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None


def parse_document(text: str) -> dict[str, Any]:
    """Returns the mapping that the text holds. Raises DocumentError."""
    if len(text) > SIZE_LIMIT:
        raise DocumentError(f"{len(text)} characters; at most {SIZE_LIMIT} are read", "split the file")
    try:
        value = _Builder(yaml.parse(text, Loader=_parser())).document()
    except yaml.YAMLError as error:
        comment = _json_comment(text)
        if comment:
            raise DocumentError(f"line {comment}: JSON has no comments", "remove them, or write YAML with #") from None
        raise DocumentError(_yaml_message(error, text), "fix the YAML") from None
    if value is None:
        raise DocumentError("the document is empty; a mapping of keys is needed", "write the document")
    if not isinstance(value, dict):
        raise DocumentError(f"the document is a {_kind(value)}; a mapping of keys is needed", "start with `key: value`")
    return value


def _json_comment(text: str) -> int | None:
    """Returns the line of the first `//` or `/*` outside of strings in a text that is meant as JSON, None without."""
    if not JSON_START.match(text):
        return None
    comment = next((match for match in JSON_COMMENT.finditer(text) if match[1]), None)
    return text.count("\n", 0, comment.start()) + 1 if comment else None


def _parser() -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _kind(value: object) -> str:
    return "list" if isinstance(value, list) else "single value"


def _yaml_message(error: yaml.YAMLError, text: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    if isinstance(error, yaml.reader.ReaderError):
        where = f"character {error.position + 1}: "
    elif mark is not None and _before(text, mark.line, mark.column + 1).endswith("\t"):
        return f"{where}a tab, and YAML indents with spaces"
    return where + quote(getattr(error, "problem", None) or getattr(error, "reason", None) or str(error))


def _before(text: str, line: int, column: int) -> str:
    """Returns the first characters of a line, "" of the line after the last."""
    return "".join(text.splitlines()[line : line + 1])[:column]


def _scalar(event: Any) -> Any:
    if not event.implicit[0]:
        return event.value
    text: str = event.value
    if NULL.match(text):
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if INTEGER.match(text):
        return int(text)
    if len(text) < 40 and FLOAT.match(text) and any(c in text for c in ".eE"):
        return float(text)
    return text


class _Builder:
    """Builds values from parser events without recursion on the text's own nesting beyond DEPTH_LIMIT."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.nodes = 0

    def document(self) -> Any:
        value: Any = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise DocumentError(f"line {event.start_mark.line + 1}: a second document", "keep one in a file")
            elif isinstance(event, yaml.NodeEvent):
                value = self.node(event, 1)
        return value

    def node(self, event: Any, depth: int) -> Any:
        line = event.start_mark.line + 1
        if depth > DEPTH_LIMIT:
            raise DocumentError(f"line {line}: nested deeper than {DEPTH_LIMIT} levels", "flatten the document")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise DocumentError(
                    f"line {line}: no anchor &{quote(event.anchor)} before this alias", "define it first"
                )
            value, size = self.anchors[event.anchor]
            self.count(size, line)
            return value
        if event.tag not in (None, *CORE_TAGS):
            raise DocumentError(f"line {line}: the tag {quote(event.tag)} is not read", "write a plain value")
        nodes_before = self.nodes
        self.count(1, line)
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = [self.node(item, depth + 1) for item in self.until(yaml.SequenceEndEvent)]
        else:
            value = self.mapping(depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.nodes - nodes_before)
        return value

    def mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        for key_event in self.until(yaml.MappingEndEvent):
            line = key_event.start_mark.line + 1
            if not isinstance(key_event, yaml.ScalarEvent):
                raise DocumentError(f"line {line}: a key that is not a word", "write `key: value`")
            key = key_event.value
            self.count(1, line)
            value = self.node(next(self.events), depth + 1)
            if key == "<<" and key_event.implicit[0]:
                merged += value if isinstance(value, list) else [value]
                continue
            if key in result:
                raise DocumentError(f"line {line}: the key {quote(key)} stands twice", "keep one of the two")
            result[key] = value
        for layer in merged:
            if not isinstance(layer, dict):
                raise DocumentError("`<<` merges something that is no mapping", "merge a mapping")
            result = {**layer, **result}
        return result

    def until(self, end: type) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def count(self, size: int, line: int) -> None:
        self.nodes += size
        if self.nodes > NODE_LIMIT:
            raise DocumentError(f"line {line}: more than {NODE_LIMIT} values", "split the file, use fewer aliases")
