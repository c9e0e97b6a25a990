"""The file of a state that is broken or gone, and what is reported of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.state_folder import ROOT
from trainingjobs.operations.state_file import (
    broken_state_fix,
    discard_commands,
    missing_state_fix,
    sandbox_backend,
    state_file,
)


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    """A sandbox with one resource, and a back end without a stack."""
    (tmp_path / "pulumi" / ".pulumi" / "stacks" / "training").mkdir(parents=True)
    bucket = tmp_path / "gcp" / "resources" / "storage.Bucket" / "b.json"
    bucket.parent.mkdir(parents=True)
    bucket.write_text("{}")
    return tmp_path


def written(sandbox: Path, name: str, text: str = "{}") -> Path:
    path = sandbox / "pulumi" / ".pulumi" / "stacks" / "training" / name
    path.write_text(text)
    return path


def test_a_stacks_file_is_its_own_and_no_copy_of_it(sandbox: Path) -> None:
    backend = sandbox_backend(sandbox)
    for name in ("dev.json.bak", "dev.json.attrs", "dev-2.json"):
        written(sandbox, name)
    assert state_file(backend, "dev") is None
    assert state_file(backend, "dev-2") == written(sandbox, "dev-2.json")
    assert state_file("gs://bucket", "dev") is None


@pytest.mark.parametrize("text", ["", '{"checkpoint": {"la'])
def test_a_broken_file_is_named_with_what_repairs_it(sandbox: Path, text: str) -> None:
    backend, path = sandbox_backend(sandbox), written(sandbox, "dev.json", text)
    assert str(path) in broken_state_fix(backend, "dev", None)
    assert "dev.json.bak" not in broken_state_fix(backend, "dev", None)
    written(sandbox, "dev.json.bak")
    assert "dev.json.bak" in broken_state_fix(backend, "dev", None)
    assert discard_commands(sandbox) not in broken_state_fix(backend, "dev", None)
    assert discard_commands(sandbox) in broken_state_fix(backend, "dev", sandbox)


def test_of_a_whole_file_and_of_another_back_end_nothing_is_reported(sandbox: Path) -> None:
    written(sandbox, "dev.json")
    assert broken_state_fix(sandbox_backend(sandbox), "dev", sandbox) == ""
    assert broken_state_fix("https://api.example", "dev", None) == ""


def test_resources_without_any_state_are_lost(sandbox: Path) -> None:
    assert discard_commands(sandbox) in missing_state_fix(sandbox)
    written(sandbox, "another.json")
    assert missing_state_fix(sandbox) == ""
    assert missing_state_fix(sandbox / "never-started") == ""


def test_the_projects_own_sandbox_is_forgotten_by_make_clean(tmp_path: Path) -> None:
    assert "make clean" in discard_commands(ROOT / ".sandbox")
    assert "make clean" not in discard_commands(tmp_path)
