"""The environment that judges a resource: the stricter of its own and the stack's; and what is wrong with a word."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.policies.pack import UNKNOWN, analyzed, analyzed_stack, configured, notes
from tests.policies.test_stack_gate import BUCKET, PROTECT, TWO, read

WRONG = [
    ("production", "prod"),
    ("PROD", "prod"),
    ("Dev", "dev"),
    ("stage", "staging"),
    ("", ""),
    (7, ""),
    (["prod"], ""),
]


@pytest.mark.parametrize(("word", "nearest"), WRONG)
def test_an_environment_that_is_none_is_an_error_and_judged_as_prod(word: Any, nearest: str) -> None:
    _, _, jobs = read(TWO)
    violations = analyzed(configured(), {**jobs["bert"], "environment": word})
    [message] = [text for policy, level, text in violations if (policy, level) == ("schema", "mandatory")]
    assert message.startswith("environment: ")
    assert all(allowed in message for allowed in ("sandbox", "dev", "staging", "prod"))
    assert not nearest or f"{nearest}?" in message
    tagged = copy.deepcopy({**jobs["bert"], "environment": word})
    tagged["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["imageUri"] = "docker.io/acme/train:latest"
    assert ("image-pinned", "mandatory") in {(policy, level) for policy, level, _ in analyzed(configured(), tagged)}


@pytest.mark.parametrize("word", ["production", "PROD", ""])
def test_a_stack_whose_environment_is_none_is_stopped_and_judged_as_prod(word: str) -> None:
    pack = configured()
    config = {"training:environment": word}
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(stack="dev", project="training", config=config), None)
    [(policy, level, message)] = notes(pack)
    assert (policy, level) == ("schema", "mandatory")
    assert message.startswith("training:environment: ")
    assert [(policy, level) for policy, level, _ in analyzed(pack, {}, BUCKET)] == [(PROTECT, "mandatory")]


def test_an_environment_that_is_not_known_yet_is_advice() -> None:
    _, _, jobs = read(TWO)
    violations = analyzed(configured(environment="dev"), {**jobs["bert"], "environment": UNKNOWN})
    assert [(policy, level) for policy, level, _ in violations] == [("schema", "advisory")]


def test_an_environment_that_nobody_says_is_told_once_at_the_stack() -> None:
    _, _, jobs = read(TWO)
    silent = {name: {**inputs, "environment": None, "limits": None} for name, inputs in jobs.items()}
    [(policy, level, message)] = analyzed_stack(configured(), silent)
    assert (policy, level) == ("schema", "advisory")
    assert message.startswith("training:environment: ")
    assert analyzed_stack(configured(environment="dev"), silent) == []
