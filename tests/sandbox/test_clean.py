"""`make clean` of a copy whose sandbox runs: nothing is left, neither files nor processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.sandbox.vertex_sandbox import ROOT, WAITS, Sandbox, job, pool


def test_the_sandbox_is_stopped_before_its_state_is_removed(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for name in ("infra", "trainingjobs", "sandbox", "dev"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", copy)
    other = tmp_path / "other"
    other.mkdir()
    sandbox = Sandbox(other)
    sandbox.root, sandbox.state = copy, copy / ".sandbox"
    del sandbox.environment["TRAINING_SANDBOX"]
    sandbox.start()
    sandbox.wait(sandbox.create(job(pool(WAITS)))["name"], "RUNNING")
    # Another sandbox that the caller works with is none of this copy's.
    environment = {**os.environ, "TRAINING_SANDBOX": str(tmp_path / "mine")}
    words = ["make", "clean", f"PYTHON={sys.executable}"]
    done = subprocess.run(words, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sandbox.processes() == []
    assert not sandbox.state.exists()
