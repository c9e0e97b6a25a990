"""Each way in which Pulumi's SDK is bent is still needed: a test here that fails says that one can go."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Two hundred resources in a process of their own, as the SDK has them without us.
PROGRAM = """
import asyncio, gc, json, sys
import pulumi
from pulumi.runtime import mocks, stack
from pulumi.runtime.settings import _get_rpc_manager

class Cloud(mocks.Mocks):
    def new_resource(self, args):
        return args.name, args.inputs

    def call(self, args):
        return {}

calls, first_look = [], []
pulumi.log.debug = lambda *words, **more: calls.append(words)
wait = stack.wait_for_rpcs

async def waiting(*words, **more):
    first_look.append(len(_get_rpc_manager().rpcs))
    return await wait(*words, **more)

stack.wait_for_rpcs = waiting

def declare():
    for number in range(200):
        pulumi.CustomResource("gcp:storage/bucket:Bucket", f"b{number}", {"name": f"b{number}"})

asyncio.set_event_loop(asyncio.new_event_loop())
mocks.set_mocks(Cloud(), preview=False)
before = [each["collections"] for each in gc.get_stats()]
asyncio.get_event_loop().run_until_complete(stack.run_pulumi_func(declare))
after = gc.get_stats()
print(json.dumps({
    "collections": sum(each["collections"] for each in after) - sum(before),
    "collected": after[2]["collected"],
    "debug calls": len(calls),
    "registrations at the first look": first_look[0],
}))
"""


@pytest.fixture(scope="module")
def without_us() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_garbage_collector_runs_again_and_again_and_finds_next_to_nothing(without_us: dict[str, Any]) -> None:
    assert without_us["collections"] > 20


def test_the_sdk_tells_of_each_step_of_each_resource(without_us: dict[str, Any]) -> None:
    assert without_us["debug calls"] >= 200


def test_the_sdk_looks_for_registrations_before_those_of_the_program_have_begun(without_us: dict[str, Any]) -> None:
    # Those of the stack itself.
    assert without_us["registrations at the first look"] < 10


def test_the_messages_alone_would_bring_all_of_the_sdk() -> None:
    loaded = {}
    for name in ("pulumi.runtime.proto", "trainingjobs.engine.sdk"):
        code = f"import sys, {name}; print(sum(each.startswith('pulumi') for each in sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        loaded[name] = int(done.stdout)
    assert loaded["trainingjobs.engine.sdk"] * 3 < loaded["pulumi.runtime.proto"]
