"""Files of stacks that are not what they seem: keys beside `config`, folders, dead links, names given as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.jobs import IMAGE
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source
from trainingjobs.project.judged import judge_stack_named

STACK = "config:\n  gcp:project: acme-ml-dev\n  gcp:region: us-central1\n  training:environment: dev\n"


@pytest.fixture
def stacks(project_folder: Path) -> Path:
    (project_folder / "stacks" / "Pulumi.dev.yaml").write_text(STACK)
    return project_folder / "stacks"


@pytest.mark.parametrize("key", ["confg", "jobs", "training:jobs"])
def test_a_key_beside_config_is_reported(stacks: Path, key: str) -> None:
    (stacks / "Pulumi.dev.yaml").write_text(f"{STACK}{key}: {{}}\n")
    [error] = [finding for finding in judge_stack_named("dev").findings if finding.severity == "error"]
    assert (error.rule, error.path) == ("schema", key)
    assert "config" in error.fix


def test_pulumis_own_keys_are_its_affair(stacks: Path) -> None:
    (stacks / "Pulumi.dev.yaml").write_text(f"secretsprovider: gcpkms://k\nencryptedkey: a\nencryptionsalt: b\n{STACK}")
    assert not [finding for finding in judge_stack_named("dev").findings if finding.severity == "error"]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_has_a_stacks_name_and_is_no_file(stacks: Path, kind: str) -> None:
    path = stacks / "Pulumi.odd.yaml"
    path.mkdir() if kind == "folder" else path.symlink_to("nothing")
    [finding] = judge_stack_named("odd").findings
    assert finding.rule == "syntax"
    assert "did you mean" not in finding.fix
    assert "cannot be read" in finding.message


@pytest.mark.parametrize("name", ["Pulumi.dev.yaml", "stacks/Pulumi.dev.yaml", "Dev", "dve"])
def test_a_stack_that_is_nearly_named(stacks: Path, name: str) -> None:
    [finding] = judge_stack_named(name).findings
    assert "did you mean dev?" in finding.fix


@pytest.mark.parametrize("count", [-1, -1.0, 10**13])
def test_a_body_whose_primary_has_no_possible_count(count: float) -> None:
    pool = {"machineSpec": {"machineType": "n1-standard-4"}, "containerSpec": {"imageUri": IMAGE}}
    body = {"workerPoolSpecs": [{**pool, "replicaCount": count}]}
    errors = {
        (finding.rule, finding.path)
        for finding in judge(body, Source(name="j")).findings
        if finding.severity == "error"
    }
    assert ("one-primary-replica", "workerPoolSpecs[0].replicaCount") in errors
    assert {rule for rule, _ in errors} == {"one-primary-replica"}
