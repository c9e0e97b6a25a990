"""`status` of a stack that cannot be read: what the other verbs say of one."""

from __future__ import annotations

import json

import pytest

from trainingjobs.cli.main import main


def test_a_stack_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for words in (["status", "nope"], ["cost", "--stack=nope"], ["validate", "--stack=nope"]):
        assert main([*words, "--json"]) == 2
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1] == outputs[2]
    assert [(finding["rule"], finding["severity"]) for finding in outputs[0]["findings"]] == [("syntax", "error")]
