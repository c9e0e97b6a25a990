"""Jobs as Kubernetes objects: their form, their names, and what they cannot hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.jobs import IMAGE, gpu_job, judge_document, plan_job
from tests.unit.workloads import golden
from tests.unit.workloads.samples import CPU, job, keys, planned
from trainingjobs.convert.environments import replica_environment
from trainingjobs.core.findings import has_errors
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.kubernetes import kubernetes_workloads
from trainingjobs.workloads.kubernetes_names import legal_name
from trainingjobs.workloads.registry import workload

KINDS = [kind.kind for kind in kubernetes_workloads()]


def rendered(kind: str, document: dict[str, Any]) -> tuple[dict[str, Any], set[tuple[str, str, str]]]:
    body, findings = workload(kind).render(planned(document))
    return json.loads(json.dumps(body)), keys(findings)


def pod_specs(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "containers" in value:
            yield value
        for item in value.values():
            yield from pod_specs(item)
    elif isinstance(value, list):
        for item in value:
            yield from pod_specs(item)


@pytest.mark.parametrize("kind", KINDS)
def test_the_form(kind: str) -> None:
    document = job(platform="gke", kind=kind, scheduling={"strategy": "SPOT", "timeout": "3600s"})
    if kind == "pytorchjob":
        document["pools"] = {"primary": document["pools"]["primary"], "workers": {"replicaCount": 2}}
    body, findings = rendered(kind, document)
    golden.check(f"{kind}.json", body)
    assert not any(severity == "error" for _, severity, _ in findings)


@pytest.mark.parametrize("kind", KINDS)
def test_pods_obey_the_restricted_profile_and_fix_no_user(kind: str) -> None:
    document = job(platform="gke", kind=kind, pools={"primary": CPU, "workers": {"replicaCount": 2}})
    specs = list(pod_specs(rendered(kind, document)[0]))
    assert specs
    for spec in specs:
        assert spec["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        assert not re.search(r"runAsUser|fsGroup|hostPath|hostNetwork|privileged\"", json.dumps(spec))
        for container in spec["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert {"name": "shared-memory", "mountPath": "/dev/shm"} in container["volumeMounts"]


def test_gke_nodes_are_selected_and_tolerated() -> None:
    body, _ = rendered("tfjob", job(platform="gke", kind="tfjob", scheduling={"strategy": "SPOT"}))
    chief = body["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]
    assert chief["nodeSelector"] == {
        "cloud.google.com/gke-accelerator": "nvidia-tesla-v100",
        "cloud.google.com/gke-spot": "true",
        "node.kubernetes.io/instance-type": "n1-highmem-96",
    }
    assert chief["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": 8}}
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in chief["tolerations"]
    server = body["spec"]["tfReplicaSpecs"]["PS"]["template"]["spec"]
    assert "cloud.google.com/gke-accelerator" not in server["nodeSelector"]
    assert "resources" not in server["containers"][0]


def test_any_other_kubernetes_has_no_such_labels() -> None:
    body, findings = rendered("jobset", job(platform="kubernetes", kind="jobset", scheduling={"strategy": "SPOT"}))
    for spec in pod_specs(body):
        assert not {"nodeSelector", "affinity"} & spec.keys()
    paths = {path for _, severity, path in findings if severity == "advice"}
    assert {"scheduling.strategy", "pools.primary.machineType", "pools.primary.acceleratorType"} <= paths


def test_a_jobset_ends_with_its_primary() -> None:
    body, _ = rendered("jobset", job(platform="gke"))
    spec = body["spec"]
    assert spec["successPolicy"] == {"operator": "All", "targetReplicatedJobs": ["primary"]}
    assert [replicated_job["name"] for replicated_job in spec["replicatedJobs"]] == [
        "primary",
        "worker",
        "ps",
        "evaluator",
    ]
    worker = spec["replicatedJobs"][1]["template"]["spec"]
    assert (worker["completions"], worker["parallelism"], worker["completionMode"]) == (2, 2, "Indexed")
    assert worker["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("kind", ["jobset", "pods"])
def test_the_pods_get_what_env_shows(kind: str) -> None:
    """The index of a JobSet's pod is a reference that Kubernetes expands from a variable defined before it."""
    document = job(platform="gke", kind=kind)
    plan = planned(document)
    for spec, role in zip(pod_specs(rendered(kind, document)[0]), _roles(kind), strict=True):
        env = spec["containers"][0]["env"]
        names = [entry["name"] for entry in env]
        text = env[names.index("TF_CONFIG")]["value"]
        if "$(REPLICA_INDEX)" in text:
            assert names.index("REPLICA_INDEX") < names.index("TF_CONFIG")
            text = text.replace("$(REPLICA_INDEX)", str(role[1]))
        assert {"TF_CONFIG": text} == replica_environment(plan, *role)


def _roles(kind: str) -> list[tuple[str, int]]:
    workers = [("worker", 1)] if kind == "jobset" else [("worker", 0), ("worker", 1)]
    return [("primary", 0), *workers, ("ps", 0), ("evaluator", 0)]


