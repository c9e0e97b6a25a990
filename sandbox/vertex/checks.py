"""What the service refuses of a job whose fields are well formed: missing fields, and the rules for worker pools.

Source: Vertex AI distributed training guide and the API's own reference. The body is as body.read_body returned it.
Machine types, accelerators and quotas are not checked: the sandbox has no catalogue.
"""

from __future__ import annotations

import re
from typing import Any

from sandbox.vertex.errors import ApiError

# One local process stands for each replica.
MOST_REPLICAS = 256
_BUCKET = re.compile(r"gs://[a-z0-9][a-z0-9_.-]{1,61}[a-z0-9](/.*)?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
Violations = list[tuple[str, str]]


def check_custom_job(job: dict[str, Any]) -> None:
    """Raises ApiError that lists everything the service refuses of a CustomJob."""
    violations = _common(job)
    _job_spec(job.get("jobSpec"), "job_spec", violations)
    _raise_violations(violations)
    _quota(job["jobSpec"])


def check_tuning_job(job: dict[str, Any], path: str = "") -> None:
    """Raises ApiError that lists what the service refuses of a tuning job; `path` is that of a pipeline's inputs."""
    violations = _common(job) if not path else []
    for name in ("maxTrialCount", "parallelTrialCount"):
        if job.get(name, 0) < 1:
            violations.append((f"{path}{name}", "must be at least 1."))
    if job.get("parallelTrialCount", 0) > job.get("maxTrialCount", 0):
        violations.append((f"{path}parallelTrialCount", "must not be more than max_trial_count."))
    study = job.get("studySpec", {})
    for name in ("metrics", "parameters"):
        if not study.get(name):
            violations.append((f"{path}study_spec.{name}", "Required field is not set."))
    for index, metric in enumerate(study.get("metrics", [])):
        if not metric.get("metricId") or not metric.get("goal"):
            violations.append((f"{path}study_spec.metrics[{index}]", "metric_id and goal are required."))
    for index, parameter in enumerate(study.get("parameters", [])):
        _parameter(parameter, f"{path}study_spec.parameters[{index}]", study.get("algorithm", ""), violations)
    _job_spec(job.get("trialJobSpec"), f"{path}trial_job_spec", violations)
    _raise_violations(violations)
    _quota(job["trialJobSpec"])


def check_pipeline(pipeline: dict[str, Any]) -> None:
    """Raises ApiError for what a TrainingPipeline itself lacks; its inputs are checked as a job."""
    violations = _common(pipeline)
    for name in ("trainingTaskDefinition", "trainingTaskInputs"):
        if not pipeline.get(name):
            violations.append((name, "Required field is not set."))
    _raise_violations(violations)


def check_job_spec(spec: dict[str, Any], path: str) -> None:
    """Raises ApiError that lists everything the service refuses of a CustomJobSpec at `path`."""
    violations: Violations = []
    _job_spec(spec, path, violations)
    _raise_violations(violations)
    _quota(spec)


def _raise_violations(violations: Violations) -> None:
    if violations:
        lines = [f"{number}.Field: {field}; Message: {text}\t" for number, (field, text) in enumerate(violations, 1)]
        raise ApiError("INVALID_ARGUMENT", "List of found errors:\t" + "".join(lines), violations)


def _common(job: dict[str, Any]) -> Violations:
    violations: Violations = []
    if not job.get("displayName"):
        violations.append(("display_name", "Required field is not set."))
    elif len(job["displayName"]) > 128:
        violations.append(("display_name", "must be at most 128 characters."))
    labels = job.get("labels", {})
    if len(labels) > 64:
        violations.append(("labels", f"has {len(labels)} entries; at most 64 are allowed."))
    for key, value in labels.items():
        if not _LABEL.fullmatch(key) or not key[0].isalpha() or (value and not _LABEL.fullmatch(value)):
            text = f'"{key}": "{value}": lower case letters, digits, _ and -, at most 63; a key starts with a letter.'
            violations.append(("labels", text))
    return violations


def _job_spec(spec: dict[str, Any] | None, path: str, violations: Violations) -> None:
    pools = (spec or {}).get("workerPoolSpecs", [])
    path = f"{path}.worker_pool_specs"
    if not pools:
        violations.append((path, "Required field is not set."))
        return
    if len(pools) > 4:
        violations.append((path, f"has {len(pools)} worker pools; at most 4 are allowed."))
    if int(pools[0].get("replicaCount", 0)) != 1:
        violations.append((f"{path}[0].replica_count", "The replica count of the first worker pool must be 1."))
    for index, pool in enumerate(pools):
        if pool or index == 0:
            _pool(pool, f"{path}[{index}]", violations)
    prefix = (spec or {}).get("baseOutputDirectory", {}).get("outputUriPrefix", "gs://none")
    if not _BUCKET.fullmatch(prefix) or ".." in prefix.split("/"):
        violations.append(
            (f"{path.rpartition('.')[0]}.base_output_directory.output_uri_prefix", f"{prefix} is not a gs:// folder.")
        )


def _pool(pool: dict[str, Any], path: str, violations: Violations) -> None:
    if int(pool.get("replicaCount", 0)) < 1 and not path.endswith("[0]"):
        violations.append((f"{path}.replica_count", "must be at least 1 in a worker pool that is not empty."))
    machine = pool.get("machineSpec", {})
    if not machine.get("machineType"):
        violations.append((f"{path}.machine_spec.machine_type", "Required field is not set."))
    if bool(machine.get("acceleratorType")) != bool(machine.get("acceleratorCount")):
        violations.append((f"{path}.machine_spec", "accelerator_type and accelerator_count belong together."))
    if (container := pool.get("containerSpec")) is not None:
        if not container.get("imageUri"):
            violations.append((f"{path}.container_spec.image_uri", "Required field is not set."))
    elif (package := pool.get("pythonPackageSpec")) is not None:
        for name in ("executorImageUri", "packageUris", "pythonModule"):
            if not package.get(name):
                violations.append((f"{path}.python_package_spec.{name}", "Required field is not set."))
    else:
        violations.append((path, "One of container_spec and python_package_spec is required."))


def _parameter(parameter: dict[str, Any], path: str, algorithm: str, violations: Violations) -> None:
    value_specs = [name for name in parameter if name.endswith("ValueSpec")]
    if not parameter.get("parameterId") or not value_specs:
        violations.append((path, "parameter_id and one of the value specs are required."))
        return
    spec = parameter[value_specs[0]]
    if value_specs[0] in ("categoricalValueSpec", "discreteValueSpec"):
        if not spec.get("values"):
            violations.append((f"{path}.values", "Required field is not set."))
    elif float(spec.get("minValue", 0)) > float(spec.get("maxValue", 0)):
        violations.append((path, "min_value must not be more than max_value."))
    elif "LOG" in parameter.get("scaleType", "") and float(spec.get("minValue", 0)) <= 0:
        violations.append((path, "a logarithmic scale needs a min_value above 0."))
    if algorithm == "GRID_SEARCH" and (
        value_specs[0] == "doubleValueSpec" or parameter.get("conditionalParameterSpecs")
    ):
        violations.append((path, "grid search takes integer, categorical and discrete parameters without conditions."))
    for index, child in enumerate(parameter.get("conditionalParameterSpecs", [])):
        _parameter(
            child.get("parameterSpec", {}), f"{path}.conditional_parameter_specs[{index}]", algorithm, violations
        )


def _quota(spec: dict[str, Any]) -> None:
    total = sum(int(pool.get("replicaCount", 0)) for pool in spec["workerPoolSpecs"])
    if total > MOST_REPLICAS:
        text = f"The job has {total} replicas; the sandbox runs at most {MOST_REPLICAS}, one local process each."
        raise ApiError("RESOURCE_EXHAUSTED", text)
