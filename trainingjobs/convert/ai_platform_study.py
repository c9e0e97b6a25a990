"""A hyperparameter study in both directions: our `tuning` (Vertex AI's studySpec) and AI Platform's HyperparameterSpec.

Source: AI Platform v1 HyperparameterSpec and ParameterSpec references.
"""

from __future__ import annotations

from typing import Any

from trainingjobs.core.findings import Finding, not_carried, not_expressible
from trainingjobs.core.paths import FieldPath
from trainingjobs.core.source import Node
from trainingjobs.spec.tuning import Parameter, Tuning

DEFAULT_METRIC = "training/hptuning/metric"
TYPES = {"DOUBLE": "doubleValueSpec", "INTEGER": "integerValueSpec"}
SCALES = ("UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE", "UNIT_REVERSE_LOG_SCALE")
MISSING = {"observation_noise": "observationNoise", "measurement_selection_type": "measurementSelectionType"}
ALGORITHMS = ("GRID_SEARCH", "RANDOM_SEARCH")


def hyperparameters(tuning: Tuning) -> dict[str, Any]:
    """Returns the HyperparameterSpec; it holds one metric and flat parameters, study_findings says what is left out."""
    metric = tuning.metrics[0]
    spec: dict[str, Any] = {
        "goal": metric.goal,
        "hyperparameterMetricTag": metric.metric_id,
        "maxTrials": tuning.max_trial_count,
        "maxParallelTrials": tuning.parallel_trial_count,
        "params": [_parameter(parameter) for parameter in tuning.parameters],
    }
    if tuning.max_failed_trial_count is not None:
        spec["maxFailedTrials"] = tuning.max_failed_trial_count
    if tuning.algorithm in ALGORITHMS:
        spec["algorithm"] = tuning.algorithm
    if tuning.median_automated_stopping_spec or tuning.decay_curve_stopping_spec:
        spec["enableTrialEarlyStopping"] = True
    return spec


def study_findings(tuning: Tuning, path: FieldPath) -> list[Finding]:
    """Returns what a HyperparameterSpec cannot hold of a study."""
    findings = []
    if len(tuning.metrics) > 1:
        findings.append(not_expressible(path / "metrics", f"{len(tuning.metrics)} metrics; AI Platform optimises one"))
    for name, key in MISSING.items():
        if getattr(tuning, name):
            findings.append(not_carried(path / key, "AI Platform has no such field"))
    if tuning.median_automated_stopping_spec or tuning.decay_curve_stopping_spec:
        findings.append(not_carried(path, "the stopping rule; AI Platform has one of its own"))
    for number, parameter in enumerate(tuning.parameters):
        place = (path / "parameters").item(number)
        if parameter.conditional_parameter_specs:
            findings.append(not_expressible(place / "conditionalParameterSpecs", "AI Platform has no such parameters"))
        spec = parameter.double_value_spec or parameter.integer_value_spec or parameter.discrete_value_spec
        default = (spec or parameter.categorical_value_spec or parameter).__dict__.get("default_value")
        if default is not None:
            findings.append(not_carried(place, f"the default value {default}; AI Platform has none"))
    return findings


def _parameter(parameter: Parameter) -> dict[str, Any]:
    spec: dict[str, Any] = {"parameterName": parameter.parameter_id}
    if parameter.double_value_spec:
        spec |= _range("DOUBLE", parameter.double_value_spec.min_value, parameter.double_value_spec.max_value)
    elif parameter.integer_value_spec:
        spec |= _range("INTEGER", parameter.integer_value_spec.min_value, parameter.integer_value_spec.max_value)
    elif parameter.categorical_value_spec:
        spec |= {"type": "CATEGORICAL", "categoricalValues": list(parameter.categorical_value_spec.values)}
    elif parameter.discrete_value_spec:
        spec |= {"type": "DISCRETE", "discreteValues": list(parameter.discrete_value_spec.values)}
    return spec | ({"scaleType": parameter.scale_type} if parameter.scale_type else {})


def _range(kind: str, low: float, high: float) -> dict[str, Any]:
    return {"type": kind, "minValue": low, "maxValue": high}


def tuning_of(spec: Node) -> dict[str, Any]:
    """Returns our `tuning` of a HyperparameterSpec; what is ill-formed or has no place is a finding of the node."""
    goal = spec.word("goal", ("MAXIMIZE", "MINIMIZE"))
    metric = {"metricId": spec.text("hyperparameterMetricTag") or DEFAULT_METRIC, "goal": goal}
    trials = spec.integer("maxTrials") or 1
    tuning: dict[str, Any] = {
        "metrics": [metric],
        "parameters": [_parameter_of(parameter) for parameter in spec.nodes("params")],
        "algorithm": spec.word("algorithm", ALGORITHMS, ignore=("ALGORITHM_UNSPECIFIED",)),
        "maxTrialCount": trials,
        "parallelTrialCount": min(spec.integer("maxParallelTrials") or 1, trials),
        "maxFailedTrialCount": spec.integer("maxFailedTrials"),
    }
    if spec.boolean("enableTrialEarlyStopping"):
        tuning["medianAutomatedStoppingSpec"] = {}
        spec.say(not_carried(spec.at("enableTrialEarlyStopping"), "the service's own rule; the median rule is used"))
    spec.rest(("resumePreviousJobId",))
    return {key: value for key, value in tuning.items() if value is not None}


def _parameter_of(spec: Node) -> dict[str, Any]:
    parameter: dict[str, Any] = {"parameterId": spec.text("parameterName")}
    kind = spec.word("type", (*TYPES, "CATEGORICAL", "DISCRETE"))
    low, high = spec.number("minValue"), spec.number("maxValue")
    categories, numbers = spec.texts("categoricalValues"), spec.numbers("discreteValues")
    if kind == "CATEGORICAL":
        parameter["categoricalValueSpec"] = {"values": categories}
    elif kind == "DISCRETE":
        parameter["discreteValueSpec"] = {"values": sorted(numbers)}
    elif kind == "INTEGER":
        parameter["integerValueSpec"] = {"minValue": int(low or 0), "maxValue": int(high or 0)}
    elif kind == "DOUBLE":
        parameter["doubleValueSpec"] = {"minValue": low or 0.0, "maxValue": high or 0.0}
    scale = spec.word("scaleType", SCALES, ignore=("NONE",))
    spec.rest(())
    return parameter | ({"scaleType": scale} if scale else {})
