"""A planned pool as a pod: the template that TFJob, PyTorchJob, JobSet and bare pods share.

Sources: GKE, "Run GPUs in Standard node pools" (labels, taints); Kubernetes Pod Security Standards, "restricted". No
user id is fixed, since OpenShift gives each namespace a range of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trainingjobs import catalog
from trainingjobs.workloads.kubernetes_names import GROUPS

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.wire import kubernetes

JOB_LABEL, ROLE_LABEL = "training-job", "training-role"
ACCELERATOR_LABEL = "cloud.google.com/gke-accelerator"
MACHINE_LABEL = "node.kubernetes.io/instance-type"
SPOT_LABEL, FLEX_LABEL = "cloud.google.com/gke-spot", "cloud.google.com/gke-flex-start"
GPU = "nvidia.com/gpu"
STRATEGY_LABELS = {"SPOT": SPOT_LABEL, "LOW_COST": SPOT_LABEL, "FLEX_START": FLEX_LABEL}
GPU_TOLERATION: kubernetes.Toleration = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
SPOT_TOLERATION: kubernetes.Toleration = {
    "key": SPOT_LABEL,
    "operator": "Equal",
    "value": "true",
    "effect": "NoSchedule",
}
POD_SECURITY: kubernetes.PodSecurityContext = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
CONTAINER_SECURITY: kubernetes.SecurityContext = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
SHARED_MEMORY: kubernetes.Volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
SHARED_MEMORY_MOUNT: kubernetes.VolumeMount = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108
# A replica that was lost with its node is replaced; one that failed by itself is not.
DISRUPTED: list[kubernetes.PodFailurePolicyOnPodConditionsPattern] = [{"type": "DisruptionTarget", "status": "True"}]


def on_gke(plan: JobPlan) -> bool:
    """Returns whether nodes have GKE's labels: everywhere but on a Kubernetes of the user's own."""
    return plan.job.platform != "kubernetes"


def pod_template(
    plan: JobPlan,
    pool: PlannedPool,
    name: str,
    *,
    container: str,
    env: list[kubernetes.EnvVar] | None = None,
    ports: list[kubernetes.ContainerPort] | None = None,
) -> kubernetes.PodTemplateSpec:
    """Returns metadata and spec of the pool's pods; `name` is the job object's, `env` comes before the user's."""
    labels = {**(plan.job.labels or {}), JOB_LABEL: name, ROLE_LABEL: GROUPS[pool.role]}
    spec: kubernetes.PodSpec = {
        "containers": [_container(plan, pool, container, env or [], ports or [])],
        "securityContext": POD_SECURITY,
        "enableServiceLinks": False,
        "volumes": [SHARED_MEMORY, *_nfs_volumes(pool)],
    }
    if account := kubernetes_account(plan):
        spec["serviceAccountName"] = account
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


def one_to_a_node() -> kubernetes.Affinity:
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


def _tolerations(plan: JobPlan, pool: PlannedPool) -> list[kubernetes.Toleration]:
    spot = SPOT_LABEL in node_selector(plan, pool)
    return ([GPU_TOLERATION] if pool.accelerator_count else []) + ([SPOT_TOLERATION] if spot else [])


def _container(
    plan: JobPlan, pool: PlannedPool, name: str, env: list[kubernetes.EnvVar], ports: list[kubernetes.ContainerPort]
) -> kubernetes.Container:
    runs = pool.container
    set_names = {entry["name"] for entry in env}
    output = plan.job.base_output_directory
    variables = {
        **output_directories(output.output_uri_prefix if output else ""),
        **((runs.env if runs else None) or {}),
    }
    mounts: list[kubernetes.VolumeMount] = [
        {"name": f"nfs-{i}", "mountPath": mount.mount_point} for i, mount in enumerate(pool.nfs_mounts)
    ]
    body: kubernetes.Container = {"name": name}
    if pool.image:
        body["image"] = pool.image
    if runs and runs.command:
        body["command"] = list(runs.command)
    if runs and runs.args:
        body["args"] = list(runs.args)
    entries = env + environment({key: value for key, value in sorted(variables.items()) if key not in set_names})
    if entries:
        body["env"] = entries
    if ports:
        body["ports"] = ports
    if pool.accelerator_count:
        body["resources"] = {"limits": {GPU: pool.accelerator_count}}
    body["securityContext"] = CONTAINER_SECURITY
    body["volumeMounts"] = [SHARED_MEMORY_MOUNT, *mounts]
    return body


def environment(variables: Mapping[str, str]) -> list[kubernetes.EnvVar]:
    """Returns variables as a container has them, in their order."""
    return [{"name": name, "value": value} for name, value in variables.items()]


def output_directories(prefix: str) -> dict[str, str]:
    """Returns the variables that Vertex AI derives from baseOutputDirectory; none for an empty prefix."""
    if not prefix:
        return {}
    prefix = prefix.rstrip("/")
    folders = {"AIP_MODEL_DIR": "model", "AIP_CHECKPOINT_DIR": "checkpoints", "AIP_TENSORBOARD_LOG_DIR": "logs"}
    return {name: f"{prefix}/{folder}/" for name, folder in folders.items()}


def _nfs_volumes(pool: PlannedPool) -> list[kubernetes.Volume]:
    return [
        {"name": f"nfs-{i}", "nfs": {"server": mount.server, "path": mount.path}}
        for i, mount in enumerate(pool.nfs_mounts)
    ]


def metadata(plan: JobPlan, name: str) -> kubernetes.ObjectMeta:
    """Returns the metadata of the job's object."""
    labels = dict(sorted({**(plan.job.labels or {}), JOB_LABEL: name}.items()))
    return {"name": name, "namespace": plan.job.namespace, "labels": labels}


def deadline(plan: JobPlan) -> int | None:
    """Returns the longest run in seconds, None where the job sets none."""
    timeout = plan.job.scheduling.timeout if plan.job.scheduling else None
    return max(1, round(float(timeout.removesuffix("s")))) if timeout else None
