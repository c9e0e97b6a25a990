"""AI Platform Training's config.yaml (`trainingInput`) → a job document.

Sources: AI Platform containers guide, "API mapping"; AI Platform v1 Job and TrainingInput references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainingjobs import catalog
from trainingjobs.convert.ai_platform_env import runtime_version
from trainingjobs.convert.ai_platform_machines import LEGACY, TIERS, Machine, executor_image, modern
from trainingjobs.convert.ai_platform_study import tuning_of
from trainingjobs.core.findings import Finding, did_you_mean, not_carried, quote, schema_advice, schema_error
from trainingjobs.core.source import Node, pruned
from trainingjobs.facts.vertex_body import camel_keys, doubled_keys
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.job_document import Pools, duration, job_document, labels, output_directory
from trainingjobs.workloads.vertex import default_workload, tuning_workload

ROLES: dict[str, Role] = {
    "master": "primary", "worker": "workers", "parameterServer": "parameterServers", "evaluator": "evaluators"
}  # fmt: skip
JOB_FIELDS = ("predictionInput",)
OUTPUT_ONLY = ("createTime", "startTime", "endTime", "state", "errorMessage", "trainingOutput", "etag", "jobPosition")
OLD_PREBUILT = re.compile(r"gcr\.io/cloud-ml-public/training/([a-z0-9.-]+)(:.*)?")
DEFAULT_REGION = "us-central1"
# gcloud stages a local package before it submits; nobody else can.
STAGED_PACKAGE = "gs://STAGING_BUCKET/trainer.tar.gz"


def from_ai_platform(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document of a config.yaml, and what is wrong with it or lost."""
    findings = doubled_keys(document)
    job = Node(camel_keys(document), "", findings)
    wrapped = "trainingInput" in job.value
    source = job.node("trainingInput") if wrapped else job
    fields: dict[str, Any] = {"platform": "vertex", "kind": default_workload().kind, "displayName": job.text("jobId")}
    fields["labels"] = labels(job)
    region = source.text("region")
    if region:
        fix = f"set gcp:region to {region}" if region in catalog.regions() else ""
        source.say(not_carried(source.at("region"), "the region is the stack's", fix))
    pools = _pools(source)
    _runs(source, pools, fields, region if region in catalog.regions() else DEFAULT_REGION)
    fields |= _fields(source)
    if "hyperparameters" in source.value:
        fields |= {"kind": tuning_workload().kind, "tuning": tuning_of(source.node("hyperparameters"))}
    if source.text("pythonVersion"):
        source.say(not_carried(source.at("pythonVersion"), "the image brings its Python"))
    if wrapped:
        source.rest()
    job.rest(JOB_FIELDS, server_written=OUTPUT_ONLY)
    return job_document(fields, pools), findings


def _fields(source: Node) -> dict[str, Any]:
    scheduling = source.node("scheduling")
    times = {
        "timeout": duration(scheduling, "maxRunningTime"),
        "maxWaitDuration": duration(scheduling, "maxWaitTime"),
    }
    scheduling.rest(("priority",))
    encryption = source.node("encryptionConfig")
    key = encryption.text("kmsKeyName")
    encryption.rest()
    return {
        "serviceAccount": source.text("serviceAccount"),
        "network": source.text("network"),
        "enableWebAccess": source.boolean("enableWebAccess"),
        "encryptionSpec": pruned({"kmsKeyName": key}),
        "scheduling": pruned(times),
    }


def _pools(source: Node) -> Pools:
    """Returns the machines by role."""
    tier = _tier(source)
    pools: Pools = {}
    for prefix, role in ROLES.items():
        config = source.node(f"{prefix}Config")
        machine, count = _machine(source, prefix, config), _count(source, prefix)
        if machine is None and prefix in TIERS.get(tier or "", {}):
            tiers_own, count = TIERS[tier or ""][prefix]
            machine = modern(tiers_own)
        if not count:
            if config.value:
                config.say(not_carried(config.path, f"no replicas; {prefix}Count is missing"))
            continue
        if machine is None:
            source.say(schema_error(source.at(f"{prefix}Type"), f"missing beside {count} replicas", "name a machine"))
        pools[role] = {**_shape(machine), "replicaCount": count, **_config(config)}
    return pools


def _tier(source: Node) -> str | None:
    """Returns the named tier that the source asks for, None for CUSTOM; what a named one is read as is advice."""
    tier = source.text("scaleTier")
    tier_name = tier.upper() if tier else None
    if tier_name is None:
        tier_name = "CUSTOM" if source.value.get("masterType") else "BASIC"
    if tier_name == "CUSTOM":
        return None
    if tier_name not in TIERS:
        nearest = did_you_mean(tier_name, (*TIERS, "CUSTOM"))
        fix = f"did you mean {nearest}?" if nearest else "write CUSTOM and a masterType"
        source.say(schema_error(source.at("scaleTier"), f"{quote(tier)} is no scale tier", fix))
        return None
    machines = ", ".join(
        f"{prefix}Type: {modern(machine).machine_type}" + (f", {prefix}Count: {count}" if prefix != "master" else "")
        for prefix, (machine, count) in TIERS[tier_name].items()
    )
    message = f"{tier} names machines" if tier else "missing, which means BASIC; it names machines"
    fix = f"read as {machines}; write scaleTier: CUSTOM and machines that suit the job"
    source.say(schema_advice(source.at("scaleTier"), f"{message} that Google may have changed since", fix))
    return tier_name


