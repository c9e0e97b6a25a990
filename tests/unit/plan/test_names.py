"""Names are identities: what a stack declares keeps the name that it had, and two things never share one."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainingjobs.plan import names

LEGAL = re.compile(r"[a-z][-a-z0-9]*[a-z0-9]")


@pytest.mark.parametrize(
    ("make", "words", "name"),
    [
        (names.account_id, ("dev", "bert"), "dev-bert"),
        (names.account_email, ("dev", "bert", "acme"), "dev-bert@acme.iam.gserviceaccount.com"),
        (names.bucket, ("acme-ml", "dev", "output"), "acme-ml-dev-output"),
        (names.repository, ("dev",), "dev-training"),
        (names.network, ("dev",), "dev-training"),
        (names.network, ("dev", "nat"), "dev-nat"),
        (names.cluster, ("dev",), "dev-training"),
        (names.reducer_vms, ("dev", "bert"), "dev-bert-reducer"),
        # What Google would not take ends in a hash of the whole.
        (names.account_id, ("dev", "Bert"), "dev-bert-79c86e"),
        (names.account_id, ("1", "b_t"), "t-1-b-t-45c847"),
        (names.account_id, ("", ""), "t-3973e0"),
        (names.account_id, ("é", "x"), "x-71b9e3"),
        (names.account_id, ("a", "b"), "a-b-d44362"),
        (names.account_id, ("dev", "bert-large-uncased-on-squad"), "dev-bert-large-uncased-7da868"),
        (names.network, ("a", "b.c"), "a-b-c-fb187e"),
    ],
)
def test_a_name(make: Callable[..., str], words: tuple[str, ...], name: str) -> None:
    assert make(*words) == name


@pytest.mark.parametrize(
    ("make", "limit"),
    [
        (lambda word: names.account_id("s", word), 30),
        (lambda word: names.bucket("p", "s", word), 63),
        (names.repository, 63),
        (names.network, 63),
        (names.cluster, 40),
        (lambda word: names.reducer_vms("e", word), 57),
    ],
)
def test_the_longest_name_stays_itself_and_a_longer_one_is_cut(make: Callable[[str], str], limit: int) -> None:
    rest = len(make("abcdefg")) - 7
    longest = "x" * (limit - rest)
    assert len(make(longest)) == limit
    assert longest in make(longest)
    assert limit - 1 <= len(make(longest + "x")) <= limit
    assert make(longest + "x") != make(longest + "y")


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_words_make_a_legal_name_of_their_own(first: str, second: str) -> None:
    made = names.account_id(first, "job"), names.account_id(second, "job")
    assert all(LEGAL.fullmatch(name) and 6 <= len(name) <= 30 for name in made)
    assert (made[0] == made[1]) == (first == second)
