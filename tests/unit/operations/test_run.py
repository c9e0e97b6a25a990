"""What a run of `make up` says of another one that began at the same moment."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.run import _run
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

READ = read_model(Stack, {"project": "acme-ml-dev", "region": "us-central1", "environment": "dev"})


class Second(Engine):
    """An engine that fails, and finds the stack free or locked by the first one when it does."""

    lock: Path | None = None

    def quiet(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 0, '{"deployment": {}}', "")

    def run(self, verb: str, *options: str) -> int:
        if self.lock:
            held = {"pid": os.getpid(), "username": "me", "hostname": socket.gethostname()}
            self.lock.parent.mkdir(parents=True)
            self.lock.write_text(json.dumps({**held, "timestamp": datetime.now(UTC).isoformat()}))
        return 255


@pytest.mark.parametrize("locked", [False, True])
def test_the_run_that_came_second_is_asked_to_wait_for_the_first(tmp_path: Path, locked: bool) -> None:
    engine = Second("dev", {"PULUMI_BACKEND_URL": tmp_path.as_uri()}, tmp_path)
    judged = Judgement("stacks/Pulumi.dev.yaml", stack=READ.value)
    if not locked:
        assert _run("up", engine, judged, yes=True, pack=False) == 255
        return
    engine.lock = tmp_path / ".pulumi/locks/organization/training/dev/one.json"
    with pytest.raises(StackError, match=f"process {os.getpid()} .*wait for its end"):
        _run("up", engine, judged, yes=True, pack=False)
