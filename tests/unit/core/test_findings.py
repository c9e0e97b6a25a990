"""How a value is shown in a message."""

from __future__ import annotations

import pytest

from trainingjobs.core.findings import QUOTE_LIMIT, quote, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("", "''"),
        (" ", "' '"),
        ("\n", "\ufffd"),
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        ([], "[]"),
    ],
)
def test_a_value_is_never_shown_as_nothing(value: object, text: str) -> None:
    assert quote(value) == text


def test_a_long_value_is_cut_and_one_that_may_be_a_secret_is_not_shown() -> None:
    assert len(quote("a" * 1000)) == QUOTE_LIMIT
    assert shown("", "a.b") == quote("")
    assert shown("", "container.env.A") == shown("swordfish", "container.env.A") == shown({}, "a")
