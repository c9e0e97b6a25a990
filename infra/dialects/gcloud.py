"""A planned job as a `gcloud ai custom-jobs create` command line; a tuning job as `gcloud ai hp-tuning-jobs create`.

Flags hold machines, counts, accelerators and images, as in the example of the Vertex AI distributed training guide; a
job that says more is given by --config, which takes the CustomJobSpec's own fields.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from infra.dialects.losses import machines_missing, not_carried
from infra.dialects.vertex import custom_job, hyperparameter_tuning_job
from infra.plan.job_plan import JobPlan
from infra.problems import Finding

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
    tunes = plan.kind == "hyperparameterTuningJob"
    body = hyperparameter_tuning_job(plan) if tunes else custom_job(plan)
    flags = [f"--region={plan.region}", f"--display-name={body['displayName']}"]
    if body.get("labels"):
        flags.append("--labels=" + ",".join(f"{key}={value}" for key, value in body["labels"].items()))
    if body.get("encryptionSpec"):
        flags.append(f"--kms-key={body['encryptionSpec']['kmsKeyName']}")
    if tunes:
        flags += [f"--{flag}={body[key]}" for key, flag in COUNT_FLAGS.items() if key in body]
        # The flags have no number of failed trials: the file's HyperparameterTuningSpec does.
        document = {key: body[key] for key in ("studySpec", "maxFailedTrialCount", "trialJobSpec") if key in body}
        return _with_config("gcloud ai hp-tuning-jobs create", flags, document)
    spec = body["jobSpec"]
    if not _fits_flags(spec):
        return _with_config("gcloud ai custom-jobs create", flags, spec)
    flags += [f"--worker-pool-spec={_pool(pool)}" for pool in spec["workerPoolSpecs"]]
    flags += [f"--{flag}={spec[key]}" for key, flag in SPEC_FLAGS.items() if key in spec]
    flags += [f"--{flag}" for key, flag in SWITCHES.items() if spec.get(key)]
    return " \\\n  ".join(["gcloud ai custom-jobs create", *map(shlex.quote, flags)])


def losses(plan: JobPlan) -> list[Finding]:
    """Returns what the command does not do of the job: gcloud makes no training pipelines."""
    missing = list(machines_missing(plan, "Vertex AI"))
    if plan.kind != "trainingPipeline":
        return missing
    at = f"{plan.path}." if plan.path else ""
    lost = [not_carried(f"{at}kind", "gcloud has no command for a trainingPipeline; this one makes a custom job")]
    if plan.job.model_to_upload is not None:
        lost.append(not_carried(f"{at}modelToUpload", "a custom job uploads no model", "run gcloud ai models upload"))
    return [*missing, *lost]


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
