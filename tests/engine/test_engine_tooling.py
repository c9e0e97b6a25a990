"""`python3 -m dev.engine`: what is found, what is built, what is left behind.

`go` and `pulumi` are stand-ins on PATH: their side of the conversation is wanted, not the minutes of a build.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINS = json.loads((ROOT / "dev/engine/pins.json").read_text())["engine"]
SYSTEM_TOOLS = ("sh", "dirname", "sleep", "cat", "mkdir", "cp")

FAKE_GO = """#!{python}
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
with (here / "go.calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
pins = json.loads((here / "pins.json").read_text())
if sys.argv[1] == "env":
    print((here / "go.version").read_text())
elif sys.argv[1:3] == ["mod", "download"]:
    for path, pin in pins["modules"].items():
        print(json.dumps({{"Path": path, "Sum": pin["sum"], "Dir": str(here / "module")}}, indent=1))
elif sys.argv[1] == "build":
    time.sleep(float((here / "go.seconds").read_text()))
    if (here / "go.fails").exists():
        sys.exit("main.go:1: something is undefined")
    output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
    output.write_text("#!/bin/sh\\necho v3.259.0\\n")
    output.chmod(0o755)
"""


class Machine:
    """A PATH and a cache of its own, on which the command is run."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "path"
        self.path.mkdir()
        for tool in SYSTEM_TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool) or "")
        self.cache = folder / "cache"
        self.env = {"PATH": str(self.path), "TRAINING_CACHE": str(self.cache), "HOME": str(folder)}
        self.root = ROOT

    def add_pulumi(self, version: str, *, host: bool = True) -> None:
        self._script("pulumi", f"#!/bin/sh\necho {version}\n")
        if host:
            self._script("pulumi-language-python", "#!/bin/sh\n")

    def add_go(self, version: str = "go1.26.0", *, seconds: float = 0, fails: bool = False) -> None:
        self._script("go", FAKE_GO.format(python=sys.executable))
        (self.path / "go.version").write_text(version)
        (self.path / "go.seconds").write_text(str(seconds))
        (self.path / "pins.json").write_text(json.dumps(PINS))
        if fails:
            (self.path / "go.fails").touch()
        for file in PINS["moduleFiles"]:
            copied = self.path / "module" / file["from"]
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_text("#!/usr/bin/env python\n")

    def _script(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o755)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "dev.engine", *arguments],
            cwd=self.root,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def go_calls(self, verb: str) -> int:
        calls = self.path / "go.calls"
        return sum(line.startswith(verb) for line in calls.read_text().splitlines()) if calls.exists() else 0

    def built(self) -> list[Path]:
        return [path for path in self.cache.glob("*") if path.is_dir()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_pulumi_on_path_that_will_do_is_used(machine: Machine) -> None:
    machine.add_pulumi("v3.300.1")
    status, output, errors = machine.run("--print-bin")
    assert (status, output) == (0, f"{machine.path}\n")
    assert "3.300.1" in errors
    assert str(machine.path / "pulumi") in errors
    assert not machine.built()


@pytest.mark.parametrize("version", ["v3.258.9", "v2.300.0", "v4.0.0", "no version"])
def test_a_pulumi_of_another_version_is_named_and_not_used(machine: Machine, version: str) -> None:
    machine.add_pulumi(version)
    status, output, errors = machine.run("--print-bin")
    assert (status, output) == (1, "")
    assert str(machine.path / "pulumi") in errors
    assert "will not do" in errors


def test_a_pulumi_without_a_python_host_is_not_used(machine: Machine) -> None:
    machine.add_pulumi("v3.259.0", host=False)
    machine.add_go()
    status, output, errors = machine.run("--print-bin")
    assert status == 0
    assert Path(output.strip()).is_relative_to(machine.cache)
    assert "pulumi-language-python" in errors


def test_neither_pulumi_nor_go_is_one_message_with_what_to_install(machine: Machine) -> None:
    status, output, errors = machine.run("--print-bin")
    assert (status, output) == (1, "")
    assert f"Pulumi {PINS['version']}" in errors
    assert f"Go {PINS['go']}" in errors
    assert "Traceback" not in errors


def test_a_go_that_is_too_old_is_named(machine: Machine) -> None:
    machine.add_go("go1.19.2")
    status, _, errors = machine.run()
    assert status == 1
    assert "1.19.2" in errors
    assert PINS["go"] in errors


def test_a_build_holds_the_engine_the_host_and_the_executor(machine: Machine) -> None:
    machine.add_go()
    status, output, errors = machine.run("--print-bin")
    folder = Path(output.strip())
    assert status == 0, errors
    assert folder.parent.parent == machine.cache
    assert folder.parent.name.startswith("engine-")
    assert folder.name == "bin"
    for program in ("pulumi", "pulumi-language-python", "pulumi-language-python-exec"):
        assert os.access(folder / program, os.X_OK), program
    assert (folder / "language_host" / "host.py").exists()
    assert "minutes" in errors
    assert machine.built() == [folder.parent]


def test_the_second_run_builds_nothing_and_needs_no_go(machine: Machine) -> None:
    machine.add_go()
    first = machine.run("--print-bin")[1]
    (machine.path / "go").unlink()
    assert machine.run("--print-bin")[:2] == (0, first)


def test_an_engine_of_the_cache_on_path_does_not_count_as_found(machine: Machine) -> None:
    machine.add_go()
    built = machine.run("--print-bin")[1]
    old = machine.cache / "engine-old" / "bin"
    shutil.copytree(Path(built.strip()), old)
    machine.env["PATH"] = f"{old}{os.pathsep}{machine.env['PATH']}"
    assert machine.run("--print-bin")[1] == built


def test_another_checksum_than_the_pinned_one_is_refused(machine: Machine) -> None:
    machine.add_go()
    other = json.loads(json.dumps(PINS))
    module = "github.com/pulumi/pulumi/pkg/v3"
    other["modules"][module]["sum"] = "h1:other="
    (machine.path / "pins.json").write_text(json.dumps(other))
    status, _, errors = machine.run()
    assert status == 1
    assert module in errors
    assert "h1:other=" in errors
    assert not machine.built()
    assert machine.go_calls("build") == 0


def test_a_build_that_fails_says_what_go_said_and_leaves_nothing(machine: Machine) -> None:
    machine.add_go(fails=True)
    status, _, errors = machine.run()
    assert status == 1
    assert "something is undefined" in errors
    assert "Traceback" not in errors
    assert not machine.built()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing_and_ends_go(machine: Machine, number: signal.Signals) -> None:
    machine.add_go(seconds=60)
    process = machine.start()
    _wait_until(lambda: machine.go_calls("build") == 1)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not machine.built()
    assert not _processes_of(machine)


def test_what_a_killed_build_left_is_no_engine_and_goes_away(machine: Machine) -> None:
    machine.add_go(seconds=1)
    process = machine.start()
    _wait_until(lambda: machine.go_calls("build") == 1)
    process.kill()
    process.communicate()
    status, output, _ = machine.run("--print-bin")
    assert status == 0
    assert machine.built() == [Path(output.strip()).parent]


def test_two_builds_at_once_build_once(machine: Machine) -> None:
    machine.add_go(seconds=0.5)
    both = [machine.start("--print-bin") for _ in range(2)]
    outputs = {process.communicate(timeout=60)[0] for process in both}
    assert len(outputs) == 1
    assert outputs.pop().strip()
    assert machine.go_calls("build") == 1


@pytest.mark.parametrize("changed", ["dev/engine/pins.json", "dev/engine/language_host/service.py"])
def test_the_cache_is_keyed_by_the_pins_and_the_host(machine: Machine, tmp_path: Path, changed: str) -> None:
    machine.add_go()
    first = machine.run("--print-bin")[1]
    machine.root = tmp_path / "copy"
    for folder in ("dev", "trainingjobs"):
        shutil.copytree(ROOT / folder, machine.root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert machine.run("--print-bin")[1] == first
    text = (machine.root / changed).read_text()
    (machine.root / changed).write_text(text.replace("1.25.11", "1.25.12") + "\n")
    second = machine.run("--print-bin")[1]
    assert second.strip()
    assert second != first


def test_the_cache_is_under_the_users_cache_folder_by_default(machine: Machine, tmp_path: Path) -> None:
    machine.add_go()
    del machine.env["TRAINING_CACHE"]
    assert Path(machine.run("--print-bin")[1].strip()).is_relative_to(tmp_path / ".cache" / "training-infra")
    machine.env["XDG_CACHE_HOME"] = str(tmp_path / "xdg")
    assert Path(machine.run("--print-bin")[1].strip()).is_relative_to(tmp_path / "xdg" / "training-infra")


@pytest.mark.parametrize("place", ["a file", "under a file", "nowhere"])
def test_a_cache_that_cannot_be_written_is_one_message(machine: Machine, tmp_path: Path, place: str) -> None:
    machine.add_go()
    (tmp_path / "file").touch()
    places = {"a file": tmp_path / "file", "under a file": tmp_path / "file" / "cache", "nowhere": Path("/proc/cache")}
    machine.env["TRAINING_CACHE"] = str(places[place])
    status, output, errors = machine.run("--print-bin")
    assert (status, output) == (1, "")
    assert str(places[place]) in errors
    assert "TRAINING_CACHE" in errors
    assert "Traceback" not in errors


def test_a_cache_that_fills_up_in_the_middle_is_one_message(machine: Machine) -> None:
    machine.add_go()
    # What the last step copies cannot be written: as on a full disk, but for everyone alike.
    source = machine.path / "module" / PINS["moduleFiles"][0]["from"]
    source.unlink()
    source.mkdir()
    status, _, errors = machine.run()
    assert status == 1
    assert str(machine.cache) in errors
    assert "Traceback" not in errors
    assert not machine.built()


def test_an_older_python_is_refused_in_one_line(machine: Machine) -> None:
    pretend = "import runpy, sys; sys.version_info = (3, 10, 9); runpy.run_module('dev.engine', run_name='__main__')"
    answer = subprocess.run(
        [sys.executable, "-c", pretend], cwd=ROOT, env=machine.env, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("Python 3.11 or newer")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("file", ["__init__.py", "__main__.py"])
def test_an_older_python_can_read_far_enough_to_refuse(file: str) -> None:
    ast.parse((ROOT / "dev/engine" / file).read_text(), feature_version=(3, 7))


def _wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.02)


def _processes_of(machine: Machine) -> list[str]:
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listing.splitlines() if str(machine.path / "go") in line]
