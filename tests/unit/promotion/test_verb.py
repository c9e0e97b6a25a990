"""What `promote` says: a step that is none before anything else, and one back end's fault once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainingjobs.cli.main import main
from trainingjobs.operations.promotion import promote

FAULT = "pulumi stack ls: error: no such bucket"


def standing(name: str, **more: Any) -> dict[str, Any]:
    return {"stack": name, "configured": "r-1", "promoted": None, "running": None, "updated": None, **more}


@pytest.mark.parametrize(("source", "target"), [("sandbox", "dev"), ("prod", "sandbox"), ("sandbox", "sandbox")])
def test_a_stack_without_a_place_in_the_order_is_refused_and_nothing_is_shown(
    capsys: pytest.CaptureFixture[str], source: str, target: str
) -> None:
    assert main(["promote", source, target, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [refusal["rule"] for refusal in answer["refusals"]] == ["promotion-order"]
    assert answer["refusals"][0]["message"].startswith("sandbox")
    assert (answer["release"], answer["changes"]) == (None, [])


def test_a_back_ends_fault_is_reported_once_with_the_stacks_that_it_meets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    standings = [
        standing("dev", problem=FAULT),
        standing("staging", problem="another"),
        standing("prod", problem=FAULT),
    ]
    monkeypatch.setattr(promote, "standing", lambda rules: standings)
    assert main(["promote", "--list"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if FAULT in line] == [f"dev, prod: {FAULT}"]
    assert [line for line in lines if "another" in line] == ["staging: another"]
