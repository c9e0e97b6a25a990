"""The Python language host, spoken to as the engine does: a real process, real gRPC, the SDK's own messages.

Only the executor that connects a program to an engine is a stand-in: it runs the program and nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import language_pb2 as pb
from pulumi.runtime.proto.language_pb2_grpc import LanguageRuntimeStub

SOURCES = Path(__file__).parents[2] / "dev/engine/language_host"
VENV = Path(sys.prefix)
EXECUTOR = """
import os, runpy, sys
os.chdir(sys.argv[sys.argv.index("--pwd") + 1])
runpy.run_path("__main__.py", run_name="__main__")
"""
# Starts the host as the engine does, in a process group of its own, and tells the test its pid and port.
ENGINE = """
import subprocess, sys, time
host = subprocess.Popen([sys.argv[1], "127.0.0.1:1"], stdout=subprocess.PIPE, process_group=0, text=True)
print(host.pid, host.stdout.readline().strip(), flush=True)
time.sleep(600)
"""
WRITES_ITS_PID_AND_WAITS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("pids.tmp", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename("pids.tmp", "pids")
time.sleep(600)
"""


class Host:
    """A running host, its stand-in for an engine, and a program folder."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "program"
        self.program.mkdir()
        bin_folder = folder / "bin"
        shutil.copytree(SOURCES, bin_folder / "language_host", ignore=shutil.ignore_patterns("__pycache__"))
        self.script = bin_folder / "pulumi-language-python"
        shutil.move(bin_folder / "language_host" / self.script.name, self.script)
        (bin_folder / "pulumi-language-python-exec").write_text(EXECUTOR)
        self.env = {**os.environ, "TRAINING_VENV": str(VENV)}
        self.errors = (folder / "stderr").open("w+")
        self.engine = subprocess.Popen(
            [sys.executable, "-c", ENGINE, str(self.script)],
            stdout=subprocess.PIPE, stderr=self.errors, env=self.env, cwd=self.program, text=True,
        )  # fmt: skip
        assert self.engine.stdout
        self.pid, self.port = map(int, self.engine.stdout.readline().split())
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.port}")
        self.stub: Any = LanguageRuntimeStub(self.channel)  # type: ignore[no-untyped-call]

    def info(self, virtualenv: str | None = str(VENV)) -> Any:
        options = Struct()
        if virtualenv:
            options.update({"virtualenv": virtualenv})
        folder = str(self.program)
        return pb.ProgramInfo(root_directory=folder, program_directory=folder, entry_point=".", options=options)

    def run(self, program: str, **given: Any) -> Any:
        """The future of a Run call."""
        (self.program / "__main__.py").write_text(program)
        request = {"project": "p", "stack": "s", "pwd": str(self.program), "info": self.info(), **given}
        return self.stub.Run.future(pb.RunRequest(**request))

    def run_plugin(self, program: str, **given: Any) -> Any:
        """The stream of a RunPlugin call."""
        (self.program / "__main__.py").write_text(program)
        return self.stub.RunPlugin(pb.RunPluginRequest(**{"info": self.info(), "pwd": str(self.program), **given}))

    def pids(self) -> list[int]:
        """The program and its own child, once it has started."""
        file = self.program / "pids"
        _wait_until(file.exists)
        return [int(pid) for pid in file.read_text().split()]

    def stderr(self) -> str:
        """What the host wrote to its standard error."""
        self.errors.seek(0)
        return self.errors.read()

    def close(self) -> None:
        self.channel.close()
        for pid in (self.pid, self.engine.pid):
            if _alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.engine.communicate()
        self.errors.close()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    running = Host(tmp_path)
    yield running
    running.close()


def test_it_speaks_for_the_installed_sdk_and_asks_for_no_download(host: Host) -> None:
    assert host.stub.GetPluginInfo(Empty()).version == version("pulumi")
    assert not host.stub.GetRequiredPackages(pb.GetRequiredPackagesRequest(info=host.info())).packages
    assert not host.stub.GetRequiredPlugins(pb.GetRequiredPluginsRequest(info=host.info())).plugins


def test_an_import_gets_a_comment_in_place_of_code(host: Host) -> None:
    source = host.stub.GenerateProgram(pb.GenerateProgramRequest(source={"main.pp": "x = 1"})).source
    assert all(text.startswith(b"#") for text in source.values())


def test_a_program_gets_its_configuration_and_its_virtual_environment(host: Host) -> None:
    program = "import json, os, sys; json.dump([dict(os.environ), sys.prefix], open('seen', 'w'))"
    response = host.run(program, config={"p:size": "3"}, configSecretKeys=["p:key"]).result(timeout=30)
    assert (response.error, response.bail) == ("", False)
    env, prefix = json.loads((host.program / "seen").read_text())
    assert json.loads(env["PULUMI_CONFIG"]) == {"p:size": "3"}
    assert json.loads(env["PULUMI_CONFIG_SECRET_KEYS"]) == ["p:key"]
    assert Path(prefix) == VENV
    assert env["VIRTUAL_ENV"] == str(VENV)
    assert env["PATH"].startswith(str(VENV / "bin"))


@pytest.mark.parametrize("size", [1_000, 131_000, 1_000_000])
def test_a_configuration_has_no_longest_length(host: Host, size: int) -> None:
    program = "import os; open('seen', 'w').write(os.environ['PULUMI_CONFIG'])"
    config = {"p:jobs": "ä" * (size // 6)}
    assert host.run(program, config=config).result(timeout=30).error == ""
    assert json.loads((host.program / "seen").read_text()) == config
    (host.program / "seen").unlink()
    env = [f"PULUMI_CONFIG={json.dumps(config)}"]
    answers = list(host.run_plugin(program, env=[*env, f"PATH={os.environ['PATH']}"]))
    assert answers[-1].exitcode == 0, answers
    assert json.loads((host.program / "seen").read_text()) == config


@pytest.mark.parametrize(
    ("program", "error", "bail"),
    [("import sys; sys.exit(3)", "3", False), ("import sys; sys.exit(32)", "", True),
     ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "9", False)],
)  # fmt: skip
def test_how_a_program_ended(host: Host, program: str, error: str, bail: bool) -> None:
    response = host.run(program).result(timeout=30)
    assert response.bail == bail
    assert error in response.error
    assert bool(error) == bool(response.error)


def test_a_virtualenv_is_relative_to_the_project_and_a_missing_one_is_named(host: Host) -> None:
    (host.program / "env").symlink_to(VENV)
    assert host.run("", info=host.info("env")).result(timeout=30).error == ""
    response = host.run("", info=host.info("not-there")).result(timeout=30)
    assert str(host.program / "not-there") in response.error


def test_a_plugin_is_started_with_its_arguments_and_its_output_streamed(host: Host) -> None:
    program = "import sys; print(sys.argv[1:]); print('oops', file=sys.stderr); sys.exit(4)"
    messages = list(host.run_plugin(program, args=["127.0.0.1:1"], kind="resource", env=["A=b"]))
    assert b"".join(message.stdout for message in messages) == b"['127.0.0.1:1']\n"
    assert b"".join(message.stderr for message in messages) == b"oops\n"
    assert messages[-1].exitcode == 4


def test_a_policy_pack_is_started_through_the_sdk(host: Host) -> None:
    program = "import sys; print(sys.argv[1:], 'pulumi.runtime' in sys.modules)"
    messages = list(host.run_plugin(program, args=["127.0.0.1:1"], kind="analyzer"))
    assert messages[-1].exitcode == 0
    expected = f"['127.0.0.1:1', '{host.program}'] True\n"
    assert b"".join(message.stdout for message in messages).decode() == expected


def test_an_ended_call_ends_the_plugin_and_what_it_started(host: Host) -> None:
    call = host.run_plugin(WRITES_ITS_PID_AND_WAITS, kind="resource")
    pids = host.pids()
    call.cancel()
    _wait_until(lambda: not any(map(_alive, pids)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_host_and_program_without_a_word(host: Host, number: signal.Signals) -> None:
    call = host.run(WRITES_ITS_PID_AND_WAITS)
    pids = [*host.pids(), host.pid]
    os.killpg(host.pid, number)
    _wait_until(lambda: not any(map(_alive, pids)))
    assert host.stderr() == ""
    call.cancel()


@pytest.mark.parametrize("killed", ["engine", "host"])
def test_nothing_outlives_a_killed_engine_or_host(host: Host, killed: str) -> None:
    call = host.run(WRITES_ITS_PID_AND_WAITS)
    pids = [*host.pids(), host.pid]
    os.kill(host.engine.pid if killed == "engine" else host.pid, signal.SIGKILL)
    _wait_until(lambda: not any(map(_alive, pids)))
    assert host.stderr() == ""
    call.cancel()


def test_without_the_sdk_it_says_where_it_looked(host: Host) -> None:
    env = {**os.environ, "TRAINING_VENV": "/not/there"}
    answer = subprocess.run([host.script, "127.0.0.1:1"], env=env, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "/not/there" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_the_environment_of_a_folder_above_is_found(host: Host, tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(VENV)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    env = {name: value for name, value in os.environ.items() if name != "TRAINING_VENV"}
    env["PATH"] = "/usr/bin:/bin"
    process = subprocess.Popen([host.script, "x"], cwd=below, env=env, stdout=subprocess.PIPE)
    assert process.stdout
    assert int(process.stdout.readline()) > 0
    process.terminate()
    assert process.wait(timeout=10) == 0


def _alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not yet waited for does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def _wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.05)
