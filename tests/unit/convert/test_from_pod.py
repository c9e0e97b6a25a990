"""A pool of pods: every part that is read, and what is dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE
from tests.unit.workloads.test_pod_templates import NFS, T4, template
from trainingjobs.core.findings import Finding
from trainingjobs.core.source import Node
from trainingjobs.workloads.pod_reading import pool_of_template


def read(spec: Any, **beside: Any) -> tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]:
    findings: list[Finding] = []
    pool, fields = pool_of_template(Node({"spec": spec, **beside}, "t", findings), "main")
    return pool, fields, [(each.severity, each.path) for each in findings]


ONE = {"containers": [{"name": "main", "image": "a"}]}
A = {"container": {"imageUri": "a"}}


def test_our_own_pods_are_read_back_in_silence() -> None:
    made = template("gke", {**T4, "nfsMounts": [NFS]}, scheduling={"strategy": "SPOT"}, serviceAccount="trainer")
    pool, fields, findings = read(made["spec"], metadata=made["metadata"])
    assert findings == []
    assert pool == {**T4, "container": {"imageUri": IMAGE}, "nfsMounts": [NFS]}
    assert fields == {"serviceAccount": "trainer", "scheduling": {"strategy": "SPOT"}}


def with_container(**changes: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "a", **changes}]}


@pytest.mark.parametrize(
    ("spec", "pool", "fields"),
    [
        (ONE, A, {}),
        ({"containers": [{"image": "a"}]}, A, {}),
        (
            with_container(command=["c"], args=["d"], env=[{"name": "E", "value": "f"}]),
            {"container": {"imageUri": "a", "command": ["c"], "args": ["d"], "env": {"E": "f"}}},
            {},
        ),
        (
            with_container(imagePullPolicy="Always", terminationMessagePath="/x", terminationMessagePolicy="File"),
            A,
            {},
        ),
        (with_container(ports=[{"name": "tfjob-port"}, {"name": "pytorchjob-port"}]), A, {}),
        ({**ONE, "serviceAccountName": "s", "serviceAccount": "old"}, A, {"serviceAccount": "s"}),
        ({**ONE, "serviceAccount": "old"}, A, {"serviceAccount": "old"}),
        ({**ONE, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1}, A, {}),
        ({**ONE, "tolerations": [{"key": "nvidia.com/gpu"}, {"key": "cloud.google.com/gke-spot"}]}, A, {}),
        ({**ONE, "securityContext": {}, "affinity": {}}, A, {}),
        (
            {**ONE, "nodeSelector": {"cloud.google.com/gke-flex-start": "true"}},
            A,
            {"scheduling": {"strategy": "FLEX_START"}},
        ),
        ({**ONE, "nodeSelector": {"cloud.google.com/gke-spot": "false"}}, A, {}),
        ({**ONE, "nodeSelector": {"cloud.google.com/gke-accelerator-count": "2"}}, A, {}),
        (
            {
                **with_container(resources={"requests": {"nvidia.com/gpu": "2"}}),
                "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"},
            },
            {**A, "acceleratorType": "NVIDIA_L4", "acceleratorCount": 2},
            {},
        ),
        (with_container(resources={"limits": {"nvidia.com/gpu": 0}}), A, {}),
    ],
)
def test_a_pod_is_read(spec: dict[str, Any], pool: dict[str, Any], fields: dict[str, Any]) -> None:
    assert read(spec) == (pool, fields, [])


@pytest.mark.parametrize(
    ("spec", "severity", "path"),
    [
        ({"containers": []}, "error", "t.spec.containers"),
        ({"containers": [{"name": "side"}, {"name": "main"}]}, "advice", "t.spec.containers[0]"),
        ({"containers": [{"name": "one"}, {"name": "two"}]}, "advice", "t.spec.containers[1]"),
        (with_container(ports=[{"name": "http"}]), "advice", "t.spec.containers[0].ports"),
        (with_container(ports=[{"containerPort": 1}]), "advice", "t.spec.containers[0].ports"),
        (with_container(securityContext={"privileged": True}), "advice", "t.spec.containers[0].securityContext"),
        (with_container(workingDir="/x"), "advice", "t.spec.containers[0].workingDir"),
        (
            with_container(resources={"limits": {"memory": "1Gi"}}),
            "advice",
            "t.spec.containers[0].resources.limits.memory",
        ),
        (with_container(resources={"requests": {"cpu": 1}}), "advice", "t.spec.containers[0].resources.requests.cpu"),
        (with_container(resources={"claims": []}), "advice", "t.spec.containers[0].resources.claims"),
        (
            with_container(resources={"limits": {"nvidia.com/gpu": 1}}),
            "advice",
            "t.spec.containers[0].resources.limits.nvidia.com/gpu",
        ),
        (
            {**ONE, "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-nothing"}},
            "advice",
            "t.spec.nodeSelector.cloud.google.com/gke-accelerator",
        ),
        ({**ONE, "nodeSelector": {"zone": "a"}}, "advice", "t.spec.nodeSelector.zone"),
        ({**ONE, "securityContext": {"runAsUser": 0}}, "advice", "t.spec.securityContext"),
        ({**ONE, "affinity": {"nodeAffinity": {}}}, "advice", "t.spec.affinity"),
        ({**ONE, "tolerations": [{"key": "nvidia.com/gpu"}, {"key": "mine"}]}, "advice", "t.spec.tolerations[1]"),
        ({**ONE, "hostNetwork": True}, "advice", "t.spec.hostNetwork"),
        ({**ONE, "volumes": [{"name": "v", "emptyDir": {}}]}, "advice", "t.spec.volumes[0]"),
        ({**ONE, "volumes": [{"name": "v", "nfs": {"server": "s", "path": "/p"}}]}, "advice", "t.spec.volumes[0]"),
        (
            {
                **with_container(volumeMounts=[{"name": "v", "mountPath": "/elsewhere"}]),
                "volumes": [{"name": "v", "emptyDir": {}}],
            },
            "advice",
            "t.spec.volumes[0]",
        ),
    ],
)
def test_what_is_dropped_of_a_pod(spec: dict[str, Any], severity: str, path: str) -> None:
    assert read(spec)[2] == [(severity, path)]


def test_what_stands_beside_the_pods() -> None:
    for created in (None, "2024-05-01T12:00:00Z"):
        assert read(ONE, metadata={"labels": {"a": "b"}, "name": "x", "creationTimestamp": created})[2] == []
    assert read(ONE, metadata={"annotations": {}})[2] == [("advice", "t.metadata.annotations")]
    assert read(ONE, other=1)[2] == [("advice", "t.other")]
