"""A planned pool as a pod: the template that TFJob, PyTorchJob, JobSet and bare pods share.

Sources: GKE, "Run GPUs in Standard node pools" (labels, taints); Kubernetes Pod Security Standards, "restricted". No
user id is fixed, since OpenShift gives each namespace a range of its own.
"""

from __future__ import annotations

from typing import Any

from infra import catalog
from infra.dialects.kube_names import GROUPS
from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool

JOB_LABEL, ROLE_LABEL = "training-job", "training-role"
ACCELERATOR_LABEL = "cloud.google.com/gke-accelerator"
MACHINE_LABEL = "node.kubernetes.io/instance-type"
SPOT_LABEL, FLEX_LABEL = "cloud.google.com/gke-spot", "cloud.google.com/gke-flex-start"
GPU = "nvidia.com/gpu"
STRATEGY_LABELS = {"SPOT": SPOT_LABEL, "LOW_COST": SPOT_LABEL, "FLEX_START": FLEX_LABEL}
GPU_TOLERATION = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
SPOT_TOLERATION = {"key": SPOT_LABEL, "operator": "Equal", "value": "true", "effect": "NoSchedule"}
POD_SECURITY = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
CONTAINER_SECURITY = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
SHARED_MEMORY = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
SHARED_MEMORY_MOUNT = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108
# A replica that was lost with its node is replaced; one that failed by itself is not.
DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


def on_gke(plan: JobPlan) -> bool:
    """Returns whether nodes have GKE's labels: everywhere but on a Kubernetes of the user's own."""
    return plan.job.platform != "kubernetes"


def pod_template(
    plan: JobPlan,
    pool: PlannedPool,
    name: str,
    *,
    container: str,
    env: list[dict[str, Any]] | None = None,
    ports: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Returns metadata and spec of the pool's pods; `name` is the job object's, `env` comes before the user's."""
    labels = {**(plan.job.labels or {}), JOB_LABEL: name, ROLE_LABEL: GROUPS[pool.role]}
    spec: dict[str, Any] = {
        "containers": [_container(plan, pool, container, env or [], ports or [])],
        "securityContext": POD_SECURITY,
        "enableServiceLinks": False,
        "volumes": [SHARED_MEMORY, *_nfs_volumes(pool)],
    }
    if kubernetes_account(plan):
        spec["serviceAccountName"] = plan.job.service_account
    else:
        # The namespace's default account may have rights that no training asked for.
        spec["automountServiceAccountToken"] = False
    selector, tolerations = node_selector(plan, pool), _tolerations(plan, pool)
    if selector:
        spec["nodeSelector"] = selector
    if tolerations:
        spec["tolerations"] = tolerations
    if on_gke(plan) and pool.machine_type:
        spec["affinity"] = one_to_a_node()
    return {"metadata": {"labels": dict(sorted(labels.items()))}, "spec": spec}


def kubernetes_account(plan: JobPlan) -> str | None:
    """Returns the job's account where it is a Kubernetes one; Google's are e-mail addresses."""
    account = plan.job.service_account
    return account if account and "@" not in account else None


def node_selector(plan: JobPlan, pool: PlannedPool) -> dict[str, str]:
    """Returns the labels of the nodes that the pool runs on; empty on a Kubernetes that is not GKE."""
    if not on_gke(plan):
        return {}
    selector = {}
    if pool.machine_type:
        selector[MACHINE_LABEL] = pool.machine_type
    accelerator = catalog.gke_accelerator(pool.accelerator_type) if pool.accelerator_type else None
    if accelerator and pool.accelerator_count:
        selector[ACCELERATOR_LABEL] = accelerator
    strategy = plan.job.scheduling.strategy if plan.job.scheduling else None
    if strategy in STRATEGY_LABELS:
        selector[STRATEGY_LABELS[strategy]] = "true"
    return dict(sorted(selector.items()))


def one_to_a_node() -> dict[str, Any]:
    """Returns the affinity that gives each replica a node of its own: it is planned as one machine with its egress."""
    return {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "labelSelector": {"matchExpressions": [{"key": JOB_LABEL, "operator": "Exists"}]},
                    "topologyKey": "kubernetes.io/hostname",
                }
            ]
        }
    }


def _tolerations(plan: JobPlan, pool: PlannedPool) -> list[dict[str, Any]]:
    spot = SPOT_LABEL in node_selector(plan, pool)
    return ([GPU_TOLERATION] if pool.accelerator_count else []) + ([SPOT_TOLERATION] if spot else [])


def _container(
    plan: JobPlan, pool: PlannedPool, name: str, env: list[dict[str, Any]], ports: list[dict[str, Any]]
) -> dict[str, Any]:
    runs = pool.container
    taken = {entry["name"] for entry in env}
    output = plan.job.base_output_directory
    own = {**output_directories(output.output_uri_prefix if output else ""), **((runs.env if runs else None) or {})}
    body: dict[str, Any] = {"name": name, "image": pool.image}
    if runs and runs.command:
        body["command"] = list(runs.command)
    if runs and runs.args:
        body["args"] = list(runs.args)
    entries = env + [{"name": key, "value": value} for key, value in sorted(own.items()) if key not in taken]
    if entries:
        body["env"] = entries
    if ports:
        body["ports"] = ports
    if pool.accelerator_count:
        body["resources"] = {"limits": {GPU: pool.accelerator_count}}
    mounts = [{"name": f"nfs-{i}", "mountPath": mount.mount_point} for i, mount in enumerate(pool.nfs_mounts)]
    return body | {"securityContext": CONTAINER_SECURITY, "volumeMounts": [SHARED_MEMORY_MOUNT, *mounts]}


def output_directories(prefix: str) -> dict[str, str]:
    """Returns the variables that Vertex AI derives from baseOutputDirectory; none for an empty prefix."""
    if not prefix:
        return {}
    prefix = prefix.rstrip("/")
    folders = {"AIP_MODEL_DIR": "model", "AIP_CHECKPOINT_DIR": "checkpoints", "AIP_TENSORBOARD_LOG_DIR": "logs"}
    return {name: f"{prefix}/{folder}/" for name, folder in folders.items()}


def _nfs_volumes(pool: PlannedPool) -> list[dict[str, Any]]:
    return [
        {"name": f"nfs-{i}", "nfs": {"server": mount.server, "path": mount.path}}
        for i, mount in enumerate(pool.nfs_mounts)
    ]


def metadata(plan: JobPlan, name: str) -> dict[str, Any]:
    """Returns the metadata of the job's object."""
    labels = dict(sorted({**(plan.job.labels or {}), JOB_LABEL: name}.items()))
    return {"name": name, "namespace": plan.job.namespace, "labels": labels}


def deadline(plan: JobPlan) -> int | None:
    """Returns the longest run in seconds, None where the job sets none."""
    timeout = plan.job.scheduling.timeout if plan.job.scheduling else None
    return max(1, round(float(timeout.removesuffix("s")))) if timeout else None
