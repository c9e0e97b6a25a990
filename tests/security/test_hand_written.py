"""A program of somebody's own that puts an engine's secret into a job: the pack stops it, and nothing repeats it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.hand_written import run
from tests.engine.lab import DIGEST, PROJECT, PYTHON, Lab
from tests.security.canaries import Canaries

CODE = """
for name in sorted(jobs):
    inputs = jobs[name]
    container = inputs["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]
    secret = pulumi.Output.secret(open(inputs.pop("planted")).read())
    container["env"] = [{"name": inputs.pop("variable"), "value": secret}]
    job(name, inputs)
"""
CONTAINER = {"imageUri": PYTHON + DIGEST, "args": ["print('ran')"]}
POOL = {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 1, "containerSpec": CONTAINER}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("hand"))
    made.start()
    yield made
    made.sandbox("stop")


def inputs(lab: Lab, canaries: Canaries, variable: str) -> dict[str, dict[str, Any]]:
    planted = lab.state.parent / f"{variable}.secret"
    planted.write_text(canaries.plant(variable))
    spec = {"workerPoolSpecs": [copy.deepcopy(POOL)]}
    labels = {"team": "nlp", "cost-center": "research"}
    own = {"project": PROJECT, "location": "us-central1", "displayName": "x", "environment": "sandbox"}
    return {"own": {**own, "labels": labels, "jobSpec": spec, "planted": str(planted), "variable": variable}}


@pytest.mark.parametrize("verb", ["preview", "up"])
def test_a_secret_by_its_name_is_stopped(lab: Lab, verb: str) -> None:
    canaries = Canaries()
    given = inputs(lab, canaries, "DB_PASSWORD")
    before = {job["name"] for job in lab.jobs()}
    done = run(lab, verb, CODE, given)
    assert done.status != 0
    assert ("own", "no-plain-secrets", "mandatory") in done.violations
    assert {job["name"] for job in lab.jobs()} == before
    assert canaries.leaks({"output": done.output}) == []
    assert canaries.leaks_in_files([lab.state.parent], [lab.state.parent / "DB_PASSWORD.secret"]) == []


def test_what_no_rule_knows_is_encrypted_in_the_state(lab: Lab) -> None:
    """The job has it as it stands: docs/threat-model.md says so. The state, the output and the logs do not."""
    canaries = Canaries()
    done = run(lab, "up", CODE, inputs(lab, canaries, "SETTINGS"))
    assert done.status == 0, done.output
    [job] = lab.jobs()
    record = lab.state / "vertex" / "customJobs" / f"{job['name'].rpartition('/')[2]}.json"
    assert canaries.leaks({"output": done.output, "events": str(done.events)}) == []
    assert canaries.leaks_in_files([lab.state.parent], [lab.state.parent / "SETTINGS.secret", record]) == []
