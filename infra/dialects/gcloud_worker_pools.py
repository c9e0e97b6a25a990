"""The flags of `gcloud ai custom-jobs create` → the CustomJob that it sends.

Source: gcloud reference; Vertex AI distributed training guide, "Train using Reduction Server".
"""

from __future__ import annotations

from typing import Any

from infra.dialects.gcloud_flags import Flags, kms_key
from infra.dialects.gcloud_words import mapping
from infra.dialects.losses import not_carried, not_expressible
from infra.dialects.source import pruned
from infra.problems import did_you_mean, quote, schema_error

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
        _pool(flags, text, f"--worker-pool-spec[{number}]", command, args, uris)
        for number, text in enumerate(flags.all("--worker-pool-spec"))
    ]
    spec = {key: flags.text(flag) for flag, key in SPEC_TEXTS.items()}
    switches = {key: flags.switch(flag) for flag, key in SPEC_SWITCHES.items()}
    body = {
        "displayName": flags.text("--display-name"),
        "labels": flags.mapping("--labels"),
        "encryptionSpec": pruned({"kmsKeyName": kms_key(flags)}),
        "jobSpec": {**config, **pruned({"workerPoolSpecs": pools, **spec, **switches})},
    }
    if flags.text("--region"):
        fix = f"set gcp:region to {flags.text('--region')}"
        flags.findings.append(not_carried("--region", "the region is the stack's", fix))
    for word in flags.command.positionals:
        flags.findings.append(schema_error(quote(word), "stands without a flag", "remove it"))
    flags.rest(silent=("--config",))
    return pruned(body)


def _pool(flags: Flags, text: str, path: str, command: list[str], args: list[str], uris: list[str]) -> dict[str, Any]:
    given = mapping(text)
    for key in given:
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            fix = f"did you mean {near}?" if near else f"there are {', '.join(KEYS)}"
            flags.findings.append(schema_error(f"{path}.{quote(key)}", "no such key", fix))
    if not given or given.get("replica-count") == "0":
        return {}
    for key in LOCAL:
        if key in given and not given.get("container-image-uri"):
            fix = "build the image and name its URI"
            flags.findings.append(not_expressible(f"{path}.{key}", "gcloud builds an image from a local folder", fix))
    machine = {
        "machineType": given.get("machine-type"),
        "acceleratorType": given.get("accelerator-type"),
        "acceleratorCount": given.get("accelerator-count") or ("1" if given.get("accelerator-type") else None),
    }
    if "reservation-affinity" in given:
        flags.findings.append(not_carried(f"{path}.reservation-affinity", "its form is not read", "write it anew"))
    disk = {"bootDiskType": given.get("boot-disk-type"), "bootDiskSizeGb": given.get("boot-disk-size")}
    pool: dict[str, Any] = {
        "machineSpec": pruned(machine),
        "replicaCount": given.get("replica-count", "1"),
        "diskSpec": pruned(disk),
    }
    if given.get("python-module") and not given.get("container-image-uri"):
        package = {"executorImageUri": given.get("executor-image-uri"), "pythonModule": given.get("python-module")}
        pool["pythonPackageSpec"] = pruned({**package, "packageUris": uris, "args": args})
    else:
        image = given.get("container-image-uri") or given.get("executor-image-uri")
        pool["containerSpec"] = pruned({"imageUri": image, "command": command, "args": args})
    return pruned(pool)
