"""Hyperparameter tuning as Vertex AI's studySpec writes it, with the counts of trials."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from trainingjobs.spec.base import Items, Part, Text

Count = Annotated[int, Field(ge=0, le=10_000)]


class Metric(Part):
    """A number that the trials report and the study optimises."""

    metric_id: Text
    goal: Literal["MAXIMIZE", "MINIMIZE"]


class DoubleValueSpec(Part):
    """A range of real numbers."""

    min_value: float
    max_value: float
    default_value: float | None = None


class IntegerValueSpec(Part):
    """A range of integers."""

    min_value: int
    max_value: int
    default_value: int | None = None


class CategoricalValueSpec(Part):
    """A set of words."""

    values: Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]
    default_value: Text | None = None


class DiscreteValueSpec(Part):
    """A set of numbers, in increasing order."""

    values: Annotated[tuple[float, ...], Field(strict=False, min_length=1, max_length=1000)]
    default_value: float | None = None


class DiscreteValues(Part):
    """The parent's discrete values under which a parameter is searched."""

    values: Annotated[tuple[float, ...], Field(strict=False, min_length=1)]


class IntValues(Part):
    """The parent's integers under which a parameter is searched."""

    values: Annotated[tuple[int, ...], Field(strict=False, min_length=1)]


class CategoricalValues(Part):
    """The parent's words under which a parameter is searched."""

    values: Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]


class ConditionalParameter(Part):
    """A parameter that is searched only for some values of its parent."""

    parameter_spec: Parameter
    parent_discrete_values: DiscreteValues | None = None
    parent_int_values: IntValues | None = None
    parent_categorical_values: CategoricalValues | None = None


class Parameter(Part):
    """A parameter to search: exactly one of the four value specs."""

    parameter_id: Text
    double_value_spec: DoubleValueSpec | None = None
    integer_value_spec: IntegerValueSpec | None = None
    categorical_value_spec: CategoricalValueSpec | None = None
    discrete_value_spec: DiscreteValueSpec | None = None
    scale_type: Literal["UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE", "UNIT_REVERSE_LOG_SCALE"] | None = None
    conditional_parameter_specs: Items[ConditionalParameter] | None = None


class DecayCurveStopping(Part):
    """Early stopping by the predicted end of a trial's curve."""

    use_elapsed_duration: bool | None = None


class MedianStopping(Part):
    """Early stopping below the median of the other trials."""

    use_elapsed_duration: bool | None = None


class ConvexStopping(Part):
    """Early stopping of trials that a regression over the others' curves gives no hope."""

    max_step_count: int | None = None
    min_step_count: int | None = None
    min_measurement_count: int | None = None
    learning_rate_parameter_name: Text | None = None
    use_elapsed_duration: bool | None = None
    update_all_stopped_trials: bool | None = None


class Tuning(Part):
    """A study: what is searched, by what goal, with how many trials."""

    metrics: Annotated[tuple[Metric, ...], Field(strict=False, min_length=1)]
    parameters: Annotated[tuple[Parameter, ...], Field(strict=False, min_length=1)]
    algorithm: Literal["ALGORITHM_UNSPECIFIED", "GRID_SEARCH", "RANDOM_SEARCH"] | None = None
    observation_noise: Literal["LOW", "HIGH"] | None = None
    measurement_selection_type: Literal["LAST_MEASUREMENT", "BEST_MEASUREMENT"] | None = None
    decay_curve_stopping_spec: DecayCurveStopping | None = None
    median_automated_stopping_spec: MedianStopping | None = None
    convex_automated_stopping_spec: ConvexStopping | None = None
    max_trial_count: Annotated[int, Field(ge=1, le=10_000)]
    parallel_trial_count: Annotated[int, Field(ge=1, le=10_000)]
    max_failed_trial_count: Count | None = None
