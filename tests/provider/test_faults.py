"""A sweep of faults at the provider's gRPC interface: whatever fails on the way, a job is submitted once.

Each case declares a job, disturbs its calls by faults, and brings it up again undisturbed, as the engine would.
"""

from __future__ import annotations

import json
import os
import random
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest

from tests.provider import bodies
from tests.provider.in_process import InProcess
from tests.provider.plugin_process import COMPLETION, Engine
from tests.provider.vertex_proxy import Proxy
from tests.records import record

SEED = int(os.environ.get("FAULT_SEED", "20260"))
CASES = 24
ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")


def refuse(status: int, message: str, **headers: str) -> tuple[Any, ...]:
    return ("refuse", status, {key.replace("_", "-"): value for key, value in headers.items()}, message)


QUOTA = "The following quota metrics exceed quota limits: aiplatform.googleapis.com/custom_model_training_a100"
# Each with whether the call is tried again by itself, or fails and says what to do.
FAULTS: dict[str, tuple[tuple[Any, ...], bool]] = {
    "answer lost": (("lose",), True),
    "answer late": (("hold", 0.05), True),
    "connection reset": (("reset",), True),
    "answer is no JSON": (("garbage",), True),
    "429": (refuse(429, "busy"), True),
    "429 with Retry-After": (refuse(429, "busy", Retry_After="0"), True),
    "500": (refuse(500, "internal"), True),
    "503": (refuse(503, "away"), True),
    "503 with Retry-After": (refuse(503, "away", Retry_After="0"), True),
    "credentials expired": (refuse(401, "Request had invalid authentication credentials."), False),
    "quota refused": (refuse(429, QUOTA), False),
}
SAYS = {"credentials expired": "gcloud auth application-default login", "quota refused": "raise quota"}


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as made:
        yield made


