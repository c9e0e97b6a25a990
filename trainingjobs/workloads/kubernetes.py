"""A kind of job that is an object of a cluster: what tells it apart, and how its objects are placed and configured.

Owns what depends on the cluster: node pools, accounts, GPU networks, Kueue. What an object says of itself is its
kind's.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.spec.roles import Role
from trainingjobs.workloads import registry
from trainingjobs.workloads.kubernetes_names import GROUPS
from trainingjobs.workloads.observed_kind import ObservedKind
from trainingjobs.workloads.pod_template import ROLE_LABEL, STRATEGY_LABELS

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan

NODE_POOL_LABEL = "cloud.google.com/gke-nodepool"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
INTERFACES, DEFAULT_INTERFACE = "networking.gke.io/interfaces", "networking.gke.io/default-interface"
RUN_ANNOTATION = "training/run"
REDUCER_TOLERATION = {"key": "training-role", "operator": "Equal", "value": "reducer", "effect": "NoSchedule"}
ROLE_OF: dict[str, Role] = {word: role for role, word in GROUPS.items()}
# A condition that is true → the state; the first of them that holds decides.
CONDITIONS: Final = (
    ("Failed", "FAILED"),
    ("Succeeded", "SUCCEEDED"),
    ("Completed", "SUCCEEDED"),
    ("Suspended", "QUEUED"),
    ("Restarting", "RUNNING"),
    ("Running", "RUNNING"),
)


class KubernetesWorkload(ObservedKind, registry.Workload):
    """A kind of job in a cluster.

    `api_version` and `object_kind` are those of the object that stands for the job, `resource` its plural in the API's
    paths. `reads`: somebody's object becomes a job document by `read`. `gangs`: its
    controller has a gang scheduler of its own. `has_controller`: something makes the pods out of the object, restarts
    them, and cleans them up.
    """

    platforms = ("gke", "kubernetes")
    resource: ClassVar[str]
    reads: ClassVar[bool] = False
    gangs: ClassVar[bool] = False
    has_controller: ClassVar[bool] = True

    @abstractmethod
    def name(self, plan: JobPlan) -> str:
        """Returns the name of the job in the cluster, which its pods carry as a label."""

    def head(self, plan: JobPlan) -> str:
        """Returns the name of the object that stands for the job."""
        return self.name(plan)

    def objects(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns the objects of a rendered body, the one that stands for the job first."""
        return [body]

    def run_policy(self, body: dict[str, Any]) -> dict[str, Any]:
        """Returns the part of the job's object that says when it is cleaned up."""
        policy: dict[str, Any] = body["spec"]
        return policy

    def schedule_as_gang(self, body: dict[str, Any]) -> None:
        """Asks for all pods at once or none, where the kind's controller can."""

    def queue(self, body: dict[str, Any], plan: JobPlan, queue: str) -> None:  # noqa: ARG002 (for pods, which count)
        """Puts an object of the job into a local queue of Kueue."""
        body["metadata"]["labels"][QUEUE_LABEL] = queue

    def state(self, body: Mapping[str, Any]) -> str:
        """Returns the state of an observed object: PENDING, QUEUED (by Kueue), RUNNING, SUCCEEDED or FAILED."""
        conditions = (body.get("status") or {}).get("conditions") or []
        true_conditions = {condition.get("type") for condition in conditions if condition.get("status") == "True"}
        return next((state for condition, state in CONDITIONS if condition in true_conditions), "PENDING")

    def read(self, document: Mapping[str, Any], name: str) -> tuple[dict[str, Any], list[Finding]] | None:  # noqa: ARG002
        """Returns the job document of somebody's object and what is wrong with it or lost; None: it is not read."""
        return None


def kubernetes_workloads() -> tuple[KubernetesWorkload, ...]:
    """Returns the kinds of a cluster, in the order of their registration."""
    return tuple(workload for workload in registry.workloads() if isinstance(workload, KubernetesWorkload))


def workload_in_cluster(plan: JobPlan) -> KubernetesWorkload:
    """Returns the kind of a job that runs in a cluster. Raises TypeError for a job of Vertex AI."""
    workload = registry.workload(plan.kind)
    if not isinstance(workload, KubernetesWorkload):
        message = f"{plan.kind} is no kind of a cluster"
        raise TypeError(message)
    return workload


def by_object_kind(kind: object) -> KubernetesWorkload | None:
    """Returns the kind whose object is called so (TFJob), None where there is none."""
    return next((workload for workload in kubernetes_workloads() if workload.object_kind == kind), None)


