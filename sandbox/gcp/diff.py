"""The difference between a resource's old and new inputs, property by property."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandbox.gcp.provider_settings import Settings
from sandbox.gcp.resource_type import Kind, replaces, same
from sandbox.gcp.shape import effective, id_of, places_of
from sandbox.gcp.values import UNKNOWN, Secret

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed property: what happened to it ("ADD", "DELETE", "UPDATE") and whether that needs a new resource."""

    path: str
    what: str
    replaces: bool


def changes(
    kind: Kind, old_inputs: dict[str, Any], state: dict[str, Any], news: dict[str, Any], settings: Settings
) -> list[Change]:
    """Return the changes from the old inputs to the new ones, in the order of their paths.

    Defaults and the provider's places count on both sides: to write down a default is no change, and to configure the
    provider for another project is one. The old places are those of the state.
    """
    places = {key: state[key] for key in places_of(kind) if state.get(key) is not None}
    old = effective(kind, {**places, **old_inputs}, settings)
    new = effective(kind, news, settings)
    property_changes = []
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        was_set, is_set = key in old_inputs, key in news
        if after is UNKNOWN and not (was_set or is_set):
            # A place that follows from an unknown owner: the owner itself is shown as changed.
            continue
        differences = [
            (path, what, _needs_replacement(kind, path, before, after))
            for path, what in _differences((key,), before, after)
        ]
        if differences and was_set != is_set:
            # The program never wrote the default that is on the other side: the property came or went as a whole.
            differences = [((key,), "ADD" if is_set else "DELETE", any(replace for _, _, replace in differences))]
        property_changes += [
            Change(path=_text(path), what=what, replaces=replace) for path, what, replace in differences
        ]
    return sorted(property_changes, key=lambda change: change.path)


def _needs_replacement(kind: Kind, path: Path, before: Any, after: Any) -> bool:
    if path == ("ipCidrRange",) and isinstance(before, str) and isinstance(after, str):
        # Compute Engine widens a subnetwork's range in place, and never narrows or moves it.
        return not _is_within(before, after)
    return replaces(kind, path)


def _is_within(inner: str, outer: str) -> bool:
    try:
        subnet, supernet = (ipaddress.ip_network(cidr, strict=False) for cidr in (inner, outer))
        return subnet.version == supernet.version and subnet.subnet_of(supernet)  # type: ignore[arg-type]
    except ValueError:
        return False


def deletes_before_replace(kind: Kind, id: str, news: dict[str, Any], settings: Settings) -> bool:
    """Return whether the new resource would have the id of the old one, so that the old one must go first."""
    if kind.named and kind.named in news.get("__defaults", []):
        return False
    return id_of(kind, effective(kind, news, settings)) == id


def _differences(path: Path, old: Any, new: Any) -> Iterator[tuple[Path, str]]:
    old, new = (value.value if isinstance(value, Secret) else value for value in (old, new))
    if new is UNKNOWN:
        yield path, "UPDATE"
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield (*path, key), "DELETE"
            elif key not in old:
                yield (*path, key), "ADD"
            else:
                yield from _differences((*path, key), old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                yield (*path, index), "DELETE"
            elif index >= len(old):
                yield (*path, index), "ADD"
            else:
                yield from _differences((*path, index), old[index], new[index])
    elif not (same(old, new) or (path == ("location",) and str(old).lower() == str(new).lower())):
        yield path, "UPDATE"


def _text(path: Path) -> str:
    # As the engine writes a path: a.b[0]["with.dot"].
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.replace("_", "").isalnum():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text
