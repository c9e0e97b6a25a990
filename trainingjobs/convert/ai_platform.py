"""A planned job as AI Platform Training's config.yaml: `trainingInput` with its labels.

Sources: AI Platform containers guide, "API mapping"; AI Platform v1 TrainingInput reference. The study is in
ai_platform_study.py.
"""

from __future__ import annotations

from typing import Any

from trainingjobs import catalog
from trainingjobs.convert.ai_platform_env import primary_task
from trainingjobs.convert.ai_platform_study import hyperparameters, study_findings
from trainingjobs.core.findings import Finding, not_carried, not_expressible
from trainingjobs.core.paths import FieldPath
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.plan.structure import machines_missing
from trainingjobs.spec.job import Container, PythonPackage
from trainingjobs.spec.roles import Role

# TrainingInput's prefix of each role's fields.
PREFIXES: dict[Role, str] = {
    "primary": "master", "workers": "worker", "parameterServers": "parameterServer", "evaluators": "evaluator"
}  # fmt: skip
# Fields of the job that TrainingInput has no place for.
MISSING = (
    "reserved_ip_ranges",
    "psc_interface_config",
    "tensorboard",
    "persistent_resource_id",
    "enable_dashboard_access",
    "experiment",
    "experiment_run",
    "models",
    "protected_artifact_location_id",
)
SCHEDULING_MISSING = ("restart_job_on_worker_restart", "disable_retries")
POOL_MISSING = ("reservation_affinity", "nfs_mounts", "tpu_topology")
JOB_DIR = "--job-dir"