def observed_kind(api_version: str, object_kind: str) -> ObservedKind | None:
    """Returns the kind of an object, in any version of its interface, None where it is none that is known to train."""
    group = api_version.rpartition("/")[0]
    for kind in (*kubernetes_workloads(), *registry.observed_only()):
        if kind.object_kind == object_kind and kind.api_group == ("" if group == "core" else group):
            return kind
    return None


def by_resource(resource: str) -> KubernetesWorkload | None:
    """Returns the kind of a plural in the API's paths (tfjobs), None where there is none."""
    return next((workload for workload in kubernetes_workloads() if workload.resource == resource), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a job's replicas run: role → node pool and → GPU networks by the names of their Kubernetes objects."""

    node_pools: Mapping[Role, str] = field(default_factory=dict)
    on_demand: frozenset[Role] = frozenset()
    gpu_networks: Mapping[Role, tuple[str, ...]] = field(default_factory=dict)
    service_account: str | None = None


def deployed(plan: JobPlan, placement: Placement) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Returns the objects of the job as a stack declares them, and what they could not hold.

    They stand in the order in which they are made.
    """
    workload = workload_in_cluster(plan)
    body, findings = workload.render(plan)
    objects = workload.objects(body)
    for declared in objects:
        for template in _pods(declared):
            _place(template, plan, placement)
        _configure(declared, plan, workload)
    return objects, [*findings, *_not_configured(plan, workload)]


def _pods(value: Any) -> Iterator[dict[str, Any]]:
    """Yields every pod and pod template within an object."""
    if isinstance(value, list):
        for item in value:
            yield from _pods(item)
    elif isinstance(value, dict):
        # Labels of the user's own may bear any of these names.
        labels = value["metadata"]["labels"] if isinstance(value.get("metadata"), dict) else {}
        if ROLE_LABEL in labels and "containers" in value["spec"]:
            yield value
        else:
            for item in value.values():
                yield from _pods(item)


def _place(template: dict[str, Any], plan: JobPlan, placement: Placement) -> None:
    role = ROLE_OF[template["metadata"]["labels"][ROLE_LABEL]]
    spec = template["spec"]
    if role in placement.node_pools:
        selector = spec.get("nodeSelector", {})
        if role in placement.on_demand:
            selector = {key: value for key, value in selector.items() if key not in STRATEGY_LABELS.values()}
        spec["nodeSelector"] = dict(sorted({**selector, NODE_POOL_LABEL: placement.node_pools[role]}.items()))
        if role == "reducers":
            spec["tolerations"] = [*spec.get("tolerations", ()), REDUCER_TOLERATION]
    for container in spec["containers"]:
        for amounts in container.get("resources", {}).values():
            # The API server answers with strings: a number would be a change at every run, and so another job.
            amounts.update({name: str(amount) for name, amount in amounts.items()})
    if placement.service_account is not None:
        spec["serviceAccountName"] = placement.service_account
    networks = placement.gpu_networks.get(role)
    if networks:
        names = ("default", *networks)
        interfaces = [{"interfaceName": f"eth{i}", "network": name} for i, name in enumerate(names)]
        annotations = template["metadata"].setdefault("annotations", {})
        annotations[DEFAULT_INTERFACE] = "eth0"
        annotations[INTERFACES] = json.dumps(interfaces, separators=(",", ":"))
    settings = plan.job.kubernetes
    if settings is not None and settings.priority_class_name is not None:
        spec["priorityClassName"] = settings.priority_class_name


def _configure(declared: dict[str, Any], plan: JobPlan, workload: KubernetesWorkload) -> None:
    declared["metadata"].setdefault("annotations", {})[RUN_ANNOTATION] = str(plan.job.run)
    settings = plan.job.kubernetes
    if settings is None or declared["kind"] != workload.object_kind:
        return
    if settings.queue_name is not None:
        workload.queue(declared, plan, settings.queue_name)
    if settings.ttl_seconds_after_finished is not None and workload.has_controller:
        workload.run_policy(declared)["ttlSecondsAfterFinished"] = settings.ttl_seconds_after_finished
    if settings.gang_scheduling and workload.gangs:
        workload.schedule_as_gang(declared)


def _not_configured(plan: JobPlan, workload: KubernetesWorkload) -> Iterator[Finding]:
    settings = plan.job.kubernetes
    if settings is None:
        return
    path = plan.path / "kubernetes"
    if settings.gang_scheduling and not workload.gangs:
        yield not_carried(path / "gangScheduling", f"a {plan.kind} has no gang scheduler", "name a Kueue queue")
    if settings.ttl_seconds_after_finished is not None and not workload.has_controller:
        yield not_carried(path / "ttlSecondsAfterFinished", "nothing cleans bare pods up", "render it as jobset")
