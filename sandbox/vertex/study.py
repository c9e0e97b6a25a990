"""The parameters of a tuning job's trials, from its studySpec.

Pure and repeatable: trial N of a study gets the same values every time. Grid search enumerates; everything else is
random search, also where the service would use Bayesian optimisation.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

Value = float | int | str


def suggest(study: dict[str, Any], count: int) -> list[dict[str, Value]]:
    """Returns the parameters of up to `count` trials, in order; fewer where a grid has fewer points."""
    parameters = study["parameters"]
    if study.get("algorithm") == "GRID_SEARCH":
        names = [parameter["parameterId"] for parameter in parameters]
        points = itertools.product(*(_all_values(parameter, count) for parameter in parameters))
        return [dict(zip(names, point, strict=True)) for point in itertools.islice(points, count)]
    return [_random_point(parameters, trial) for trial in range(1, count + 1)]


def arguments(values: dict[str, Value]) -> tuple[str, ...]:
    """Returns the arguments that a trial's code gets: --name=value each."""
    return tuple(f"--{name}={value}" for name, value in values.items())


def _random_point(parameters: list[dict[str, Any]], trial: int) -> dict[str, Value]:
    point: dict[str, Value] = {}
    for parameter in parameters:
        name = parameter["parameterId"]
        # S311: values to try, nothing secret.
        point[name] = _random_value(parameter, random.Random(f"{trial}:{name}"))
        for child in parameter.get("conditionalParameterSpecs", []):
            if _applies(child, point[name]):
                point.update(_random_point([child["parameterSpec"]], trial))
    return point


def _applies(child: dict[str, Any], value: Value) -> bool:
    for key in ("parentDiscreteValues", "parentIntValues", "parentCategoricalValues"):
        if key in child:
            allowed = child[key].get("values", [])
            return value in allowed or (key == "parentIntValues" and str(value) in allowed)
    return False


def _all_values(parameter: dict[str, Any], count: int | None = None) -> list[Value]:
    if spec := parameter.get("integerValueSpec"):
        # No more values than trials: a range may be too long to hold.
        return list(range(int(spec.get("minValue", 0)), int(spec.get("maxValue", 0)) + 1)[:count])
    if spec := parameter.get("discreteValueSpec"):
        return [_short(value) for value in spec["values"]]
    return list(parameter["categoricalValueSpec"]["values"])


def _random_value(parameter: dict[str, Any], generator: random.Random) -> Value:
    if "categoricalValueSpec" in parameter or "discreteValueSpec" in parameter:
        return generator.choice(_all_values(parameter))
    spec = parameter.get("doubleValueSpec") or parameter.get("integerValueSpec") or {}
    low, high = float(spec.get("minValue", 0)), float(spec.get("maxValue", 0))
    value = _on_scale(low, high, parameter.get("scaleType", ""), generator.random())
    return round(value) if "integerValueSpec" in parameter else value


def _on_scale(low: float, high: float, scale: str, fraction: float) -> float:
    if scale == "UNIT_LOG_SCALE":
        return float(math.exp(math.log(low) + fraction * (math.log(high) - math.log(low))))
    if scale == "UNIT_REVERSE_LOG_SCALE":
        return low + high - _on_scale(low, high, "UNIT_LOG_SCALE", fraction)
    return low + fraction * (high - low)


def _short(value: float) -> Value:
    return int(value) if float(value).is_integer() else value
