"""Small jobs for the controllers."""

from __future__ import annotations

from typing import Any

from tests.kubernetes.cluster import SCHEDULER

Object = dict[str, Any]
TFJOB = ("kubeflow.org/v1", "TFJob")
JOBSET = ("jobset.x-k8s.io/v1alpha2", "JobSet")


def pod_template(container: str, **fields: Any) -> Object:
    spec = {"schedulerName": SCHEDULER, "restartPolicy": "Never"}
    return {"spec": spec | {"containers": [{"name": container, "image": "train:1", **fields}]}}


def tfjob(name: str, replicas: dict[str, int], **fields: Any) -> Object:
    specs = {
        kind: {"replicas": count, "restartPolicy": "Never", "template": pod_template("tensorflow", **fields)}
        for kind, count in replicas.items()
    }
    api_version, kind = TFJOB
    spec = {"runPolicy": {"cleanPodPolicy": "Running"}, "tfReplicaSpecs": specs}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def jobset(name: str, groups: dict[str, int]) -> Object:
    jobs = [
        {
            "name": group,
            "replicas": 1,
            "template": {
                "spec": {
                    "parallelism": count,
                    "completions": count,
                    "completionMode": "Indexed",
                    "backoffLimit": 0,
                    "template": pod_template("trainer"),
                }
            },
        }
        for group, count in groups.items()
    ]
    api_version, kind = JOBSET
    spec = {
        "network": {"enableDNSHostnames": True, "subdomain": name},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": ["primary"]},
        "failurePolicy": {"maxRestarts": 0},
        "replicatedJobs": jobs,
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}