def render(plan: JobPlan) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the config.yaml as a mapping, and what it could not hold."""
    body: dict[str, Any] = {"trainingInput": training_input(plan)}
    if plan.job.labels:
        body["labels"] = dict(sorted(plan.job.labels.items()))
    return body, findings(plan)


def training_input(plan: JobPlan) -> dict[str, Any]:
    """Returns the TrainingInput; reducers have no place in it."""
    job = plan.job
    result: dict[str, Any] = {"scaleTier": "CUSTOM", "region": plan.region}
    primary = next((pool for pool in plan.pools if pool.role == "primary"), None)
    package = primary.python_package if primary else None
    for pool in plan.pools:
        if pool.role in PREFIXES:
            result |= _replicas(pool, PREFIXES[pool.role], as_container=package is None)
    if package is not None:
        result |= {"packageUris": list(package.package_uris), "pythonModule": package.python_module}
        result |= {"args": _without_job_dir(package.args or ())} if _without_job_dir(package.args or ()) else {}
    version = job.runtime_version or (_version_of(package) if package else None)
    fields = {
        "runtimeVersion": version,
        "useChiefInTfConfig": job.use_chief_in_tf_config,
        "jobDir": _job_dir(plan),
        "serviceAccount": job.service_account,
        "network": job.network,
        "enableWebAccess": job.enable_web_access,
        "encryptionConfig": {"kmsKeyName": job.encryption_spec.kms_key_name} if job.encryption_spec else None,
        "scheduling": _scheduling(plan),
        "hyperparameters": hyperparameters(job.tuning) if job.tuning else None,
    }
    return result | {key: value for key, value in fields.items() if value is not None}


def _replicas(pool: PlannedPool, prefix: str, *, as_container: bool) -> dict[str, Any]:
    config = _container(pool.container) if as_container and pool.container is not None else {}
    if pool.accelerator_count:
        config["acceleratorConfig"] = {"count": str(pool.accelerator_count), "type": pool.accelerator_type}
    disk = {"bootDiskType": pool.boot_disk_type, "bootDiskSizeGb": pool.boot_disk_size_gb}
    if any(disk.values()):
        config["diskConfig"] = {key: value for key, value in disk.items() if value is not None}
    fields: dict[str, Any] = {f"{prefix}Type": pool.machine_type}
    if pool.role != "primary":
        fields[f"{prefix}Count"] = str(pool.replica_count)
    return fields | ({f"{prefix}Config": config} if config else {})


def _container(container: Container) -> dict[str, Any]:
    config: dict[str, Any] = {"imageUri": container.image_uri}
    if container.command:
        config["containerCommand"] = list(container.command)
    args = _without_job_dir(container.args or ())
    return config | ({"containerArgs": args} if args else {})


def _without_job_dir(args: tuple[str, ...]) -> list[str]:
    return [word for word in args if not word.startswith(f"{JOB_DIR}=")]


def _job_dir(plan: JobPlan) -> str | None:
    """AI Platform hands jobDir to the program as --job-dir: it is set only for a program that takes it."""
    output = plan.job.base_output_directory
    is_taken = output is not None and f"{JOB_DIR}={output.output_uri_prefix}" in _primary_args(plan)
    return output.output_uri_prefix if output and is_taken else None


def _primary_args(plan: JobPlan) -> tuple[str, ...]:
    primary = next((pool for pool in plan.pools if pool.role == "primary"), None)
    runs = (primary.python_package or primary.container) if primary else None
    return (runs.args or ()) if runs else ()


def _version_of(package: PythonPackage) -> str | None:
    info = catalog.image_framework(package.executor_image_uri)
    return ".".join(map(str, info.version)) if info and info.framework == "tensorflow" else None


def _scheduling(plan: JobPlan) -> dict[str, str] | None:
    scheduling = plan.job.scheduling
    fields = {"maxRunningTime": scheduling.timeout, "maxWaitTime": scheduling.max_wait_duration} if scheduling else {}
    return {key: value for key, value in fields.items() if value is not None} or None


def findings(plan: JobPlan) -> list[Finding]:
    """Returns what a TrainingInput cannot hold of the job."""
    job, at = plan.job, plan.path
    losses = list(machines_missing(plan.pools, "AI Platform"))
    losses += [not_carried(at / _key(name), "AI Platform has no such field") for name in MISSING if getattr(job, name)]
    scheduling = job.scheduling
    if scheduling:
        losses += [
            not_carried(at / "scheduling" / _key(name), "AI Platform has no such field")
            for name in SCHEDULING_MISSING
            if getattr(scheduling, name)
        ]
        if scheduling.strategy not in (None, "STANDARD", "ON_DEMAND"):
            losses.append(not_carried(at / "scheduling.strategy", "AI Platform runs on demand only"))
    if job.base_output_directory and _job_dir(plan) is None:
        fix = f"have the program take {JOB_DIR}={job.base_output_directory.output_uri_prefix}"
        losses.append(not_carried(at / "baseOutputDirectory", "AI Platform sets no AIP_MODEL_DIR and its like", fix))
    if job.tuning:
        losses += study_findings(job.tuning, at / "tuning")
    for pool in plan.pools:
        losses += _pool_findings(plan, pool)
    if job.framework == "tensorflow" and primary_task(training_input(plan)) == "master":
        losses.append(_master(at))
    return losses


def _master(at: FieldPath) -> Finding:
    return Finding(
        rule="deprecated-api",
        severity="advice",
        path=at / "useChiefInTfConfig",
        message="TF_CONFIG will name the primary `master`, which TensorFlow 2 does not accept",
        fix="set it to true, or runtimeVersion to 2.1 or later",
    )


def _pool_findings(plan: JobPlan, pool: PlannedPool) -> list[Finding]:
    if pool.role == "reducers":
        return [not_carried(pool.path, "AI Platform has no reducers; the ring all-reduces in their place")]
    losses = [
        not_carried(pool.path / _key(name), "AI Platform has no such field")
        for name in POOL_MISSING
        if getattr(pool, name)
    ]
    primary = plan.pools[0]
    runs = pool.python_package or pool.container
    if runs is not None and runs.env and (pool is primary or "image" not in pool.inherited):
        at = plan.path if "image" in pool.inherited else pool.path
        place = at / ("pythonPackage" if pool.python_package else "container") / "env"
        names = ", ".join(sorted(runs.env))
        losses.append(not_carried(place, f"AI Platform sets no variables ({names})", "put them into the image"))
    if pool.python_package != primary.python_package and (pool.python_package or primary.python_package):
        losses.append(
            not_expressible(pool.path / "pythonPackage", "AI Platform runs one package in all replicas", "use images")
        )
    return losses


def _key(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
