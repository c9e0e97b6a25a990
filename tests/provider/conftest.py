"""One sandbox, proxy, engine's side and plugin process a session; each test has a Pulumi state of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

import pytest

from sandbox.state_folder import read_api
from tests.provider.plugin_process import ROOT, Engine, Plugin
from tests.provider.vertex_proxy import Proxy


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The sandbox's endpoint, token and state folder."""
    state = tmp_path_factory.mktemp("sandbox")
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.server", str(state)],
        cwd=ROOT,
        env={**os.environ, "TRAINING_SANDBOX": str(state)},
    )
    deadline = time.monotonic() + 30
    while read_api(state) is None:
        assert process.poll() is None, "the sandbox ended"
        assert time.monotonic() < deadline, "the sandbox does not start"
        time.sleep(0.05)
    api = read_api(state)
    assert api is not None
    yield {**api, "state": str(state)}
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=30)


@pytest.fixture(scope="session")
def running_proxy(sandbox: dict[str, str]) -> Iterator[Proxy]:
    made = Proxy(sandbox["endpoint"])
    yield made
    made.close()


@pytest.fixture
def proxy(running_proxy: Proxy) -> Proxy:
    """The proxy with nothing recorded and no faults to come."""
    running_proxy.sent, running_proxy.faults, running_proxy.held = [], {}, False
    return running_proxy


@pytest.fixture(scope="session")
def environment(sandbox: dict[str, str], running_proxy: Proxy) -> dict[str, str]:
    """The environment that a plugin needs to reach the sandbox through the proxy."""
    return {
        "TRAINING_VERTEX_ENDPOINT": running_proxy.endpoint,
        "TRAINING_VERTEX_TOKEN": sandbox["token"],
        "TRAINING_SANDBOX": sandbox["state"],
    }


@pytest.fixture(scope="session")
def running_engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.server.stop(None)


@pytest.fixture
def engine(running_engine: Engine) -> Engine:
    """The engine's side with nothing said yet."""
    running_engine.lines.clear()
    return running_engine


@pytest.fixture(scope="session")
def running_plugin(environment: dict[str, str], running_engine: Engine) -> Iterator[Plugin]:
    made = Plugin(environment, running_engine)
    yield made
    made.close()


@pytest.fixture
def plugin(running_plugin: Plugin, proxy: Proxy, engine: Engine, request: pytest.FixtureRequest) -> Plugin:
    """The plugin as of a state of the test's own: tests share a sandbox, and must not adopt each other's jobs."""
    running_plugin.configure(state_id=f"state-of-{request.node.nodeid}")
    return running_plugin


@pytest.fixture
def own_plugin(environment: dict[str, str], proxy: Proxy, engine: Engine) -> Iterator[Plugin]:
    """A plugin process of the test's own, for what ends a run."""
    made = Plugin(environment, engine, state_id=str(uuid.uuid4()))
    yield made
    made.close()
