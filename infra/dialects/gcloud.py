"""A planned job as a `gcloud ai custom-jobs create` command line.

Flags hold machines, counts, accelerators and images, as in the example of the Vertex AI distributed training guide; a
job that says more is given by --config, which takes the CustomJobSpec's own fields.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from infra.dialects.vertex import custom_job
from infra.plan.job_plan import JobPlan

MACHINE_FLAGS = {"machineType": "machine-type", "acceleratorType": "accelerator-type"}
SPEC_FLAGS = {
    "serviceAccount": "service-account",
    "network": "network",
    "persistentResourceId": "persistent-resource-id",
}
SWITCHES = {"enableWebAccess": "enable-web-access", "enableDashboardAccess": "enable-dashboard-access"}
POOL_KEYS = {"machineSpec", "replicaCount", "containerSpec"}


def render(plan: JobPlan) -> str:
    """Returns the command; it has no machine path in it and asks for no file."""
    body = custom_job(plan)
    spec = body["jobSpec"]
    flags = [f"--region={plan.region}", f"--display-name={body['displayName']}"]
    if body.get("labels"):
        flags.append("--labels=" + ",".join(f"{key}={value}" for key, value in body["labels"].items()))
    if body.get("encryptionSpec"):
        flags.append(f"--kms-key={body['encryptionSpec']['kmsKeyName']}")
    if not _fits_flags(spec):
        document = json.dumps(spec, indent=2, ensure_ascii=False)
        head = " \\\n  ".join(["gcloud ai custom-jobs create", *map(shlex.quote, flags), "--config=/dev/stdin"])
        return f"{head} <<'EOF'\n{document}\nEOF"
    flags += [f"--worker-pool-spec={_pool(pool)}" for pool in spec["workerPoolSpecs"]]
    flags += [f"--{flag}={spec[key]}" for key, flag in SPEC_FLAGS.items() if key in spec]
    flags += [f"--{flag}" for key, flag in SWITCHES.items() if spec.get(key)]
    return " \\\n  ".join(["gcloud ai custom-jobs create", *map(shlex.quote, flags)])


def _fits_flags(spec: dict[str, Any]) -> bool:
    known = {"workerPoolSpecs", *SPEC_FLAGS, *SWITCHES}
    return set(spec) <= known and all(
        set(pool) <= POOL_KEYS
        and set(pool.get("containerSpec", {})) <= {"imageUri"}
        and set(pool.get("machineSpec", {})) <= {*MACHINE_FLAGS, "acceleratorCount"}
        for pool in spec["workerPoolSpecs"]
    )


def _pool(pool: dict[str, Any]) -> str:
    if not pool:
        return ""
    machine = pool["machineSpec"]
    parts = [f"machine-type={machine['machineType']}", f"replica-count={pool['replicaCount']}"]
    if "acceleratorCount" in machine:
        parts += [
            f"accelerator-type={machine['acceleratorType']}",
            f"accelerator-count={machine['acceleratorCount']}",
        ]
    return ",".join([*parts, f"container-image-uri={pool['containerSpec']['imageUri']}"])
