"""What Kubernetes objects cannot hold of a job, whatever their kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainingjobs.core.findings import Finding, not_carried, not_expressible
from trainingjobs.workloads.kubernetes_names import MASTER, operator_types
from trainingjobs.workloads.pod_template import STRATEGY_LABELS, kubernetes_account, on_gke

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool

# Fields that mean something to Vertex AI only.
VERTEX_ONLY = {
    "network": "network",
    "reserved_ip_ranges": "reservedIpRanges",
    "psc_interface_config": "pscInterfaceConfig",
    "tensorboard": "tensorboard",
    "encryption_spec": "encryptionSpec",
    "persistent_resource_id": "persistentResourceId",
    "enable_web_access": "enableWebAccess",
    "enable_dashboard_access": "enableDashboardAccess",
    "experiment": "experiment",
    "experiment_run": "experimentRun",
    "models": "models",
    "protected_artifact_location_id": "protectedArtifactLocationId",
    "use_chief_in_tf_config": "useChiefInTfConfig",
    "runtime_version": "runtimeVersion",
}


def kubernetes_findings(plan: JobPlan) -> Iterator[Finding]:
    """Yields what no kind of object holds: advice for a setting, an error where the job would be another."""
    job, at = plan.job, plan.path
    says_master = operator_types(plan)["primary"] == MASTER
    for name, key in VERTEX_ONLY.items():
        if getattr(job, name) is not None and not (says_master and name == "use_chief_in_tf_config"):
            yield not_carried(at / key, "it is a setting of Google's training services")
    if job.tuning is not None:
        yield not_expressible(at / "tuning", "a study cannot run as this kind of job", "render it as custom-job")
    if job.service_account and kubernetes_account(plan) is None:
        yield not_carried(
            at / "serviceAccount", "a Google account cannot run a pod", "name a Kubernetes account that is bound to it"
        )
    scheduling = job.scheduling
    if scheduling and scheduling.max_wait_duration:
        yield not_carried(at / "scheduling.maxWaitDuration", "pods wait for nodes as long as it takes", "use Kueue")
    if scheduling and scheduling.strategy in STRATEGY_LABELS and not on_gke(plan):
        yield not_carried(at / "scheduling.strategy", f"{scheduling.strategy} is Google Cloud's", "use platform: gke")
    for pool in plan.pools:
        yield from _pool(plan, pool)


def _pool(plan: JobPlan, pool: PlannedPool) -> Iterator[Finding]:
    if pool.python_package is not None:
        yield not_expressible(
            pool.path / "pythonPackage", "only Vertex AI installs and runs a package", "build an image that has it"
        )
    if pool.accelerator_type and pool.accelerator_type.startswith("TPU"):
        yield not_expressible(pool.path / "acceleratorType", f"{pool.accelerator_type}: pods get GPUs here, no TPUs")
    if pool.nfs_mounts:
        yield not_carried(
            pool.path / "nfsMounts",
            "nothing is lost, but restricted pod security refuses such a volume",
            "use a persistent volume claim",
        )
    if plan.job.platform == "vertex" and (pool.boot_disk_type or pool.boot_disk_size_gb):
        yield not_carried(pool.path / "bootDiskType", "a node's disk is its node pool's")
    if plan.job.platform == "vertex" and pool.reservation_affinity:
        yield not_carried(pool.path / "reservationAffinity", "a reservation is its node pool's")
    if not on_gke(plan):
        yield from _elsewhere(pool)


def _elsewhere(pool: PlannedPool) -> Iterator[Finding]:
    """Yields what needs GKE's node labels."""
    if pool.machine_type and "machine_type" not in pool.inherited:
        yield not_carried(pool.path / "machineType", f"no label tells nodes of {pool.machine_type} on any Kubernetes")
    if pool.accelerator_type and "accelerator_type" not in pool.inherited:
        yield not_carried(
            pool.path / "acceleratorType", f"no label tells nodes with {pool.accelerator_type}; any GPUs are taken"
        )


def without_reducers(plan: JobPlan, kind: str) -> Iterator[Finding]:
    """Yields advice for reducers that the kind has no replicas for."""
    for pool in plan.pools:
        if pool.role == "reducers":
            yield not_carried(
                pool.path, f"a {kind} has no reducers; the ring all-reduces in their place", "render it as jobset"
            )


def needs_primary(plan: JobPlan, fits: frozenset[str], kind: str) -> Iterator[Finding]:
    """Yields an error for each role that the kind has no replicas for and that training cannot do without."""
    for pool in plan.pools:
        if pool.role not in fits and pool.role != "reducers":
            fix = "change kind to jobset" if plan.kind == kind.lower() else "render it as jobset"
            yield not_expressible(pool.path, f"a {kind} has no {pool.role}", fix)


def vertex_reducers(plan: JobPlan) -> PlannedPool | None:
    """Returns the reducers that run Google's reduction server, which no cluster of one's own can pull."""
    return next((p for p in plan.pools if p.role == "reducers" and "vertex-ai-restricted" in (p.image or "")), None)
