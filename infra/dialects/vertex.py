"""A planned job as Vertex AI's own bodies: CustomJob, HyperparameterTuningJob, TrainingPipeline, in camelCase.

Sources: Vertex AI distributed training guide, "Configure a distributed training job"; v1 CustomJob,
HyperparameterTuningJob and TrainingPipeline references.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool
from infra.plan.roles import POSITION
from infra.spec.job import Container, PythonPackage

# The task that runs a CustomJobSpec.
CUSTOM_TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
# Where each kind's body keeps its CustomJobSpec.
SPEC_KEYS = {
    "customJob": "jobSpec",
    "hyperparameterTuningJob": "trialJobSpec",
    "trainingPipeline": "trainingTaskInputs",
}
COUNTS = ("maxTrialCount", "parallelTrialCount", "maxFailedTrialCount")
# Fields of the job that CustomJobSpec has by the same name.
SAME = (
    "persistent_resource_id",
    "scheduling",
    "service_account",
    "network",
    "reserved_ip_ranges",
    "psc_interface_config",
    "base_output_directory",
    "protected_artifact_location_id",
    "tensorboard",
    "enable_web_access",
    "enable_dashboard_access",
    "experiment",
    "experiment_run",
    "models",
)


def plain(value: Any) -> Any:
    """Returns a part of the specification as JSON values with Vertex's keys; what is unset is left out."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return list(value) if isinstance(value, tuple) else value


def custom_job_spec(plan: JobPlan) -> dict[str, Any]:
    """Returns the CustomJobSpec: ordered worker pools with {} for a skipped one, and the job's own fields."""
    by_position = {POSITION[pool.role]: _pool_spec(pool) for pool in plan.pools}
    specs = [by_position.get(position, {}) for position in range(max(by_position, default=-1) + 1)]
    fields = {name: getattr(plan.job, name) for name in SAME}
    return {
        "workerPoolSpecs": specs,
        **{_camel(name): plain(value) for name, value in fields.items() if value is not None},
    }


def vertex_job(plan: JobPlan) -> dict[str, Any]:
    """Returns the body of the job's own kind."""
    if plan.kind == "hyperparameterTuningJob":
        return hyperparameter_tuning_job(plan)
    return training_pipeline(plan) if plan.kind == "trainingPipeline" else custom_job(plan)


def custom_job(plan: JobPlan) -> dict[str, Any]:
    """Returns the CustomJob that a create request carries."""
    return _job(plan, {"jobSpec": custom_job_spec(plan)})


def hyperparameter_tuning_job(plan: JobPlan) -> dict[str, Any]:
    """Returns the HyperparameterTuningJob: the study, the counts of trials, and the pools that each trial runs."""
    study = plain(plan.job.tuning) if plan.job.tuning else {}
    counts = {key: study.pop(key) for key in COUNTS if key in study}
    return _job(plan, {"studySpec": study, **counts, "trialJobSpec": custom_job_spec(plan)})


def training_pipeline(plan: JobPlan) -> dict[str, Any]:
    """Returns the TrainingPipeline: a custom task, and the model to upload once it has succeeded."""
    model = plain(plan.job.model_to_upload) if plan.job.model_to_upload else {}
    container = model.get("containerSpec", {})
    if "env" in container:
        container |= _environment(container.pop("env"))
    return _job(
        plan,
        {
            "trainingTaskDefinition": CUSTOM_TASK,
            "trainingTaskInputs": custom_job_spec(plan),
            **({"modelToUpload": model} if model else {}),
            **{_camel(name): value for name in ("model_id", "parent_model") if (value := getattr(plan.job, name))},
        },
    )


def _job(plan: JobPlan, content: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"displayName": plan.job.display_name or plan.name, **content}
    if plan.job.labels:
        body["labels"] = dict(sorted(plan.job.labels.items()))
    if plan.job.encryption_spec:
        body["encryptionSpec"] = plain(plan.job.encryption_spec)
    return body


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _pool_spec(pool: PlannedPool) -> dict[str, Any]:
    machine: dict[str, Any] = {"machineType": pool.machine_type}
    if pool.accelerator_count:
        machine |= {"acceleratorType": pool.accelerator_type, "acceleratorCount": pool.accelerator_count}
    if pool.tpu_topology:
        machine["tpuTopology"] = pool.tpu_topology
    if pool.reservation_affinity:
        machine["reservationAffinity"] = plain(pool.reservation_affinity)
    disk = {"bootDiskType": pool.boot_disk_type, "bootDiskSizeGb": pool.boot_disk_size_gb}
    spec: dict[str, Any] = {"machineSpec": machine, "replicaCount": pool.replica_count}
    if any(disk.values()):
        spec["diskSpec"] = {key: value for key, value in disk.items() if value is not None}
    if pool.nfs_mounts:
        spec["nfsMounts"] = [plain(mount) for mount in pool.nfs_mounts]
    if pool.python_package is not None:
        spec["pythonPackageSpec"] = _package_spec(pool.python_package)
    elif pool.container is not None:
        spec["containerSpec"] = _container_spec(pool.container)
    return spec


def _container_spec(container: Container) -> dict[str, Any]:
    spec: dict[str, Any] = {"imageUri": container.image_uri}
    if container.command:
        spec["command"] = list(container.command)
    if container.args:
        spec["args"] = list(container.args)
    return {**spec, **_environment(container.env)}


def _package_spec(package: PythonPackage) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "executorImageUri": package.executor_image_uri,
        "packageUris": list(package.package_uris),
        "pythonModule": package.python_module,
    }
    if package.args:
        spec["args"] = list(package.args)
    return {**spec, **_environment(package.env)}


def _environment(env: dict[str, str] | None) -> dict[str, Any]:
    return {"env": [{"name": name, "value": value} for name, value in sorted(env.items())]} if env else {}
