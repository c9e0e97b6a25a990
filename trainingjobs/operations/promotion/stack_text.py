"""A stack file's text with some places changed: comments, order and the writing of everything else are kept.

Text in, text out. What comes out is read again and compared with what was meant, so that no file is ever half right.
"""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.yaml_text import AMBIGUOUS
from trainingjobs.operations.promotion.difference import ABSENT, Change
from trainingjobs.operations.promotion.order import Pattern

JOBS = "training:jobs"
RELEASE = "training:release"
# Readers of YAML disagree on less than all marks; what is not made of these is quoted.
PLAIN = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./@=+%-]*(:[A-Za-z0-9_./@=+%-]+)*")
# Dash under the key, or two to its right.
INDENTS = ((2, 0), (4, 2))


def changed_text(text: str, changes: Iterable[Change], release: str) -> str:
    """Returns the text with the changes made and the release's id noted.

    Raises DocumentError where that cannot be written without touching something else (a shared anchor).
    """
    edits: list[tuple[Pattern, Any]] = [(("config", JOBS, *change.path), change.source) for change in changes]
    edits.append((("config", RELEASE), release))
    yaml = _writer(text)
    document = yaml.load(text)
    # Through JSON: what an anchor shares there would be shared here too, and the comparison would see nothing.
    expected = json.loads(json.dumps(parse_document(text)))
    for path, value in edits:
        _put(document, path, value, CommentedMap)
        _put(expected, path, value, dict)
    written = _dumped(yaml, document)
    if parse_document(written) != expected:
        raise DocumentError("a place to change is shared by an anchor or a merge key", "write it out", "stack file")
    return written


def _put(document: Any, path: Pattern, value: Any, kind: type) -> None:
    """Sets a place, or removes it with the mappings that are empty then."""
    if value is ABSENT:
        _remove(document, path)
        return
    node = document
    for key in path[:-1]:
        if not isinstance(node.get(key), Mapping):
            node[key] = kind()
        node = node[key]
    node[path[-1]] = _plain(value) if kind is dict else _quoted(value)


def _remove(document: Any, path: Pattern) -> None:
    mappings = [document]
    for key in path[:-1]:
        if not isinstance(mappings[-1].get(key), Mapping):
            return
        mappings.append(mappings[-1][key])
    mappings[-1].pop(path[-1], None)
    # The name of a job and what stands above it stay; an empty part of a job says nothing.
    for depth in range(len(path) - 1, 3, -1):
        if not mappings[depth]:
            mappings[depth - 1].pop(path[depth - 1], None)


def _plain(value: Any) -> Any:
    return copy.deepcopy(value)


def _quoted(value: Any) -> Any:
    """Strings that a reader of YAML takes for something else are quoted, whatever version of YAML it reads."""
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) and not AMBIGUOUS.match(value) else DoubleQuotedScalarString(value)
    if isinstance(value, Mapping):
        return CommentedMap({key: _quoted(item) for key, item in value.items()})
    if isinstance(value, list):
        items = CommentedSeq([_quoted(item) for item in value])
        items.fa.set_flow_style()
        return items
    return value


def _writer(text: str) -> YAML:
    """Returns the writer that changes least of the text when nothing is to be changed."""
    writers = [_yaml(*indent) for indent in INDENTS]
    try:
        return max(writers, key=lambda writer: _alike(text, _dumped(writer, writer.load(text))))
    except YAMLError as error:
        raise DocumentError(f"cannot be read: {str(error).splitlines()[0]}", "fix the YAML", "stack file") from None


def _yaml(sequence: int, offset: int) -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    # A digest is longer than the default width, and a folded one is another document to some readers.
    yaml.width = 100_000
    yaml.indent(mapping=2, sequence=sequence, offset=offset)
    return yaml


def _alike(text: str, other: str) -> int:
    lines = set(text.splitlines())
    return sum(line in lines for line in other.splitlines())


def _dumped(yaml: YAML, document: Any) -> str:
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()
