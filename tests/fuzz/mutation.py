"""Documents with a part replaced, removed, moved or added, by a number: the same number makes the same document."""

from __future__ import annotations

import copy
import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.unit.jobs import SERVER, gpu_job

# Another number tries other documents; it is in every failure's message.
FIRST = int(os.environ.get("TRAINING_FUZZ_FIRST", "0"))
# Seconds of the processor: a machine that is busy makes a case slow, not hang.
MOST_SECONDS = 2.0

SCALARS: list[Any] = [
    None, True, False, 0, -1, 1, 2, 10_000, 10_001, 10**18, 10**400, 1.5, -0.0, 1e300, "", " ", "0", "-1", "auto",
    "n1-highcpu-16", "a3-megagpu-8g", "NVIDIA_TESLA_V100", "nvidia-tesla-v100", "ｎ1-highcpu-16", "n1‑highcpu‑16", "１",
    "nvidia​-tesla-v100", "ΝVIDIA_TESLA_V100", "\u202e\u0000", "\ud800", "x" * 5000, "86400s", SERVER,
    "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-2:latest", [], {}, [[]], [None], {"": None}, [{}], {"a": {}},
]  # fmt: skip
KEYS = [
    "pools", "primary", "workers", "reducers", "parameterServers", "evaluators", "machineType", "replicaCount",
    "acceleratorType", "acceleratorCount", "container", "imageUri", "args", "env", "declares", "nccl", "packages",
    "platform", "kind", "framework", "scheduling", "strategy", "timeout", "tuning", "labels", "x", "", "\u0000",
    "jobSpec", "workerPoolSpecs", "machineSpec", "containerSpec", "trainingInput", "masterConfig", "spec",
    "tfReplicaSpecs", "ｐools", "poоls", "machine​Type", "pools ",
]  # fmt: skip


def body() -> dict[str, Any]:
    pool = {
        "machineSpec": {"machineType": "n1-standard-16", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1},
        "replicaCount": 1,
        "containerSpec": {"imageUri": "a", "args": ["x"], "env": [{"name": "A", "value": "b"}]},
    }
    server = {"machineSpec": {"machineType": "n1-highcpu-16"}, "replicaCount": 2, "containerSpec": {"imageUri": SERVER}}
    return {"displayName": "x", "jobSpec": {"workerPoolSpecs": [pool, pool, server], "scheduling": {"timeout": "9s"}}}


def ai_platform() -> dict[str, Any]:
    return {
        "trainingInput": {
            "scaleTier": "CUSTOM", "masterType": "n1-standard-4", "masterConfig": {"imageUri": "a"}, "workerCount": 2,
            "workerType": "n1-standard-4",
            "workerConfig": {"acceleratorConfig": {"count": 1, "type": "NVIDIA_TESLA_T4"}},
            "hyperparameters": {
                "goal": "MAXIMIZE", "maxTrials": 3, "params": [{"parameterName": "lr", "type": "DOUBLE"}],
            },
        }
    }  # fmt: skip


def tfjob() -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "a", "resources": {"limits": {"cpu": "2"}}}]}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "x"},
        "spec": {"tfReplicaSpecs": {"Chief": {"template": template}, "Worker": {"replicas": 2, "template": template}}},
    }


STARTS = {"job": gpu_job, "body": body, "ai-platform": ai_platform, "tfjob": tfjob}


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path of every part of a document."""
    paths = [at]
    if isinstance(value, dict):
        for key in value:
            paths += places(value[key], (*at, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            paths += places(value[index], (*at, index))
    return paths


def mutated(document: dict[str, Any], number: int, more: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Returns the document with one to five parts replaced, removed, moved or added; `more` are values to put in."""
    chance = random.Random(FIRST + number)
    scalars = [*SCALARS, *more]
    result = copy.deepcopy(document)
    for _ in range(chance.randint(1, 5)):
        path = chance.choice(places(result)[1:] or [("x",)])
        holder: Any = result
        for part in path[:-1]:
            holder = holder[part]
        what = chance.randrange(4)
        if what == 0 and isinstance(holder, dict):
            holder.pop(path[-1], None)
        elif what == 1 and isinstance(holder, dict):
            holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice(scalars))
        elif what == 2 and isinstance(holder, dict):
            holder[path[-1]] = copy.deepcopy(chance.choice([document, *scalars]))
        elif isinstance(holder, list | dict):
            holder[path[-1]] = copy.deepcopy(chance.choice(scalars))
    return result


@contextmanager
def one_case(what: str, number: int, given: Any) -> Iterator[None]:
    """Fails, naming the case, where its code raises or takes longer than MOST_SECONDS of the processor."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what} {number}, TRAINING_FUZZ_FIRST={FIRST}: {str(given)[:2000]!a}") from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
