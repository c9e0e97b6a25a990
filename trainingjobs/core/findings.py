"""What can be wrong with a document: findings, their order and their wording. Owns no rule."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

Severity = Literal["error", "advice"]

SCHEMA = "schema"
SYNTAX = "syntax"
# A value is quoted in a message up to here, so that a hostile document cannot fill the terminal.
QUOTE_LIMIT = 80
# So many wrong words of one place are told, those of them with the nearest right one: all of a hostile document hang.
MOST_WRONG, MOST_HINTS = 1000, 100
# What is printed of all findings together, in characters; the rest is counted.
FINDINGS_LIMIT = 14_000
# Where a job's variables and arguments stand, in any of the languages.
CODE = re.compile(r"(^|\.)(env|args|command|containerArgs|containerCommand)(\.|\[|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong at one place.

    `rule` is a public id (docs/rules.md), `path` the place in the document that was given, `source` the file or stack
    that the document came from ("" where there is but one).
    """

    rule: str
    severity: Severity
    path: str
    message: str
    fix: str = ""
    source: str = ""

    def as_json(self) -> dict[str, str]:
        """Returns the finding as the commands print it."""
        return asdict(self)

    def at(self, source: str) -> Finding:
        """Returns the same finding, said of `source`."""
        return replace(self, source=source)


def has_errors(findings: Iterable[Finding]) -> bool:
    """Returns whether one of the findings is an error: advice alone is fine."""
    return any(finding.severity == "error" for finding in findings)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings without repetition, by source, path, rule and message."""
    return sorted(set(findings), key=lambda f: (f.source, f.path, f.rule, f.severity, f.message))


def schema_error(path: str, message: str, fix: str = "") -> Finding:
    """Returns a finding of structure: the document itself is ill-formed there."""
    return Finding(rule=SCHEMA, severity="error", path=path, message=message, fix=fix)


def schema_advice(path: str, message: str, fix: str = "") -> Finding:
    """Returns advice about the form of a document."""
    return Finding(rule=SCHEMA, severity="advice", path=path, message=message, fix=fix)


def not_carried(path: str, what: str, fix: str = "") -> Finding:
    """Returns advice: the value at `path` is left out of the result, which is sound without it."""
    return schema_advice(path, f"not carried over: {what}", fix)


def not_expressible(path: str, what: str, fix: str = "") -> Finding:
    """Returns an error: the result would be another job without the value at `path`."""
    return schema_error(path, what, fix)


def not_one_primary(value: object, path: str) -> Finding:
    """Returns the finding of a primary whose number of replicas is no count: a reader leaves it to no rule."""
    what = f"{shown(value, path)} primary replicas; exactly 1 is allowed"
    return Finding(rule="one-primary-replica", severity="error", path=path, message=what, fix="set it to 1")


def quote(value: object) -> str:
    """Returns the value as a message shows it: one line in YAML's and JSON's words, cut to QUOTE_LIMIT characters."""
    text = value if isinstance(value, str) else _in_json(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else "�" for c in text)
    # A blank shows as nothing.
    text = text if text.strip() else f"'{text}'"
    return text if len(text) <= QUOTE_LIMIT else text[: QUOTE_LIMIT - 1] + "…"


def shown(value: object, path: str) -> str:
    """Returns the value at a path as a message shows it: one that may be, or hold, a secret is not repeated."""
    # What is in a list or a mapping may be anything, a variable's value too.
    return "this value" if isinstance(value, Mapping | list | tuple) or CODE.search(path) else quote(value)


def _in_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError):
        return repr(value)


def did_you_mean(word: str, allowed: Iterable[str]) -> str | None:
    """Returns the nearest of the allowed words, else one that the word begins with, or None where none is near."""
    # difflib is quadratic: a hostile word of a megabyte would hang the comparison.
    by_folded = {choice.lower(): choice for choice in sorted(allowed, reverse=True)}
    folded = word[:QUOTE_LIMIT].lower()
    nearest = difflib.get_close_matches(folded, list(by_folded), n=1, cutoff=0.6)
    # `production` is far from `prod` by its letters.
    nearest = (
        nearest
        or sorted((choice for choice in by_folded if len(choice) > 2 and folded.startswith(choice)), key=len)[-1:]
    )
    return by_folded[nearest[0]] if nearest else None


def render_finding(finding: Finding) -> str:
    """Returns the finding as one line: `path: message; fix [rule]`."""
    place = ": ".join(part for part in (finding.source, finding.path) if part)
    fix = f"; {finding.fix}" if finding.fix else ""
    mark = "" if finding.severity == "error" else "advice: "
    return f"{mark}{place}: {finding.message}{fix} [{finding.rule}]"


def shortened(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings sorted; errors go first into FINDINGS_LIMIT characters, and the rest is counted."""
    ordered = sort_findings(findings)
    room = FINDINGS_LIMIT
    kept: set[Finding] = set()
    for finding in sorted(ordered, key=lambda f: f.severity != "error"):
        room -= sum(map(len, finding.as_json().values())) + len(finding.as_json()) * 20
        if room < 0:
            break
        kept.add(finding)
    left = len(ordered) - len(kept)
    if not left:
        return ordered
    severity: Severity = "error" if has_errors(set(ordered) - kept) else "advice"
    rest = Finding(rule=SCHEMA, severity=severity, path="", message=f"and {left} more findings", fix="fix these first")
    return [*(finding for finding in ordered if finding in kept), rest]


def render_findings(findings: Iterable[Finding]) -> str:
    """Returns one line a finding, errors first."""
    ordered = sorted(shortened(findings), key=lambda f: f.severity != "error")
    return "\n".join(render_finding(finding) for finding in ordered)
