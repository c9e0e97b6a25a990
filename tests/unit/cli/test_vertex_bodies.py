"""Vertex AI's bodies at the command line: what its protos refuse is refused, by every verb alike."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf.json_format import ParseDict, ParseError

from trainingjobs.cli.main import main
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source

BODY: dict[str, Any] = {
    "displayName": "x",
    "jobSpec": {
        "workerPoolSpecs": [
            {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 1, "containerSpec": {"imageUri": "a/b"}}
        ]
    },
}
POOL = "jobSpec.workerPoolSpecs[0]"


def body(path: str, value: Any) -> dict[str, Any]:
    """Returns the body with another value at a path of keys and numbers."""
    changed: Any = copy.deepcopy(BODY)
    here, parts = changed, [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parts[:-1]:
        here = here.setdefault(part, {}) if isinstance(part, str) else here[part]
    here[parts[-1]] = value
    return dict(changed)


def parses(document: dict[str, Any]) -> bool:
    try:
        ParseDict(document, types.CustomJob.pb()())
    except ParseError:
        return False
    return True


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    status = main([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def of_form(output: Any) -> list[tuple[str, str]]:
    """Returns severity and path of the findings of form: what the rules of content say is their own tests'."""
    return [
        (finding["severity"], finding["path"]) for finding in output.get("findings", []) if finding["rule"] == "schema"
    ]


@pytest.fixture
def verbs(tmp_path: Path) -> Any:
    def of(document: dict[str, Any]) -> list[list[str]]:
        file = tmp_path / "job.json"
        file.write_text(json.dumps(document))
        rest = [["env", "--task=workerpool0:0"], ["render", "--as=custom-job"]]
        return [["validate", f"--file={file}"], ["convert", str(file)], *([*words, f"--file={file}"] for words in rest)]

    return of


FAULTS = [
    ("jobSpec.scheduling.strategy", "FOO", "jobSpec.scheduling.strategy"),
    ("jobSpec.workerPoolSpecs.0.pythonPackageSpec", {}, f"{POOL}.pythonPackageSpec"),
    ("jobSpec.workerPoolSpecs.0.containerSpec.args", [1], f"{POOL}.containerSpec.args[0]"),
    ("jobSpec.workerPoolSpecs.0.containerSpec.imageUri", 1, f"{POOL}.containerSpec.imageUri"),
    ("jobSpec.workerPoolSpecs.0.containerSpec.env", [{"name": "A", "value": 1}], f"{POOL}.containerSpec.env[0].value"),
    ("jobSpec.workerPoolSpecs.0.replicaCount", 1.5, f"{POOL}.replicaCount"),
    ("jobSpec.enableWebAccess", "true", "jobSpec.enableWebAccess"),
    ("displayName", 5, "displayName"),
    ("labels", {"team": 5}, "labels.team"),
    ("encryptionSpec", {"kmsKeyName": 5}, "encryptionSpec.kmsKeyName"),
]


@pytest.mark.parametrize(("place", "value", "path"), FAULTS)
def test_what_the_protos_refuse(
    capsys: pytest.CaptureFixture[str], verbs: Any, place: str, value: Any, path: str
) -> None:
    document = body(place, value)
    assert not parses(document)
    assert ("schema", "error", path) in {
        (f.rule, f.severity, f.path) for f in judge(document, Source(name="job")).findings
    }
    for words in verbs(document):
        status = main(words)
        captured = capsys.readouterr()
        assert (status, f"{path}: " in captured.out + captured.err) == (1, True), words


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("jobSpec.workerPoolSpecs.0.replicaCount", 1.0),
        ("jobSpec.workerPoolSpecs.0.replicaCount", "1"),
        ("jobSpec.workerPoolSpecs.0.diskSpec", {"bootDiskSizeGb": 200.0}),
        ("jobSpec.workerPoolSpecs.0.pythonPackageSpec", None),
        ("jobSpec.scheduling", {"strategy": "STRATEGY_UNSPECIFIED", "timeout": None}),
        ("jobSpec.network", None),
        ("labels", None),
    ],
)
def test_what_they_take(capsys: pytest.CaptureFixture[str], verbs: Any, place: str, value: Any) -> None:
    document = body(place, value)
    assert parses(document)
    for words in verbs(document):
        status, output = run(capsys, *words)
        assert (status, words, of_form(output)) == (0, words, [])


