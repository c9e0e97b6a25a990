"""What the recovery knows by itself: whose a lock is, a state without its pending operations, foreseeable ids."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sandbox.gcp.resource_types import KINDS
from trainingjobs.operations import resource_ids as known_ids
from trainingjobs.operations.locks import Lock, backend_folder, is_held, is_here, locks
from trainingjobs.operations.pending_operations import inputs_of, pending_operations, settled


def now(**earlier: float) -> str:
    # As Go writes it, in nanoseconds.
    moment = datetime.now(UTC) - timedelta(**earlier)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.123456789Z"


def lock(process: int, since: str = "") -> Lock:
    return Lock(process, "me", socket.gethostname(), since or now())


def test_a_live_process_holds_its_lock() -> None:
    assert is_held(lock(os.getpid()))


def test_a_dead_process_and_one_that_nobody_waited_for_hold_none() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert not is_held(lock(ended.pid))
    ended.wait()
    assert not is_held(lock(ended.pid))


def test_a_process_that_is_younger_than_the_lock_is_another_one() -> None:
    assert not is_held(lock(os.getpid(), now(hours=1)))


def test_another_machines_lock_is_not_here() -> None:
    assert is_here(lock(1))
    assert not is_here(Lock(1, "me", f"not-{socket.gethostname()}", now()))


def test_locks_are_read_from_a_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    assert backend_folder(f"file://{tmp_path}/a%20b?no_tmp_dir=true") == tmp_path / "a b"
    assert backend_folder("file://~") == Path.home()
    assert backend_folder("gs://bucket/folder") is None
    assert locks("gs://bucket", "dev") == []
    assert locks(f"file://{tmp_path}", "dev") == []
    folder = tmp_path / ".pulumi/locks/organization/training/dev"
    folder.mkdir(parents=True)
    written = {"pid": 7, "username": "u", "hostname": "h", "timestamp": "2026-01-02T03:04:05.678901234+01:00"}
    (folder / "x.json").write_text(json.dumps(written))
    assert locks(f"file://{tmp_path}", "dev") == [Lock(7, "u", "h", "2026-01-02T03:04:05.678901234+01:00")]
    (folder / "y.json").write_text("{")
    with pytest.raises(ValueError, match=r"y\.json"):
        locks(f"file://{tmp_path}", "dev")


PROVIDER = {"urn": "p", "id": "1", "type": "pulumi:providers:gcp", "inputs": {"project": "acme", "region": "r"}}


def resource(urn: str, **more: Any) -> dict[str, Any]:
    return {"urn": urn, "type": "t", "provider": "p::1", "inputs": {"size": 1}, **more}


def state(*resources: dict[str, Any], **pending: dict[str, Any]) -> dict[str, Any]:
    operations = [{"type": what, "resource": entry} for what, entry in pending.items()]
    return {"resources": [PROVIDER, *resources], "pending_operations": operations}


def test_what_was_being_created_is_adopted_or_forgotten_and_read_first() -> None:
    before = state(creating=resource("a"))
    assert settled(before, {}, ()) == {"resources": [PROVIDER]}
    after = settled(before, {"a": "id-of-a"}, ())
    adopted = resource("a", id="id-of-a", outputs={"size": 1}, refreshBeforeUpdate=True)
    assert after == {"resources": [PROVIDER, adopted]}
    assert before == state(creating=resource("a"))


def test_the_rest_is_read_first_and_an_ended_job_is_deleted() -> None:
    before = state(resource("a", id="1"), resource("b", id="2"), updating=resource("a"), deleting=resource("b"))
    flags = [
        (entry.get("refreshBeforeUpdate"), entry.get("delete")) for entry in settled(before, {}, {"b"})["resources"][1:]
    ]
    assert flags == [(True, None), (None, True)]


def test_a_replacement_that_was_cut_off_leaves_one_of_each() -> None:
    old = resource("a", id="1", pendingReplacement=True)
    after = settled(state(old, creating=resource("a")), {"a": "2"}, ())
    assert [entry["id"] for entry in after["resources"]] == ["1", "2"]
    assert after["resources"][0] == PROVIDER
    beside = settled(state(resource("a", id="1"), creating=resource("a")), {"a": "2"}, ())
    assert [(entry["id"], entry.get("delete")) for entry in beside["resources"][1:]] == [("1", True), ("2", None)]


def test_an_adopted_resource_stands_before_those_that_need_it() -> None:
    needs = resource("b", id="2", dependencies=["a"], pendingReplacement=True)
    old = resource("a", id="1", pendingReplacement=True)
    after = settled(state(old, needs, creating=resource("a", parent="c"), reading=resource("c")), {"a": "9"}, ())
    assert [entry["urn"] for entry in after["resources"]] == ["p", "a", "b"]


def test_a_pending_operation_counts_once() -> None:
    twice = [{"type": "creating", "resource": resource("a")}] * 2
    assert len(pending_operations({"pending_operations": twice})) == 1
    assert pending_operations({}) == []


def test_ids_are_those_that_the_service_gives() -> None:
    values = {"project": "acme", "region": "r", "zone": "r-a", "location": "r", "cluster": "c", "router": "x/y/z"}
    for token, template in known_ids.GOOGLE.items():
        kind = next(kind for kind in KINDS.values() if kind.type == token)
        assert template == kind.id
        inputs = {key: values.get(key, f"my-{key}") for key in kind.fields if key not in ("project", "region")}
        its_id = known_ids.known_id(token, inputs, PROVIDER["inputs"])
        assert its_id is not None
        assert "{" not in its_id
    assert known_ids.known_id("gcp:storage/bucket:Bucket", {"name": "b"}, {}) == "b"


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("gcp:storage/bucket:Bucket", {}),
        ("gcp:storage/bucket:Bucket", {"name": {"4dabf18193072939515e22adb298388d": "secret"}}),
        ("gcp:projects/iAMMember:IAMMember", {"project": "acme", "role": "r", "member": "m"}),
        ("kubernetes:core/v1:Pod", {"metadata": {}}),
    ],
)
def test_an_id_that_the_inputs_do_not_say_is_not_guessed(token: str, inputs: dict[str, Any]) -> None:
    assert known_ids.known_id(token, inputs, {}) is None


def test_a_kubernetes_objects_id_is_its_namespace_and_name() -> None:
    named = {"metadata": {"name": "a", "namespace": "b"}}
    assert known_ids.known_id("kubernetes:kubeflow.org/v1:TFJob", named, {}) == "b/a"
    assert known_ids.known_id("kubernetes:core/v1:Namespace", {"metadata": {"name": "a"}}, {}) == "a"


def test_a_providers_inputs_are_found_by_reference() -> None:
    assert inputs_of("p::1", state()) == PROVIDER["inputs"]
    assert inputs_of("q::1", state()) == {}