@pytest.fixture(scope="module")
def quick(environment: dict[str, str], running_engine: Engine, patch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    made = InProcess(environment, running_engine, patch)
    yield made
    made.close()


class Declaration:
    """One job as the engine treats it: its id and outputs are in the state once a call has said them."""

    def __init__(self, plugin: InProcess, name: str, proxy: Proxy) -> None:
        self.plugin, self.name, self.proxy = plugin, name, proxy
        self.state: tuple[str, dict[str, Any]] | None = None
        self.injected = 0
        self.inputs = bodies.inputs(displayName=name, document=bodies.document())

    def begin(self) -> None:
        """Begins a run: the engine configures the plugin once in each."""
        self.plugin.configure(f"state-of-{self.name}")

    def up(self) -> str:
        """Runs what an update runs. Returns the error, "" without one."""
        self.begin()
        try:
            if self.state is not None:
                answer = self.plugin.diff(*self.state, self.inputs)
                if not answer.replaces:
                    return ""
                self.plugin.delete(*self.state)
                self.state = None
            self.state = self.plugin.create(self.inputs)
        except grpc.RpcError as error:
            return str(error.details())
        return ""

    def refresh(self) -> None:
        """Takes over what the service says; a job that is gone leaves the state."""
        if self.state is not None:
            job_id, outputs, _ = self.plugin.read(*self.state, self.inputs)
            self.state = (job_id, outputs) if job_id else None

    def down(self) -> str:
        """Runs what a destroy runs."""
        self.begin()
        try:
            if self.state is not None:
                self.plugin.delete(*self.state)
        except grpc.RpcError as error:
            return str(error.details())
        self.state = None
        return ""

    def disturbed(self, run: Callable[[], str], faults: dict[str, list[str]]) -> str:
        """Runs with faults, by method of the calls that they come to."""
        self.proxy.faults = {
            method: [FAULTS[name][0] if name else ("pass",) for name in names] for method, names in faults.items()
        }
        asked = self._coming()
        try:
            return run()
        finally:
            self.injected += asked - self._coming()
            self.proxy.faults = {}

    def _coming(self) -> int:
        return sum(fault != ("pass",) for faults in self.proxy.faults.values() for fault in faults)

    def jobs(self) -> list[dict[str, Any]]:
        """Returns the declaration's jobs at the service, newest first."""
        where = f"/v1/projects/{bodies.PROJECT}/locations/{bodies.LOCATION}/customJobs"
        listed = self._call("GET", f"{where}?filter=display_name%3D{self.name}").get("customJobs", [])
        return [job for job in listed if job["displayName"] == self.name]

    def live(self) -> list[str]:
        """Returns the names of those that cost money."""
        return [job["name"] for job in self.jobs() if job["state"].rpartition("_")[2] not in (*ENDED, "CANCELLING")]

    def outside(self, verb: str) -> None:
        """Does something to the job that this project did not ask for."""
        [name] = self.live()
        self._call("POST", f"/v1/{name}:cancel", {})
        while verb == "deleted" and self.jobs():
            if self.jobs()[0]["state"].rpartition("_")[2] in ENDED:
                self._call("DELETE", f"/v1/{name}")

    def _call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        token = os.environ["TRAINING_VERTEX_TOKEN"]
        request = urllib.request.Request(
            self.proxy.target + path, data=data, method=method, headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


@pytest.fixture
def declare(quick: InProcess, proxy: Proxy, request: pytest.FixtureRequest) -> Iterator[Callable[[], Declaration]]:
    made: list[Declaration] = []

    def new_declaration() -> Declaration:
        name = "".join(letter if letter.isalnum() else "-" for letter in f"{request.node.name}-{len(made)}")
        made.append(Declaration(quick, name, proxy))
        return made[-1]

    yield new_declaration
    proxy.faults = {}
    for declaration in made:
        assert declaration.down() == ""
        assert declaration.live() == []


def assert_one_job(declaration: Declaration) -> None:
    assert declaration.state is not None
    assert declaration.live() == [declaration.state[0]]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("where", ["looking for it", "submitting it", "after a lost answer", "twice"])
def test_a_fault_at_submission(declare: Callable[[], Declaration], fault: str, where: str) -> None:
    declaration = declare()
    faults = {
        "looking for it": {"GET": [fault]},
        "submitting it": {"POST": [fault]},
        "after a lost answer": {"POST": ["answer lost"], "GET": ["", fault]},
        "twice": {"POST": [fault, fault], "GET": [fault]},
    }[where]
    error = declaration.disturbed(declaration.up, faults)
    assert bool(error) != FAULTS[fault][1]
    assert SAYS.get(fault, "") in error
    assert declaration.up() == ""
    assert_one_job(declaration)
    then = "refused, says what to do; the next run submits it" if error else "tried again by itself"
    then = "refused; the next run takes the job over" if error and where == "after a lost answer" else then
    record("calls", fault=fault, where=f"submission, {where}", then=then, faults=declaration.injected)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("verb", ["cancelling it", "deleting its record", "looking at it"])
def test_a_fault_at_deletion(declare: Callable[[], Declaration], fault: str, verb: str) -> None:
    declaration = declare()
    assert declaration.up() == ""
    method = {"cancelling it": "POST", "deleting its record": "DELETE", "looking at it": "GET"}[verb]
    error = declaration.disturbed(declaration.down, {method: [fault]})
    assert bool(error) != FAULTS[fault][1]
    assert SAYS.get(fault, "") in error
    # The id is in the state until the job is gone.
    assert (declaration.state is None) == (not error)
    assert declaration.down() == ""
    assert declaration.jobs() == []
    then = "refused, says what to do; the next run goes on" if error else "tried again by itself"
    record("calls", fault=fault, where=f"deletion, {verb}", then=then, faults=declaration.injected)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_replacement(declare: Callable[[], Declaration], fault: str) -> None:
    declaration = declare()
    assert declaration.up() == ""
    declaration.inputs = {**declaration.inputs, "document": bodies.document(framework="jax")}
    faults = {"POST": [fault, fault], "GET": [fault], "DELETE": [fault]}
    errors = [declaration.disturbed(declaration.up, faults)]
    while errors[-1]:
        errors.append(declaration.up())
        assert len(errors) < 5, errors
    assert_one_job(declaration)
    assert len(declaration.jobs()) == 1
    then = "refused, says what to do; the next run goes on" if errors[0] else "tried again by itself"
    record("calls", fault=fault, where="replacement", then=then, faults=declaration.injected)


@pytest.mark.parametrize("fault", [fault for fault, (_, again) in FAULTS.items() if again])
def test_a_fault_while_waiting(declare: Callable[[], Declaration], fault: str) -> None:
    declaration = declare()
    declaration.inputs = {**declaration.inputs, "jobSpec": bodies.body(bodies.SHORT)}
    assert declaration.up() == ""
    assert declaration.state is not None
    wait = {"job": declaration.state[0], "waitFor": "succeeded"}

    def waited() -> str:
        return str(declaration.plugin.create(wait, COMPLETION)[1]["state"])

    assert declaration.disturbed(waited, {"GET": [fault, fault]}) == "JOB_STATE_SUCCEEDED"
    assert len(declaration.jobs()) == 1
    record("calls", fault=fault, where="waiting", then="tried again by itself", faults=declaration.injected)


OUTSIDE = {
    "preempted or failed": "reported with the way to run it again; never run again by itself",
    "cancelled": "reported with the way to run it again; never run again by itself",
    "deleted": "a refresh takes it out of the state, the next run submits it",
}


@pytest.mark.parametrize("how", OUTSIDE)
@pytest.mark.parametrize("repeat", range(4))
def test_a_job_that_ends_outside(declare: Callable[[], Declaration], how: str, repeat: int, engine: Engine) -> None:
    declaration = declare()
    if how == "preempted or failed":
        declaration.inputs = {**declaration.inputs, "jobSpec": bodies.body(bodies.FAILING)}
    assert declaration.up() == ""
    assert declaration.state is not None
    first = declaration.state[0]
    if how == "preempted or failed":
        with pytest.raises(grpc.RpcError, match="`run`"):
            declaration.plugin.create({"job": first, "waitFor": "succeeded"}, COMPLETION)
    else:
        declaration.outside(how)
    while declaration.jobs() and declaration.jobs()[0]["state"].rpartition("_")[2] not in ENDED:
        pass
    if repeat % 2 or how == "deleted":
        declaration.refresh()
    assert declaration.up() == ""
    if how == "deleted":
        assert_one_job(declaration)
    else:
        assert engine.logged("raise `run`")
        assert (declaration.live(), declaration.state[0]) == ([], first)
        declaration.inputs = {**declaration.inputs, "jobSpec": bodies.body(bodies.LONG), "run": 2}
        assert declaration.up() == ""
        assert_one_job(declaration)
    if repeat == 0:
        record("calls", fault=f"job {how} outside", where="any time", then=OUTSIDE[how], faults=1)


@pytest.mark.parametrize("case", range(CASES))
def test_faults_of_a_seed(declare: Callable[[], Declaration], case: int) -> None:
    """Several faults at once, at every call of up, change, and down."""
    seed = SEED + case
    print(f"seed {seed}; FAULT_SEED={seed} makes it the first case")
    chance = random.Random(seed)
    declaration = declare()
    for change in ("jax", "pytorch"):
        declaration.inputs = {**declaration.inputs, "document": bodies.document(framework=change)}
        faults = {method: _some(chance, most) for method, most in (("GET", 5), ("POST", 3), ("DELETE", 2))}
        error = declaration.disturbed(declaration.up, faults)
        assert "Traceback" not in error
        while error:
            error = declaration.up()
        assert_one_job(declaration)
    record("seeds", seed=seed, faults=declaration.injected)


def _some(chance: random.Random, most: int) -> list[str]:
    return [chance.choice(["", *FAULTS]) for _ in range(chance.randint(1, most))]
