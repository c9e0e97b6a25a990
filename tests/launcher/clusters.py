"""Cluster descriptions of the tests' own making, and what one run of the launcher gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

VERTEX = ("workerpool0", "workerpool1", "workerpool2", "workerpool3")
AI_PLATFORM = ("master", "worker", "ps", "evaluator")


@dataclass(frozen=True)
class Answer:
    """What one run with --print-env gave."""

    status: int
    out: str
    err: str

    @property
    def variables(self) -> dict[str, str]:
        """Returns the variables printed."""
        assert self.status == 0, self.err
        return json.loads(self.out)


Launch = Callable[..., Answer]


def hosts(keys: tuple[str, ...], counts: tuple[int, ...]) -> dict[str, list[str]]:
    """Returns a cluster: the addresses of each pool that has replicas."""
    return {key: [f"{key}-{i}:2222" for i in range(count)] for key, count in zip(keys, counts, strict=False) if count}


def cluster_spec(
    keys: tuple[str, ...], counts: tuple[int, ...], pool: int, index: int, **more: object
) -> dict[str, str]:
    """Returns the environment of one replica with a CLUSTER_SPEC in the dialect that `keys` names."""
    task = {"type": keys[pool], "index": index}
    return {"CLUSTER_SPEC": json.dumps({"cluster": hosts(keys, counts), "task": task, "environment": "cloud", **more})}


def tf_config(cluster: Mapping[str, object], kind: str, index: int, **more: object) -> dict[str, str]:
    """Returns the environment of one replica with a TF_CONFIG."""
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}, **more})}


def job_with_pool2(image: str) -> dict[str, object]:
    """Returns a CustomJobSpec whose pool 2 runs `image`."""
    pools = [{"replicaCount": 1, "containerSpec": {"imageUri": name}} for name in ("trainer", "trainer", image)]
    return {"workerPoolSpecs": pools}
