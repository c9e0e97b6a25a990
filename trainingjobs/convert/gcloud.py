"""A planned job as a `gcloud ai custom-jobs create` command line; a tuning job as `gcloud ai hp-tuning-jobs create`.

Flags hold machines, counts, accelerators and images, as in the example of the Vertex AI distributed training guide; a
job that says more is given by --config, which takes the CustomJobSpec's own fields.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.structure import machines_missing
from trainingjobs.workloads.vertex import VertexWorkload, default_workload, kind_on_vertex

MACHINE_FLAGS = {"machineType": "machine-type", "acceleratorType": "accelerator-type"}
SPEC_FLAGS = {
    "serviceAccount": "service-account",
    "network": "network",
    "persistentResourceId": "persistent-resource-id",
}
SWITCHES = {"enableWebAccess": "enable-web-access", "enableDashboardAccess": "enable-dashboard-access"}
COUNT_FLAGS = {"maxTrialCount": "max-trial-count", "parallelTrialCount": "parallel-trial-count"}
POOL_KEYS = {"machineSpec", "replicaCount", "containerSpec"}


def render(plan: JobPlan) -> str:
    """Returns the command; it has no machine path in it and asks for no file."""
    kind = _kind(plan)
    command, body = f"gcloud ai {kind.gcloud_group} create", kind.body(plan)
    flags = [f"--region={plan.region}", f"--display-name={body['displayName']}"]
    if body.get("labels"):
        flags.append("--labels=" + ",".join(f"{key}={value}" for key, value in body["labels"].items()))
    if body.get("encryptionSpec"):
        flags.append(f"--kms-key={body['encryptionSpec']['kmsKeyName']}")
    spec = body[kind.spec_key]
    if kind.runs_trials:
        flags += [f"--{flag}={body[key]}" for key, flag in COUNT_FLAGS.items() if key in body]
        # The flags have no number of failed trials: the file's HyperparameterTuningSpec does.
        document = {key: body[key] for key in ("studySpec", "maxFailedTrialCount", kind.spec_key) if key in body}
        return _with_config(command, flags, document)
    if not _fits_flags(spec):
        return _with_config(command, flags, spec)
    flags += [f"--worker-pool-spec={_pool(pool)}" for pool in spec["workerPoolSpecs"]]
    flags += [f"--{flag}={spec[key]}" for key, flag in SPEC_FLAGS.items() if key in spec]
    flags += [f"--{flag}" for key, flag in SWITCHES.items() if spec.get(key)]
    return " \\\n  ".join([command, *map(shlex.quote, flags)])


def losses(plan: JobPlan) -> list[Finding]:
    """Returns what the command does not do of the job: gcloud has no command for some kinds."""
    missing = list(machines_missing(plan.pools, "Vertex AI"))
    kind = kind_on_vertex(plan)
    if kind.gcloud_group:
        return missing
    findings = [
        not_carried(plan.path / "kind", f"gcloud has no command for a {kind.kind}; this one makes a custom job")
    ]
    if plan.job.model_to_upload is not None:
        findings.append(
            not_carried(plan.path / "modelToUpload", "a custom job uploads no model", "run gcloud ai models upload")
        )
    return [*missing, *findings]


def _kind(plan: JobPlan) -> VertexWorkload:
    kind = kind_on_vertex(plan)
    return kind if kind.gcloud_group else default_workload()


def _with_config(command: str, flags: list[str], document: dict[str, Any]) -> str:
    head = " \\\n  ".join([command, *map(shlex.quote, flags), "--config=/dev/stdin"])
    return f"{head} <<'EOF'\n{json.dumps(document, indent=2, ensure_ascii=False)}\nEOF"


def _fits_flags(spec: dict[str, Any]) -> bool:
    known = {"workerPoolSpecs", *SPEC_FLAGS, *SWITCHES}
    return set(spec) <= known and all(
        set(pool) == POOL_KEYS
        and set(pool["containerSpec"]) == {"imageUri"}
        and set(pool["machineSpec"]) <= {*MACHINE_FLAGS, "acceleratorCount"}
        for pool in spec["workerPoolSpecs"]
        if pool
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
