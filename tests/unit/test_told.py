"""Advice that was told already is not told again; errors always are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from infra import told
from infra.problems import Finding

ADVICE = Finding(rule="reducer-framework", severity="advice", path="training:jobs.a.framework", message="jax; unusual")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(told.VARIABLE, str(tmp_path / "told.json"))
    told._told.cache_clear()
    yield tmp_path / "told.json"
    told._told.cache_clear()


def test_advice_is_told_once_whatever_its_path(file: Path) -> None:
    told.write_told(file, [ADVICE.at("stacks/Pulumi.a.yaml")], [])
    other = replace(ADVICE, message="another")
    assert told.untold([replace(ADVICE, path="document.framework"), other]) == [other]


def test_an_error_is_told_always(file: Path) -> None:
    error = replace(ADVICE, severity="error")
    told.write_told(file, [error], [])
    assert told.untold([error]) == [error]


def test_a_note_is_known_as_the_file_s_and_as_the_pack_s(file: Path) -> None:
    note = f"policies/config/a.json: {ADVICE.rule} {ADVICE.message}"
    told.write_told(file, [], [note])
    assert told.untold_notes([note, "another"]) == ["another"]
    assert told.untold([replace(ADVICE, path="policy configuration")]) == []


@pytest.mark.parametrize("content", [None, "no JSON", '{"a": 1}', "[[1]]"])
def test_a_file_that_cannot_be_read_hides_nothing(file: Path, content: str | None) -> None:
    if content is not None:
        file.write_text(content)
    assert told.untold([ADVICE]) == [ADVICE]


def test_a_message_is_new_once_in_a_run_and_always_without_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [told.is_new(text) for text in ("a", "b", "a")] == [True, True, False]
    monkeypatch.setenv(told.VARIABLE, str(file.parent / "removed" / "told.json"))
    assert told.is_new("a")
    monkeypatch.delenv(told.VARIABLE)
    assert told.is_new("a")
