"""Lines for the user: in one run each is said once, in whatever phase, and status lines always."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.provider.plugin_process import Engine
from trainingjobs.engine.shown_findings import VARIABLE
from trainingjobs.provider.engine_log import EngineLog


def phase(engine: Engine) -> EngineLog:
    """A plugin process of its own, as preview and update have."""
    log = EngineLog()
    log.connect(engine.address)
    return log


def messages(engine: Engine) -> list[tuple[str, str]]:
    return [(line.message, line.urn) for line in engine.lines]


def test_a_warning_is_said_once_in_a_run(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "told.json"))
    for _ in range(2):
        phase(engine)("warning", "it failed", "one", False)
        phase(engine)("warning", "it failed", "other", False)
        phase(engine)("info", "waiting", "one", True)
    assert messages(engine) == [("it failed", "one"), ("it failed", "other"), ("waiting", "one"), ("waiting", "one")]


def test_without_a_run_of_ours_each_phase_says_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for _ in range(2):
        phase(engine)("warning", "it failed", "one", False)
    assert messages(engine) == [("it failed", "one")] * 2


def test_what_no_engine_hears_is_not_said(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "told.json"))
    EngineLog()("warning", "it failed", "one", False)
    phase(engine)("warning", "it failed", "one", False)
    assert messages(engine) == [("it failed", "one")]
