"""What `make up` and `make down` say, and what a stack without its file comes to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.clone import Clone
from tests.engine.lab import job

ADVICE = {"scheduling": {"strategy": "SPOT"}}


@pytest.fixture
def clone(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Clone]:
    made = Clone(tmp_path, previews=getattr(request, "param", False))
    yield made
    made.sandbox("stop")


@pytest.mark.parametrize("clone", [True], indirect=True, ids=["previews"])
def test_each_thing_is_said_once_and_nothing_of_a_console_that_is_not_there(clone: Clone) -> None:
    clone.write({"bert": job(waitFor="succeeded", **ADVICE)})
    for _ in range(2):
        done = clone.make("up")
        assert done.returncode == 0, done.stdout
        assert done.stdout.count("failure-plan") == 1
        assert "$PATH" not in done.stdout
        assert "console.cloud.google.com" not in done.stdout
        assert (clone.state / "logs" / clone.known()[0].rpartition("/")[2]).as_uri() in done.stdout
    assert clone.make("down").returncode == 0


@pytest.mark.parametrize("fault", ["broken", "gone"])
def test_what_the_state_holds_is_destroyed_without_the_stacks_file(clone: Clone, fault: str) -> None:
    clone.write({"bert": job("import time; time.sleep(600)")})
    assert clone.make("up").returncode == 0
    assert len(clone.live()) == 1
    if fault == "broken":
        clone.file().write_text("config: [}\n")
    else:
        clone.file().unlink()
    refused = clone.make("up")
    assert refused.returncode == 1
    assert len(clone.live()) == 1
    done = clone.make("down")
    assert done.returncode == 0, done.stdout
    assert clone.file().name in done.stdout
    assert clone.deployment().get("resources", []) == []
    assert list((clone.state / "gcs").iterdir()) == []
    assert clone.sandbox("stop").strip() == "not running"


def test_a_stack_that_was_never_brought_up_has_nothing_to_destroy(clone: Clone) -> None:
    clone.write({"bert": job()})
    for _ in range(2):
        done = clone.make("down")
        assert (done.returncode, "nothing to destroy" in done.stdout) == (0, True), done.stdout
        assert not clone.state.exists()
        clone.file().unlink(missing_ok=True)


def test_a_stack_that_is_down_has_nothing_to_destroy(clone: Clone) -> None:
    clone.write({})
    for verb in ("up", "down", "down"):
        done = clone.make(verb)
        assert done.returncode == 0, done.stdout
    assert "nothing to destroy" in done.stdout
    assert clone.sandbox("stop").strip() == "not running"
