"""`python3 -m dev.control_plane`: what is built of which sources, and what is left behind.

`go` is a stand-in on PATH: its side of the conversation is wanted, not the minutes of a build.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dev.control_plane.parts import HERE, PARTS, PROVIDER, part
from dev.engine.pins import Change, Group, Module
from dev.engine.workspace import WorkspaceFault, prepare

ROOT = Path(__file__).parents[2]
MODULE = "example.com/operator"

FAKE_GO = """#!{python}
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
pins = json.loads(pathlib.Path({pins!r}).read_text())
sums = {{path: pin["sum"] for entry in pins.values() for path, pin in entry["modules"].items()}}
if sys.argv[1] == "env":
    print("go1.26.0")
elif sys.argv[1:3] == ["mod", "download"]:
    for pin in sys.argv[4:]:
        path = pin.partition("@")[0]
        found = sums[path] + (here / "tampered").exists() * "x"
        print(json.dumps({{"Path": path, "Sum": found, "Dir": str(here / "module")}}))
elif sys.argv[1] == "build":
    time.sleep(float((here / "seconds").read_text()))
    output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
    output.write_text(os.environ["GOFLAGS"] + " " + os.environ.get("GONOSUMDB", ""))
"""


class Machine:
    """A PATH and a cache of its own, on which the command is run."""

    def __init__(self, folder: Path) -> None:
        self.path, self.cache = folder / "path", folder / "cache"
        resources = self.path / "module" / "cmd" / "pulumi-resource-kubernetes"
        resources.mkdir(parents=True)
        for name in ("schema.json", "terraform-mapping.json"):
            (resources / name).write_text("{}")
        (self.path / "seconds").write_text("0")
        self.env = {"PATH": str(self.path), "TRAINING_CACHE": str(self.cache), "HOME": str(folder)}

    def add_go(self) -> None:
        (self.path / "go").write_text(FAKE_GO.format(python=sys.executable, pins=str(HERE / "pins.json")))
        (self.path / "go").chmod(0o755)

    def start(self, verb: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "dev.control_plane", verb]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=ROOT, env=self.env, text=True, **pipes)

    def run(self, verb: str) -> tuple[int, str, str]:
        process = self.start(verb)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def built(self) -> list[str]:
        return [path.name for path in self.cache.glob("*") if path.is_dir()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_provider_is_built_once_and_its_folder_alone_is_printed(machine: Machine) -> None:
    machine.add_go()
    status, output, errors = machine.run("provider")
    assert status == 0, errors
    program = Path(output.strip()) / "pulumi-resource-kubernetes"
    # Absent from the public checksum database: the pinned checksum guards it.
    assert program.read_text() == "-mod=mod github.com/pulumi/*"
    assert machine.run("provider") == (0, output, "")
    assert machine.built() == [f"{PROVIDER}-{part(PROVIDER).key}"]


def test_a_module_with_another_checksum_is_not_built(machine: Machine) -> None:
    machine.add_go()
    (machine.path / "tampered").touch()
    status, output, errors = machine.run("provider")
    assert (status, output) == (1, "")
    assert "checksum" in errors
    assert machine.built() == []


def test_an_interrupted_build_leaves_nothing_half(machine: Machine) -> None:
    machine.add_go()
    (machine.path / "seconds").write_text("60")
    process = machine.start("provider")
    deadline = time.monotonic() + 30
    while not list(machine.cache.glob("*.tmp*/work/changed-0")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert machine.built() == []


def test_without_go_it_says_what_to_install(machine: Machine) -> None:
    status, output, errors = machine.run("build")
    assert (status, output) == (1, "")
    assert "Go" in errors
    assert "go.dev" in errors


def group(*, staging_of: str = "", changes: tuple[Change, ...] = ()) -> Group:
    return Group(
        name="part", version="1", go="1.24.0", minutes=1, modules=(Module(path=MODULE, version="v1.34.3", sum=""),),
        programs=(), module_files=(), own_files=(), own_programs=(), staging_of=staging_of, changes=changes, key="k",
    )  # fmt: skip


def unpacked(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "module"
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    for path in (*folder.iterdir(), folder):  # as in Go's module cache
        path.chmod(0o555)
    (tmp_path / "work").mkdir()
    return folder


def test_modules_replaced_by_a_path_are_taken_from_their_own_zips(tmp_path: Path) -> None:
    own = "module k\n\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\tother => other v2\n)\n"
    prepare(group(staging_of=MODULE), {MODULE: unpacked(tmp_path, go_mod=own)}, tmp_path / "work")
    lines = (tmp_path / "work" / "go.mod").read_text().splitlines()
    assert [line for line in lines if line.startswith("replace")] == ["replace k8s.io/api => k8s.io/api v0.34.3"]


def test_changes_are_made_to_a_copy(tmp_path: Path) -> None:
    replaced = Change(module=MODULE, file="main.go", copy="", replace=(("0.0.0.0", "127.0.0.1"),))
    copied = Change(module=MODULE, file="embedded.json", copy="schema.json", replace=())
    source = unpacked(tmp_path, main_go="listen 0.0.0.0", schema_json="{}")
    prepare(group(changes=(replaced, copied)), {MODULE: source}, tmp_path / "work")
    copy = tmp_path / "work" / "changed-0"
    assert (copy / "main.go").read_text() == "listen 127.0.0.1"
    assert (copy / "embedded.json").read_text() == "{}"
    assert (source / "main.go").read_text() == "listen 0.0.0.0"
    assert f"replace {MODULE} => ./changed-0" in (tmp_path / "work" / "go.mod").read_text()


@pytest.mark.parametrize("text", ["listen nowhere", "0.0.0.0 and 0.0.0.0"])
def test_a_change_that_does_not_fit_is_refused(tmp_path: Path, text: str) -> None:
    change = Change(module=MODULE, file="main.go", copy="", replace=(("0.0.0.0", "127.0.0.1"),))
    with pytest.raises(WorkspaceFault, match=r"main\.go"):
        prepare(group(changes=(change,)), {MODULE: unpacked(tmp_path, main_go=text)}, tmp_path / "work")


def test_pins_are_exact_and_the_sdk_matches_its_provider() -> None:
    entries = json.loads((HERE / "pins.json").read_text())
    assert entries.keys() == set(PARTS)
    for name in PARTS:
        assert all(module.sum.startswith("h1:") and module.version.startswith("v") for module in part(name).modules)
    assert f"pulumi-kubernetes=={part(PROVIDER).version}" in (ROOT / "requirements.in").read_text().splitlines()
