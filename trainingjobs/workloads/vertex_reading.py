"""Vertex AI's bodies, of each of its kinds or a bare CustomJobSpec → a job document.

Source: v1 CustomJob, HyperparameterTuningJob and TrainingPipeline references; Vertex AI distributed training guide,
"Configure a distributed training job". What a kind holds beside its CustomJobSpec is its own module's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainingjobs.core.findings import Finding, not_carried, schema_error
from trainingjobs.core.source import Node, pruned
from trainingjobs.facts.job import MOST_POOLS
from trainingjobs.facts.vertex_body import camel_keys, doubled_keys, facts_of_body
from trainingjobs.rules import structural_findings
from trainingjobs.spec.omitted_fields import LEFT_OUT
from trainingjobs.workloads.job_document import Pools, duration, environment, job_document, labels, output_directory
from trainingjobs.workloads.vertex import VertexWorkload, default_workload, vertex_workloads
from trainingjobs.workloads.vertex_types import beside_errors, type_errors

# What the service writes into a job that it returns.
OUTPUT_ONLY = (
    "name", "state", "createTime", "startTime", "endTime", "updateTime", "error", "webAccessUris", "satisfiesPzs",
    "satisfiesPzi", "trials", "trainingTaskMetadata", "etag",
)  # fmt: skip
# What the `trainingjobs` provider writes into a job that it submits: whose the job is, not what it does.
PROVIDER_LABELS = ("trainingjobs-declaration", "trainingjobs-key")
SAME_TEXTS = (
    "serviceAccount", "network", "tensorboard", "persistentResourceId", "experiment", "experimentRun",
    "protectedArtifactLocationId",
)  # fmt: skip
STRATEGIES = ("STANDARD", "ON_DEMAND", "LOW_COST", "SPOT", "FLEX_START")
DNS_KEYS = ("domain", "targetProject", "targetNetwork")
MOUNT_KEYS = ("server", "path", "mountPoint")
DISK_TYPES = ("pd-standard", "pd-ssd", "hyperdisk-balanced")


def kind_of_body(body: Mapping[str, Any]) -> VertexWorkload:
    """Returns the kind that a body in camelCase is of; a bare CustomJobSpec is a job of the default kind."""
    marked = (kind for kind in vertex_workloads() if any(mark in body for mark in kind.marks))
    return next(marked, None) or default_workload()


def from_vertex(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document of a body, in camelCase or snake_case, and what is wrong with it or lost."""
    findings = doubled_keys(document)
    body = Node(camel_keys(document), "", findings)
    kind = kind_of_body(body.value)
    is_wrapped = any(mark in body.value for mark in kind.marks)
    spec = body.node(kind.spec_key) if is_wrapped else body
    fields: dict[str, Any] = {"platform": "vertex", "kind": kind.kind}
    fields |= {"displayName": body.text("displayName"), "labels": labels(body, skip=PROVIDER_LABELS)}
    fields |= {"encryptionSpec": pruned({"kmsKeyName": body.node("encryptionSpec").text("kmsKeyName")})}
    fields |= spec_fields(spec)
    pools = pools_of(spec)
    fields |= kind.read_content(body)
    body.rest(LEFT_OUT.get(kind.token.rpartition(":")[2], ()), server_written=OUTPUT_ONLY)
    if is_wrapped:
        spec.rest()
    findings += structural_findings(dict(spec.value), spec.path)
    findings += _ill_typed(body if is_wrapped else None, spec, {finding.path for finding in findings})
    return job_document(fields, pools), findings


def _ill_typed(body: Node | None, spec: Node, reported: set[str]) -> list[Finding]:
    """Returns an error for what Google's JSON does not take although it could be read, at places not reported yet."""
    errors = [
        *type_errors(spec.value, "CustomJobSpec", spec.path, keys=False),
        *(beside_errors(body.value) if body else ()),
    ]
    return [schema_error(path, reason) for path, reason in errors if path not in reported]


