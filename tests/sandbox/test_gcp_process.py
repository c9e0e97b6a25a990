"""The plugin's process: how it starts and ends, what it loads, and that it refuses to stand in for Google elsewhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from sandbox.gcp import schema
from sandbox.gcp.wire import read_struct, write_struct
from tests.sandbox.gcp_process import NETWORK, ROOT, STARTER, Plugin, sandbox_environment
from trainingjobs.engine.sdk import empty_pb2, provider_pb2


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    started = Plugin(tmp_path)
    started.configure()
    yield started
    started.close()


def test_it_loads_neither_sdk() -> None:
    code = "import sys, sandbox.gcp.__main__; print([m for m in sys.modules if m in ('pulumi', 'pulumi_gcp')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert shown.stdout == "[]\n"


def test_it_says_the_sdks_version(plugin: Plugin) -> None:
    assert plugin.calls.GetPluginInfo(empty_pb2.Empty()).version == schema.version()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"TRAINING_SANDBOX": ""}, "TRAINING_SANDBOX", id="no sandbox"),
        pytest.param({"TRAINING_VERTEX_ENDPOINT": ""}, "TRAINING_VERTEX_ENDPOINT", id="no endpoint"),
        pytest.param({"TRAINING_VERTEX_ENDPOINT": "https://10.0.0.1"}, "TRAINING_VERTEX_ENDPOINT", id="elsewhere"),
    ],
)
def test_a_real_stack_is_refused(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    plugin = Plugin(tmp_path, {**sandbox_environment(tmp_path), **changed})
    for call in (plugin.configure, lambda: plugin.create(NETWORK, {"name": "n"}), lambda: plugin.read(NETWORK, "n")):
        with pytest.raises(grpc.RpcError) as caught:
            call()
        assert words in caught.value.details()
        assert "python -m sandbox env" in caught.value.details()
    plugin.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [STARTER, "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=sandbox_environment(tmp_path),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip().isdigit()
    process.send_signal(number)
    assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 0


def test_it_ends_when_the_engine_is_killed(tmp_path: Path) -> None:
    code = f"import subprocess, time; subprocess.Popen([{str(STARTER)!r}, '127.0.0.1:1']); time.sleep(60)"
    engine = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=sandbox_environment(tmp_path)
    )
    assert engine.stdout is not None
    assert engine.stdout.readline().strip().isdigit()
    os.kill(engine.pid, signal.SIGKILL)
    # The pipe closes when the last process that has it ends: the plugin, for its parent is gone.
    assert engine.stdout.read() == ""
    engine.stdout.close()
    engine.wait()


def invoke(plugin: Plugin, token: str) -> dict[str, object]:
    answer = plugin.calls.Invoke(provider_pb2.InvokeRequest(tok=token, args=write_struct({})))
    return read_struct(getattr(answer, "return"))


def test_functions_that_stacks_use_are_answered(plugin: Plugin) -> None:
    project = invoke(plugin, "gcp:organizations/getProject:getProject")
    assert project["projectId"] == "acme-ml-dev"
    assert str(project["number"]).isdigit()
    client = invoke(plugin, "gcp:organizations/getClientConfig:getClientConfig")
    assert (client["project"], client["region"], client["zone"]) == ("acme-ml-dev", "us-central1", "us-central1-a")


def test_other_functions_are_refused_by_name(plugin: Plugin) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        invoke(plugin, "gcp:compute/getImage:getImage")
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert "gcp:compute/getImage:getImage" in caught.value.details()
