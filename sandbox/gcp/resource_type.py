"""What the provider knows of one resource type beyond its inputs' types, and the helpers that read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from sandbox.gcp.values import UNKNOWN, Secret

Properties = dict[str, Any]

COMPUTE = "https://www.googleapis.com/compute/v1/"
CONTAINER = "https://container.googleapis.com/v1/"
BUCKETS = "https://www.googleapis.com/storage/v1/b/"
LINK_PREFIXES = (COMPUTE, "https://compute.googleapis.com/compute/v1/", CONTAINER, BUCKETS)

# A name as Compute Engine takes it (RFC 1035), and as the Terraform provider checks it before any request.
RFC1035 = r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?"


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def nothing_more(_properties: Properties) -> Properties:
    """Return no further outputs."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A resource type.

    type: its token. id: its id in Google's form; `{name}` is the last segment of a property, `{=name}` the whole of
    it, `{%name}` the whole of it quoted.
    immutable: properties whose change replaces it; "*" all. A property below one of `mutable` does not.
    named: the property that gets an automatic name; "" where the user must name it.
    owner: the property that names the resource that this one is a part of, and is deleted with.
    idempotent: creating one that exists is no error.
    protected_in_use: not deleted while another resource names it.
    """

    type: str
    id: str
    what: str
    immutable: frozenset[str]
    mutable: frozenset[str] = frozenset()
    link: str = ""
    named: str = ""
    pattern: str = RFC1035
    owner: str = ""
    idempotent: bool = False
    protected_in_use: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    more: Callable[[Properties], Properties] = nothing_more

    @property
    def fields(self) -> tuple[str, ...]:
        """The properties that the id is made of."""
        return tuple(re.findall(r"\{[=%]?(\w+)\}", self.id))


def fill(template: str, properties: Mapping[str, Any]) -> str:
    """Return an id or text with the properties in it; KeyError with the name of the first one that is missing."""

    def segment(match: re.Match[str]) -> str:
        value = str(properties[match[2]])
        if match[1] == "=":
            return short(value)
        return quote(short(value), safe="") if match[1] == "%" else value.rstrip("/").rpartition("/")[2]

    return re.sub(r"\{([=%]?)(\w+)\}", segment, template)


def short(link: str) -> str:
    """Return a link or id without the service's address and version, and a bucket without its `b/`."""
    for prefix in LINK_PREFIXES:
        if link.startswith(prefix):
            return link.removeprefix(prefix)
    return link.removeprefix("b/")


def same(old: Any, new: Any) -> bool:
    """Return whether two values mean the same to Google: a link equals its id, a location its capitals."""
    if isinstance(old, Secret) or isinstance(new, Secret):
        old, new = (value.value if isinstance(value, Secret) else value for value in (old, new))
    if old is UNKNOWN or new is UNKNOWN:
        return False
    if isinstance(old, str) and isinstance(new, str):
        return short(old) == short(new)
    if isinstance(old, bool) != isinstance(new, bool):
        return False
    return bool(old == new)


def replaces(kind: Kind, path: tuple[str | int, ...]) -> bool:
    """Return whether a change at this path needs a new resource: the longest known part of the path decides."""
    names = [part for part in path if isinstance(part, str)]
    for length in range(len(names), 0, -1):
        part = ".".join(names[:length])
        if part in kind.mutable:
            return False
        if part in kind.immutable:
            return True
    return "*" in kind.immutable
