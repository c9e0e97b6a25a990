"""Vertex AI's studySpec as the `tuning` of a job document, part by part."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.core.findings import Finding
from trainingjobs.core.source import Node
from trainingjobs.workloads.study_reading import counts_of, study_of

METRIC = {"metricId": "accuracy", "goal": "MAXIMIZE"}
BARE: dict[str, Any] = {"metrics": [], "parameters": []}


def read(spec: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    findings: list[Finding] = []
    study = study_of(Node(spec, "s", findings))
    return study, [(each.severity, each.path) for each in findings]


def parameter(**given: Any) -> tuple[Any, list[tuple[str, str]]]:
    study, findings = read({"parameters": [{"parameterId": "p", **given}]})
    return study["parameters"][0], findings


@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        ({}, {}),
        ({"metrics": [METRIC, {**METRIC, "goal": "MINIMIZE"}]}, {"metrics": [METRIC, {**METRIC, "goal": "MINIMIZE"}]}),
        *(({"algorithm": word}, {"algorithm": word}) for word in ("GRID_SEARCH", "RANDOM_SEARCH")),
        ({"algorithm": "ALGORITHM_UNSPECIFIED"}, {}),
        *(({"observationNoise": word}, {"observationNoise": word}) for word in ("LOW", "HIGH")),
        ({"observationNoise": "OBSERVATION_NOISE_UNSPECIFIED"}, {}),
        *(
            ({"measurementSelectionType": word}, {"measurementSelectionType": word})
            for word in ("LAST_MEASUREMENT", "BEST_MEASUREMENT")
        ),
        ({"measurementSelectionType": "MEASUREMENT_SELECTION_TYPE_UNSPECIFIED"}, {}),
        *(
            ({key: given}, {key: given})
            for key in ("decayCurveStoppingSpec", "medianAutomatedStoppingSpec")
            for given in ({}, {"useElapsedDuration": True}, {"useElapsedDuration": False})
        ),
        ({"convexAutomatedStoppingSpec": {}}, {"convexAutomatedStoppingSpec": {}}),
        *(
            ({"convexAutomatedStoppingSpec": {key: value}}, {"convexAutomatedStoppingSpec": {key: value}})
            for key, value in (
                ("maxStepCount", 9),
                ("minStepCount", 0),
                ("minMeasurementCount", 2),
                ("learningRateParameterName", "lr"),
                ("useElapsedDuration", True),
                ("updateAllStoppedTrials", False),
            )
        ),
    ],
)
def test_what_is_read(spec: dict[str, Any], changes: dict[str, Any]) -> None:
    assert read(spec) == ({**BARE, **changes}, [])


@pytest.mark.parametrize(
    ("spec", "severity", "path"),
    [
        ({"metrics": [{**METRIC, "goal": "BEST"}]}, "error", "s.metrics[0].goal"),
        ({"metrics": [{**METRIC, "safetyConfig": {}}]}, "advice", "s.metrics[0].safetyConfig"),
        ({"metrics": [{**METRIC, "odd": 1}]}, "error", "s.metrics[0].odd"),
        ({"algorithm": "BAYES"}, "error", "s.algorithm"),
        ({"observationNoise": "LOUD"}, "error", "s.observationNoise"),
        ({"measurementSelectionType": "ANY"}, "error", "s.measurementSelectionType"),
        ({"medianAutomatedStoppingSpec": {"odd": 1}}, "error", "s.medianAutomatedStoppingSpec.odd"),
        ({"convexAutomatedStoppingSpec": {"odd": 1}}, "error", "s.convexAutomatedStoppingSpec.odd"),
        ({"convexStopConfig": {}}, "advice", "s.convexStopConfig"),
        ({"transferLearningConfig": {}}, "advice", "s.transferLearningConfig"),
        ({"studyStoppingConfig": {}}, "advice", "s.studyStoppingConfig"),
        ({"odd": 1}, "error", "s.odd"),
    ],
)
def test_what_is_dropped_or_wrong(spec: dict[str, Any], severity: str, path: str) -> None:
    assert read(spec)[1] == [(severity, path)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        *(({"scaleType": word}, {"scaleType": word}) for word in ("UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE")),
        ({"scaleType": "UNIT_REVERSE_LOG_SCALE"}, {"scaleType": "UNIT_REVERSE_LOG_SCALE"}),
        ({"scaleType": "SCALE_TYPE_UNSPECIFIED"}, {}),
        (
            {"doubleValueSpec": {"minValue": 0.5, "maxValue": "1.5", "defaultValue": 1}},
            {"doubleValueSpec": {"minValue": 0.5, "maxValue": 1.5, "defaultValue": 1}},
        ),
        ({"doubleValueSpec": {"minValue": 0}}, {"doubleValueSpec": {"minValue": 0}}),
        (
            {"integerValueSpec": {"minValue": "-2", "maxValue": 3.0, "defaultValue": 0}},
            {"integerValueSpec": {"minValue": -2, "maxValue": 3, "defaultValue": 0}},
        ),
        (
            {"categoricalValueSpec": {"values": ["a", "b"], "defaultValue": "a"}},
            {"categoricalValueSpec": {"values": ["a", "b"], "defaultValue": "a"}},
        ),
        (
            {"discreteValueSpec": {"values": [1, "2"], "defaultValue": 1}},
            {"discreteValueSpec": {"values": [1, 2], "defaultValue": 1}},
        ),
    ],
)
def test_a_parameter(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert parameter(**given) == ({"parameterId": "p", **expected}, [])


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"scaleType": "LOG"}, "scaleType"),
        ({"integerValueSpec": {"minValue": 1.5}}, "integerValueSpec.minValue"),
        ({"integerValueSpec": {"maxValue": "x"}}, "integerValueSpec.maxValue"),
        ({"doubleValueSpec": {"step": 1}}, "doubleValueSpec.step"),
        ({"discreteValueSpec": {"values": [1, "x"]}}, "discreteValueSpec.values[1]"),
        ({"odd": 1}, "odd"),
    ],
)
def test_faults_of_a_parameter(given: dict[str, Any], path: str) -> None:
    assert parameter(**given)[1] == [("error", f"s.parameters[0].{path}")]


def test_an_integer_that_is_none_is_left_out() -> None:
    result, _ = parameter(integerValueSpec={"minValue": 1.5, "maxValue": 2})
    assert result["integerValueSpec"] == {"maxValue": 2}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"parentDiscreteValues": {"values": [1, 2.5]}}, {"parentDiscreteValues": {"values": [1, 2.5]}}),
        ({"parentIntValues": {"values": ["1", 2.0]}}, {"parentIntValues": {"values": [1, 2]}}),
        ({"parentCategoricalValues": {"values": ["a", 1]}}, {"parentCategoricalValues": {"values": ["a", "1"]}}),
        ({}, {}),
    ],
)
def test_a_parameter_under_a_condition(given: dict[str, Any], expected: dict[str, Any]) -> None:
    inner = {"parameterSpec": {"parameterId": "q"}}
    read_back, findings = parameter(conditionalParameterSpecs=[{**inner, **given}])
    assert findings == []
    assert read_back == {"parameterId": "p", "conditionalParameterSpecs": [{**inner, **expected}]}
    if "parentIntValues" in expected:
        [condition] = read_back["conditionalParameterSpecs"]
        assert all(isinstance(value, int) for value in condition["parentIntValues"]["values"])


@pytest.mark.parametrize("place", ["", "parentIntValues."])
def test_faults_of_a_condition(place: str) -> None:
    condition: dict[str, Any] = {"parameterSpec": {}, **({"parentIntValues": {"odd": 1}} if place else {"odd": 1})}
    [(_, path)] = parameter(conditionalParameterSpecs=[condition])[1]
    assert path == f"s.parameters[0].conditionalParameterSpecs[0].{place}odd"


def test_the_counts_of_trials() -> None:
    body = {"maxTrialCount": "8", "parallelTrialCount": 0, "maxFailedTrialCount": None}
    assert counts_of(Node(body, "", [])) == {"maxTrialCount": 8, "parallelTrialCount": 0}
    assert counts_of(Node({"maxFailedTrialCount": 3}, "", [])) == {"maxFailedTrialCount": 3}
