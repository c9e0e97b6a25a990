"""Files of stacks that are not what they seem: keys beside `config`, folders, dead links, names given as files."""

from __future__ import annotations

from pathlib import Path

import pytest

import infra.cli.inputs
import infra.project_files
from infra.cli.inputs import judged_document, judged_stack
from tests.unit.jobs import IMAGE

STACK = "config:\n  gcp:project: acme-ml-dev\n  gcp:region: us-central1\n  training:environment: dev\n"


@pytest.fixture
def stacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (infra.project_files, infra.cli.inputs):
        monkeypatch.setattr(module, "STACKS", tmp_path)
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK)
    return tmp_path


@pytest.mark.parametrize("key", ["confg", "jobs", "training:jobs"])
def test_a_key_beside_config_is_found(stacks: Path, key: str) -> None:
    (stacks / "Pulumi.dev.yaml").write_text(f"{STACK}{key}: {{}}\n")
    [finding] = [one for one in judged_stack("dev").findings if one.severity == "error"]
    assert (finding.rule, finding.path) == ("schema", key)
    assert "config" in finding.fix


def test_pulumis_own_keys_are_its_affair(stacks: Path) -> None:
    (stacks / "Pulumi.dev.yaml").write_text(f"secretsprovider: gcpkms://k\nencryptedkey: a\nencryptionsalt: b\n{STACK}")
    assert not [one for one in judged_stack("dev").findings if one.severity == "error"]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_has_a_stacks_name_and_is_no_file(stacks: Path, kind: str) -> None:
    path = stacks / "Pulumi.odd.yaml"
    path.mkdir() if kind == "folder" else path.symlink_to("nothing")
    [finding] = judged_stack("odd").findings
    assert finding.rule == "syntax"
    assert "did you mean" not in finding.fix
    assert "cannot be read" in finding.message


@pytest.mark.parametrize("name", ["Pulumi.dev.yaml", "stacks/Pulumi.dev.yaml", "Dev", "dve"])
def test_a_stack_that_is_nearly_named(stacks: Path, name: str) -> None:
    [finding] = judged_stack(name).findings
    assert "did you mean dev?" in finding.fix


@pytest.mark.parametrize("count", [-1, -1.0, 10**13])
def test_a_body_whose_primary_has_no_possible_count(count: float) -> None:
    pool = {"machineSpec": {"machineType": "n1-standard-4"}, "containerSpec": {"imageUri": IMAGE}}
    body = {"workerPoolSpecs": [{**pool, "replicaCount": count}]}
    found = {(one.rule, one.path) for one in judged_document(body, "j", "f").findings if one.severity == "error"}
    assert ("one-primary-replica", "workerPoolSpecs[0].replicaCount") in found
    assert {rule for rule, _ in found} == {"one-primary-replica"}
