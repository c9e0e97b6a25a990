"""Tuning jobs and training pipelines: trials with their parameters and metrics, and jobs behind pipelines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.vertex.study import arguments, suggest
from tests.sandbox.vertex_sandbox import REDUCER, WAITS, Sandbox, job, pool, until

# What cloudml-hypertune writes: one JSON object a line, the value a string.
TRIAL = """
import json, os, sys
lr = float(sys.argv[1].removeprefix('--lr='))
spec = json.loads(os.environ['CLUSTER_SPEC']); tf = json.loads(os.environ['TF_CONFIG'])
assert spec['task']['trial'] == tf['task']['trial'] == os.environ['CLOUD_ML_TRIAL_ID']
file = os.environ['CLOUD_ML_HP_METRIC_FILE']
os.makedirs(os.path.dirname(file), exist_ok=True)
with open(file, 'w') as out:
    for step, value in ((1, lr), (2, lr * 2), (3, lr / 2)):
        report = {'timestamp': 1.0, 'trial': '1', 'score': str(value), 'global_step': str(step), 'checkpoint_path': ''}
        print(json.dumps(report), file=out)
print(os.environ.get('AIP_MODEL_DIR'))
"""
LR = {"parameterId": "lr", "doubleValueSpec": {"minValue": 0.001, "maxValue": 0.1}, "scaleType": "UNIT_LOG_SCALE"}


def tuning(code: str = TRIAL, *, trials: int = 3, study: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "displayName": "tuned",
        "studySpec": {"metrics": [{"metricId": "score", "goal": "MAXIMIZE"}], "parameters": [LR], **(study or {})},
        "maxTrialCount": trials,
        "parallelTrialCount": 2,
        "trialJobSpec": {
            "workerPoolSpecs": [pool(code), {}, pool(image=REDUCER)],
            "baseOutputDirectory": {"outputUriPrefix": "gs://acme-out/tuned"},
        },
        **fields,
    }


def test_every_trial_runs_with_its_parameters_and_is_measured(vertex: Sandbox) -> None:
    ran = vertex.run(tuning(), "hyperparameterTuningJobs")
    assert ran["state"] == "JOB_STATE_SUCCEEDED", ran
    assert [trial["id"] for trial in ran["trials"]] == ["1", "2", "3"]
    for trial in ran["trials"]:
        lr = trial["parameters"][0]["value"]
        assert 0.001 <= lr <= 0.1
        assert trial["state"] == "SUCCEEDED"
        assert trial["finalMeasurement"] == {"stepCount": "3", "metrics": [{"metricId": "score", "value": lr / 2}]}
        log = vertex.log(ran, trial=f"-{trial['id']}")
        assert log.strip().endswith(f"gcs/acme-out/tuned/{trial['id']}/model/")


def test_the_best_measurement_counts_where_the_study_says_so(vertex: Sandbox) -> None:
    ran = vertex.run(
        tuning(trials=2, study={"measurementSelectionType": "BEST_MEASUREMENT"}), "hyperparameterTuningJobs"
    )
    assert {trial["finalMeasurement"]["stepCount"] for trial in ran["trials"]} == {"2"}


@pytest.mark.parametrize("code", ["import sys; sys.exit(2)", "print('I measure nothing')"])
def test_trials_that_fail_or_report_nothing_are_infeasible_and_fail_the_job(vertex: Sandbox, code: str) -> None:
    ran = vertex.run(tuning(code, trials=2), "hyperparameterTuningJobs")
    assert ran["state"] == "JOB_STATE_FAILED"
    assert {trial["state"] for trial in ran["trials"]} == {"INFEASIBLE"}


def test_a_job_stops_at_its_most_failed_trials(vertex: Sandbox) -> None:
    body = tuning("import sys; sys.exit(2)", trials=6, maxFailedTrialCount=1, parallelTrialCount=1)
    ran = vertex.run(body, "hyperparameterTuningJobs")
    assert ran["state"] == "JOB_STATE_FAILED"
    assert len(ran["trials"]) == 1


def test_a_tuning_job_is_cancelled_with_its_trials(vertex: Sandbox) -> None:
    name = vertex.create(tuning(WAITS, trials=4), "hyperparameterTuningJobs")["name"]
    until(lambda: len(vertex.get(name).get("trials", [])) == 2)
    vertex.request("POST", f"/v1/{name}:cancel", {})
    ran = vertex.wait(name)
    assert ran["state"] == "JOB_STATE_CANCELLED"
    assert len(ran["trials"]) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"maxTrialCount": 0}, "maxTrialCount"),
        ({"parallelTrialCount": 9}, "parallelTrialCount"),
        ({"studySpec": {"metrics": [{"metricId": "m", "goal": "MAXIMIZE"}]}}, "study_spec.parameters"),
        (
            {"trialJobSpec": {"workerPoolSpecs": [pool(replicas=2)]}},
            "trial_job_spec.worker_pool_specs[0].replica_count",
        ),
    ],
)
def test_a_tuning_job_that_the_service_refuses(vertex: Sandbox, change: dict[str, Any], field: str) -> None:
    error = vertex.refused(tuning(**change), "hyperparameterTuningJobs")
    assert field in [violation["field"] for violation in error["details"][0]["fieldViolations"]]


def test_suggestions_are_repeatable_differ_and_keep_to_their_scale() -> None:
    parameters = [
        LR,
        {"parameterId": "layers", "integerValueSpec": {"minValue": "1", "maxValue": "3"}},
        {"parameterId": "batch", "discreteValueSpec": {"values": [32, 64.0]}},
        {
            "parameterId": "optimizer",
            "categoricalValueSpec": {"values": ["sgd", "adam"]},
            "conditionalParameterSpecs": [
                {
                    "parentCategoricalValues": {"values": ["sgd"]},
                    "parameterSpec": {"parameterId": "momentum", "doubleValueSpec": {"maxValue": 1.0}},
                }
            ],
        },
    ]
    points = suggest({"parameters": parameters}, 40)
    assert points == suggest({"parameters": parameters}, 40)
    assert len({point["lr"] for point in points}) == 40
    assert sum(float(point["lr"]) < 0.01 for point in points) > 10
    assert {point["layers"] for point in points} == {1, 2, 3}
    assert all(("momentum" in point) == (point["optimizer"] == "sgd") for point in points)
    assert arguments({"batch": points[0]["batch"]})[0] in ("--batch=32", "--batch=64")


def test_a_grid_is_enumerated_and_no_longer_than_asked() -> None:
    parameters = [
        {"parameterId": "a", "integerValueSpec": {"minValue": "0", "maxValue": str(10**12)}},
        {"parameterId": "b", "categoricalValueSpec": {"values": ["x", "y"]}},
    ]
    points = suggest({"parameters": parameters, "algorithm": "GRID_SEARCH"}, 3)
    assert points == [{"a": 0, "b": "x"}, {"a": 0, "b": "y"}, {"a": 1, "b": "x"}]


def pipeline(inputs: dict[str, Any], task: str = "custom_task", **fields: Any) -> dict[str, Any]:
    definition = f"gs://google-cloud-aiplatform/schema/trainingjob/definition/{task}_1.0.0.yaml"
    return {"displayName": "piped", "trainingTaskDefinition": definition, "trainingTaskInputs": inputs, **fields}


def test_a_pipeline_runs_a_custom_job_and_ends_as_it_does(vertex: Sandbox) -> None:
    body = pipeline(job(pool("print('piped')"))["jobSpec"], modelToUpload={"displayName": "m"})
    ran = vertex.run(body, "trainingPipelines")
    assert ran["state"] == "PIPELINE_STATE_SUCCEEDED", ran
    assert "/models/" in ran["modelToUpload"]["name"]
    backing = vertex.get(ran["trainingTaskMetadata"]["backingCustomJob"])
    assert backing["state"] == "JOB_STATE_SUCCEEDED"
    assert vertex.log(backing) == "piped\n"


def test_a_pipeline_fails_with_the_error_of_its_job(vertex: Sandbox) -> None:
    ran = vertex.run(pipeline(job(pool("import sys; sys.exit(9)"))["jobSpec"]), "trainingPipelines")
    assert ran["state"] == "PIPELINE_STATE_FAILED"
    assert "status of 9" in ran["error"]["message"]


def test_a_pipeline_can_tune(vertex: Sandbox) -> None:
    inputs = {key: value for key, value in tuning(trials=1, parallelTrialCount=1).items() if key != "displayName"}
    ran = vertex.run(pipeline(inputs, "hyperparameter_tuning_task"), "trainingPipelines")
    assert ran["state"] == "PIPELINE_STATE_SUCCEEDED", ran
    backing = vertex.get(ran["trainingTaskMetadata"]["backingHyperparameterTuningJob"])
    assert len(backing["trials"]) == 1


def test_cancelling_a_pipeline_cancels_its_job(vertex: Sandbox) -> None:
    name = vertex.create(pipeline(job(pool(WAITS))["jobSpec"]), "trainingPipelines")["name"]
    vertex.request("POST", f"/v1/{name}:cancel", {})
    ran = vertex.wait(name)
    assert ran["state"] == "PIPELINE_STATE_CANCELLED"
    assert vertex.get(ran["trainingTaskMetadata"]["backingCustomJob"])["state"] == "JOB_STATE_CANCELLED"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (pipeline({}), "trainingTaskInputs"),
        (pipeline({"workers": 1}), "training_pipeline.training_task_inputs"),
        (pipeline(job(pool(replicas=2))["jobSpec"]), "training_task_inputs.worker_pool_specs[0].replica_count"),
        (pipeline({"x": 1}, "automl_tables"), "automl_tables"),
    ],
)
def test_a_pipeline_that_the_service_refuses(vertex: Sandbox, body: dict[str, Any], message: str) -> None:
    assert message in json.dumps(vertex.refused(body, "trainingPipelines"))
