"""`drift` and `promote` find the sandbox by themselves, as `status` and `logs` do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

from tests.engine.clone import Clone, until
from tests.engine.crashes import job, up


def infra(clone: Clone, *words: str, **changes: str) -> tuple[int, dict[str, Any]]:
    """Returns the exit status and the JSON of `trainingjobs …` in a shell that has none of the exports."""
    own = {key: value for key, value in clone.environment.items() if not key.startswith(("PULUMI_", "TRAINING_VERTEX"))}
    done = subprocess.run(
        [sys.executable, "-m", "trainingjobs", *words, "--json"],
        cwd=clone.root,
        env={**own, **changes},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    return done.returncode, json.loads(done.stdout)


def test_a_stack_in_the_sandbox_is_compared_and_listed(clone: Clone) -> None:
    clone.stack = "dev"
    clone.declare({"bert": job()})
    up(clone)
    # Another back end of the shell's, as somebody has who works with a real project too.
    for other in ({}, {"PULUMI_BACKEND_URL": "file:///nowhere"}):
        status, answer = infra(clone, "drift", "dev", **other)
        assert (status, answer["ok"]) == (0, True), answer
    status, answer = infra(clone, "promote", "--list")
    assert status == 0, answer
    assert [bool(stack["running"]) for stack in answer["stacks"] if stack["stack"] == "dev"] == [True]


def test_a_sandbox_that_was_killed_is_said_at_once(clone: Clone) -> None:
    clone.stack = "dev"
    clone.declare({"bert": job()})
    os.kill(clone.server(), signal.SIGKILL)
    until(lambda: "not running" in status_of(clone))
    for words in (("drift", "dev"), ("promote", "--list")):
        status, answer = infra(clone, *words)
        assert status != 0
        assert "python -m sandbox start" in json.dumps(answer)


def status_of(clone: Clone) -> str:
    words = [sys.executable, "-m", "sandbox", "status"]
    return subprocess.run(
        words, cwd=clone.root, env=clone.environment, capture_output=True, text=True, check=False
    ).stdout
