"""What the program does around its declarations, in a process of its own: it changes what all others would share."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pulumi
import pytest

from infra import program
from trainingjobs.core.documents import DocumentError
from trainingjobs.spec.stack import Stack

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import asyncio, gc, json, pulumi
from pulumi.runtime.settings import _get_rpc_manager
from infra import program

found = {}

def declared():
    found["collects"] = gc.isenabled()
    # Without an engine the SDK's own would raise.
    found["debug"] = pulumi.log.debug("heard by nobody", None, stream_id=1)
    found["begun before"] = len(_get_rpc_manager().rpcs)

async def run():
    program.main = declared
    program.run()
    found["begun"] = len(_get_rpc_manager().rpcs)

asyncio.run(run())
print(json.dumps(found))
"""


def test_what_a_program_spares_and_begins() -> None:
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"collects": False, "debug": None, "begun before": 0, "begun": 1}


def test_a_release_that_cannot_be_read_is_a_finding_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_: Stack) -> None:
        raise DocumentError("cannot be read", "fix it", "policies/config/dev.json")

    monkeypatch.setattr(program, "stack_release", unreadable)
    with pytest.raises(pulumi.RunError, match="policies/config/dev.json"):
        program._release(Stack.model_validate({"project": "acme-ml-dev", "region": "us-central1"}))