def test_restarts_as_scheduling_says() -> None:
    once, _ = rendered("jobset", job(platform="gke"))
    assert once["spec"]["failurePolicy"] == {"maxRestarts": 0}
    again, _ = rendered("jobset", job(platform="gke", scheduling={"restartJobOnWorkerRestart": True}))
    # A replica that failed itself, or ran too long, ends the job; one that was lost does not.
    own = ["PodFailurePolicy", "DeadlineExceeded"]
    assert again["spec"]["failurePolicy"] == {
        "maxRestarts": 3,
        "rules": [{"name": "ownFailure", "action": "FailJobSet", "onJobFailureReasons": own}],
    }
    never, _ = rendered("tfjob", job(platform="gke", kind="tfjob", scheduling={"disableRetries": True}))
    assert {spec["restartPolicy"] for spec in never["spec"]["tfReplicaSpecs"].values()} == {"Never"}


@pytest.mark.parametrize("kind", ["jobset", "pods"])
def test_reducers_of_ones_own_are_a_group(kind: str) -> None:
    document = gpu_job(platform="gke", kind=kind, framework="byteps")
    document["pools"]["reducers"] = {"machineType": "n1-highcpu-16", "container": {"imageUri": IMAGE}}
    body, findings = rendered(kind, document)
    text = json.dumps(body)
    assert '"training-role": "reducer"' in text
    assert "pools.reducers" not in {path for _, _, path in findings}


@pytest.mark.parametrize("kind", KINDS)
def test_googles_reduction_server_stays_on_vertex(kind: str) -> None:
    body, findings = rendered(kind, gpu_job())
    assert "reductionserver" not in json.dumps(body)
    assert ("schema", "advice", "pools.reducers") in findings


@pytest.mark.parametrize(
    ("kind", "changes", "finding"),
    [
        ("pytorchjob", {}, ("schema", "error", "pools.parameterServers")),
        ("pytorchjob", {}, ("schema", "error", "pools.evaluators")),
        ("tfjob", {"scheduling": {"restartJobOnWorkerRestart": True}},
         ("schema", "advice", "scheduling.restartJobOnWorkerRestart")),
        ("jobset", {"serviceAccount": "a@b.iam.gserviceaccount.com"}, ("schema", "advice", "serviceAccount")),
        ("jobset", {"tensorboard": "projects/1/locations/l/tensorboards/2"}, ("schema", "advice", "tensorboard")),
        ("jobset", {"scheduling": {"maxWaitDuration": "60s"}}, ("schema", "advice", "scheduling.maxWaitDuration")),
        ("pods", {}, ("schema", "advice", "pools.primary")),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_over_is_reported(
    kind: str, changes: dict[str, Any], finding: tuple[str, str, str]
) -> None:
    assert finding in rendered(kind, job(**changes))[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_and_a_package_have_no_kubernetes_form(kind: str) -> None:
    tuning = {
        "metrics": [{"metricId": "a", "goal": "MAXIMIZE"}],
        "parameters": [{"parameterId": "p", "doubleValueSpec": {"minValue": 0.0, "maxValue": 1.0}}],
        "maxTrialCount": 1, "parallelTrialCount": 1,
    }  # fmt: skip
    package = {"executorImageUri": "a/b", "packageUris": ["gs://b/c"], "pythonModule": "m"}
    document = {
        "kind": "hyperparameterTuningJob", "tuning": tuning, "pythonPackage": package, "pools": {"primary": CPU},
    }  # fmt: skip
    findings = rendered(kind, document)[1]
    assert {("schema", "error", "tuning"), ("schema", "error", "pools.primary.pythonPackage")} <= findings


def test_a_kubernetes_account_runs_the_pods() -> None:
    body, _ = rendered("jobset", job(platform="gke", serviceAccount="trainer"))
    assert {spec["serviceAccountName"] for spec in pod_specs(body)} == {"trainer"}


def test_output_directories_are_variables_as_on_vertex() -> None:
    body, _ = rendered("tfjob", job(baseOutputDirectory={"outputUriPrefix": "gs://b/o/"}))
    env = body["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "AIP_MODEL_DIR", "value": "gs://b/o/model/"} in env


def test_a_cluster_that_no_environment_could_hold() -> None:
    document = job(platform="gke", pools={"primary": CPU, "workers": {"replicaCount": 10_000}})
    for kind in ("tfjob", "jobset"):
        assert ("schema", "error", "pools") in keys(judge_document({**document, "kind": kind})[1])


@given(st.text(max_size=120), st.integers(0, 40))
def test_names_are_legal_and_short_enough(name: str, reserved: int) -> None:
    legal = legal_name(name, reserved)
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", legal)
    assert len(legal) + reserved <= 63


def test_two_long_names_stay_two() -> None:
    assert legal_name("a" * 80, 10) != legal_name("a" * 81, 10)
    assert legal_name("short", 10) == "short"


@pytest.mark.parametrize("kind", KINDS)
def test_everything_derived_from_a_long_name_fits(kind: str) -> None:
    document = job(platform="gke", kind=kind, pools={"primary": CPU, "workers": {"replicaCount": 500}})
    value = read_job(document).value
    name = "a-very-long-name-of-a-job-that-somebody-gave-a-file-0000000"
    body, findings = workload(kind).render(plan_job(name, value))
    items = body.get("items", [body])
    assert all(len(item["metadata"]["name"]) <= 63 for item in items)
    assert has_errors(findings) is False
    assert "" in {finding.path for finding in findings if "is called" in finding.message}
