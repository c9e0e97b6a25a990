"""Refusals from a state, a history, a refresh and a preview."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.operations.drift import Drift
from trainingjobs.operations.promotion import checks
from trainingjobs.operations.promotion.order import read_rules
from trainingjobs.operations.promotion.promote import out_of_order
from trainingjobs.operations.promotion.release import Release

RELEASE = Release(jobs={("bert", "framework"): "jax"}, versions={"engine": "3.1.0", "pack": "1", "project": "1"})
JOB = "urn:pulumi:dev::training::training:vertex:VertexJob$trainingjobs:vertex:CustomJob::bert"
DONE = {"kind": "update", "result": "succeeded"}


def state(release: str = RELEASE.id, job: str = "JOB_STATE_RUNNING", completed: bool = False) -> dict[str, Any]:
    resources: list[dict[str, Any]] = [
        {"type": "pulumi:pulumi:Stack", "urn": "s", "outputs": {"release": {"id": release}}},
        {"type": "trainingjobs:vertex:CustomJob", "urn": JOB, "outputs": {"state": job}},
    ]
    if completed:
        urn = JOB.replace("vertex:CustomJob::bert", "index:Completion::bert-completion")
        resources.append({"type": checks.COMPLETION, "urn": urn, "outputs": {"waitFor": "succeeded"}})
    return {"manifest": {"version": "v3.1.0"}, "resources": resources}


def ids(refusals: Any) -> list[str]:
    return [refusal.rule for refusal in refusals]


def test_exactly_this_release_with_success() -> None:
    assert ids(checks.ran("dev", RELEASE, state(), DONE)) == []


NOT_RUN = [
    (None, DONE),
    (state(), None),
    (state("r-000000000000"), DONE),
    (state(), {"kind": "update", "result": "failed"}),
    (state(), {"kind": "update", "result": "in-progress"}),
    (state(), {"kind": "destroy", "result": "succeeded"}),
    ({**state(), "pending_operations": [{}]}, DONE),
    ({"resources": []}, DONE),
]


@pytest.mark.parametrize(("deployment", "last"), NOT_RUN)
def test_anything_else_was_not_run(deployment: dict[str, Any] | None, last: dict[str, Any] | None) -> None:
    assert set(ids(checks.ran("dev", RELEASE, deployment, last))) == {"not-run"}


def test_another_engine() -> None:
    assert ids(checks.same_engine("dev", state(), "3.1.0")) == []
    assert ids(checks.same_engine("dev", state(), "3.2.0")) == ["engine-version"]


def drift(path: str, now: str, kind: Any = "harmless") -> Drift:
    return Drift(urn=JOB, kind=kind, path=path, was=None, is_=now)


ENDS = [
    ([], state(), [], True),
    (["bert"], state(), [], False),
    (["bert"], state(completed=True, job="JOB_STATE_SUCCEEDED"), [], True),
    ([], state(job="JOB_STATE_FAILED"), [], False),
    ([], state(), [drift("state", "JOB_STATE_FAILED")], False),
    ([], state(job="JOB_STATE_PENDING"), [drift("state", "JOB_STATE_SUCCEEDED")], True),
    ([], state(), [drift("state", "JOB_STATE_CANCELLED")], False),
]


@pytest.mark.parametrize(("waiting", "deployment", "drifts", "fine"), ENDS)
def test_jobs(waiting: list[str], deployment: dict[str, Any], drifts: list[Drift], fine: bool) -> None:
    assert ids(checks.jobs_ended("dev", RELEASE, waiting, deployment, drifts)) == (
        [] if fine else ["job-not-succeeded"]
    )


def test_harmless_drift_is_none() -> None:
    assert ids(checks.drifted("dev", [drift("state", "x")])) == []
    assert ids(checks.drifted("dev", [drift("a", "x", "dangerous"), drift("b", "x", "changed-by-hand")])) == [
        "drifted",
        "drifted",
    ]


def test_the_packs_errors_go_by_their_rules() -> None:
    policy = {"policyName": "hourly-cost", "enforcementLevel": "mandatory", "resourceUrn": JOB, "message": "too much"}
    advice = {**policy, "policyName": "required-labels", "enforcementLevel": "advisory"}
    events = [{"policyEvent": policy}, {"policyEvent": policy}, {"policyEvent": advice}]
    assert ids(checks.breaks_policies("prod", 1, events, "")) == ["hourly-cost"]
    assert ids(checks.breaks_policies("prod", 1, [], "error: no credentials")) == ["preview-failed"]
    assert ids(checks.breaks_policies("prod", 0, [], "")) == []


STEPS = [("dev", "staging", True), ("staging", "prod", True), ("dev", "prod", False), ("prod", "dev", False)]
STEPS += [("prod", "staging", False), ("dev", "dev", False), ("sandbox", "dev", False)]


@pytest.mark.parametrize(("source", "target", "fine"), STEPS)
def test_order(source: str, target: str, fine: bool) -> None:
    assert ids(out_of_order(read_rules(), source, target)) == ([] if fine else ["promotion-order"])
