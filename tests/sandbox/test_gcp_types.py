"""The table of the SDK's types, and the hand-written knowledge beside it, agree with the installed SDK."""

from __future__ import annotations

import importlib.metadata

import pulumi  # noqa: F401 - before the provider's own loading of its messages
import pytest

from dev import gcp_types
from sandbox.gcp import schema
from sandbox.gcp.resource_type import Kind
from sandbox.gcp.resource_types import KINDS, REFERENCES


def test_the_table_is_what_the_tool_makes_of_the_installed_sdk() -> None:
    assert schema.TABLE.read_text(encoding="utf-8") == gcp_types.rendered()


def test_the_version_is_the_sdks() -> None:
    assert schema.version() == importlib.metadata.version("pulumi-gcp")


def test_every_type_of_the_table_has_a_kind() -> None:
    assert set(KINDS) == set(schema.table()["resources"])


@pytest.mark.parametrize("kind", [pytest.param(kind, id=type) for type, kind in KINDS.items()])
def test_a_kind_names_only_properties_that_the_type_has(kind: Kind) -> None:
    inputs = schema.input_kinds(kind.type)
    known = inputs.keys() | schema.output_kinds(kind.type).keys()
    named = {*kind.fields, *kind.defaults, *kind.texts, kind.named or kind.fields[0], kind.owner or kind.fields[0]}
    assert named <= known
    for path in (kind.immutable | kind.mutable) - {"*"}:
        where = inputs
        for part in path.split("."):
            assert part in where, path
            where = schema.table()["objects"].get(where[part].partition("@")[2], {})


def test_references_lead_to_types_that_exist() -> None:
    assert set(REFERENCES.values()) <= set(KINDS)
