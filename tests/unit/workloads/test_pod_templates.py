"""Pods of a pool: every part that is written, by platform and by what the job says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, judge_document
from tests.unit.workloads.samples import planned
from trainingjobs.workloads.pod_template import (
    CONTAINER_SECURITY,
    POD_SECURITY,
    SHARED_MEMORY,
    SHARED_MEMORY_MOUNT,
    deadline,
    metadata,
    node_selector,
    one_to_a_node,
    output_directories,
    pod_template,
)

T4 = {"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2}
BARE: dict[str, Any] = {
    "containers": [
        {"name": "c", "image": IMAGE, "securityContext": CONTAINER_SECURITY, "volumeMounts": [SHARED_MEMORY_MOUNT]}
    ],
    "securityContext": POD_SECURITY,
    "enableServiceLinks": False,
    "volumes": [SHARED_MEMORY],
    "automountServiceAccountToken": False,
}
ON_GKE = {**BARE, "nodeSelector": {"node.kubernetes.io/instance-type": "n1-standard-8"}, "affinity": one_to_a_node()}


def plan_of(platform: str, primary: dict[str, Any], **changes: Any) -> Any:
    document = {"platform": platform, "kind": "pods", "container": {"imageUri": IMAGE}, "pools": {"primary": primary}}
    return planned({**document, **changes})


def template(
    platform: str, primary: dict[str, Any], env: Any = None, ports: Any = None, **changes: Any
) -> dict[str, Any]:
    plan = plan_of(platform, primary, **changes)
    return pod_template(plan, plan.pools[0], "job", container="c", env=env, ports=ports)


def container(**changes: Any) -> dict[str, Any]:
    return {"containers": [{**BARE["containers"][0], **changes}]}


GPUS = {"resources": {"limits": {"nvidia.com/gpu": 2}}}
GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
MACHINE_T4 = {
    "cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
    "node.kubernetes.io/instance-type": "n1-standard-8",
}
CPU = {"machineType": "n1-standard-8"}
NFS = {"server": "10.0.0.2", "path": "/share", "mountPoint": "data"}


@pytest.mark.parametrize(
    ("platform", "primary", "changes", "spec"),
    [
        ("kubernetes", {"replicaCount": 1}, {}, BARE),
        ("kubernetes", CPU, {}, BARE),
        ("gke", CPU, {}, ON_GKE),
        ("kubernetes", T4, {}, {**BARE, **container(**GPUS), "tolerations": [GPU_TOLERATION]}),
        (
            "gke",
            T4,
            {},
            {**ON_GKE, **container(**GPUS), "tolerations": [GPU_TOLERATION], "nodeSelector": MACHINE_T4},
        ),
        (
            "gke",
            CPU,
            {"scheduling": {"strategy": "SPOT"}},
            {
                **ON_GKE,
                "nodeSelector": {**ON_GKE["nodeSelector"], "cloud.google.com/gke-spot": "true"},
                "tolerations": [
                    {
                        "key": "cloud.google.com/gke-spot",
                        "operator": "Equal",
                        "value": "true",
                        "effect": "NoSchedule",
                    }
                ],
            },
        ),
        (
            "gke",
            T4,
            {"scheduling": {"strategy": "FLEX_START"}},
            {
                **ON_GKE,
                **container(**GPUS),
                "nodeSelector": {**MACHINE_T4, "cloud.google.com/gke-flex-start": "true"},
                "tolerations": [GPU_TOLERATION],
            },
        ),
        ("kubernetes", CPU, {"scheduling": {"strategy": "SPOT"}}, BARE),
        ("gke", CPU, {"scheduling": {"strategy": "STANDARD"}}, ON_GKE),
        (
            "kubernetes",
            CPU,
            {"serviceAccount": "trainer"},
            {
                **{key: value for key, value in BARE.items() if key != "automountServiceAccountToken"},
                "serviceAccountName": "trainer",
            },
        ),
        ("kubernetes", CPU, {"serviceAccount": "a@p.iam.gserviceaccount.com"}, BARE),
        (
            "kubernetes",
            {**CPU, "nfsMounts": [NFS]},
            {},
            {
                **BARE,
                **container(volumeMounts=[SHARED_MEMORY_MOUNT, {"name": "nfs-0", "mountPath": "data"}]),
                "volumes": [SHARED_MEMORY, {"name": "nfs-0", "nfs": {"server": "10.0.0.2", "path": "/share"}}],
            },
        ),
        (
            "kubernetes",
            CPU,
            {"container": {"imageUri": IMAGE, "command": ["run"], "args": ["-x"], "env": {"B": "2", "A": "1"}}},
            {
                **BARE,
                **container(
                    command=["run"], args=["-x"], env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
                ),
            },
        ),
        (
            "kubernetes",
            CPU,
            {"baseOutputDirectory": {"outputUriPrefix": "gs://b/x/"}},
            {
                **BARE,
                **container(
                    env=[
                        {"name": "AIP_CHECKPOINT_DIR", "value": "gs://b/x/checkpoints/"},
                        {"name": "AIP_MODEL_DIR", "value": "gs://b/x/model/"},
                        {"name": "AIP_TENSORBOARD_LOG_DIR", "value": "gs://b/x/logs/"},
                    ]
                ),
            },
        ),
    ],
)
def test_a_pod(platform: str, primary: dict[str, Any], changes: dict[str, Any], spec: dict[str, Any]) -> None:
    assert template(platform, primary, **changes)["spec"] == spec


@pytest.mark.parametrize(
    "accelerators", [{"acceleratorCount": 2}, {"acceleratorType": "TPU_V3", "acceleratorCount": 8}]
)
def test_accelerators_that_gke_has_no_name_for_choose_no_nodes(accelerators: dict[str, Any]) -> None:
    # Both are errors, which rules and renderings report.
    plan, _ = judge_document({"platform": "gke", "pools": {"primary": {**CPU, **accelerators}}})
    assert node_selector(plan, plan.pools[0]) == ON_GKE["nodeSelector"]


def test_what_the_object_gives_goes_before_what_the_user_says() -> None:
    env, ports = [{"name": "RANK", "value": "0"}], [{"name": "p", "containerPort": 1}]
    made = template("kubernetes", CPU, env, ports, container={"imageUri": IMAGE, "env": {"RANK": "9", "A": "1"}})
    assert made["spec"]["containers"][0]["env"] == [*env, {"name": "A", "value": "1"}]
    assert made["spec"]["containers"][0]["ports"] == ports


def test_labels_and_names() -> None:
    assert template("gke", CPU, labels={"team": "nlp", "a": "b"})["metadata"] == {
        "labels": {"a": "b", "team": "nlp", "training-job": "job", "training-role": "primary"}
    }
    plan = plan_of("gke", CPU, labels={"team": "nlp", "a": "b"}, namespace="ml")
    assert metadata(plan, "n") == {
        "name": "n",
        "namespace": "ml",
        "labels": {"a": "b", "team": "nlp", "training-job": "n"},
    }
    assert list(metadata(plan, "n")["labels"]) == ["a", "team", "training-job"]


@pytest.mark.parametrize(
    ("scheduling", "seconds"),
    [({"timeout": "3600s"}, 3600), ({"timeout": "0.2s"}, 1), ({"timeout": "1.6s"}, 2), ({}, None), (None, None)],
)
def test_the_longest_run(scheduling: Any, seconds: int | None) -> None:
    assert deadline(plan_of("gke", CPU, **({"scheduling": scheduling} if scheduling is not None else {}))) == seconds


def test_the_folders_of_an_output_directory() -> None:
    assert output_directories("") == {}
    assert output_directories("gs://b/X/")["AIP_MODEL_DIR"] == "gs://b/X/model/"
    assert output_directories("gs://b//") == output_directories("gs://b") == {
        "AIP_MODEL_DIR": "gs://b/model/",
        "AIP_CHECKPOINT_DIR": "gs://b/checkpoints/",
        "AIP_TENSORBOARD_LOG_DIR": "gs://b/logs/",
    }  # fmt: skip
