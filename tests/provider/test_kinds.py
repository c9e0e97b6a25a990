"""Tuning jobs and training pipelines: the same life as a custom job's, and what each of them brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

import grpc
import pytest
from google.cloud.aiplatform_v1 import types
from google.protobuf.json_format import ParseDict
from pulumi.runtime.proto import provider_pb2

from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, Engine, Plugin
from tests.provider.vertex_proxy import Proxy, Sent
from trainingjobs.workloads.best_trials import best_trials

TUNING = "trainingjobs:vertex:HyperparameterTuningJob"
PIPELINE = "trainingjobs:vertex:TrainingPipeline"
COLLECTIONS = {TUNING: "hyperparameterTuningJobs", PIPELINE: "trainingPipelines"}
PROTOS = {TUNING: types.HyperparameterTuningJob, PIPELINE: types.TrainingPipeline}
SPECS = {TUNING: "trialJobSpec", PIPELINE: "trainingTaskInputs"}
NONE = provider_pb2.DiffResponse.DIFF_NONE
Inputs = Callable[..., dict[str, Any]]

kinds = pytest.mark.parametrize(
    ("token", "inputs"), [pytest.param(TUNING, bodies.tuning, id="tuning"), pytest.param(PIPELINE, bodies.pipeline)]
)


def submissions(proxy: Proxy, token: str) -> list[Sent]:
    return [sent for sent in proxy.sent if sent.method == "POST" and sent.path.endswith(f"/{COLLECTIONS[token]}")]


@kinds
def test_a_good_job_passes_and_a_structural_rule_holds(plugin: Plugin, token: str, inputs: Inputs) -> None:
    assert plugin.check(inputs(), token) == []
    spec = bodies.body(bodies.LONG)
    spec["workerPoolSpecs"][0]["replicaCount"] = 2
    ((path, reason),) = plugin.check(inputs(**{SPECS[token]: spec}), token)
    assert path == f"{SPECS[token]}.workerPoolSpecs[0].replicaCount"
    assert "[one-primary-replica]" in reason


@pytest.mark.parametrize(
    ("token", "given", "path"),
    [
        pytest.param(TUNING, bodies.tuning(studySpec=None), "studySpec", id="no study"),
        pytest.param(TUNING, bodies.tuning(maxTrialCount=None), "maxTrialCount", id="no count"),
        pytest.param(TUNING, bodies.tuning(maxTrialCount=0), "maxTrialCount", id="no trials"),
        pytest.param(
            TUNING, bodies.tuning(parallelTrialCount=4), "parallelTrialCount", id="more at once than there are"
        ),
        pytest.param(TUNING, bodies.tuning(parallelTrialCount="100"), "parallelTrialCount", id="as a string"),
        pytest.param(TUNING, bodies.tuning(maxTrialCount="0"), "maxTrialCount", id="no trials, as a string"),
        pytest.param(TUNING, bodies.tuning(studySpec={"metric": []}), "studySpec.metric", id="misspelt"),
        pytest.param(
            TUNING,
            bodies.tuning(studySpec={"parameters": [{"doubleValueSpec": {"minValue": "low"}}]}),
            "studySpec.parameters[0].doubleValueSpec.minValue",
            id="no number",
        ),
        pytest.param(TUNING, bodies.tuning(jobSpec=bodies.body(["x"])), "jobSpec", id="another kind's body"),
        pytest.param(PIPELINE, bodies.pipeline(trainingTaskInputs=None), "trainingTaskInputs", id="no task"),
        pytest.param(
            PIPELINE, bodies.pipeline(trainingTaskDefinition="gs://automl.yaml"), "trainingTaskDefinition", id="AutoML"
        ),
        pytest.param(PIPELINE, bodies.pipeline(modelToUpload={"nam": "x"}), "modelToUpload.nam", id="model"),
    ],
)
def test_a_fault_is_named_by_its_path(plugin: Plugin, token: str, given: dict[str, Any], path: str) -> None:
    assert [fault_path for fault_path, _ in plugin.check(given, token)] == [path]


@kinds
def test_what_is_sent_are_the_official_protos(plugin: Plugin, proxy: Proxy, token: str, inputs: Inputs) -> None:
    job_id, outputs = plugin.create(inputs(bodies.SHORT, encryptionSpec={"kmsKeyName": "k"}), token)
    (sent,) = submissions(proxy, token)
    ParseDict(sent.body, PROTOS[token].pb()())
    ParseDict(sent.body[SPECS[token]], types.CustomJobSpec.pb()())
    assert f"/{COLLECTIONS[token]}/" in job_id
    own = {"trainingjobs-key": outputs["submittedHash"], "trainingjobs-declaration": ANY}
    assert sent.body["labels"] == {"team": "nlp", **own}


@kinds
def test_one_job_whatever_happens(plugin: Plugin, proxy: Proxy, engine: Engine, token: str, inputs: Inputs) -> None:
    proxy.faults = {"POST": [("lose",)]}
    job_id, outputs = plugin.create(inputs(), token)
    assert plugin.create(inputs(), token)[0] == job_id
    assert engine.logged("nothing new is submitted")
    assert len(submissions(proxy, token)) == 1
    assert plugin.read(job_id, outputs, inputs(), token)[0] == job_id
    plugin.next_run()
    plugin.delete(job_id, outputs, token)
    assert sum(sent.path.endswith(":cancel") for sent in proxy.sent) == 1
    assert plugin.read(job_id, outputs, inputs(), token)[0] == ""


@kinds
def test_an_import_fills_the_inputs_and_shows_no_change(plugin: Plugin, token: str, inputs: Inputs) -> None:
    command = bodies.MEASURED if token == TUNING else bodies.SHORT
    given = inputs(command, environment=None, usdPerHour=None)
    job_id, _ = plugin.create(given, token)
    plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    _, outputs, imported = plugin.read(job_id, token=token)
    assert plugin.check(imported, token) == []
    assert plugin.diff(job_id, outputs, given, token, old_inputs=imported).changes == NONE
    with pytest.raises(grpc.RpcError, match=COLLECTIONS[token]):
        plugin.read(job_id.replace(COLLECTIONS[token], "customJobs"), token=token)


@pytest.mark.parametrize(
    ("token", "old", "new", "path"),
    [
        pytest.param(TUNING, bodies.tuning(), bodies.tuning(maxTrialCount=4), "maxTrialCount", id="count"),
        pytest.param(
            TUNING,
            bodies.tuning(),
            bodies.tuning(studySpec={**bodies.STUDY, "medianAutomatedStoppingSpec": {}}),
            "studySpec.medianAutomatedStoppingSpec",
            id="stopping by its defaults",
        ),
        pytest.param(
            TUNING,
            bodies.tuning(),
            bodies.tuning(["true"]),
            "trialJobSpec.workerPoolSpecs[0].containerSpec.command[0]",
            id="trial",
        ),
        pytest.param(
            PIPELINE,
            bodies.pipeline(),
            bodies.pipeline(modelToUpload={"displayName": "other"}),
            "modelToUpload.displayName",
            id="model",
        ),
    ],
)
def test_a_change_of_the_body_replaces(
    plugin: Plugin, token: str, old: dict[str, Any], new: dict[str, Any], path: str
) -> None:
    gone = f"projects/acme-ml-sandbox/locations/us-central1/{COLLECTIONS[token]}/1"
    answer = plugin.diff(gone, {**old, "name": gone}, new, token)
    assert path in answer.detailedDiff
    assert list(answer.replaces) == [path.partition(".")[0]]
    assert plugin.diff(gone, {**old, "name": gone}, old, token).changes == NONE


def test_a_tuning_job_brings_its_best_trial(plugin: Plugin, engine: Engine) -> None:
    given = bodies.tuning(bodies.MEASURED)
    job_id, outputs = plugin.create(given, TUNING)
    assert engine.logged("3 trials, 2 at once")
    assert "bestTrials" not in outputs
    _, waited = plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    ((best),) = waited["bestTrials"]
    assert best["metrics"]["score"] == best["parameters"]["lr"]
    assert 0.25 <= best["parameters"]["lr"] <= 0.75
    assert plugin.read(job_id, outputs, given, TUNING)[1]["bestTrials"] == [best]


def test_a_pipeline_brings_its_model_and_names_its_job(plugin: Plugin) -> None:
    given = bodies.pipeline(bodies.SHORT)
    job_id, outputs = plugin.create(given, PIPELINE)
    _, waited = plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)
    assert waited["state"] == "PIPELINE_STATE_SUCCEEDED"
    refreshed = plugin.read(job_id, outputs, given, PIPELINE)[1]
    assert refreshed["modelName"] == waited["modelName"]
    assert "/models/" in refreshed["modelName"]
    assert "/customJobs/" in refreshed["backingJob"]


@pytest.mark.parametrize(
    ("token", "inputs"), [pytest.param(TUNING, bodies.tuning), pytest.param(PIPELINE, bodies.pipeline)]
)
def test_a_failed_job_fails_the_wait(plugin: Plugin, token: str, inputs: Inputs) -> None:
    job_id, _ = plugin.create(inputs(bodies.FAILING), token)
    with pytest.raises(grpc.RpcError, match="status of 3"):
        plugin.create({"job": job_id, "waitFor": "succeeded"}, COMPLETION)


def ended(goals: dict[str, str], *scores: dict[str, float] | None) -> dict[str, Any]:
    trials = [
        {"id": str(number), "state": "SUCCEEDED", "finalMeasurement": {"metrics": _metrics(score)}}
        if score is not None
        else {"id": str(number), "state": "INFEASIBLE"}
        for number, score in enumerate(scores, 1)
    ]
    metrics = [{"metricId": name, "goal": goal} for name, goal in goals.items()]
    return {"state": "JOB_STATE_SUCCEEDED", "studySpec": {"metrics": metrics}, "trials": trials}


def _metrics(score: dict[str, float]) -> list[dict[str, Any]]:
    # The service leaves out a value of 0.
    return [{"metricId": name, **({"value": value} if value else {})} for name, value in score.items()]


@pytest.mark.parametrize(
    ("job", "ids"),
    [
        pytest.param(ended({"a": "MAXIMIZE"}, {"a": 1}, {"a": 3}, {"a": 2}), ["2"], id="highest"),
        pytest.param(ended({"a": "MINIMIZE"}, {"a": 1}, {"a": 0}, None), ["2"], id="lowest"),
        pytest.param(ended({"a": "MAXIMIZE"}, {"a": 1}, {"a": 1}, {"b": 9}), ["1", "2"], id="equals"),
        pytest.param(
            ended({"a": "MAXIMIZE", "b": "MINIMIZE"}, {"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 1, "b": 2}),
            ["1", "2"],
            id="two metrics",
        ),
        pytest.param(ended({"a": "MAXIMIZE"}, None), [], id="none"),
    ],
)
def test_the_best_trials_are_those_that_none_beats(job: dict[str, Any], ids: list[str]) -> None:
    assert [trial["id"] for trial in best_trials(job)] == ids
