"""What happens in the life of each kind of job: a custom job, a tuning job with its trials, a training pipeline.

Each function returns how the job ended: {"state", "error"}. Threads and slots are sandbox/vertex/lives.py's, what a
study suggests sandbox/vertex/study.py's.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from sandbox.vertex.errors import job_error
from sandbox.vertex.launch import Runner
from sandbox.vertex.lives import Life, Lives
from sandbox.vertex.metrics import final_measurement
from sandbox.vertex.records import Record, now, number_of, stopped_error
from sandbox.vertex.study import arguments, suggest


def live_custom_job(lives: Lives, name: str, life: Life) -> dict[str, Any]:
    """Runs the job's pools once."""
    lives.set_state(name, "PENDING")
    record = lives.records.get(name) or {}
    spec = record["jobSpec"]
    changes: dict[str, object] = {"webAccessUris": _web_uris(lives, name, spec)} if spec.get("enableWebAccess") else {}
    return life.run(
        lambda: Runner(lives.state, name, spec),
        lambda: lives.set_state(name, "RUNNING", startTime=now(), **changes),
    )


def _web_uris(lives: Lives, name: str, spec: dict[str, Any]) -> dict[str, str]:
    return {
        f"workerpool{pool}-{index}": f"{lives.endpoint}/sandbox/logs/{number_of(name)}/workerpool{pool}-{index}"
        for pool, pool_spec in enumerate(spec["workerPoolSpecs"])
        for index in range(int(pool_spec.get("replicaCount", 0)))
    }


def live_tuning_job(lives: Lives, name: str, life: Life) -> dict[str, Any]:
    """Runs the trials, at most parallelTrialCount at once, each on pools of its own."""
    job = lives.records.get(name) or {}
    lives.set_state(name, "RUNNING", startTime=now())
    suggestions = suggest(job["studySpec"], job["maxTrialCount"])
    with ThreadPoolExecutor(job["parallelTrialCount"]) as pool:
        list(pool.map(lambda item: _live_trial(lives, name, life, str(item[0]), item[1]), enumerate(suggestions, 1)))
    if life.ending:
        return {"state": "CANCELLED", "error": job_error("CANCELLED", "CANCELED")}
    trials = (lives.records.get(name) or {}).get("trials", [])
    if _too_many_failed(job, trials):
        reason = next(trial["infeasibleReason"] for trial in trials if trial["state"] == "INFEASIBLE")
        return {
            "state": "FAILED",
            "error": job_error("INVALID_ARGUMENT", f"Too many trials failed; the first: {reason}"),
        }
    return {"state": "SUCCEEDED"}


def _live_trial(lives: Lives, name: str, life: Life, trial: str, values: dict[str, Any]) -> None:
    job = lives.records.get(name) or {}
    if life.ending or _too_many_failed(job, job.get("trials", []), running=True):
        return
    entry: Record = {
        "name": f"{name}/trials/{trial}",
        "id": trial,
        "state": "ACTIVE",
        "parameters": [{"parameterId": key, "value": value} for key, value in values.items()],
        "startTime": now(),
    }
    lives.records.change(name, lambda record: _put_trial(record, entry))
    spec, study = job["trialJobSpec"], job["studySpec"]
    result = life.run(lambda: Runner(lives.state, name, spec, trial, arguments(values)), lambda: None)
    measurements = result.get("measurements", [])
    final = final_measurement(measurements, study)
    if result["state"] == "SUCCEEDED" and final is not None:
        entry = {**entry, "state": "SUCCEEDED", "finalMeasurement": final, "measurements": measurements}
    else:
        metric = study["metrics"][0]["metricId"]
        reason = result.get("error", {}).get("message", f"The trial reported no metric {metric}.")
        entry = {**entry, "state": "INFEASIBLE", "infeasibleReason": reason}
    entry["endTime"] = now()
    lives.records.change(name, lambda record: _put_trial(record, entry))


def live_pipeline(lives: Lives, name: str, life: Life) -> dict[str, Any]:
    """Makes the job that the pipeline's inputs describe, and ends as that job ends."""
    pipeline = lives.records.get(name) or {}
    parent = name.rpartition("/trainingPipelines/")[0]
    is_tuning = "hyperparameter_tuning_task" in pipeline["trainingTaskDefinition"]
    collection = "hyperparameterTuningJobs" if is_tuning else "customJobs"
    inputs = pipeline["trainingTaskInputs"]
    job = {
        **(inputs if is_tuning else {"jobSpec": inputs}),
        "displayName": f"{pipeline['displayName'][:100]}-backing-job",
    }
    if "encryptionSpec" in pipeline:
        job["encryptionSpec"] = pipeline["encryptionSpec"]
    backing_job = lives.begin(parent, collection, job, pipeline_life=life)
    key = "backingHyperparameterTuningJob" if is_tuning else "backingCustomJob"
    lives.set_state(name, "PENDING", trainingTaskMetadata={key: backing_job["name"]})
    # A cancel that came before the pipeline named its job has reached only the pipeline.
    if life.cancelled:
        lives.cancel_backing(backing_job["name"])
    state = backing_job["state"]
    while not state.endswith(("SUCCEEDED", "FAILED", "CANCELLED")):
        if state == "JOB_STATE_RUNNING":
            lives.set_state(name, "RUNNING", startTime=now())
        state = lives.records.wait_other_state(backing_job["name"], state)
    backing_record = lives.records.get(backing_job["name"]) or {"error": stopped_error()}
    if state == "JOB_STATE_SUCCEEDED" and "modelToUpload" in pipeline:
        lives.records.change(name, lambda record: _name_model(record, parent))
    return {"state": state.removeprefix("JOB_STATE_"), "error": backing_record.get("error")}


def _name_model(pipeline: Record, parent: str) -> None:
    pipeline["modelToUpload"]["name"] = f"{parent}/models/{pipeline.get('modelId') or number_of(pipeline['name'])}"


def _put_trial(job: Record, trial: Record) -> None:
    others = [other for other in job.get("trials", []) if other["id"] != trial["id"]]
    job["trials"] = sorted([*others, trial], key=lambda entry: int(entry["id"]))


def _too_many_failed(job: Record, trials: list[Record], *, running: bool = False) -> bool:
    """Whether the job fails by its trials: maxFailedTrialCount of them, or all of them where it is 0."""
    failed = sum(trial["state"] == "INFEASIBLE" for trial in trials)
    limit = job.get("maxFailedTrialCount", 0)
    if limit:
        return bool(failed >= limit)
    return not running and bool(trials) and failed == len(trials)


KINDS: Final = {
    "customJobs": live_custom_job,
    "hyperparameterTuningJobs": live_tuning_job,
    "trainingPipelines": live_pipeline,
}
