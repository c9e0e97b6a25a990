"""The pods of an observed object → the facts of the pool that they are.

Sources: Kubernetes PodSpec reference; GKE, "Run GPUs in Standard node pools". What a pod does not say is not guessed:
its machine may have other labels, or none, and other pods may run on it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import Finding
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import POOL_FIELDS, PoolFacts
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import POSITION, Role
from trainingjobs.workloads.pod_template import ACCELERATOR_LABEL, MACHINE_LABEL, one_to_a_node

GKE_LABELS = "cloud.google.com/"
# A node whose GPUs are divided: what a pod counts there are parts of them.
DIVIDED = ("cloud.google.com/gke-gpu-partition-size", "cloud.google.com/gke-gpu-sharing-strategy")
# What devices are called, each kind by its maker's name; a count of them is a count of accelerators.
DEVICES = ("nvidia.com/", "google.com/tpu", "amd.com/gpu", "gpu.intel.com/", "habana.ai/", "aws.amazon.com/neuron")
INTERFACES = "networking.gke.io/interfaces"
ONE_TO_A_NODE = one_to_a_node()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaGroup:
    """Pods of one template, as an object declares them.

    `path` is the place of the group, `count` how many pods it has (None: that is not known), `spec` the pods' own.
    `main` is what trains where that is no container of the spec, with its `resources`; `container` the name of the one
    that does, the first where none has it.
    """

    role: Role | None
    path: FieldPath
    count: int | None
    count_path: FieldPath
    spec: Part
    metadata: Part
    container: str = ""
    main: Part | None = None
    resources: Part | None = None
    further: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pods:
    """A group as it was read: its pool, what is ill-formed in it, and where its pods are put."""

    group: ReplicaGroup
    pool: PoolFacts
    findings: tuple[Finding, ...]
    selector: NodeSelector


class NodeSelector:
    """The labels of the nodes that pods ask for, by their nodeSelector or by an affinity that leaves one value."""

    def __init__(self, spec: Part) -> None:
        self.part = spec.get("nodeSelector")
        self.labels = dict(self.part.entries())
        required = spec.within("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
        terms = required.get("nodeSelectorTerms").items()
        # Terms are alternatives: where there are several, none of them has to hold.
        for expression in terms[0].get("matchExpressions").items() if len(terms) == 1 else ():
            key, values = expression.get("key").text, expression.get("values")
            if key and expression.get("operator").value == "In" and len(values.items()) == 1:
                self.labels.setdefault(key, values.items()[0])

    def label(self, key: str) -> Part:
        """Returns the value of a label."""
        return self.labels.get(key) or self.part.get(key)

    def place(self, key: str) -> FieldPath:
        """Returns the place of a label; of all labels where the pods do not ask for it."""
        return self.labels[key].path if key in self.labels else self.part.path

    @property
    def of_gke(self) -> bool:
        """Returns whether one of the labels is GKE's own."""
        return any(key.startswith(GKE_LABELS) for key in self.labels)


def read_pods(group: ReplicaGroup) -> Pods:
    """Returns the facts of a group's pods."""
    selector = NodeSelector(group.spec)
    main, further = _containers(group)
    of_container, unknown, places = _container(main)
    counts = [_devices(main, group.resources), *(_devices(container, None) for container in further)]
    counted, findings = _sum(counts)
    of_machine, machine_unknown = _machine(selector, counted)
    unknown = unknown | machine_unknown | (set() if counted is not None else {"acceleratorCount"})
    if group.count is None:
        unknown.add("replicaCount")
    if group.spec.is_unknown:
        unknown |= POOL_FIELDS - {"replicaCount"}
    pool = PoolFacts(
        role=group.role,
        position=POSITION[group.role] if group.role else 0,
        path=group.path,
        form="object",
        replica_count=group.count or 0,
        accelerator_count=counted or 0,
        **of_machine,
        **of_container,
        places={
            "replicaCount": group.count_path,
            "machineType": selector.place(MACHINE_LABEL),
            "acceleratorType": selector.place(ACCELERATOR_LABEL),
            "acceleratorCount": _device_place(main, group.resources),
            "reservationAffinity": selector.part.path,
            **places,
        },
        zones=None,
        gpu_networks=_gpu_networks(group, of_machine["machine_type"]),
        shares_machine=group.spec.get("affinity").value != ONE_TO_A_NODE,
        unknown=frozenset(unknown),
    )
    beside = tuple(_beside(pool, container) for container in further)
    return Pods(group=group, pool=replace(pool, beside=beside), findings=tuple(findings), selector=selector)