def spec_fields(spec: Node) -> dict[str, Any]:
    """Returns the fields of a CustomJobSpec beside its pools."""
    fields: dict[str, Any] = {key: spec.text(key) for key in SAME_TEXTS}
    fields |= {key: spec.boolean(key) for key in ("enableWebAccess", "enableDashboardAccess")}
    fields |= {key: spec.texts(key) for key in ("reservedIpRanges", "models")}
    output = spec.node("baseOutputDirectory")
    fields["baseOutputDirectory"] = output_directory(output, "outputUriPrefix", output.text("outputUriPrefix"))
    output.rest()
    interface = spec.node("pscInterfaceConfig")
    zones = [_texts_of(zone, DNS_KEYS) for zone in interface.nodes("dnsPeeringConfigs")]
    attachment = interface.text("networkAttachment")
    fields["pscInterfaceConfig"] = pruned({"networkAttachment": attachment, "dnsPeeringConfigs": zones})
    interface.rest()
    scheduling = spec.node("scheduling")
    fields["scheduling"] = pruned(
        {
            "strategy": scheduling.word("strategy", STRATEGIES, ignore=("STRATEGY_UNSPECIFIED",)),
            "timeout": duration(scheduling, "timeout"),
            "restartJobOnWorkerRestart": scheduling.boolean("restartJobOnWorkerRestart"),
            "maxWaitDuration": duration(scheduling, "maxWaitDuration"),
            "disableRetries": scheduling.boolean("disableRetries"),
        }
    )
    scheduling.rest()
    return fields


def pools_of(spec: Node) -> Pools:
    """Returns the pools of workerPoolSpecs by role. Ill-placed ones are the structural rules' findings."""
    pools: Pools = {}
    roles = {pool.position: pool.role for pool in facts_of_body(spec.value)[0].pools}
    for position, pool_spec in enumerate(spec.items("workerPoolSpecs")[:MOST_POOLS]):
        if not isinstance(pool_spec, Mapping) or not pool_spec:
            continue
        source = Node(pool_spec, spec.at("workerPoolSpecs").item(position), spec.findings)
        pool, role = _pool(source), roles.get(position)
        if role is not None and role not in pools:
            pools[role] = pool
    return pools


def _pool(source: Node) -> dict[str, Any]:
    machine, disk = source.node("machineSpec"), source.node("diskSpec")
    count = machine.integer("acceleratorCount")
    kind = machine.text("acceleratorType")
    pool: dict[str, Any] = {
        "machineType": machine.text("machineType"),
        "acceleratorType": None if kind == "ACCELERATOR_TYPE_UNSPECIFIED" else kind,
        "acceleratorCount": count or None,
        "replicaCount": source.integer("replicaCount") or 0,
        "bootDiskType": disk.word("bootDiskType", DISK_TYPES),
        "bootDiskSizeGb": disk.integer("bootDiskSizeGb") or None,
        "container": container_of(source.node("containerSpec")),
        "pythonPackage": package_of(source.node("pythonPackageSpec")),
        "reservationAffinity": _reservation(machine.node("reservationAffinity")),
        "nfsMounts": [_texts_of(mount, MOUNT_KEYS) for mount in source.nodes("nfsMounts")],
        "tpuTopology": machine.text("tpuTopology"),
    }
    if pool["replicaCount"] and not pool["container"] and not pool["pythonPackage"]:
        source.say(schema_error(source.path, "neither containerSpec nor pythonPackageSpec; one is needed"))
    machine.rest(("gpuPartitionSize", "multihostGpuNodeCount", "minGpuDriverVersion"))
    disk.rest()
    source.rest(("lustreMounts",))
    return pruned(pool)


def container_of(source: Node) -> dict[str, Any]:
    """Returns the container of a containerSpec."""
    container = {
        "imageUri": source.text("imageUri"),
        "command": source.texts("command"),
        "args": source.texts("args"),
        "env": environment(source, "env"),
    }
    source.rest()
    return pruned(container)


def package_of(source: Node) -> dict[str, Any]:
    """Returns the Python package of a pythonPackageSpec."""
    package = {
        "executorImageUri": source.text("executorImageUri"),
        "packageUris": source.texts("packageUris"),
        "pythonModule": source.text("pythonModule"),
        "args": source.texts("args"),
        "env": environment(source, "env"),
    }
    source.rest()
    return pruned(package)


def _reservation(source: Node) -> dict[str, Any]:
    kinds = ("NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION")
    kind = source.word("reservationAffinityType", kinds, ignore=("TYPE_UNSPECIFIED",))
    reservation = pruned({"reservationAffinityType": kind, "key": source.text("key"), "values": source.texts("values")})
    source.rest(("useReservationPool",))
    if reservation and kind is None:
        source.say(not_carried(source.path, "it names no reservationAffinityType"))
    return reservation if kind else {}


def _texts_of(source: Node, keys: tuple[str, ...]) -> dict[str, Any]:
    texts = {key: source.text(key) for key in keys}
    source.rest()
    return pruned(texts)
