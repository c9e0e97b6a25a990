"""The project in a folder of its own, for the tests that kill its processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.clone import Clone
from tests.engine.crashes import assert_settled, job, unsettled


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    made = Clone(tmp_path_factory.mktemp("crash"))
    yield made
    made.sandbox("stop")


@pytest.fixture
def clone(shared: Clone, request: pytest.FixtureRequest) -> Iterator[Clone]:
    """The project with a stack of the test's own."""
    shared.exports()
    words = "".join(letter if letter.isalnum() else "-" for letter in request.node.name.removeprefix("test_"))
    shared.stack = f"k{words.replace('--', '-').strip('-').lower()}"[:40].rstrip("-")
    yield shared
    shared.exports()
    shared.call("DELETE", "/sandbox/faults")
    for name in shared.live():
        shared.call("POST", f"/v1/{name}:cancel", {})


@pytest.fixture
def running(shared: Clone) -> Iterator[Clone]:
    """The project with a stack that runs one job, `bert`: that of the test before it, where one left it in order."""
    shared.exports()
    shared.stack = "running"
    if not shared.checkpoint().exists() or unsettled(shared):
        shared.declare({"bert": job()})
        assert_settled(shared, shared.make("up"))
    yield shared
    shared.exports()
    shared.call("DELETE", "/sandbox/faults")
