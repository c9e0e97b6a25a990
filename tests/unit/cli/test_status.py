"""`status` of a stack that cannot be read: what the other verbs say of one."""

from __future__ import annotations

import json

import pytest

from infra.cli.main import main


def test_a_stack_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for words in (["status", "nope"], ["cost", "--stack=nope"], ["validate", "--stack=nope"]):
        assert main([*words, "--json"]) == 2
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1] == said[2]
    assert [(one["rule"], one["severity"]) for one in said[0]["findings"]] == [("syntax", "error")]
