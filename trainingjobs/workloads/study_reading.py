"""Vertex AI's studySpec → the `tuning` of a job document. AI Platform's is in ai_platform_study.py.

Source: v1 StudySpec reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainingjobs.core.source import Node, pruned
from trainingjobs.spec.omitted_fields import LEFT_OUT

GOALS = ("MAXIMIZE", "MINIMIZE")
SCALES = ("UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE", "UNIT_REVERSE_LOG_SCALE")
COUNTS = ("maxTrialCount", "parallelTrialCount", "maxFailedTrialCount")
CONVEX_COUNTS = ("maxStepCount", "minStepCount", "minMeasurementCount")
ELSEWHERE = dict.fromkeys(("convexStopConfig", "transferLearningConfig"), "it is of other versions of the API")


def counts_of(body: Node) -> dict[str, int]:
    """Returns the counts of trials of a HyperparameterTuningJob."""
    return {key: count for key in COUNTS if (count := body.integer(key)) is not None}


def study_of(spec: Node) -> dict[str, Any]:
    """Returns metrics, parameters and settings of a study; what is lost is a finding of the node."""
    study: dict[str, Any] = {
        "metrics": [_metric(metric) for metric in spec.nodes("metrics")],
        "parameters": [_parameter(parameter) for parameter in spec.nodes("parameters")],
        "algorithm": spec.word("algorithm", ("GRID_SEARCH", "RANDOM_SEARCH"), ignore=("ALGORITHM_UNSPECIFIED",)),
        "observationNoise": spec.word("observationNoise", ("LOW", "HIGH"), ignore=("OBSERVATION_NOISE_UNSPECIFIED",)),
        "measurementSelectionType": spec.word(
            "measurementSelectionType",
            ("LAST_MEASUREMENT", "BEST_MEASUREMENT"),
            ignore=("MEASUREMENT_SELECTION_TYPE_UNSPECIFIED",),
        ),
    }
    for key in ("decayCurveStoppingSpec", "medianAutomatedStoppingSpec"):
        if key in spec.value:
            stopping = spec.node(key)
            study[key] = pruned({"useElapsedDuration": stopping.boolean("useElapsedDuration")})
            stopping.rest()
    if "convexAutomatedStoppingSpec" in spec.value:
        study["convexAutomatedStoppingSpec"] = _convex(spec.node("convexAutomatedStoppingSpec"))
    spec.rest({**ELSEWHERE, **LEFT_OUT["StudySpec"]})
    return {key: value for key, value in study.items() if value is not None}


def _convex(source: Node) -> dict[str, Any]:
    stopping: dict[str, Any] = {key: source.integer(key) for key in CONVEX_COUNTS}
    stopping["learningRateParameterName"] = source.text("learningRateParameterName")
    stopping |= {key: source.boolean(key) for key in ("useElapsedDuration", "updateAllStoppedTrials")}
    source.rest()
    return pruned(stopping)


def _metric(source: Node) -> dict[str, Any]:
    metric = {"metricId": source.text("metricId"), "goal": source.word("goal", GOALS)}
    source.rest(LEFT_OUT["StudySpec.MetricSpec"])
    return pruned(metric)


def _parameter(source: Node) -> dict[str, Any]:
    parameter: dict[str, Any] = {
        "parameterId": source.text("parameterId"),
        "scaleType": source.word("scaleType", SCALES, ignore=("SCALE_TYPE_UNSPECIFIED",)),
        "conditionalParameterSpecs": [
            _conditional(conditional) for conditional in source.nodes("conditionalParameterSpecs")
        ],
    }
    for key, read_spec in _SPECS.items():
        if key in source.value:
            inner = source.node(key)
            parameter[key] = pruned(read_spec(inner))
            inner.rest()
    source.rest()
    return pruned(parameter)


def _double(source: Node) -> dict[str, Any]:
    return {key: source.number(key) for key in ("minValue", "maxValue", "defaultValue")}


def _integer(source: Node) -> dict[str, Any]:
    return {key: _whole(source, key) for key in ("minValue", "maxValue", "defaultValue")}


def _whole(source: Node, key: str) -> int | None:
    value = source.number(key, "a whole number")
    if value is not None and not float(value).is_integer():
        source.wrong(key, value, "a whole number")
        return None
    return None if value is None else int(value)


def _categories(source: Node) -> dict[str, Any]:
    return {"values": source.texts("values"), "defaultValue": source.text("defaultValue")}


def _discrete(source: Node) -> dict[str, Any]:
    return {"values": source.numbers("values"), "defaultValue": source.number("defaultValue")}


_SPECS: dict[str, Callable[[Node], dict[str, Any]]] = {
    "doubleValueSpec": _double,
    "integerValueSpec": _integer,
    "categoricalValueSpec": _categories,
    "discreteValueSpec": _discrete,
}


def _conditional(source: Node) -> dict[str, Any]:
    conditional: dict[str, Any] = {"parameterSpec": _parameter(source.node("parameterSpec"))}
    for key in ("parentDiscreteValues", "parentIntValues", "parentCategoricalValues"):
        if key in source.value:
            inner = source.node(key)
            words = inner.texts("values") if key.endswith("CategoricalValues") else inner.numbers("values")
            conditional[key] = {"values": [int(w) for w in inner.numbers("values")] if "Int" in key else words}
            inner.rest()
    source.rest()
    return conditional
