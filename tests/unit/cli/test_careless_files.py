"""What `validate --file` says of files that are nearly right."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.policies.pack import analyzed, configured
from trainingjobs.convert.recognise import to_job_document
from trainingjobs.project.judged import judge_file
from trainingjobs.provider.job import check
from trainingjobs.workloads.custom_job import CustomJob

POOL: dict[str, Any] = {
    "machineSpec": {"machineType": "n1-standard-4"},
    "replicaCount": 1,
    "containerSpec": {"imageUri": "a/b"},
}
BODY: dict[str, Any] = {"displayName": "x", "jobSpec": {"workerPoolSpecs": [POOL], "scheduling": {"timeout": "1s"}}}
DOUBLED = [
    (("jobSpec", "workerPoolSpecs", 0), "machine_spec", "jobSpec.workerPoolSpecs[0].machine_spec"),
    (
        ("jobSpec", "workerPoolSpecs", 0, "containerSpec"),
        "image_uri",
        "jobSpec.workerPoolSpecs[0].containerSpec.image_uri",
    ),
    (("jobSpec",), "worker_pool_specs", "jobSpec.worker_pool_specs"),
]


def doubled(place: tuple[Any, ...], key: str) -> dict[str, Any]:
    body = copy.deepcopy(BODY)
    here: Any = body
    for part in place:
        here = here[part]
    here[key] = {}
    return body


@pytest.mark.parametrize(("place", "key", "path"), DOUBLED)
def test_a_key_in_both_spellings_is_refused_at_every_gate(
    place: tuple[Any, ...], key: str, path: str, tmp_path: Path
) -> None:
    body = doubled(place, key)
    file = tmp_path / "job.json"
    file.write_text(json.dumps(body))
    assert ("schema", path) in {(f.rule, f.path) for f in judge_file(str(file)).findings if f.severity == "error"}
    assert path in {f.path for f in to_job_document("custom-job", body, "job")[1]}
    inputs = {**body, "project": "acme-ml-dev", "location": "us-central1"}
    assert any(policy == "schema" and message.startswith(path) for policy, _, message in analyzed(configured(), inputs))
    assert any(at.startswith("jobSpec") for at, _ in check(CustomJob(), inputs))


def test_a_body_in_one_spelling_and_labels_in_any_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    labels = {"cost_center": "a", "costCenter": "b"}
    file.write_text(json.dumps({**BODY, "labels": labels}))
    assert not [f for f in judge_file(str(file)).findings if "spell" in f.message or "beside" in f.message]


def test_ai_platform_and_gcloud_configurations_are_read_alike(tmp_path: Path) -> None:
    training = {"trainingInput": {"scaleTier": "CUSTOM", "scale_tier": "BASIC", "masterType": "n1-standard-4"}}
    assert "trainingInput.scale_tier" in {f.path for f in to_job_document("ai-platform", training, "job")[1]}
    command = "gcloud ai custom-jobs create --region=us-central1 --display-name=x --config=c.yaml"
    config = "workerPoolSpecs: []\nworker_pool_specs: []\n"
    findings = to_job_document("gcloud", command, "job", {"c.yaml": config})[1]
    assert any("worker_pool_specs" in finding.path for finding in findings)


def test_the_file_of_a_stack_is_distinguished_from_a_job(tmp_path: Path) -> None:
    text = "config:\n  gcp:project: acme-ml\n  training:jobs: {}\n"
    for name, fix in (("Pulumi.dev.yaml", "use --stack dev"), ("Pulumi.mine.yaml", "--stack mine")):
        file = tmp_path / name
        file.write_text(text)
        [finding] = judge_file(str(file)).findings
        assert (finding.rule, finding.severity) == ("syntax", "error")
        assert fix in finding.fix