def _containers(group: ReplicaGroup) -> tuple[Part, list[Part]]:
    """Returns the container that trains, and the further ones."""
    containers, init_containers = group.spec.get("containers"), group.spec.get("initContainers")
    listed = containers.items()
    if group.main is not None:
        return group.main, [*group.further, *init_containers.items(), *listed]
    named = [container for container in listed if container.get("name").value == group.container]
    main = next(iter(named or listed), containers)
    return main, [container for container in (*init_containers.items(), *listed) if container is not main]


def _container(container: Part) -> tuple[dict[str, Any], set[str], dict[str, FieldPath]]:
    """Returns what a container runs, what of that is unknown, and where it stands."""
    image, env, command, args = (container.get(key) for key in ("image", "env", "command", "args"))
    variables = [(variable.get("name"), variable.get("value")) for variable in env.items()]
    words = [*command.items(), *args.items()]
    unknown = {"container.imageUri"} if image.is_unknown else set()
    if env.is_unknown or any(value.is_unknown for _, value in variables):
        unknown.add("container.env")
    if command.is_unknown or args.is_unknown or any(word.is_unknown for word in words):
        unknown.add("container.args")
    has_both = command.value is not None and args.value is not None
    code = container if has_both else command if command.value is not None else args
    places = {
        "container": container.path,
        "container.imageUri": image.path,
        "container.env": env.path,
        "container.args": code.path,
    }
    runs: dict[str, Any] = {
        "image": image.text,
        "env": {name.text or "a variable": value.text or "" for name, value in variables},
        "args": tuple(word.value for word in words if isinstance(word.value, str)),
    }
    return runs, unknown, places


def _beside(pool: PoolFacts, container: Part) -> PoolFacts:
    runs, unknown, places = _container(container)
    others = frozenset(name for name in pool.unknown if not name.startswith("container."))
    return replace(pool, **runs, places={**pool.places, **places}, unknown=others | unknown)


def _requests(container: Part, resources: Part | None) -> Iterator[Part]:
    part = container.get("resources") if resources is None else resources
    yield from (part.get("limits"), part.get("requests"))


def _devices(container: Part, resources: Part | None) -> tuple[int | None, list[Finding]]:
    """Returns how many devices a container takes: a limit and a request of one are the same devices."""
    counts: dict[str, int] = {}
    for amounts in _requests(container, resources):
        if amounts.is_unknown:
            return None, []
        for name, amount in amounts.entries():
            if name.startswith(DEVICES):
                count, findings = _whole(amount).count(0)
                if count is None:
                    return None, findings
                counts[name] = max(count, counts.get(name, 0))
    return sum(counts.values()), []


def _whole(amount: Part) -> Part:
    """Returns a quantity as a number: the API server writes and takes digits."""
    text = amount.text
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) < 10
    return Part(int(text or "0"), amount.path) if is_number else amount


def _sum(counts: list[tuple[int | None, list[Finding]]]) -> tuple[int | None, list[Finding]]:
    findings = [finding for _, of_container in counts for finding in of_container]
    known = [count for count, _ in counts if count is not None]
    return (sum(known) if len(known) == len(counts) else None), findings


def _device_place(container: Part, resources: Part | None) -> FieldPath:
    for amounts in _requests(container, resources):
        for name, amount in amounts.entries():
            if name.startswith(DEVICES):
                return amount.path
        if amounts.is_unknown:
            return amounts.path
    return (container.get("resources") if resources is None else resources).path


def _gpu_networks(group: ReplicaGroup, machine_type: str | None) -> int:
    """Returns the GPU networks of pods that name their interfaces, or have the node's: as many as its machine has.

    Which of the interfaces are those of GPUs no pod says.
    """
    machine = catalog.machine(machine_type) if machine_type else None
    has_networks = group.metadata.within("annotations", INTERFACES).value is not None
    return machine.gpu_nics if machine and (has_networks or group.spec.get("hostNetwork").value is True) else 0


def _machine(selector: NodeSelector, devices: int | None) -> tuple[Mapping[str, Any], set[str]]:
    """Returns machine and accelerator by the nodes' labels, and what of them is unknown.

    Other clouds have machines of other names, so a name outside of the catalogue says something beside GKE's labels
    only. Pods that take no devices have none, whatever their node has.
    """
    machine, accelerator = selector.label(MACHINE_LABEL), selector.label(ACCELERATOR_LABEL)
    unknown = {"machineType"} if machine.is_unknown else set()
    if accelerator.is_unknown:
        unknown.add("acceleratorType")
    if any(key in selector.labels for key in DIVIDED):
        return {"machine_type": None}, unknown
    is_read = machine.text is not None and (selector.of_gke or catalog.is_known_machine(machine.text))
    name = machine.text if is_read else None
    kind = catalog.vertex_accelerator(accelerator.text) if accelerator.text and devices else None
    if kind is None and devices and name and accelerator.text is None:
        kind = (catalog.built_in_accelerators(name) or (None,))[0]
    return {"machine_type": name, "accelerator_type": kind}, unknown
