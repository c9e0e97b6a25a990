"""Long-lived processes: known to live by what they hold, whatever a file says; ended by their id."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sandbox.kubernetes.processes import process_id, start_process, stop_process, tail
from tests.kubernetes.cluster import until

SLEEP = ["sleep", "60"]


def test_a_process_lives_until_it_is_stopped(tmp_path: Path) -> None:
    pid = start_process(tmp_path, "etcd", SLEEP, dict(os.environ))
    assert process_id(tmp_path, "etcd") == pid
    assert stop_process(tmp_path, "etcd")
    assert process_id(tmp_path, "etcd") is None
    assert not stop_process(tmp_path, "etcd")


def test_a_process_that_died_is_noticed(tmp_path: Path) -> None:
    pid = start_process(tmp_path, "etcd", SLEEP, dict(os.environ))
    os.kill(pid, signal.SIGKILL)
    until(lambda: process_id(tmp_path, "etcd") is None, "its death is noticed")
    assert not stop_process(tmp_path, "etcd")


def test_an_id_that_is_another_process_by_now_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "etcd.pid").write_text(str(os.getpid()))
    assert process_id(tmp_path, "etcd") is None
    assert not stop_process(tmp_path, "etcd")


def test_a_second_one_is_refused(tmp_path: Path) -> None:
    start_process(tmp_path, "etcd", SLEEP, dict(os.environ))
    with pytest.raises(RuntimeError):
        start_process(tmp_path, "etcd", SLEEP, dict(os.environ))
    stop_process(tmp_path, "etcd")


def test_a_process_that_ignores_the_request_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.kubernetes.processes._STOP_SECONDS", 0.2)
    stubborn = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"]
    start_process(tmp_path, "etcd", stubborn, dict(os.environ))
    until(lambda: "ready" in tail(tmp_path, "etcd"), "it is up")
    assert stop_process(tmp_path, "etcd")
    assert process_id(tmp_path, "etcd") is None
