"""Advice that was shown already is not shown again; errors always are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from trainingjobs.core.findings import Finding
from trainingjobs.engine import shown_findings

ADVICE = Finding(rule="reducer-framework", severity="advice", path="training:jobs.a.framework", message="jax; unusual")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(shown_findings.VARIABLE, str(tmp_path / "shown.json"))
    shown_findings._shown.cache_clear()
    yield tmp_path / "shown.json"
    shown_findings._shown.cache_clear()


def test_advice_is_reported_once_whatever_its_path(file: Path) -> None:
    shown_findings.write_shown(file, [ADVICE.at("stacks/Pulumi.a.yaml")], [])
    other = replace(ADVICE, message="another")
    assert shown_findings.not_shown([replace(ADVICE, path="document.framework"), other]) == [other]


def test_an_error_is_reported_always(file: Path) -> None:
    error = replace(ADVICE, severity="error")
    shown_findings.write_shown(file, [error], [])
    assert shown_findings.not_shown([error]) == [error]


def test_a_note_is_known_as_the_file_s_and_as_the_pack_s(file: Path) -> None:
    note = f"policies/config/a.json: {ADVICE.rule} {ADVICE.message}"
    shown_findings.write_shown(file, [], [note])
    assert shown_findings.notes_not_shown([note, "another"]) == ["another"]
    assert shown_findings.not_shown([replace(ADVICE, path="policy configuration")]) == []


@pytest.mark.parametrize("content", [None, "no JSON", '{"a": 1}', "[[1]]"])
def test_a_file_that_cannot_be_read_hides_nothing(file: Path, content: str | None) -> None:
    if content is not None:
        file.write_text(content)
    assert shown_findings.not_shown([ADVICE]) == [ADVICE]


def test_a_message_is_new_once_in_a_run_and_always_without_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [shown_findings.is_new(text) for text in ("a", "b", "a")] == [True, True, False]
    monkeypatch.setenv(shown_findings.VARIABLE, str(file.parent / "removed" / "shown.json"))
    assert shown_findings.is_new("a")
    monkeypatch.delenv(shown_findings.VARIABLE)
    assert shown_findings.is_new("a")
