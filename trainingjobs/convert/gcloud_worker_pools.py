"""The flags of `gcloud ai custom-jobs create` → the CustomJob that it sends.

Source: gcloud reference; Vertex AI distributed training guide, "Train using Reduction Server".
"""

from __future__ import annotations

from typing import Any

from trainingjobs.convert.gcloud_flags import Flags, kms_key
from trainingjobs.convert.gcloud_words import mapping
from trainingjobs.core.findings import did_you_mean, not_carried, not_expressible, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.core.source import pruned
from trainingjobs.workloads.vertex import default_workload

KEYS = (
    "machine-type", "replica-count", "accelerator-type", "accelerator-count", "container-image-uri",
    "executor-image-uri", "output-image-uri", "python-module", "script", "local-package-path", "requirements",
    "extra-packages", "extra-dirs", "boot-disk-type", "boot-disk-size", "reservation-affinity",
)  # fmt: skip
# gcloud builds an image from these: nobody else can, without the folder.
LOCAL = ("local-package-path", "script", "requirements", "extra-packages", "extra-dirs", "output-image-uri")
SPEC_TEXTS = {
    "--service-account": "serviceAccount",
    "--network": "network",
    "--persistent-resource-id": "persistentResourceId",
}
SPEC_SWITCHES = {"--enable-web-access": "enableWebAccess", "--enable-dashboard-access": "enableDashboardAccess"}


def custom_job(flags: Flags, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the CustomJob; `config` is the CustomJobSpec of --config, which flags override."""
    command, args, uris = (flags.entries(name) for name in ("--command", "--args", "--python-package-uris"))
    pools = [
        _pool(flags, text, FieldPath("--worker-pool-spec").item(number), command, args, uris)
        for number, text in enumerate(flags.all("--worker-pool-spec"))
    ]
    spec = {key: flags.text(flag) for flag, key in SPEC_TEXTS.items()}
    switches = {key: flags.switch(flag) for flag, key in SPEC_SWITCHES.items()}
    body = {
        "displayName": flags.text("--display-name"),
        "labels": flags.mapping("--labels"),
        "encryptionSpec": pruned({"kmsKeyName": kms_key(flags)}),
        default_workload().spec_key: {**config, **pruned({"workerPoolSpecs": pools, **spec, **switches})},
    }
    if flags.text("--region"):
        fix = f"set gcp:region to {flags.text('--region')}"
        flags.findings.append(not_carried("--region", "the region is the stack's", fix))
    for word in flags.command.positionals:
        flags.findings.append(schema_error(quote(word), "stands without a flag", "remove it"))
    flags.rest(silent=("--config",))
    return pruned(body)


def _pool(
    flags: Flags, text: str, path: FieldPath, command: list[str], args: list[str], uris: list[str]
) -> dict[str, Any]:
    fields = mapping(text)
    for key in fields:
        if key not in KEYS:
            nearest = did_you_mean(key, KEYS)
            fix = f"did you mean {nearest}?" if nearest else f"there are {', '.join(KEYS)}"
            flags.findings.append(schema_error(path.key(quote(key)), "no such key", fix))
    if not fields or fields.get("replica-count") == "0":
        return {}
    for key in LOCAL:
        if key in fields and not fields.get("container-image-uri"):
            fix = "build the image and name its URI"
            flags.findings.append(not_expressible(path / key, "gcloud builds an image from a local folder", fix))
    machine = {
        "machineType": fields.get("machine-type"),
        "acceleratorType": fields.get("accelerator-type"),
        "acceleratorCount": fields.get("accelerator-count") or ("1" if fields.get("accelerator-type") else None),
    }
    if "reservation-affinity" in fields:
        flags.findings.append(not_carried(path / "reservation-affinity", "its form is not read", "write it anew"))
    disk = {"bootDiskType": fields.get("boot-disk-type"), "bootDiskSizeGb": fields.get("boot-disk-size")}
    pool: dict[str, Any] = {
        "machineSpec": pruned(machine),
        "replicaCount": fields.get("replica-count", "1"),
        "diskSpec": pruned(disk),
    }
    if fields.get("python-module") and not fields.get("container-image-uri"):
        package = {"executorImageUri": fields.get("executor-image-uri"), "pythonModule": fields.get("python-module")}
        pool["pythonPackageSpec"] = pruned({**package, "packageUris": uris, "args": args})
    else:
        image = fields.get("container-image-uri") or fields.get("executor-image-uri")
        pool["containerSpec"] = pruned({"imageUri": image, "command": command, "args": args})
    return pruned(pool)
