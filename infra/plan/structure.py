"""What a job's document must hold together before its rules mean anything: findings of rule `schema`."""

from __future__ import annotations

from collections.abc import Iterator

from infra.plan.pools import PlannedPool
from infra.problems import Finding, schema_error
from infra.spec.job import Job
from infra.spec.tuning import Parameter

KINDS = {
    "vertex": ("customJob", "hyperparameterTuningJob", "trainingPipeline"),
    "gke": ("jobset", "tfjob", "pytorchjob", "pods"),
    "kubernetes": ("jobset", "tfjob", "pytorchjob", "pods"),
}
STOPPING = ("decay_curve_stopping_spec", "median_automated_stopping_spec", "convex_automated_stopping_spec")
VALUE_SPECS = ("double_value_spec", "integer_value_spec", "categorical_value_spec", "discrete_value_spec")


def kind_of(job: Job) -> str:
    """Returns the job's kind: its own, else the first of its platform."""
    return job.kind or KINDS[job.platform][0]


def structure_findings(
    job: Job, pools: tuple[PlannedPool, ...], path: str, unknown: frozenset[str]
) -> Iterator[Finding]:
    """Yields what is missing or stands where it cannot; nothing about fields that are reported already."""
    at = f"{path}." if path else ""
    # What goes with a kind cannot be said of a kind, or of a platform's first kind, that is ill-formed.
    kind_is_known = unknown.isdisjoint((f"{at}kind", f"{at}platform"))
    for finding in (*(_of_kind(job, at) if kind_is_known else ()), *_of_any_kind(job, pools, at)):
        if not any(_touches(finding.path, place) for place in unknown):
            yield finding


def _touches(path: str, place: str) -> bool:
    return path == place or path.startswith((place + ".", place + "["))


def _of_kind(job: Job, at: str) -> Iterator[Finding]:
    if kind_of(job) not in KINDS[job.platform]:
        allowed = ", ".join(KINDS[job.platform])
        yield schema_error(f"{at}kind", f"{job.kind} does not run on {job.platform}; one of {allowed}", "change kind")
    if (job.tuning is None) == (kind_of(job) == "hyperparameterTuningJob"):
        given = "missing for a hyperparameterTuningJob" if job.tuning is None else f"not for a {kind_of(job)}"
        yield schema_error(f"{at}tuning", given, "change kind or tuning")
    uploads = {"modelToUpload": job.model_to_upload, "modelId": job.model_id, "parentModel": job.parent_model}
    for key, value in uploads.items():
        if value is not None and kind_of(job) != "trainingPipeline":
            yield schema_error(
                f"{at}{key}", f"not for a {kind_of(job)}", "change kind to trainingPipeline, or remove it"
            )


def _of_any_kind(job: Job, pools: tuple[PlannedPool, ...], at: str) -> Iterator[Finding]:
    if job.container is not None and job.python_package is not None:
        yield schema_error(f"{at}pythonPackage", "beside container; one of the two is allowed", "remove one")
    for pool in pools:
        yield from _pool(job, pool, at)
    stopping = [name for name in STOPPING if job.tuning and getattr(job.tuning, name) is not None]
    if len(stopping) > 1:
        yield schema_error(f"{at}tuning", f"{len(stopping)} ways to stop trials early; one is allowed", "keep one")
    for number, parameter in enumerate(job.tuning.parameters if job.tuning else ()):
        yield from _parameter(parameter, f"{at}tuning.parameters[{number}]")
    if job.tuning and job.tuning.parallel_trial_count > job.tuning.max_trial_count:
        yield schema_error(
            f"{at}tuning.parallelTrialCount",
            f"{job.tuning.parallel_trial_count} is more than maxTrialCount {job.tuning.max_trial_count}",
            f"set it to {job.tuning.max_trial_count} or less",
        )


def _pool(job: Job, pool: PlannedPool, at: str) -> Iterator[Finding]:
    if pool.machine_type is None and job.platform != "kubernetes" and pool.role != "workers":
        yield schema_error(f"{pool.path}.machineType", "missing; the pool names its machine", "add machineType")
    if pool.role != "reducers" and pool.image is None:
        place = f"{at}container.imageUri" if pool.role == "primary" or "image" in pool.inherited else None
        yield schema_error(
            place or f"{pool.path}.container.imageUri",
            "missing; a container's imageUri or a pythonPackage is needed",
            "add container: {imageUri: …}",
        )


def _parameter(parameter: Parameter, path: str) -> Iterator[Finding]:
    given = [name for name in VALUE_SPECS if getattr(parameter, name) is not None]
    if len(given) != 1:
        yield schema_error(
            path,
            f"{len(given)} value specs; exactly one of doubleValueSpec, integerValueSpec, categoricalValueSpec and "
            "discreteValueSpec is needed",
        )
    for spec in (parameter.double_value_spec, parameter.integer_value_spec):
        if spec is not None and spec.min_value > spec.max_value:
            yield schema_error(path, f"minValue {spec.min_value} is above maxValue {spec.max_value}", "swap them")
    for number, child in enumerate(parameter.conditional_parameter_specs or ()):
        yield from _parameter(child.parameter_spec, f"{path}.conditionalParameterSpecs[{number}].parameterSpec")
