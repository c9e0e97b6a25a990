"""Pieces of HTML: escaping and tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

NUMBER = "n"
ONE_LINE = "w"


def text(value: object) -> str:
    """Returns a value escaped for HTML."""
    return escape(str(value))


def table(
    caption: str, heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], foot: Sequence[str] = ()
) -> str:
    """Returns a table of ready HTML cells; a head is (title, class), the first cell of a row names it."""
    # A narrow screen shows rows as blocks, and what is no table in CSS is none to a screen reader: hence the roles.
    head = "".join(f'<th scope="col" role="columnheader"{_class(kind)}>{text(title)}</th>' for title, kind in heads)
    body = "".join(f'<tr role="row">{_row(heads, row)}</tr>' for row in rows)
    last = f'<tfoot role="rowgroup"><tr role="row">{_row(heads, foot)}</tr></tfoot>' if foot else ""
    return (
        f'<div class="scroll stack"><table role="table"><caption>{text(caption)}</caption>'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody>{last}</table></div>'
    )


def _row(heads: Sequence[tuple[str, str]], cells: Sequence[str]) -> str:
    first = f'<th scope="row" role="rowheader">{cells[0]}</th>'
    rest = (
        f'<td role="cell" data-label="{text(title)}"{_class(kind if cell else "empty")}>{cell}</td>'
        for (title, kind), cell in zip(heads[1:], cells[1:], strict=True)
    )
    return first + "".join(rest)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def data(value: Any, name: str) -> str:
    """Returns a script element that holds a value as JSON and can hold nothing else."""
    body = json.dumps(value, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return f'<script type="application/json" id="{name}">{body}</script>'