def _machine(source: Node, prefix: str, config: Node) -> Machine | None:
    name = source.text(f"{prefix}Type")
    accelerator = config.node("acceleratorConfig")
    kind, count = accelerator.text("type"), accelerator.integer("count")
    accelerator.rest()
    if name is None:
        return None
    kind = None if kind == "ACCELERATOR_TYPE_UNSPECIFIED" else kind
    known = kind and (catalog.vertex_accelerator(kind.lower()) or kind)
    named_machine = LEGACY.get(name, Machine(name))
    if known:
        named_machine = Machine(named_machine.machine_type, known, count or 0)
    machine = modern(named_machine)
    if name in LEGACY or machine.note:
        new = machine.machine_type
        if machine.accelerator_count:
            new += f" with {machine.accelerator_count} x {machine.accelerator_type}"
        note = f" ({machine.note})" if machine.note else ""
        message = f"{name} is AI Platform's own name" if name in LEGACY else f"{name} is not offered so any more"
        source.say(
            Finding(
                rule="deprecated-api", severity="advice", path=source.at(f"{prefix}Type"), message=message,
                fix=f"{new} takes its place{note}",
            )
        )  # fmt: skip
    return machine


def _count(source: Node, prefix: str) -> int:
    return 1 if prefix == "master" else source.integer(f"{prefix}Count") or 0


def _shape(machine: Machine | None) -> dict[str, Any]:
    if machine is None:
        return {}
    shape: dict[str, Any] = {"machineType": machine.machine_type}
    if machine.accelerator_type:
        shape |= {"acceleratorType": machine.accelerator_type, "acceleratorCount": machine.accelerator_count}
    return shape


def _config(config: Node) -> dict[str, Any]:
    disk = config.node("diskConfig")
    shape = {
        "bootDiskType": disk.word("bootDiskType", ("pd-standard", "pd-ssd")),
        "bootDiskSizeGb": disk.integer("bootDiskSizeGb") or None,
    }
    disk.rest()
    container = {
        "imageUri": config.text("imageUri"),
        "command": config.texts("containerCommand"),
        "args": config.texts("containerArgs"),
    }
    config.rest(("tpuTfVersion",))
    return pruned({**shape, "container": pruned(container)})


def _runs(source: Node, pools: Pools, fields: dict[str, Any], region: str) -> None:
    """Puts what the replicas run into the pools: images with the job's arguments, or the package."""
    primary = pools["primary"]
    image = primary.get("container", {}).get("imageUri")
    package = {"packageUris": source.texts("packageUris"), "pythonModule": source.text("pythonModule")}
    args, job_dir = source.texts("args"), source.text("jobDir")
    fields["baseOutputDirectory"] = output_directory(source, "jobDir", job_dir)
    if job_dir:
        args = [f"--job-dir={job_dir}", *args]
    version = source.version("runtimeVersion")
    if version and not runtime_version(version):
        source.wrong("runtimeVersion", version, 'a version, as in "2.11",')
        version = None
    fields["runtimeVersion"] = version
    chief = source.boolean("useChiefInTfConfig")
    prebuilt = OLD_PREBUILT.fullmatch(image or "")
    if package["pythonModule"] and (image is None or prebuilt):
        executor = _executor(source, version, prebuilt, bool(primary.get("acceleratorCount")), region)
        if not package["packageUris"]:
            package["packageUris"] = [STAGED_PACKAGE]
            fix = "upload it and name its URI"
            source.say(not_carried(source.at("packageUris"), "gcloud stages the package from a local folder", fix))
        runs = {"executorImageUri": executor, **package, "args": args}
        for pool in pools.values():
            pool.pop("container", None)
        primary["pythonPackage"] = pruned(runs)
    elif image is None:
        source.say(
            schema_error(
                source.at("masterConfig.imageUri"), "missing; an image or a pythonModule is needed", "name one"
            )
        )
    else:
        # The default is written down: it tells that the job comes from AI Platform, where it decides a name.
        chief = bool(chief)
        _images(pools, args)
    if chief is not None:
        fields["useChiefInTfConfig"] = chief
    if chief:
        fields["framework"] = "tensorflow"


def _images(pools: Pools, args: list[str]) -> None:
    """A replica without an image of its own runs the master's, with its command and arguments."""
    main = pools["primary"]["container"]
    for pool in pools.values():
        container = pool.get("container", {})
        base = {} if container.get("imageUri") else main
        merged = {**base, **container}
        if args and not container.get("args"):
            merged["args"] = args
        pool["container"] = pruned(merged)


def _executor(source: Node, version: str | None, prebuilt: re.Match[str] | None, gpu: bool, region: str) -> str | None:
    if prebuilt:
        image = f"{catalog.multi_region(region)[0]}-docker.pkg.dev/vertex-ai/training/{prebuilt[1]}:latest"
        place, note = "masterConfig.imageUri", "AI Platform's prebuilt images have moved"
    elif version:
        image, note = executor_image(version, accelerated=gpu, region=region)
        place = "runtimeVersion"
    else:
        source.say(schema_error(source.at("runtimeVersion"), "missing beside pythonModule", 'write it, as in "2.11"'))
        return None
    source.say(schema_advice(source.at(place), f"{note}; the package will run in {image}"))
    return image
