"""AI Platform Training's config.yaml (`trainingInput`) → a job document.

Sources: AI Platform containers guide, "API mapping"; AI Platform v1 Job and TrainingInput references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from infra import catalog
from infra.dialects.ai_platform_env import runtime_version
from infra.dialects.ai_platform_machines import LEGACY, TIERS, Machine, executor_image, modern
from infra.dialects.ai_platform_study import tuning_of
from infra.dialects.job_document import Pools, duration, job_document, labels, output_directory
from infra.dialects.losses import not_carried
from infra.dialects.source import Node, pruned, schema_advice
from infra.plan.body_facts import camel_keys, doubled_keys
from infra.plan.roles import Role
from infra.problems import Finding, did_you_mean, quote, schema_error

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
    given = job.node("trainingInput") if wrapped else job
    fields: dict[str, Any] = {"platform": "vertex", "kind": "customJob", "displayName": job.text("jobId")}
    fields["labels"] = labels(job)
    region = given.text("region")
    if region:
        fix = f"set gcp:region to {region}" if region in catalog.regions() else ""
        given.say(not_carried(given.at("region"), "the region is the stack's", fix))
    pools = _pools(given)
    _runs(given, pools, fields, region if region in catalog.regions() else DEFAULT_REGION)
    fields |= _fields(given)
    if "hyperparameters" in given.value:
        fields |= {"kind": "hyperparameterTuningJob", "tuning": tuning_of(given.node("hyperparameters"))}
    if given.text("pythonVersion"):
        given.say(not_carried(given.at("pythonVersion"), "the image brings its Python"))
    if wrapped:
        given.rest()
    job.rest(JOB_FIELDS, ours=OUTPUT_ONLY)
    return job_document(fields, pools), findings


def _fields(given: Node) -> dict[str, Any]:
    scheduling = given.node("scheduling")
    times = {
        "timeout": duration(scheduling, "maxRunningTime"),
        "maxWaitDuration": duration(scheduling, "maxWaitTime"),
    }
    scheduling.rest(("priority",))
    encryption = given.node("encryptionConfig")
    key = encryption.text("kmsKeyName")
    encryption.rest()
    return {
        "serviceAccount": given.text("serviceAccount"),
        "network": given.text("network"),
        "enableWebAccess": given.boolean("enableWebAccess"),
        "encryptionSpec": pruned({"kmsKeyName": key}),
        "scheduling": pruned(times),
    }


def _pools(given: Node) -> Pools:
    """Returns the machines by role."""
    tier = _tier(given)
    pools: Pools = {}
    for prefix, role in ROLES.items():
        config = given.node(f"{prefix}Config")
        machine, count = _machine(given, prefix, config), _count(given, prefix)
        if machine is None and prefix in TIERS.get(tier or "", {}):
            tiers_own, count = TIERS[tier or ""][prefix]
            machine = modern(tiers_own)
        if not count:
            if config.value:
                config.say(not_carried(config.path, f"no replicas; {prefix}Count is missing"))
            continue
        if machine is None:
            given.say(schema_error(given.at(f"{prefix}Type"), f"missing beside {count} replicas", "name a machine"))
        pools[role] = {**_shape(machine), "replicaCount": count, **_config(config)}
    return pools


def _tier(given: Node) -> str | None:
    """Returns the named tier that the source asks for, None for CUSTOM; what a named one is read as is advice."""
    tier = given.text("scaleTier")
    asked = tier.upper() if tier else None
    if asked is None:
        asked = "CUSTOM" if given.value.get("masterType") else "BASIC"
    if asked == "CUSTOM":
        return None
    if asked not in TIERS:
        near = did_you_mean(asked, (*TIERS, "CUSTOM"))
        fix = f"did you mean {near}?" if near else "write CUSTOM and a masterType"
        given.say(schema_error(given.at("scaleTier"), f"{quote(tier)} is no scale tier", fix))
        return None
    machines = ", ".join(
        f"{prefix}Type: {modern(machine).machine_type}" + (f", {prefix}Count: {count}" if prefix != "master" else "")
        for prefix, (machine, count) in TIERS[asked].items()
    )
    said = f"{tier} names machines" if tier else "missing, which means BASIC; it names machines"
    fix = f"read as {machines}; write scaleTier: CUSTOM and machines that suit the job"
    given.say(schema_advice(given.at("scaleTier"), f"{said} that Google may have changed since", fix))
    return asked


def _machine(given: Node, prefix: str, config: Node) -> Machine | None:
    name = given.text(f"{prefix}Type")
    accelerator = config.node("acceleratorConfig")
    kind, count = accelerator.text("type"), accelerator.integer("count")
    accelerator.rest()
    if name is None:
        return None
    kind = None if kind == "ACCELERATOR_TYPE_UNSPECIFIED" else kind
    known = kind and (catalog.vertex_accelerator(kind.lower()) or kind)
    asked = LEGACY.get(name, Machine(name))
    if known:
        asked = Machine(asked.machine_type, known, count or 0)
    machine = modern(asked)
    if name in LEGACY or machine.note:
        new = machine.machine_type
        if machine.accelerator_count:
            new += f" with {machine.accelerator_count} x {machine.accelerator_type}"
        note = f" ({machine.note})" if machine.note else ""
        message = f"{name} is AI Platform's own name" if name in LEGACY else f"{name} is not offered so any more"
        given.say(
            Finding(
                rule="deprecated-api", severity="advice", path=given.at(f"{prefix}Type"), message=message,
                fix=f"{new} takes its place{note}",
            )
        )  # fmt: skip
    return machine


def _count(given: Node, prefix: str) -> int:
    return 1 if prefix == "master" else given.integer(f"{prefix}Count") or 0


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


def _runs(given: Node, pools: Pools, fields: dict[str, Any], region: str) -> None:
    """Puts what the replicas run into the pools: images with the job's arguments, or the package."""
    primary = pools["primary"]
    image = primary.get("container", {}).get("imageUri")
    package = {"packageUris": given.texts("packageUris"), "pythonModule": given.text("pythonModule")}
    args, job_dir = given.texts("args"), given.text("jobDir")
    fields["baseOutputDirectory"] = output_directory(given, "jobDir", job_dir)
    if job_dir:
        args = [f"--job-dir={job_dir}", *args]
    version = given.version("runtimeVersion")
    if version and not runtime_version(version):
        given.wrong("runtimeVersion", version, 'a version, as in "2.11",')
        version = None
    fields["runtimeVersion"] = version
    chief = given.boolean("useChiefInTfConfig")
    prebuilt = OLD_PREBUILT.fullmatch(image or "")
    if package["pythonModule"] and (image is None or prebuilt):
        executor = _executor(given, version, prebuilt, bool(primary.get("acceleratorCount")), region)
        if not package["packageUris"]:
            package["packageUris"] = [STAGED_PACKAGE]
            fix = "upload it and name its URI"
            given.say(not_carried(given.at("packageUris"), "gcloud stages the package from a local folder", fix))
        runs = {"executorImageUri": executor, **package, "args": args}
        for pool in pools.values():
            pool.pop("container", None)
        primary["pythonPackage"] = pruned(runs)
    elif image is None:
        given.say(
            schema_error(given.at("masterConfig.imageUri"), "missing; an image or a pythonModule is needed", "name one")
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
        own = pool.get("container", {})
        base = {} if own.get("imageUri") else main
        merged = {**base, **own}
        if args and not own.get("args"):
            merged["args"] = args
        pool["container"] = pruned(merged)


def _executor(given: Node, version: str | None, prebuilt: re.Match[str] | None, gpu: bool, region: str) -> str | None:
    if prebuilt:
        image = f"{catalog.multi_region(region)[0]}-docker.pkg.dev/vertex-ai/training/{prebuilt[1]}:latest"
        place, note = "masterConfig.imageUri", "AI Platform's prebuilt images have moved"
    elif version:
        image, note = executor_image(version, accelerated=gpu, region=region)
        place = "runtimeVersion"
    else:
        given.say(schema_error(given.at("runtimeVersion"), "missing beside pythonModule", 'write it, as in "2.11"'))
        return None
    given.say(schema_advice(given.at(place), f"{note}; the package will run in {image}"))
    return image
