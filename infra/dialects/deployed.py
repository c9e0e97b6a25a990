"""A planned job as the objects that a stack declares in its cluster: the job's language, placed and configured.

Owns what depends on the cluster: node pools, accounts, GPU networks, Kueue. What the job's language says of itself is
its renderer's.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.dialects.kube_names import GROUPS
from infra.dialects.losses import not_carried
from infra.dialects.pod_template import ROLE_LABEL, STRATEGY_LABELS
from infra.plan.job_plan import JobPlan
from infra.plan.roles import Role
from infra.problems import Finding

NODE_POOL_LABEL = "cloud.google.com/gke-nodepool"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GROUP_LABEL, GROUP_COUNT = "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"
INTERFACES, DEFAULT_INTERFACE = "networking.gke.io/interfaces", "networking.gke.io/default-interface"
RUN_ANNOTATION = "training/run"
REDUCER_TOLERATION = {"key": "training-role", "operator": "Equal", "value": "reducer", "effect": "NoSchedule"}
ROLE_OF: dict[str, Role] = {word: role for role, word in GROUPS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a job's replicas run: role → node pool and → GPU networks by the names of their Kubernetes objects."""

    node_pools: Mapping[Role, str] = field(default_factory=dict)
    on_demand: frozenset[Role] = frozenset()
    gpu_networks: Mapping[Role, tuple[str, ...]] = field(default_factory=dict)
    service_account: str | None = None


def deployed(plan: JobPlan, placement: Placement) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Returns the objects of the job, the one that stands for it first, and what they could not hold."""
    renderer = importlib.import_module(f"infra.dialects.{plan.kind}")
    body, findings = renderer.render(plan)
    objects: list[dict[str, Any]] = body["items"] if body["kind"] == "List" else [body]
    for one in objects:
        for template in _pods(one):
            _place(template, plan, placement)
        _configure(one, plan)
    return objects, [*findings, *_losses(plan)]


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
        kept = spec.get("nodeSelector", {})
        if role in placement.on_demand:
            kept = {key: value for key, value in kept.items() if key not in STRATEGY_LABELS.values()}
        spec["nodeSelector"] = dict(sorted({**kept, NODE_POOL_LABEL: placement.node_pools[role]}.items()))
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
    said = plan.job.kubernetes
    if said is not None and said.priority_class_name is not None:
        spec["priorityClassName"] = said.priority_class_name


def _configure(one: dict[str, Any], plan: JobPlan) -> None:
    metadata = one["metadata"]
    metadata.setdefault("annotations", {})[RUN_ANNOTATION] = str(plan.job.run)
    said = plan.job.kubernetes
    if said is None:
        return
    kind = one["kind"]
    if said.queue_name is not None and kind != "Service":
        metadata["labels"][QUEUE_LABEL] = said.queue_name
    if said.queue_name is not None and kind == "Pod":
        total = sum(pool.replica_count for pool in plan.pools if pool.instance_group is None)
        metadata["labels"][GROUP_LABEL] = one["spec"]["subdomain"]
        metadata["annotations"][GROUP_COUNT] = str(total)
    if said.ttl_seconds_after_finished is not None and kind not in ("Service", "Pod"):
        policy = one["spec"] if kind == "JobSet" else one["spec"]["runPolicy"]
        policy["ttlSecondsAfterFinished"] = said.ttl_seconds_after_finished
    if said.gang_scheduling and kind in ("TFJob", "PyTorchJob"):
        key = "tfReplicaSpecs" if kind == "TFJob" else "pytorchReplicaSpecs"
        total = sum(replicas["replicas"] for replicas in one["spec"][key].values())
        one["spec"]["runPolicy"]["schedulingPolicy"] = {"minAvailable": total}


def _losses(plan: JobPlan) -> Iterator[Finding]:
    said = plan.job.kubernetes
    if said is None:
        return
    path = f"{plan.path}.kubernetes" if plan.path else "kubernetes"
    if said.gang_scheduling and plan.kind not in ("tfjob", "pytorchjob"):
        yield not_carried(f"{path}.gangScheduling", f"a {plan.kind} has no gang scheduler", "name a Kueue queue")
    if said.ttl_seconds_after_finished is not None and plan.kind == "pods":
        yield not_carried(f"{path}.ttlSecondsAfterFinished", "nothing cleans bare pods up", "render it as jobset")
