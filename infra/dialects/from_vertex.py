"""Vertex AI's bodies (CustomJob, bare CustomJobSpec, HyperparameterTuningJob, TrainingPipeline) → a job document.

Source: v1 CustomJob, HyperparameterTuningJob and TrainingPipeline references; Vertex AI distributed training guide,
"Configure a distributed training job". The structural rules themselves are infra/plan/rules'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.dialects.from_study import counts_of, study_of
from infra.dialects.job_document import Pools, duration, environment, job_document, labels, output_directory
from infra.dialects.losses import not_carried
from infra.dialects.source import Node, pruned
from infra.dialects.vertex_fields import beside_errors, type_errors
from infra.plan.body_facts import ROLE_AT, camel_keys, doubled_keys, is_reduction_server
from infra.plan.facts import MOST_POOLS
from infra.plan.roles import Role
from infra.plan.rules import structural_findings
from infra.problems import Finding, schema_error
from infra.spec.left_out import LEFT_OUT

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


def from_vertex(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document of a body, in camelCase or snake_case, and what is wrong with it or lost."""
    findings = doubled_keys(document)
    body = Node(camel_keys(document), "", findings)
    fields: dict[str, Any] = {"platform": "vertex", "kind": "customJob"}
    if "trialJobSpec" in body.value or "studySpec" in body.value:
        fields |= {"kind": "hyperparameterTuningJob"}
        study = study_of(body.node("studySpec")) | counts_of(body)
        spec, wrapped = body.node("trialJobSpec"), True
    elif "trainingTaskInputs" in body.value:
        fields |= {"kind": "trainingPipeline"}
        body.take("trainingTaskDefinition")
        spec, wrapped, study = body.node("trainingTaskInputs"), True, {}
    else:
        wrapped, study = "jobSpec" in body.value, {}
        spec = body.node("jobSpec") if wrapped else body
    fields |= {"displayName": body.text("displayName"), "labels": labels(body, skip=PROVIDER_LABELS)}
    fields |= {"encryptionSpec": pruned({"kmsKeyName": body.node("encryptionSpec").text("kmsKeyName")})}
    fields |= spec_fields(spec)
    if study:
        fields["tuning"] = study
    pools = pools_of(spec)
    if fields["kind"] == "trainingPipeline":
        fields["modelToUpload"] = _model(body.node("modelToUpload"))
        fields |= {key: body.text(key) for key in ("modelId", "parentModel")}
    body.rest(LEFT_OUT["TrainingPipeline"] if "trainingTaskInputs" in body.value else (), ours=OUTPUT_ONLY)
    if wrapped:
        spec.rest()
    findings += structural_findings(dict(spec.value), spec.path)
    findings += _ill_typed(body if wrapped else None, spec, {finding.path for finding in findings})
    return job_document(fields, pools), findings


def _ill_typed(body: Node | None, spec: Node, said: set[str]) -> list[Finding]:
    """Returns an error for what Google's JSON does not take although it could be read; which keys there are is said."""
    wrong = [
        *type_errors(spec.value, "CustomJobSpec", spec.path, keys=False),
        *(beside_errors(body.value) if body else ()),
    ]
    return [schema_error(path, reason) for path, reason in wrong if path not in said]


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
    for position, given in enumerate(spec.items("workerPoolSpecs")[:MOST_POOLS]):
        if not isinstance(given, Mapping) or not given:
            continue
        source = Node(given, f"{spec.at('workerPoolSpecs')}[{position}]", spec.findings)
        pool = _pool(source)
        image = pool.get("container", {}).get("imageUri")
        role: Role | None = "reducers" if is_reduction_server(image) else ROLE_AT.get(position)
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
    said = pruned({"reservationAffinityType": kind, "key": source.text("key"), "values": source.texts("values")})
    source.rest(("useReservationPool",))
    if said and kind is None:
        source.say(not_carried(source.path, "it names no reservationAffinityType"))
    return said if kind else {}


def _texts_of(source: Node, keys: tuple[str, ...]) -> dict[str, Any]:
    texts = {key: source.text(key) for key in keys}
    source.rest()
    return pruned(texts)


def _model(source: Node) -> dict[str, Any]:
    """Returns the model that a pipeline uploads; what of it a job document does not hold is reported."""
    container = source.node("containerSpec")
    serves = {
        **{key: container.text(key) for key in ("imageUri", "predictRoute", "healthRoute")},
        **{key: container.texts(key) for key in ("command", "args")},
        "env": environment(container, "env"),
        "ports": [_port(port) for port in container.nodes("ports")],
    }
    container.rest(LEFT_OUT["ModelContainerSpec"])
    model = {
        **{key: source.text(key) for key in ("displayName", "description", "versionDescription", "artifactUri")},
        "versionAliases": source.texts("versionAliases"),
        "containerSpec": pruned(serves),
        "labels": labels(source),
    }
    source.rest(LEFT_OUT["Model"], ours=("name",))
    return pruned(model)


def _port(source: Node) -> dict[str, Any]:
    port = {"containerPort": source.integer("containerPort")}
    source.rest()
    return port
