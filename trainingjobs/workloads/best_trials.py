"""The best trials of a tuning job as the service describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def best_trials(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the best of the succeeded trials, by id: those that no other one beats in every metric.

    With one metric, those that share its best value (Vizier's ListOptimalTrials: "the pareto-optimal Trials for
    multi-objective Study or the optimal Trials for single-objective Study").
    """
    goals = {metric["metricId"]: metric.get("goal") for metric in job["studySpec"].get("metrics", [])}
    trials = [_trial(trial) for trial in job.get("trials") or [] if trial.get("state") == "SUCCEEDED"]
    scored = [(trial, _scores(trial["metrics"], goals)) for trial in trials if goals.keys() <= trial["metrics"].keys()]
    best = [trial for trial, scores in scored if not any(_beats(others, scores) for _, others in scored)]
    return sorted(best, key=lambda trial: (len(trial["id"]), trial["id"]))


def _trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    metrics = (trial.get("finalMeasurement") or {}).get("metrics") or []
    return {
        "id": str(trial.get("id", "")),
        "parameters": {parameter["parameterId"]: parameter.get("value") for parameter in trial.get("parameters") or []},
        # A value of 0 is left out by the service, as protos are written as JSON.
        "metrics": {metric["metricId"]: metric.get("value", 0) for metric in metrics},
    }


def _scores(metrics: Mapping[str, float], goals: Mapping[str, object]) -> list[float]:
    return [-metrics[name] if goal == "MINIMIZE" else metrics[name] for name, goal in goals.items()]


def _beats(scores: Sequence[float], others: Sequence[float]) -> bool:
    return scores != others and all(score >= other for score, other in zip(scores, others, strict=True))
