"""What the pack remediates, on the real engine: our own program as `make up` runs it, and one that is not ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.clone import Clone
from tests.engine.hand_written import Run, run
from tests.engine.lab import PROJECT, PYTHON, Lab, job
from tests.policies.samples import samples

SAMPLES = {sample.name: sample for sample in samples()}
FAR = SAMPLES["reducer-image-region-disallowed-body-other-continent"]
VALUES = {"team": "nlp", "cost-center": "research"}
CONFIG = {
    "required-labels": {"enforcementLevel": "remediate", "values": VALUES},
    "reducer-image-region": "remediate",
}
ASIA, NEAREST = (
    f"{region}-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest" for region in ("asia", "us")
)
CANARY = "canary-d41d8cd98f00"

# The image of the reducers is not known before the first job is; the arguments are a secret.
CODE = """
first = job("first", jobs["first"])
pools = jobs["far"]["jobSpec"]["workerPoolSpecs"]
image = pools[2]["containerSpec"]["imageUri"]
pools[2]["containerSpec"]["imageUri"] = first.state.apply(lambda state: image if state else "")
pools[0]["containerSpec"]["args"] = pulumi.Output.secret(pools[0]["containerSpec"]["args"])
pools[2]["containerSpec"] = pulumi.Output.secret(pools[2]["containerSpec"])
far = job("far", jobs["far"])
pulumi.export("labels", far.labels)
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("remediation"))
    made.start()
    yield made
    made.sandbox("stop")


def hand_written() -> dict[str, dict[str, Any]]:
    first = copy.deepcopy(SAMPLES["one-primary-replica-allowed-body"].inputs())
    far = copy.deepcopy(FAR.inputs())
    for inputs in (first, far):
        inputs["project"] = PROJECT
        for pool in inputs["jobSpec"]["workerPoolSpecs"][:2]:
            pool["replicaCount"] = 1
            pool["containerSpec"] = {"imageUri": PYTHON, "args": [f"print('trained') # {CANARY}"]}
    far["jobSpec"]["workerPoolSpecs"][2]["replicaCount"] = 7
    return {"first": first, "far": far}


def changes(done: Run) -> dict[str, int]:
    return next(e["summaryEvent"]["resourceChanges"] for e in done.events if "summaryEvent" in e)


def remediations(done: Run) -> set[tuple[str, str]]:
    events = [event["policyRemediationEvent"] for event in done.events if "policyRemediationEvent" in event]
    return {(event["resourceUrn"].split("::")[-1], event["policyName"]) for event in events}


def test_a_hand_written_program_is_remediated_once_and_for_all(lab: Lab) -> None:
    jobs = hand_written()
    preview = run(lab, "preview", CODE, jobs, CONFIG)
    assert preview.status == 0, preview.output
    assert ("far", "required-labels") in remediations(preview)
    assert ("far", "reducer-image-region") not in remediations(preview), "the image is not known yet"
    assert ("far", "reducer-image-region", "advisory") in preview.violations

    made = run(lab, "up", CODE, jobs, CONFIG)
    assert made.status == 0, made.output
    assert {("far", "required-labels"), ("far", "reducer-image-region")} <= remediations(made)
    assert "[remediate]" in made.output
    [submitted] = [each for each in lab.jobs() if each["displayName"] == jobs["far"]["displayName"]]
    assert submitted["jobSpec"]["workerPoolSpecs"][2]["containerSpec"]["imageUri"] == NEAREST
    assert VALUES.items() <= submitted["labels"].items()
    assert not {policy for name, policy, _ in made.violations if name == "far"} & set(CONFIG)
    for done in (preview, made):
        assert CANARY not in done.output
        assert CANARY not in json.dumps([event for event in done.events if "far" in json.dumps(event)])

    again = run(lab, "up", CODE, jobs, CONFIG)
    assert again.status == 0, again.output
    assert set(changes(again)) == {"same"}

    # The rules are no longer remediated: what runs stays, and nothing is submitted again.
    without = run(lab, "up", CODE, jobs, {})
    assert without.status == 0, without.output
    assert set(changes(without)) <= {"same", "update"}
    assert len(lab.jobs()) == 2


def test_a_label_without_a_value_stops_the_run(lab: Lab) -> None:
    config = {"required-labels": {"enforcementLevel": "remediate", "values": {"team": "nlp"}}}
    done = run(lab, "preview", 'job("bare", jobs["far"])', hand_written(), config)
    assert done.status != 0
    assert ("bare", "required-labels", "mandatory") in done.violations


def test_our_own_program_is_remediated_as_its_file_asks(tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = Clone(tmp_path_factory.mktemp("remediated"), previews=True)
    config = clone.root / "policies" / "config" / "sandbox.json"
    config.write_text(json.dumps(CONFIG))
    document = job(waitFor="succeeded")
    document["pools"]["reducers"]["container"] = {"imageUri": ASIA}
    clone.sandbox("start")
    try:
        clone.write({"bert": document})
        made = clone.make("up")
        assert made.returncode == 0, made.stdout
        assert "[remediate]" in made.stdout
        [submitted] = clone.jobs()
        assert submitted["jobSpec"]["workerPoolSpecs"][2]["containerSpec"]["imageUri"] == NEAREST
        assert VALUES.items() <= submitted["labels"].items()
        [known] = [each for each in clone.deployment()["resources"] if each.get("id") == submitted["name"]]
        assert known["inputs"]["labels"] == VALUES
        assert known["inputs"]["document"]["pools"]["reducers"]["container"]["imageUri"] == ASIA
        again = clone.make("up")
        assert again.returncode == 0, again.stdout
        # Switching it off makes no second job either.
        config.write_text("{}")
        assert clone.make("up").returncode == 0
        assert [each["name"] for each in clone.jobs()] == [submitted["name"]]
    finally:
        clone.sandbox("stop")
