"""A hyperparameter study: ours, AI Platform's HyperparameterSpec, and what each has that the other has not."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.convert.ai_platform_study import DEFAULT_METRIC, hyperparameters, study_findings, tuning_of
from trainingjobs.core.findings import Finding
from trainingjobs.core.paths import FieldPath
from trainingjobs.core.source import Node
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.tuning import Tuning

DOUBLE = {"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}, "scaleType": "UNIT_LOG_SCALE"}
OURS = {
    "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
    "parameters": [
        DOUBLE,
        {"parameterId": "layers", "integerValueSpec": {"minValue": 2, "maxValue": 9}},
        {"parameterId": "kind", "categoricalValueSpec": {"values": ["a", "b"]}},
        {"parameterId": "batch", "discreteValueSpec": {"values": [16.0, 32.0]}},
    ],
    "algorithm": "GRID_SEARCH",
    "maxTrialCount": 8,
    "parallelTrialCount": 4,
    "maxFailedTrialCount": 3,
}
THEIRS = {
    "goal": "MAXIMIZE",
    "hyperparameterMetricTag": "accuracy",
    "maxTrials": 8,
    "maxParallelTrials": 4,
    "maxFailedTrials": 3,
    "algorithm": "GRID_SEARCH",
    "params": [
        {"parameterName": "lr", "type": "DOUBLE", "minValue": 0.1, "maxValue": 1.0, "scaleType": "UNIT_LOG_SCALE"},
        {"parameterName": "layers", "type": "INTEGER", "minValue": 2, "maxValue": 9},
        {"parameterName": "kind", "type": "CATEGORICAL", "categoricalValues": ["a", "b"]},
        {"parameterName": "batch", "type": "DISCRETE", "discreteValues": [16.0, 32.0]},
    ],
}


def tuning_with(**changes: Any) -> Tuning:
    tuning = read_model(Tuning, {**OURS, **changes}).value
    assert tuning is not None
    return tuning


def read(**changes: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    findings: list[Finding] = []
    given = {key: value for key, value in {**THEIRS, **changes}.items() if value is not None}
    study = tuning_of(Node(given, "h", findings))
    return study, [(each.path, each.severity) for each in findings]


def test_a_study_and_back() -> None:
    assert hyperparameters(tuning_with()) == THEIRS
    assert read() == (OURS, [])


def test_what_is_not_declared_is_not_written() -> None:
    spec = hyperparameters(tuning_with(algorithm=None, maxFailedTrialCount=None))
    assert {"algorithm", "maxFailedTrials", "enableTrialEarlyStopping"}.isdisjoint(spec)


@pytest.mark.parametrize("stopping", ["medianAutomatedStoppingSpec", "decayCurveStoppingSpec"])
def test_a_stopping_rule_is_theirs(stopping: str) -> None:
    tuning = tuning_with(**{stopping: {}})
    assert hyperparameters(tuning)["enableTrialEarlyStopping"] is True
    assert [(each.path, each.severity) for each in study_findings(tuning, FieldPath("t"))] == [("t", "advice")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"metrics": [*OURS["metrics"], {"metricId": "loss", "goal": "MINIMIZE"}]}, [("t.metrics", "error")]),
        ({"observationNoise": "HIGH"}, [("t.observationNoise", "advice")]),
        ({"measurementSelectionType": "BEST_MEASUREMENT"}, [("t.measurementSelectionType", "advice")]),
        *(
            (
                {"parameters": [DOUBLE, {"parameterId": "p", kind: {**value, "defaultValue": default}}]},
                [("t.parameters[1]", "advice")],
            )
            for kind, value, default in (
                ("doubleValueSpec", {"minValue": 0.0, "maxValue": 1.0}, 0.5),
                ("integerValueSpec", {"minValue": 0, "maxValue": 3}, 0),
                ("categoricalValueSpec", {"values": ["a", "b"]}, "a"),
                ("discreteValueSpec", {"values": [1.0, 2.0]}, 2.0),
            )
        ),
    ],
)
def test_what_they_have_not(changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert [(each.path, each.severity) for each in study_findings(tuning_with(**changes), FieldPath("t"))] == expected


@pytest.mark.parametrize(
    ("changes", "read_as"),
    [
        ({"goal": "MINIMIZE"}, {"metrics": [{"metricId": "accuracy", "goal": "MINIMIZE"}]}),
        ({"hyperparameterMetricTag": None}, {"metrics": [{"metricId": DEFAULT_METRIC, "goal": "MAXIMIZE"}]}),
        ({"maxTrials": None}, {"maxTrialCount": 1, "parallelTrialCount": 1}),
        ({"maxParallelTrials": None}, {"parallelTrialCount": 1}),
        ({"maxParallelTrials": 20}, {"parallelTrialCount": 8}),
        ({"algorithm": "RANDOM_SEARCH"}, {"algorithm": "RANDOM_SEARCH"}),
    ],
)
def test_how_theirs_is_read(changes: dict[str, Any], read_as: dict[str, Any]) -> None:
    assert read(**changes) == ({**OURS, **read_as}, [])


@pytest.mark.parametrize("key", ["algorithm", "maxFailedTrials"])
def test_what_theirs_leaves_out(key: str) -> None:
    left = {"algorithm": "algorithm", "maxFailedTrials": "maxFailedTrialCount"}[key]
    kept = {name: value for name, value in OURS.items() if name != left}
    assert read(**{key: None}) == (kept, [])
    assert read(algorithm="ALGORITHM_UNSPECIFIED")[0].get("algorithm") is None


def test_the_services_own_stopping_rule_becomes_the_median_rule() -> None:
    study, findings = read(enableTrialEarlyStopping=True)
    assert study["medianAutomatedStoppingSpec"] == {}
    assert findings == [("h.enableTrialEarlyStopping", "advice")]
    assert "medianAutomatedStoppingSpec" not in read(enableTrialEarlyStopping=False)[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"goal": "BEST"}, [("h.goal", "error")]),
        ({"algorithm": "ALGORITHM_UNSPECIFIED"}, []),
        ({"algorithm": "BAYES"}, [("h.algorithm", "error")]),
        ({"resumePreviousJobId": "j"}, [("h.resumePreviousJobId", "advice")]),
        ({"maxTrial": 1}, [("h.maxTrial", "error")]),
        ({"params": [{"parameterName": "p", "type": "DOUBLE", "step": 1}]}, [("h.params[0].step", "error")]),
        ({"params": [{"parameterName": "p", "type": "RANGE"}]}, [("h.params[0].type", "error")]),
        (
            {"params": [{"parameterName": "p", "type": "DOUBLE", "scaleType": "LOG"}]},
            [("h.params[0].scaleType", "error")],
        ),
        ({"params": [{"parameterName": "p", "type": "DOUBLE", "scaleType": "NONE"}]}, []),
    ],
)
def test_faults_at_their_place(changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert read(**changes)[1] == expected


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"type": "DOUBLE"}, {"doubleValueSpec": {"minValue": 0.0, "maxValue": 0.0}}),
        ({"type": "INTEGER"}, {"integerValueSpec": {"minValue": 0, "maxValue": 0}}),
        ({"type": "INTEGER", "minValue": "3", "maxValue": 5}, {"integerValueSpec": {"minValue": 3, "maxValue": 5}}),
        ({"type": "DOUBLE", "minValue": -1, "maxValue": 2}, {"doubleValueSpec": {"minValue": -1, "maxValue": 2}}),
        ({"type": "DISCRETE", "discreteValues": [3, 1, 2]}, {"discreteValueSpec": {"values": [1, 2, 3]}}),
        ({"type": "CATEGORICAL", "categoricalValues": ["b", "a"]}, {"categoricalValueSpec": {"values": ["b", "a"]}}),
        *(
            ({"type": "DISCRETE", "scaleType": scale}, {"discreteValueSpec": {"values": []}, "scaleType": scale})
            for scale in ("UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE", "UNIT_REVERSE_LOG_SCALE")
        ),
    ],
)
def test_a_parameter(given: dict[str, Any], parameter: dict[str, Any]) -> None:
    study, _ = read(params=[{"parameterName": "p", **given}])
    assert study["parameters"] == [{"parameterId": "p", **parameter}]
