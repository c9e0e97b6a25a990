"""A pod template → a pool and what it runs: what another's TFJob or PyTorchJob says of its replicas.

Sources: Kubernetes PodSpec reference; GKE, "Run GPUs in Standard node pools". What our own rendering writes is read
silently, everything else that a pool cannot hold is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import not_carried, schema_advice, schema_error
from trainingjobs.core.source import Node, pruned
from trainingjobs.workloads.job_document import environment
from trainingjobs.workloads.pod_template import (
    ACCELERATOR_LABEL,
    CONTAINER_SECURITY,
    FLEX_LABEL,
    GPU,
    MACHINE_LABEL,
    POD_SECURITY,
    SHARED_MEMORY_MOUNT,
    SPOT_LABEL,
    one_to_a_node,
)

STRATEGIES = {SPOT_LABEL: "SPOT", FLEX_LABEL: "FLEX_START"}
# What the restricted profile asks for anyway, and what every pod gets.
SILENT = ("restartPolicy", "enableServiceLinks", "automountServiceAccountToken", "terminationGracePeriodSeconds")
# GKE's admission adds these itself.
KNOWN_TOLERATIONS = (GPU, SPOT_LABEL)


def pool_of_template(template: Node, container: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the pool (with its container) and the fields of the job that pods carry: account and strategy.

    `container` is the name that the operator looks for; the first one is taken where none has it.
    """
    metadata, spec = template.node("metadata"), template.node("spec")
    metadata.node("labels")
    metadata.rest(server_written=("creationTimestamp", "name"), strict=False)
    main, volumes = _main(spec, container), spec.nodes("volumes")
    pool = _container(main) if main else {}
    pool |= _gpus(main) if main else {}
    selector, fields = _selector(spec.node("nodeSelector"))
    pool |= selector
    if pool.get("acceleratorCount") and not pool.get("acceleratorType"):
        place = (main or spec).path / "resources.limits" / GPU
        spec.say(schema_advice(place, f"{pool['acceleratorCount']} GPUs of no said type", "add acceleratorType"))
    mounts = _mounts(main, volumes) if main else []
    _quiet(spec, "securityContext", POD_SECURITY)
    _quiet(spec, "affinity", one_to_a_node())
    for toleration in spec.nodes("tolerations"):
        if toleration.text("key") not in KNOWN_TOLERATIONS:
            toleration.say(not_carried(toleration.path, "a pool has no place for it"))
    # The API server writes the account under its old name too.
    account, old_name = spec.text("serviceAccountName"), spec.text("serviceAccount")
    fields["serviceAccount"] = account or old_name
    spec.rest(server_written=SILENT, strict=False)
    template.rest(strict=False)
    return pruned({**pool, "nfsMounts": mounts}), pruned(fields)


def _main(spec: Node, name: str) -> Node | None:
    """Returns the container that trains; others are reported."""
    containers = spec.nodes("containers")
    if not containers:
        spec.say(schema_error(spec.at("containers"), "no container; one is needed", "add it"))
        return None
    main = next((container for container in containers if container.value.get("name") == name), containers[0])
    for container in containers:
        if container is not main:
            container.say(not_carried(container.path, "a replica runs one container"))
    return main


def _container(main: Node) -> dict[str, Any]:
    container = {
        "imageUri": main.text("image"),
        "command": main.texts("command"),
        "args": main.texts("args"),
        "env": environment(main, "env"),
    }
    main.text("name")
    _quiet(main, "securityContext", CONTAINER_SECURITY)
    ports = [port.text("name") for port in main.nodes("ports")]
    if any(port not in ("tfjob-port", "pytorchjob-port") for port in ports):
        main.say(not_carried(main.at("ports"), "replicas listen where the operator says"))
    main.take("resources")
    main.take("volumeMounts")
    main.rest(server_written=("imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"), strict=False)
    return {"container": pruned(container)}


def _gpus(main: Node) -> dict[str, Any]:
    resources = main.node("resources")
    limits, requests = resources.node("limits"), resources.node("requests")
    count = limits.integer(GPU) or requests.integer(GPU) or 0
    limits.asked.add(GPU)
    for part in (limits, requests):
        part.rest(strict=False)
    resources.rest(strict=False)
    return {"acceleratorCount": count} if count else {}


def _selector(source: Node) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what labels of nodes say of the machine, and of how it is bought."""
    pool: dict[str, Any] = {"machineType": source.text(MACHINE_LABEL)}
    label = source.text(ACCELERATOR_LABEL)
    known = catalog.vertex_accelerator(label) if label else None
    if label and known is None:
        source.say(not_carried(source.at(ACCELERATOR_LABEL), f"{label} is no accelerator of the catalogue"))
    pool["acceleratorType"] = known
    strategy = next((word for key, word in STRATEGIES.items() if source.text(key) == "true"), None)
    source.rest(server_written=("cloud.google.com/gke-accelerator-count",), strict=False)
    return pruned(pool), ({"scheduling": {"strategy": strategy}} if strategy else {})


def _mounts(main: Node, volumes: list[Node]) -> list[dict[str, Any]]:
    """Returns the network file systems; shared memory is every replica's, other volumes are reported."""
    places = {mount.text("name"): mount for mount in main.nodes("volumeMounts")}
    nfs_mounts = []
    for volume in volumes:
        name, nfs = volume.text("name"), volume.node("nfs")
        mount = places.get(name)
        point = mount.text("mountPath") if mount else None
        if nfs.value and point:
            nfs_mounts.append(pruned({"server": nfs.text("server"), "path": nfs.text("path"), "mountPoint": point}))
        elif point != SHARED_MEMORY_MOUNT["mountPath"]:
            volume.say(not_carried(volume.path, "a pool has no place for it", "use baseOutputDirectory or nfsMounts"))
    return nfs_mounts


def _quiet(source: Node, key: str, expected: Mapping[str, object]) -> None:
    """Reads a part that our own rendering writes; another one is reported."""
    value = source.take(key)
    if value is not None and value not in ({}, expected):
        source.say(not_carried(source.at(key), "pods get the restricted profile and a node each"))
