"""Places in a document: how they are joined, compared and cut."""

from __future__ import annotations

import pytest

from trainingjobs.core.paths import FieldPath


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (FieldPath() / "pools", "pools"),
        (FieldPath("pools") / "", "pools"),
        (FieldPath("pools") / "primary.machineType", "pools.primary.machineType"),
        (FieldPath("args") / "[2]", "args[2]"),
        (FieldPath("args").item(2), "args[2]"),
        (FieldPath("env").key("A"), "env.A"),
        (FieldPath().key("env"), "env"),
        (FieldPath("env").key(""), "env."),
        (FieldPath("env").key("[A]"), "env.[A]"),
    ],
)
def test_places_are_joined(place: FieldPath, text: str) -> None:
    assert place == text
    assert isinstance(place, FieldPath)


@pytest.mark.parametrize(
    ("place", "other", "rest"),
    [
        ("pools.primary", "pools.primary", ""),
        ("pools.primary.args[1]", "pools.primary", "args[1]"),
        ("args[1]", "args", "[1]"),
        ("args", "", "args"),
        ("args[10]", "args[1]", None),
        ("poolsOfMine", "pools", None),
        ("pools", "pools.primary", None),
    ],
)
def test_a_place_within_another_has_a_rest(place: str, other: str, rest: str | None) -> None:
    path = FieldPath(place)
    assert path.within(other) is (rest is not None)
    if rest is not None:
        assert path.relative_to(other) == rest
        assert FieldPath(other) / path.relative_to(other) == path
