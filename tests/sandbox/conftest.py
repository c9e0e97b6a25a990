"""What the tests of the sandbox share: a running job API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sandbox.vertex_sandbox import Sandbox


@pytest.fixture(scope="module")
def vertex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A running sandbox for one module's tests: they share the server, never a job."""
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    sandbox.start()
    yield sandbox
    sandbox.verb("stop")


@pytest.fixture
def own_vertex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox of the test's own, not started: for what happens to the server itself."""
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    yield sandbox
    sandbox.verb("stop")
