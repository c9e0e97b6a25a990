"""CLUSTER_SPEC and TF_CONFIG as AI Platform Training sets them on a replica, from the job's TrainingInput.

Sources: AI Platform containers guide, "Understanding CLUSTER_SPEC" and "Compatibility with TensorFlow"; AI Platform
TF_CONFIG guide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# TrainingInput's word for each task type beside the primary's.
COUNTS = {"worker": "workerCount", "ps": "parameterServerCount", "evaluator": "evaluatorCount"}
CHIEF_SINCE = (2, 1)
# An internal id of Google's: any stable string. The guides' examples hide it.
JOB_ID = "ab"


def replica_counts(training_input: Mapping[str, Any]) -> dict[str, int]:
    """Returns task type → replicas of the cluster as CLUSTER_SPEC names it: master, worker, ps, evaluator."""
    counts = {task: int(str(training_input.get(key) or 0)) for task, key in COUNTS.items()}
    return {"master": 1, **{task: count for task, count in counts.items() if count}}


def is_custom_container(training_input: Mapping[str, Any]) -> bool:
    """Returns whether the job runs an image of the user's own in place of a runtime version."""
    config = training_input.get("masterConfig")
    return bool(isinstance(config, Mapping) and config.get("imageUri"))


def primary_task(training_input: Mapping[str, Any]) -> str:
    """Returns the primary's task type in TF_CONFIG: chief, or master where nothing asks for chief.

    chief where the runtime version is 2.1 or later, where the job has evaluators, or where a custom container's job
    sets useChiefInTfConfig.
    """
    return primary_key(
        version=runtime_version(training_input.get("runtimeVersion")),
        has_evaluators="evaluator" in replica_counts(training_input),
        custom_container=is_custom_container(training_input),
        use_chief=bool(training_input.get("useChiefInTfConfig")),
    )


def primary_key(*, version: tuple[int, ...], has_evaluators: bool, custom_container: bool, use_chief: bool) -> str:
    """Returns chief or master; `version` is the runtime version, empty where the job has none."""
    chief = version >= CHIEF_SINCE or has_evaluators or (custom_container and use_chief)
    return "chief" if chief else "master"


def runtime_version(value: object) -> tuple[int, ...]:
    """Returns a runtime version as numbers, () where it is none."""
    text = str(value) if isinstance(value, str) else ""
    return tuple(int(part) for part in text.split(".")) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text) else ()


def replica_environment(
    training_input: Mapping[str, Any],
    task: str,
    index: int,
    *,
    trial: str | None = None,
    job_id: str = JOB_ID,
    cloud: str = JOB_ID,
) -> dict[str, str]:
    """Returns the variables of replica `index` of a task (master, worker, ps, evaluator).

    TF_CONFIG is set on every replica of every job, CLUSTER_SPEC for custom containers only. A replica has one address
    in both. `trial` counts from "1", in tuning jobs only. Raises ValueError where the job has no such replica.
    """
    counts = replica_counts(training_input)
    if not 0 <= index < counts.get(task, 0):
        message = f"{task}:{index} is not a replica of this job"
        raise ValueError(message)
    primary = primary_task(training_input)
    names = {kind: primary if kind == "master" else kind for kind in counts}
    hosts = {
        kind: [f"cmle-training-{names[kind]}-{job_id}-{i}:2222" for i in range(count)] for kind, count in counts.items()
    }
    with_trial = {} if trial is None else {"trial": trial}
    variables: dict[str, Any] = {}
    if is_custom_container(training_input):
        variables["CLUSTER_SPEC"] = {
            "cluster": hosts,
            "task": {"type": task, "index": index, **with_trial},
            "job": training_input,
        }
    variables["TF_CONFIG"] = {
        "cluster": {names[kind]: members for kind, members in hosts.items() if kind != "evaluator"},
        "environment": "cloud",
        "task": {"type": names[task], "index": index, "cloud": cloud, **with_trial},
        "job": training_input,
    }
    return {name: json.dumps(value, sort_keys=True) for name, value in variables.items()}