def test_an_integral_float_is_the_number(capsys: pytest.CaptureFixture[str], verbs: Any) -> None:
    _, convert, env, render = verbs(body("jobSpec.workerPoolSpecs.0.replicaCount", 1.0))
    assert run(capsys, *convert)[1]["pools"] == {"primary": {"machineType": "n1-standard-4"}}
    assert len(json.loads(run(capsys, *env)[1]["CLUSTER_SPEC"])["cluster"]["workerpool0"]) == 1
    assert run(capsys, *render)[1]["jobSpec"]["workerPoolSpecs"][0]["replicaCount"] == 1


@pytest.mark.parametrize(
    ("place", "value", "paths"),
    [
        ("displayName", None, ["displayName"]),
        ("labels", {"Team": "nlp"}, ["labels.Team"]),
        ("jobSpec.workerPoolSpecs.0.containerSpec", None, [POOL]),
        ("jobSpec.workerPoolSpecs.0.containerSpec", {}, [f"{POOL}.containerSpec.imageUri"]),
        ("jobSpec.workerPoolSpecs.0.machineSpec", {}, [f"{POOL}.machineSpec.machineType"]),
    ],
)
def test_what_the_service_refuses_is_advice(
    capsys: pytest.CaptureFixture[str], verbs: Any, place: str, value: Any, paths: list[str]
) -> None:
    document = body(place, value)
    assert parses(document)
    status, output = run(capsys, *verbs(document)[0])
    assert (status, output["ok"]) == (0, True)
    assert of_form(output) == [("advice", path) for path in paths]


def test_a_bare_spec_has_nothing_beside_it(capsys: pytest.CaptureFixture[str], verbs: Any) -> None:
    status, output = run(capsys, *verbs(BODY["jobSpec"])[0])
    assert (status, of_form(output)) == (0, [])


PARAMETER = {"parameterId": "lr", "doubleValueSpec": {"minValue": "0.1", "maxValue": 1}}
TUNING = {
    "displayName": "x",
    "studySpec": {"metrics": [{"metricId": "a", "goal": "MAXIMIZE"}], "parameters": [PARAMETER]},
    "trialJobSpec": BODY["jobSpec"],
    "maxTrialCount": 2.0,
    "parallelTrialCount": "1",
}
PIPELINE = {
    "displayName": "x",
    "trainingTaskDefinition": "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml",
    "trainingTaskInputs": BODY["jobSpec"],
    "modelToUpload": {"displayName": "m", "containerSpec": {"imageUri": "a/b", "args": ["1"]}},
}


def test_the_other_kinds_of_job(capsys: pytest.CaptureFixture[str], verbs: Any) -> None:
    for document in (TUNING, PIPELINE):
        status, output = run(capsys, *verbs(document)[0])
        assert (status, of_form(output)) == (0, [])
    faulty = {
        "studySpec.metrics[0].goal": {
            **TUNING, "studySpec": {**TUNING["studySpec"], "metrics": [{"metricId": "a", "goal": "MOST"}]},
        },
        "studySpec.parameters[0].integerValueSpec": {
            **TUNING, "studySpec": {**TUNING["studySpec"], "parameters": [{**PARAMETER, "integerValueSpec": {}}]},
        },
        "modelToUpload.containerSpec.args[0]": {
            **PIPELINE, "modelToUpload": {"displayName": "m", "containerSpec": {"imageUri": "a/b", "args": [1]}},
        },
    }  # fmt: skip
    for path, document in faulty.items():
        for words in verbs(document)[:2]:
            status = main(words)
            captured = capsys.readouterr()
            assert (status, f"{path}: " in captured.out + captured.err) == (1, True), (path, words)
    _, output = run(capsys, *verbs({**PIPELINE, "trainingTaskDefinition": ""})[0])
    assert of_form(output) == [("advice", "trainingTaskDefinition")]
