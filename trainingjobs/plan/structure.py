"""What a job's document must hold together before its rules mean anything: findings of rule `schema`.

What goes with which kind of job is trainingjobs/workloads/registry.py's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainingjobs.core.findings import Finding, schema_error
from trainingjobs.core.paths import FieldPath

if TYPE_CHECKING:
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.spec.job import Job
    from trainingjobs.spec.tuning import Parameter

STOPPING = ("decay_curve_stopping_spec", "median_automated_stopping_spec", "convex_automated_stopping_spec")
VALUE_SPECS = ("double_value_spec", "integer_value_spec", "categorical_value_spec", "discrete_value_spec")


def structure_findings(job: Job, pools: tuple[PlannedPool, ...], path: FieldPath) -> Iterator[Finding]:
    """Yields what is missing or stands where it cannot, whatever the job's kind."""
    if job.container is not None and job.python_package is not None:
        yield schema_error(path / "pythonPackage", "beside container; one of the two is allowed", "remove one")
    for pool in pools:
        yield from _pool(job, pool, path)
    stopping = [name for name in STOPPING if job.tuning and getattr(job.tuning, name) is not None]
    if len(stopping) > 1:
        yield schema_error(path / "tuning", f"{len(stopping)} ways to stop trials early; one is allowed", "keep one")
    for number, parameter in enumerate(job.tuning.parameters if job.tuning else ()):
        yield from _parameter(parameter, (path / "tuning.parameters").item(number))
    if job.tuning and job.tuning.parallel_trial_count > job.tuning.max_trial_count:
        yield schema_error(
            path / "tuning.parallelTrialCount",
            f"{job.tuning.parallel_trial_count} is more than maxTrialCount {job.tuning.max_trial_count}",
            f"set it to {job.tuning.max_trial_count} or less",
        )


def _pool(job: Job, pool: PlannedPool, path: FieldPath) -> Iterator[Finding]:
    if pool.machine_type is None and job.platform != "kubernetes" and pool.role != "workers":
        yield schema_error(pool.path / "machineType", "missing; the pool names its machine", "add machineType")
    if pool.role != "reducers" and pool.image is None:
        is_of_job = pool.role == "primary" or "image" in pool.inherited
        yield schema_error(
            (path if is_of_job else pool.path) / "container.imageUri",
            "missing; a container's imageUri or a pythonPackage is needed",
            "add container: {imageUri: …}",
        )


def _parameter(parameter: Parameter, path: FieldPath) -> Iterator[Finding]:
    specs = [name for name in VALUE_SPECS if getattr(parameter, name) is not None]
    if len(specs) != 1:
        yield schema_error(
            path,
            f"{len(specs)} value specs; exactly one of doubleValueSpec, integerValueSpec, categoricalValueSpec and "
            "discreteValueSpec is needed",
        )
    for spec in (parameter.double_value_spec, parameter.integer_value_spec):
        if spec is not None and spec.min_value > spec.max_value:
            yield schema_error(path, f"minValue {spec.min_value} is above maxValue {spec.max_value}", "swap them")
    for number, child in enumerate(parameter.conditional_parameter_specs or ()):
        place = (path / "conditionalParameterSpecs").item(number) / "parameterSpec"
        yield from _parameter(child.parameter_spec, place)


def machines_missing(pools: tuple[PlannedPool, ...], service: str) -> Iterator[Finding]:
    """Yields an error for each pool without a machine, or accelerators without a type: a cluster's own nodes need none.

    The training services take both with every pool. What a pool inherits is said once, of the pool that has it.
    """
    nameless = {pool.path for pool in pools if pool.accelerator_count and pool.accelerator_type is None}
    for pool in pools:
        if pool.machine_type is None and "machine_type" not in pool.inherited:
            message = f"missing; {service} needs the machine of every pool"
            yield schema_error(pool.path / "machineType", message, "add machineType")
        if pool.path in nameless and not ("accelerator_type" in pool.inherited and pools[0].path in nameless):
            message = (
                f"missing beside acceleratorCount {pool.accelerator_count}; {service} needs the accelerator's type"
            )
            yield schema_error(pool.path / "acceleratorType", message, "say which accelerator")
