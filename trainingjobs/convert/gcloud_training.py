"""The flags of `gcloud ai-platform jobs submit training` → the Job with its TrainingInput that it sends.

Sources: AI Platform containers guide, "API mapping"; gcloud reference.
"""

from __future__ import annotations

from typing import Any

from trainingjobs.convert.gcloud_flags import Flags, kms_key
from trainingjobs.core.findings import not_carried, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.core.source import pruned

# Flag → field of TrainingInput. Evaluators have no flag: config.yaml alone describes them.
TEXTS = {
    "--scale-tier": "scaleTier",
    "--region": "region",
    "--job-dir": "jobDir",
    "--module-name": "pythonModule",
    "--runtime-version": "runtimeVersion",
    "--python-version": "pythonVersion",
    "--service-account": "serviceAccount",
    "--network": "network",
    "--use-chief-in-tf-config": "useChiefInTfConfig",
    "--master-machine-type": "masterType",
    "--worker-machine-type": "workerType",
    "--parameter-server-machine-type": "parameterServerType",
    "--worker-count": "workerCount",
    "--parameter-server-count": "parameterServerCount",
}
PREFIXES = {"master": "master", "worker": "worker", "parameter-server": "parameterServer"}
# Where a place in the TrainingInput came from; the longer ones stand first.
PLACES = {
    **{f"{key}Config.acceleratorConfig": f"--{flag}-accelerator" for flag, key in PREFIXES.items()},
    **{f"{key}Config": f"--{flag}-image-uri" for flag, key in PREFIXES.items()},
    **{field: flag for flag, field in TEXTS.items()},
    "packageUris": "--packages",
    "args": "--",
    "jobId": "JOB",
}
SILENT = ("--config", "--async", "--stream-logs", "--tpu-tf-version")


def training_job(flags: Flags, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the Job; `config` is that of --config, which flags override."""
    config_input = config.get("trainingInput", {}) if isinstance(config.get("trainingInput", {}), dict) else {}
    inputs: dict[str, Any] = {**config_input, **pruned({field: flags.text(flag) for flag, field in TEXTS.items()})}
    for flag, key in PREFIXES.items():
        replica = _replica(flags, flag)
        if replica:
            base = inputs.get(f"{key}Config")
            inputs[f"{key}Config"] = {**(base if isinstance(base, dict) else {}), **replica}
    web_access = flags.switch("--enable-web-access")
    extra = {
        "packageUris": _packages(flags),
        "args": list(flags.command.user_args),
        "enableWebAccess": web_access,
        "encryptionConfig": pruned({"kmsKeyName": kms_key(flags)}),
    }
    names = flags.command.positionals
    if not names:
        flags.findings.append(schema_error("JOB", "missing; gcloud asks for the job's name", "write it"))
    for word in names[1:]:
        fix = "write the program's arguments after --"
        flags.findings.append(schema_error(quote(word), "stands without a flag", fix))
    if "scaleTier" not in inputs and "masterType" in inputs:
        inputs["scaleTier"] = "CUSTOM"
    labels = {**_labels(config), **flags.mapping("--labels")}
    flags.rest(silent=SILENT)
    body = {**config, "labels": labels, "jobId": names[0] if names else None}
    return pruned({**body, "trainingInput": {**inputs, **pruned(extra)}})


def _labels(config: dict[str, Any]) -> dict[str, Any]:
    labels = config.get("labels")
    return labels if isinstance(labels, dict) else {}


def _replica(flags: Flags, prefix: str) -> dict[str, Any]:
    accelerator = flags.mapping(f"--{prefix}-accelerator")
    replica: dict[str, Any] = {"imageUri": flags.text(f"--{prefix}-image-uri")}
    if accelerator:
        kind = accelerator.get("type", "").upper().replace("-", "_")
        replica["acceleratorConfig"] = pruned({"type": kind, "count": accelerator.get("count") or "1"})
        for key in accelerator.keys() - {"type", "count"}:
            place = FieldPath(f"--{prefix}-accelerator").key(key)
            flags.findings.append(schema_error(place, "no such key", "write count=N,type=T"))
    return pruned(replica)


def _packages(flags: Flags) -> list[str]:
    packages, folder = flags.entries("--packages"), flags.text("--package-path")
    bucket = flags.text("--staging-bucket") or "gs://STAGING_BUCKET"
    local_packages = [package for package in packages if not package.startswith("gs://")] + ([folder] if folder else [])
    uris = [package for package in packages if package.startswith("gs://")]
    for number, package in enumerate(local_packages):
        name = "trainer" if number == 0 else f"trainer-{number}"
        uri = f"{bucket.rstrip('/')}/{name}.tar.gz"
        uris.append(uri)
        flag = "--package-path" if package == folder else "--packages"
        flags.findings.append(
            not_carried(flag, f"{package[:80]} is a local folder or file, which gcloud stages", f"upload it to {uri}")
        )
    return uris
