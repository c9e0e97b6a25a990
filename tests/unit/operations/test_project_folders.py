"""What a run of the make targets stands on: the state folder that is still there, plugins, the stack's file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sandbox.environment import install_plugin
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.project_folders import sandbox_project, secrets_of, write_project
from trainingjobs.operations.sandbox import in_place
from trainingjobs.project.sandbox_folder import SERVER_LOCK


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / SERVER_LOCK).touch()
    return folder


def test_a_state_folder_that_is_removed_meanwhile_is_the_reason_that_is_given(state: Path) -> None:
    def fail() -> None:
        shutil.rmtree(state)
        (state / "project").stat()

    with pytest.raises(StackError, match=str(state)), in_place(state):
        fail()


def test_a_run_that_ends_without_its_state_folder_has_failed(state: Path) -> None:
    def replace() -> None:
        shutil.rmtree(state)
        state.mkdir()
        (state / SERVER_LOCK).touch()

    with pytest.raises(StackError, match=str(state)), in_place(state):
        replace()


def test_another_failure_stays_what_it_is(state: Path) -> None:
    with pytest.raises(PermissionError), in_place(state):
        raise PermissionError


def test_a_plugin_is_put_where_the_engine_looks_and_put_anew_where_the_project_has_moved(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for place in ("here", "there"):
        program = tmp_path / place / "pulumi-resource-gcp"
        program.parent.mkdir()
        program.touch()
        install_plugin(home, "gcp", "10.2.0", program)
        installed = tmp_path / "home" / "plugins" / "resource-gcp-v10.2.0" / program.name
        assert installed.resolve() == program
        assert [entry.name for entry in installed.parent.iterdir()] == [program.name]


def test_the_lines_that_secrets_need_are_kept_of_a_broken_file(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path / "project", "dev", "config: [}\nencryptionsalt: v1:salt\nsecretsprovider: gcpkms://k"
    )
    assert secrets_of(folder / "Pulumi.dev.yaml") == ["encryptionsalt: v1:salt\n", "secretsprovider: gcpkms://k\n"]
    assert secrets_of(folder / "Pulumi.prod.yaml") == []


@pytest.mark.parametrize(("environment", "kept"), [("sandbox", ["encryptionsalt: v1:own\n"]), ("prod", [])])
def test_what_ties_a_stack_to_its_own_back_end_stays_out_of_the_sandbox(
    environment: str, kept: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_project(tmp_path / "tree", "mine", "config: {}\nencryptionsalt: v1:own\n"))
    folder = sandbox_project("mine", tmp_path / "state", environment)
    assert secrets_of(folder / "Pulumi.mine.yaml") == kept
