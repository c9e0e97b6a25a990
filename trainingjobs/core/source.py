"""Reading of somebody else's document: typed access by key; what is ill-formed or unread becomes a finding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trainingjobs.core.findings import (
    MOST_HINTS,
    MOST_WRONG,
    Finding,
    did_you_mean,
    not_carried,
    quote,
    schema_advice,
    schema_error,
    shown,
)
from trainingjobs.core.paths import FieldPath


class Node:
    """A mapping of a source document. It remembers which of its keys were asked for, so that `rest` can report the
    others; all nodes of a document share one list of findings.
    """

    def __init__(self, value: Mapping[Any, Any], path: str, findings: list[Finding]) -> None:
        self.value = {str(key): item for key, item in value.items()}
        self.path = FieldPath(path)
        self.findings = findings
        self.asked: set[str] = set()

    def at(self, key: str) -> FieldPath:
        """Returns the path of a key."""
        return self.path.key(quote(key))

    def say(self, finding: Finding) -> None:
        """Adds a finding."""
        self.findings.append(finding)

    def take(self, key: str) -> Any:
        """Returns the raw value of a key, None where it is absent."""
        self.asked.add(key)
        return self.value.get(key)

    def wrong(self, key: str, value: object, needed: str) -> None:
        """Reports a value of the wrong type."""
        self.say(schema_error(self.at(key), f"{shown(value, self.at(key))}; {needed} is needed"))

    def node(self, key: str) -> Node:
        """Returns the mapping under a key; an empty one where it is absent or ill-formed."""
        value = self.take(key)
        if value is not None and not isinstance(value, Mapping):
            self.wrong(key, value, "a mapping")
        return Node(value if isinstance(value, Mapping) else {}, self.at(key), self.findings)

    def items(self, key: str) -> list[Any]:
        """Returns the list under a key; an empty one where it is absent or ill-formed."""
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            self.wrong(key, value, "a list")
            return []
        return list(value)

    def nodes(self, key: str) -> list[Node]:
        """Returns the mappings of a list; what is none is reported and left out."""
        nodes = []
        for number, item in enumerate(self.items(key)):
            place = self.at(key).item(number)
            if isinstance(item, Mapping):
                nodes.append(Node(item, place, self.findings))
            else:
                self.say(schema_error(place, f"{shown(item, place)}; a mapping is needed"))
        return nodes

    def text(self, key: str) -> str | None:
        """Returns a string, None where it is absent, empty or ill-formed; a number is taken as its digits."""
        value = self.take(key)
        word = _word(value)
        if word is None and value is not None:
            self.wrong(key, value, "a string")
        return word or None

    def version(self, key: str) -> str | None:
        """Returns a version; one that is written as a number is read, with advice, since YAML reads 2.10 as 2.1."""
        if isinstance(self.value.get(key), float):
            text = quote(self.value[key])
            self.say(schema_advice(self.at(key), f"{text} is a number; YAML reads 2.10 as 2.1", f'write "{text}"'))
        return self.text(key)

    def word(self, key: str, allowed: Iterable[str], ignore: Iterable[str] = ()) -> str | None:
        """Returns one of the allowed words; those to ignore count as absent."""
        word = self.text(key)
        words = tuple(allowed)
        if word is None or word in words:
            return word
        if word not in tuple(ignore):
            nearest = did_you_mean(word, words)
            fix = f"did you mean {nearest}?" if nearest else ""
            self.say(schema_error(self.at(key), f"{quote(word)} is not allowed; one of {', '.join(words)}", fix))
        return None

    def integer(self, key: str) -> int | None:
        """Returns a whole number from 0; Google's JSON writes long ones as strings."""
        value = self.number(key, "a whole number")
        if value is None:
            return None
        if value < 0 or not float(value).is_integer():
            self.wrong(key, self.value[key], "a whole number")
            return None
        return int(value)

    def number(self, key: str, needed: str = "a number") -> float | None:
        """Returns a finite number, also one that is written as a string."""
        value = self.take(key)
        number = _number(value)
        if number is None and value is not None:
            self.wrong(key, value, needed)
        return number

    def boolean(self, key: str) -> bool | None:
        """Returns true or false."""
        value = self.take(key)
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if value is not None and not isinstance(value, bool):
            self.wrong(key, value, "true or false")
        return value if isinstance(value, bool) else None

    def texts(self, key: str) -> list[str]:
        """Returns a list of strings; numbers are taken as their digits."""
        texts = []
        for number, item in enumerate(self.items(key)):
            word = _word(item)
            if word is None:
                place = self.at(key).item(number)
                self.say(schema_error(place, f"{shown(item, place)}; a string is needed"))
            else:
                texts.append(word)
        return texts

    def numbers(self, key: str) -> list[float]:
        """Returns a list of numbers."""
        numbers = []
        for number, item in enumerate(self.items(key)):
            value = _number(item)
            if value is None:
                place = self.at(key).item(number)
                self.say(schema_error(place, f"{shown(item, place)}; a number is needed"))
            else:
                numbers.append(value)
        return numbers

    def rest(self, known: Iterable[str] = (), *, server_written: Iterable[str] = (), strict: bool = True) -> None:
        """Reports every key that nobody asked for.

        A key of `known` belongs to the language and has no place in a job document, for the reason that `known` may
        give; `server_written` keys are passed over. Another key is an error where `strict`, else it is taken for one of
        the language's too.
        """
        places, silent = tuple(known), tuple(server_written)
        reasons = known if isinstance(known, Mapping) else {}
        unread = [
            key for key in self.value if key not in self.asked and key not in silent and self.value[key] is not None
        ]
        for key in unread[:MOST_WRONG]:
            if key in places or not strict:
                self.say(not_carried(self.at(key), reasons.get(key, "a job document has no place for it")))
            else:
                allowed = sorted({*self.asked, *places, *silent})
                nearest = did_you_mean(key, allowed) if len(self.findings) < MOST_HINTS else None
                fix = f"did you mean {nearest}?" if nearest else "remove it"
                self.say(schema_error(self.at(key), f"no such field; there are {', '.join(allowed)}", fix))


def pruned(value: dict[str, Any]) -> dict[str, Any]:
    """Returns a mapping without what is None or empty; False and 0 stay."""
    return {key: item for key, item in value.items() if item is not None and item not in ("", [], {})}


def _word(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value) if not isinstance(value, int) or abs(value) < 10**40 else None
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    if isinstance(value, str) and len(value) < 40:
        try:
            value = int(value) if value.lstrip("+-").isdecimal() else float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None
