"""The key of a job: the same for every attempt at it, another for every other job."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.provider import bodies
from tests.provider.plugin_process import ROOT, urn
from trainingjobs.clients.vertex.identity import declaration, job_key, state_mark

STATE = "0f0e0d0c"


def with_document(**more: Any) -> dict[str, Any]:
    return bodies.inputs(**{"document": bodies.document(), **more})


SAME = [
    pytest.param({"usdPerHour": 3.5, "environment": "prod", "retainRecord": True}, id="bookkeeping"),
    pytest.param({"jobSpec": bodies.body(["other"])}, id="what is derived from the document"),
    pytest.param({"labels": {"team": "cv"}, "displayName": "other"}, id="labels and name"),
    pytest.param({"run": 1}, id="the first run said"),
    pytest.param({"document": bodies.document(labels={"a": "b"}, waitFor="running", run=1)}, id="keys not of content"),
]
OTHER = [
    pytest.param({"run": 2}, id="run"),
    pytest.param({"document": bodies.document(framework="jax")}, id="document"),
    pytest.param({"document": bodies.document(run=2)}, id="run in the document"),
    pytest.param({"encryptionSpec": {"kmsKeyName": "k"}}, id="key"),
]


@pytest.mark.parametrize("change", SAME)
def test_the_same_job_has_the_same_key(change: dict[str, Any]) -> None:
    assert job_key(urn(), with_document(**change), STATE) == job_key(urn(), with_document(), STATE)


@pytest.mark.parametrize("change", OTHER)
def test_another_job_has_another_key(change: dict[str, Any]) -> None:
    assert job_key(urn(), with_document(**change), STATE) != job_key(urn(), with_document(), STATE)


def test_another_state_or_resource_has_another_key() -> None:
    keys = {
        job_key(urn(), with_document(), STATE),
        job_key(urn(), with_document(), "another state"),
        job_key(urn(name="other"), with_document(), STATE),
        job_key(urn(stack="other"), with_document(), STATE),
    }
    assert len(keys) == 4


def test_a_declaration_is_known_by_state_stack_and_resource_whatever_the_document_says() -> None:
    mark = declaration(urn(), STATE)
    assert mark.startswith(f"{state_mark(urn(name='other'), STATE)}-")
    assert re.fullmatch(r"[0-9a-f]{16}-[0-9a-f]{16}", mark)
    assert declaration(urn(name="other"), STATE) != mark
    # A state that was copied into another stack.
    others = (state_mark(urn(stack="other"), STATE), state_mark(urn(), "another state"))
    assert state_mark(urn(), STATE) not in others


def test_without_a_document_the_body_is_the_content() -> None:
    given = bodies.inputs()
    assert job_key(urn(), given, STATE) != job_key(urn(), bodies.inputs(["other"]), STATE)


def test_the_key_is_a_label_value_and_does_not_hang_on_the_hash_seed() -> None:
    program = (
        "from trainingjobs.clients.vertex.identity import job_key; from tests.provider import bodies;"
        "print(job_key('u', bodies.inputs(document=bodies.document()), 's'), end='')"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(keys) == 1
    key = keys.pop()
    assert len(key) == 32
    assert set(key) <= set("0123456789abcdef")
