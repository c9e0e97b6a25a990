"""The control plane's processes after their folder was removed: ended by their ids, and nobody else with them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from sandbox.kubernetes.processes import end_orphans, living, start_process
from tests.sandbox.vertex_sandbox import until


def is_alive(pid: int) -> bool:
    # A child of the test's: asked once, it is reaped.
    return os.waitpid(pid, os.WNOHANG) == (0, 0)


def test_orphans_are_ended_and_a_stranger_with_the_id_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "bed"
    folder.mkdir()
    orphan = start_process(folder, "etcd", ["sleep", "600"], {"HOME": str(folder), "PATH": os.defpath})
    stranger = subprocess.Popen(["sleep", "600"], env={"HOME": "/somewhere", "PATH": os.defpath})
    try:
        assert living(folder) == [orphan]
        shutil.rmtree(folder)
        assert living(folder) == []
        end_orphans([orphan, stranger.pid], folder)
        until(lambda: not is_alive(orphan))
        assert stranger.poll() is None
    finally:
        stranger.send_signal(signal.SIGKILL)
        stranger.wait()
