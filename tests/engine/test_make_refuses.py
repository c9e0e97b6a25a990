"""What `make up` and `make down` do not do: names, states and protection that they refuse, and what they say then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.clone import Clone, until
from tests.engine.crashes import assert_settled, job

LABELLED = {"labels": {"team": "nlp", "cost-center": "research"}}
NAMES = ["training-images", "training-output", "training-staging"]


def tool(clone: Clone, *words: str) -> subprocess.CompletedProcess[str]:
    return clone.finished(clone.start(sys.executable, "-m", "trainingjobs", *words))


def test_down_touches_nothing_of_a_stack_that_is_protected_until_it_is_lifted(clone: Clone) -> None:
    clone.write({"bert": job(**LABELLED)}, "prod")
    assert clone.make("up").returncode == 0
    before, [running] = clone.deployment(), clone.live()
    refused = clone.make("down")
    assert refused.returncode == 1
    assert f"training:unprotect: [{', '.join(NAMES)}]" in refused.stdout
    # In a sandbox nothing is real, and the way out of it is said.
    assert "python -m sandbox stop" in refused.stdout
    assert (clone.live(), clone.deployment()) == ([running], before)
    clone.write({"bert": job(**LABELLED)}, "prod", unprotect=NAMES)
    assert_settled(clone, clone.make("up"))
    assert clone.known() == [running]
    down = clone.make("down")
    assert down.returncode == 0, down.stdout
    assert "stack rm" not in down.stdout
    assert clone.deployment().get("resources") is None


def test_a_job_that_failed_is_reported_by_the_first_run_that_can_know_also_quietly(clone: Clone) -> None:
    clone.write({"bert": job("raise SystemExit('out of luck')", **LABELLED)})
    assert tool(clone, "up", clone.stack, "--yes").returncode == 0
    until(lambda: not clone.live())
    done = tool(clone, "up", clone.stack, "--yes", "--quiet")
    assert done.returncode == 0
    [line] = [line for line in done.stdout.splitlines() if "FAILED" in line]
    assert "out of luck" in line
    assert f"trainingjobs status {clone.stack}" in line


def test_a_misspelled_stack_is_not_taken_for_one_without_a_file(clone: Clone) -> None:
    clone.write({})
    done = tool(clone, "down", f"{clone.stack}s", "--yes")
    assert done.returncode == 1
    assert f"did you mean {clone.stack}?" in done.stdout


@pytest.mark.parametrize("name", ["", "my stack", "../prod"])
@pytest.mark.parametrize("verb", ["up", "down"])
def test_a_name_that_no_stack_can_have_is_answered_with_those_that_there_are(
    clone: Clone, verb: str, name: str
) -> None:
    clone.write({})
    done = tool(clone, verb, name)
    assert done.returncode == 1
    assert clone.stack in done.stdout
    assert "usage" not in done.stdout


def test_a_broken_state_is_named_with_what_mends_it(clone: Clone) -> None:
    clone.write({})
    assert clone.make("up").returncode == 0
    whole = clone.checkpoint().read_text()
    clone.checkpoint().write_text(whole[: len(whole) // 2])
    try:
        for verb in ("up", "down"):
            done = clone.make(verb)
            assert done.returncode == 1
            assert str(clone.checkpoint()) in done.stdout
            assert f"{clone.checkpoint().name}.bak" in done.stdout
        preview = tool(clone, "preview", clone.stack)
        assert preview.returncode != 0
        assert "would be replaced or deleted is not known" in preview.stdout
    finally:
        clone.checkpoint().write_text(whole)


def test_a_sandbox_without_its_state_says_how_it_is_forgotten(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.write({})
    try:
        assert clone.make("up").returncode == 0
        clone.checkpoint().unlink()
        for verb in ("down", "up"):
            done = clone.make(verb)
            assert done.returncode == 1
            assert f"rm -r {clone.state}" in done.stdout
            assert "409" not in done.stdout
    finally:
        clone.sandbox("stop")
