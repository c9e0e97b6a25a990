"""The audit of dependencies: what is vulnerable fails, what cannot be looked up is said and is no clean result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dev import audit
from dev.audit import Audit, AuditFailedError, audit_all, read_report

CLEAN = Audit(vulnerable=(), audited=1, unknown=())
HIT = Audit(vulnerable=("jinja2 2.4.1: PYSEC-1, fixed in 2.8.1",), audited=3, unknown=("inhouse",))


def report(*packages: dict[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_a_report_is_read() -> None:
    vulnerability = {"id": "PYSEC-1", "fix_versions": ["2.8.1"], "aliases": [], "description": ""}
    result = read_report(
        report(
            {"name": "jinja2", "version": "2.4.1", "vulns": [vulnerability]},
            {"name": "uv", "version": "1", "vulns": []},
            {"name": "inhouse", "skip_reason": "not found"},
        )
    )
    assert (result.audited, result.unknown) == (2, ("inhouse",))
    assert result.vulnerable == ("jinja2 2.4.1: PYSEC-1, fixed in 2.8.1",)


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}"])
def test_no_report_is_a_failure(text: str) -> None:
    with pytest.raises(AuditFailedError):
        read_report(text)


def test_a_vulnerable_package_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_all(lambda path: HIT if path.name == "scan.txt" else CLEAN) == 1
    assert "PYSEC-1" in capsys.readouterr().out


def test_nothing_reached_is_said_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_all(lambda _: None) == 0
    assert "SKIPPED" in capsys.readouterr().out


def test_a_find_before_the_connection_breaks_still_fails() -> None:
    answers = iter([HIT, None])
    assert audit_all(lambda _: next(answers)) == 1


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ('echo "requests.exceptions.ConnectionError: no route" >&2; exit 1', None),
        ("""echo '{"dependencies": [{"name": "a", "skip_reason": "not found"}]}'""", None),
        ("""echo '{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}'""", CLEAN),
    ],
)  # fmt: skip
def test_what_pip_audit_ends_with(
    script: str, result: Audit | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit.sys, "executable", program(tmp_path, script))
    assert audit.audit_list(tmp_path / "list.txt") == result


def test_a_crash_of_pip_audit_is_no_skip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit.sys, "executable", program(tmp_path, "echo 'ImportError: no module' >&2; exit 1"))
    with pytest.raises(AuditFailedError, match="ImportError"):
        audit.audit_list(tmp_path / "list.txt")


def program(folder: Path, script: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)
