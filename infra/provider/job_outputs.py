"""What the service says of a job, as outputs: its state, and what it has brought (best trials, an uploaded model)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from infra.provider import jobs
from infra.provider.errors import shortened
from infra.provider.identity import LABEL

# The most characters of a reason beside other words; `status` and the wait for the job have the whole of it.
REASON: Final = 120
COMMON: Final = ("name", "state", "createTime", "startTime", "endTime")


def observed(job: Mapping[str, Any]) -> dict[str, object]:
    """Returns the outputs that come from the service; what it does not say is left out."""
    name = jobs.parse_name(job.get("name"))
    error = job.get("error")
    outputs = {key: job.get(key) for key in COMMON}
    outputs["error"] = error.get("message") if isinstance(error, Mapping) else None
    outputs["consoleUrl"] = name.console_url if name else None
    outputs["submittedHash"] = (job.get("labels") or {}).get(LABEL)
    outputs["backingJob"] = backing_job(job)
    outputs |= results(job)
    return {key: value for key, value in outputs.items() if value is not None}


def backing_job(job: Mapping[str, Any]) -> str | None:
    """Returns the name of the custom job that does a pipeline's work, None where there is none yet."""
    metadata = job.get("trainingTaskMetadata")
    return metadata.get("backingCustomJob") if isinstance(metadata, Mapping) else None


def results(job: Mapping[str, Any]) -> dict[str, object]:
    """Returns what the job has brought: the best trials of an ended tuning job, the model that a pipeline uploaded."""
    found: dict[str, object] = {}
    if "studySpec" in job and jobs.state_of(job) in jobs.ENDED:
        found["bestTrials"] = best_trials(job)
    if jobs.state_of(job) in jobs.SUCCEEDED and (job.get("modelToUpload") or {}).get("name"):
        found["modelName"] = job["modelToUpload"]["name"]
    return found


def best_trials(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the best of the succeeded trials, by id: those that no other one beats in every metric.

    With one metric, those that share its best value (Vizier's ListOptimalTrials: "the pareto-optimal Trials for
    multi-objective Study or the optimal Trials for single-objective Study").
    """
    goals = {metric["metricId"]: metric.get("goal") for metric in job["studySpec"].get("metrics", [])}
    trials = [_trial(trial) for trial in job.get("trials") or [] if trial.get("state") == "SUCCEEDED"]
    scored = [(trial, _scores(trial["metrics"], goals)) for trial in trials if goals.keys() <= trial["metrics"].keys()]
    best = [trial for trial, mine in scored if not any(_beats(other, mine) for _, other in scored)]
    return sorted(best, key=lambda trial: (len(trial["id"]), trial["id"]))


def _trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    metrics = (trial.get("finalMeasurement") or {}).get("metrics") or []
    return {
        "id": str(trial.get("id", "")),
        "parameters": {one["parameterId"]: one.get("value") for one in trial.get("parameters") or []},
        # A value of 0 is left out by the service, as protos are written as JSON.
        "metrics": {metric["metricId"]: metric.get("value", 0) for metric in metrics},
    }


def _scores(metrics: Mapping[str, float], goals: Mapping[str, object]) -> list[float]:
    return [-metrics[name] if goal == "MINIMIZE" else metrics[name] for name, goal in goals.items()]


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return one != other and all(mine >= its for mine, its in zip(one, other, strict=True))


def run_again(job: Mapping[str, Any]) -> str:
    """Returns how an ended job without success ended, in one line, and how to run it again."""
    error = job.get("error")
    said = str(error.get("message") or "") if isinstance(error, Mapping) else ""
    # What follows the first sentence is where to look, or lines of a log.
    why = f": {shortened(said.partition('. ')[0], REASON).rstrip('.')}" if said else ""
    return f"{job['name']} is {jobs.state_of(job)}{why}; it is not run again by itself: raise `run`, or change the job"
