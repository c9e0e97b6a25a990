"""A stack's policy configuration (Pulumi's own format) → severities and parameters of the rules, and its faults.

An entry is an enforcement level, or an object with `enforcementLevel` and what else is said: for an error that is
lowered `reason` and `expires` (YYYY-MM-DD, the last day on which it holds), and the rule's own parameters. `remediate`
is for rules with a remedy alone. `schema`, which judges the configuration too, has no level and one parameter: how many
days ahead `expires` may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from trainingjobs.core.findings import SCHEMA, Finding, did_you_mean, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.rules.registry import RULES, Level, Levels, Rule

ALL = "all"
ENFORCEMENT: dict[str, Level] = {
    "mandatory": "error",
    "remediate": "remediate",
    "advisory": "advice",
    "disabled": "off",
}
# What is not remediated is an error, so `remediate` lowers nothing.
RANK = {"off": 0, "advice": 1, "error": 2, "remediate": 2}
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NOTED = ("enforcementLevel", "reason", "expires")
LONGEST_TERM = "longestTermDays"
# Days: the term where none is set, and the most that can be set. Without a most any term could be written for ever.
DEFAULT_TERM, MOST_TERM = 90, 366
LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
LABEL_VALUE = re.compile(r"[a-z0-9_-]{1,63}")


@dataclass(slots=True)
class _Read:
    """What has been read so far. `today` is the first day on which a lowering may end, `latest` the last."""

    today: date
    latest: date
    levels: dict[str, Level] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[Finding] = field(default_factory=list)
    lowered: list[Finding] = field(default_factory=list)


def read_levels(
    config: Mapping[str, Any], environment: str | None, today: date
) -> tuple[Levels, list[Finding], list[Finding]]:
    """Returns the severities, the faults of the configuration, and one line of advice for each error that is lowered.

    `all` sets the level of every rule that is not named, and lowers no error. An error is lowered by its own entry, for
    a reason and until a day that is near: else the entry is a fault and the error stays one (`today` is the caller's).
    """
    term, faults = _term(config.get(SCHEMA))
    read = _Read(today, today + timedelta(days=term), faults=faults)
    for key in sorted(config):
        read.faults += _misnamed(key)
    read.faults += _misspelt(ALL, config.get(ALL), NOTED)
    default_level = _level(ALL, config[ALL], read.faults) if ALL in config else None
    if default_level == "remediate":
        read.faults.append(_no_remedy(ALL))
        default_level = None
    for rule_id, rule in RULES.items():
        if rule_id in config:
            read.faults += _misspelt(rule_id, config[rule_id], (*NOTED, *rule.parameters))
            _read_parameters(rule, config[rule_id], read)
        own_level = _level(rule_id, config[rule_id], read.faults) if rule_id in config else None
        if own_level == "remediate" and rule.remedy is None:
            read.faults.append(_no_remedy(rule_id))
            own_level = None
        if own_level is None and rule_id in config and _says_why(config[rule_id]):
            own_level = default_level
        if own_level is not None:
            _read_level(rule, own_level, rule_id, config[rule_id], environment, read)
        elif default_level is not None:
            _read_level(rule, default_level, ALL, config[ALL], environment, read)
    return Levels(read.levels, read.parameters), _once(read.faults), read.lowered


def _misnamed(key: str) -> Iterator[Finding]:
    if key not in (ALL, SCHEMA) and key not in RULES:
        nearest = did_you_mean(key, RULES)
        yield schema_error(key, "no such rule", f"did you mean {nearest}?" if nearest else "see docs/rules.md")


def _term(entry: Any) -> tuple[int, list[Finding]]:
    """Returns how many days ahead a lowering may end, and what is wrong with the entry that says it."""
    if entry is None:
        return DEFAULT_TERM, []
    if not isinstance(entry, Mapping) or "enforcementLevel" in entry:
        fix = f'write {{"{LONGEST_TERM}": {DEFAULT_TERM}}}, or remove it'
        return DEFAULT_TERM, [schema_error(SCHEMA, "has no enforcement level; nobody may lower it", fix)]
    faults = list(_misspelt(SCHEMA, entry, (LONGEST_TERM,)))
    days = entry.get(LONGEST_TERM, DEFAULT_TERM)
    # The engine hands on every number as a float.
    is_whole = isinstance(days, int) or (isinstance(days, float) and days.is_integer())
    if not is_whole or isinstance(days, bool) or not 0 <= days <= MOST_TERM:
        message = f"{quote(days)}; a number of days from 0 to {MOST_TERM} is needed"
        return DEFAULT_TERM, [*faults, schema_error(FieldPath(SCHEMA) / LONGEST_TERM, message)]
    return int(days), faults


def _says_why(entry: Any) -> bool:
    """Whether an entry is written to lower a rule, be it that `all` says the level."""
    return isinstance(entry, Mapping) and not {"reason", "expires"}.isdisjoint(entry)


def _misspelt(key: str, entry: Any, allowed: tuple[str, ...]) -> Iterator[Finding]:
    for name in sorted(entry) if isinstance(entry, Mapping) else ():
        if name not in allowed:
            nearest = did_you_mean(name, allowed)
            hint = f"did you mean {nearest}?" if nearest else "remove it"
            known = "" if nearest else f"; allowed: {', '.join(allowed)}"
            yield schema_error(FieldPath(key).key(quote(name)), f"no such key{known}", hint)


def _level(key: str, value: Any, faults: list[Finding]) -> Level | None:
    level = value.get("enforcementLevel") if isinstance(value, Mapping) else value
    if level is None:
        return None
    if not isinstance(level, str) or level not in ENFORCEMENT:
        nearest = did_you_mean(str(level), ENFORCEMENT)
        faults.append(
            schema_error(
                key,
                f"{quote(level)} is no enforcement level; one of {', '.join(sorted(ENFORCEMENT))}",
                f"did you mean {nearest}?" if nearest else "",
            )
        )
        return None
    return ENFORCEMENT[level]


def _no_remedy(key: str) -> Finding:
    remediable = " and ".join(rule_id for rule_id in sorted(RULES) if RULES[rule_id].remedy is not None)
    subject = "not every rule has a remedy" if key == ALL else "the rule has no remedy"
    return schema_error(
        FieldPath(key) / "enforcementLevel",
        f"remediate: {subject}; {remediable} have one",
        "write mandatory or advisory",
    )


def _read_level(rule: Rule, level: Level, key: str, entry: Any, environment: str | None, read: _Read) -> None:
    if rule.structural and RANK[level] < RANK["error"]:
        if key == rule.id:
            read.faults.append(schema_error(key, "structural; nobody may lower it", "remove it"))
        return
    # Where nobody says the environment, a resource may still say prod of itself.
    if RANK[level] < RANK[rule.default_severity(environment or "prod")] == RANK["error"]:
        refused = _refused(key, entry, read)
        if refused is not None:
            read.faults.append(refused)
            return
        read.lowered.append(_lowered(rule, level, entry))
    read.levels[rule.id] = level


def _refused(key: str, entry: Any, read: _Read) -> Finding | None:
    """Returns what is wrong with the lowering of an error, None where it holds."""
    if key == ALL:
        fix = "write a line with reason and expires for each error that is to be lowered"
        return schema_error(key, "lowers no error; they stay errors", fix)
    fields = entry if isinstance(entry, Mapping) else {}
    reason, expires = fields.get("reason"), fields.get("expires")
    add = 'write {"enforcementLevel": …, "reason": "why", "expires": "YYYY-MM-DD"}'
    if not isinstance(reason, str) or not reason.strip():
        return schema_error(key, "lowers an error without a reason", add)
    if expires is None:
        return schema_error(key, "lowers an error without a day on which that ends", add)
    day = _day(expires)
    if day is None:
        return schema_error(FieldPath(key) / "expires", f"{quote(expires)} is no day; YYYY-MM-DD is needed")
    place = FieldPath(key) / "expires"
    if day < read.today:
        return schema_error(place, f"expired on {day}; the error is one again", "fix its cause, or set a new day")
    if day > read.latest:
        term = (read.latest - read.today).days
        message = f"{day} is more than {term} days ahead; {read.latest} is the last day that can be set today"
        return schema_error(place, message, f"set an earlier day; {LONGEST_TERM} of {SCHEMA} is the term")
    return None


def _day(value: Any) -> date | None:
    if not isinstance(value, str) or not DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _lowered(rule: Rule, level: Level, entry: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=rule.id,
        severity="advice",
        path=rule.id,
        message=f"lowered from error to {level} until {entry['expires']}: {quote(entry['reason'])}",
        fix="remove the line to raise it again",
    )


def _read_parameters(rule: Rule, entry: Any, read: _Read) -> None:
    """Parameters have the type of their default: a list of words, labels with their values, or a number from 0."""
    for name, default in rule.parameters.items():
        value = entry.get(name) if isinstance(entry, Mapping) else None
        if value is None:
            continue
        if isinstance(default, tuple):
            fine = isinstance(value, list) and all(isinstance(word, str) and word for word in value)
            needed, value = "a list of words", tuple(value) if fine else value
        elif isinstance(default, Mapping):
            fine = isinstance(value, Mapping) and all(_is_label(*label) for label in value.items())
            needed = "labels with their values, of lower case letters, digits, _ and -, at most 63 each,"
        else:
            fine = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
            # The engine hands on every number as a float.
            value = int(value) if isinstance(value, float) and value.is_integer() else value
            needed = "a number from 0"
        if fine:
            read.parameters.setdefault(rule.id, {})[name] = value
        else:
            read.faults.append(schema_error(FieldPath(rule.id) / name, f"{quote(value)}; {needed} is needed"))


def _is_label(key: object, value: object) -> bool:
    return all(
        isinstance(word, str) and form.fullmatch(word) is not None
        for word, form in ((key, LABEL_KEY), (value, LABEL_VALUE))
    )


def _once(findings: list[Finding]) -> list[Finding]:
    """A fault of `all` would be told for each rule that it lowers."""
    return list(dict.fromkeys(findings))
