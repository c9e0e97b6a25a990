"""Jobs that others declare, in a cluster or on Vertex AI, whatever their token: judged as ours are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.policies.pack import UNKNOWN, WORDS, analyzed, configured, secret
from tests.policies.test_observe import changed

DIGEST = "@sha256:" + "0" * 64
IMAGE = f"us-docker.pkg.dev/acme/train/bert{DIGEST}"
CUSTOM_RESOURCE = "kubernetes:apiextensions.k8s.io:CustomResource"
LABELS = {"team": "nlp", "cost-center": "42"}
GPUS = {"limits": {"nvidia.com/gpu": "8"}}
A2 = {"node.kubernetes.io/instance-type": "a2-highgpu-8g", "cloud.google.com/gke-accelerator": "nvidia-tesla-a100"}
GROUPS = {
    "TFJob": ("kubeflow.org/v1", "tfReplicaSpecs"),
    "PyTorchJob": ("kubeflow.org/v1", "pytorchReplicaSpecs"),
    "MPIJob": ("kubeflow.org/v2beta1", "mpiReplicaSpecs"),
    "XGBoostJob": ("kubeflow.org/v1", "xgbReplicaSpecs"),
    "PaddleJob": ("kubeflow.org/v1", "paddleReplicaSpecs"),
    "JAXJob": ("kubeflow.org/v1", "jaxReplicaSpecs"),
}

Violation = tuple[str, str, str]


def template(**container: Any) -> dict[str, Any]:
    """A template of pods that no rule refuses, its container changed."""
    main = {"name": "training", "image": IMAGE, "resources": GPUS, **container}
    return {"metadata": {}, "spec": {"serviceAccountName": "bert", "nodeSelector": A2, "containers": [main]}}


def operator_job(kind: str, **replicas: Any) -> dict[str, Any]:
    """An object of the operator: its types of replica, each with the number of them."""
    api_version, key = GROUPS[kind]
    specs = {word: {"replicas": count, "template": template()} for word, count in replicas.items()}
    return declared(api_version, kind, {key: specs})


def declared(api_version: str, kind: str, spec: Any, **labels: str) -> dict[str, Any]:
    metadata = {"name": "bert", "namespace": "training", "labels": {**LABELS, **labels}}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def jobset(*jobs: tuple[str, int, int], **spec: Any) -> dict[str, Any]:
    """A JobSet: name, replicas and parallelism of its replicated jobs."""
    replicated = [
        {"name": name, "replicas": replicas, "template": {"spec": {"parallelism": pods, "template": template()}}}
        for name, replicas, pods in jobs
    ]
    return declared("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": replicated, **spec})


def pod(role: str | None = None, **container: Any) -> dict[str, Any]:
    labels = {"training-job": "bert", "training-role": role} if role else {}
    return declared("v1", "Pod", template(**container)["spec"], **labels)


def batch_job(kind: str = "Job", **spec: Any) -> dict[str, Any]:
    job = {"template": template(), **spec}
    return declared("batch/v1", kind, {"jobTemplate": {"spec": job}} if kind == "CronJob" else job)


def train_job(**trainer: Any) -> dict[str, Any]:
    trainer = {"image": IMAGE, "numNodes": 4, "resourcesPerNode": GPUS, **trainer}
    return declared("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": {"name": "torch"}, "trainer": trainer})


def token_of(inputs: dict[str, Any]) -> str:
    version = inputs["apiVersion"]
    return f"kubernetes:{version if '/' in version else f'core/{version}'}:{inputs['kind']}"


def violations_of(inputs: dict[str, Any], token: str | None = None, environment: str = "prod") -> set[Violation]:
    """What the pack says: rule, level and path."""
    violations = analyzed(configured(environment=environment), inputs, token or token_of(inputs))
    return {(policy, level, message.partition(": ")[0]) for policy, level, message in violations}


def refusals(inputs: dict[str, Any], token: str | None = None) -> set[tuple[str, str]]:
    return {(policy, path) for policy, level, path in violations_of(inputs, token) if level == "mandatory"}


TF, TORCH = "spec.tfReplicaSpecs", "spec.pytorchReplicaSpecs"
JOBS = "spec.replicatedJobs"
PRIMARIES = [
    pytest.param(operator_job("TFJob", Chief=2, Worker=1), {f"{TF}.Chief.replicas"}, id="two chiefs"),
    pytest.param(operator_job("TFJob", Chief=1, Master=1), {f"{TF}.Master"}, id="chief and master"),
    pytest.param(
        operator_job("TFJob", Chief=2, Master=1), {f"{TF}.Chief.replicas", f"{TF}.Master"}, id="chiefs and master"
    ),
    pytest.param(operator_job("TFJob", Chief=0, Worker=2), {f"{TF}.Chief.replicas"}, id="no chief"),
    pytest.param(operator_job("TFJob"), {TF}, id="nothing at all"),
    pytest.param(operator_job("PyTorchJob", Master=2), {f"{TORCH}.Master.replicas"}, id="two masters"),
    pytest.param(operator_job("XGBoostJob", Master=2), {"spec.xgbReplicaSpecs.Master.replicas"}, id="xgboost"),
    pytest.param(operator_job("PaddleJob", Master=2), {"spec.paddleReplicaSpecs.Master.replicas"}, id="paddle"),
    pytest.param(
        operator_job("MPIJob", Launcher=2, Worker=4), {"spec.mpiReplicaSpecs.Launcher.replicas"}, id="two launchers"
    ),
    pytest.param(operator_job("MPIJob", Worker=4), {"spec.mpiReplicaSpecs"}, id="no launcher"),
    pytest.param(jobset(("primary", 2, 1), ("worker", 1, 4)), {f"{JOBS}[0].replicas"}, id="jobset of two primaries"),
    pytest.param(
        jobset(("workers", 1, 4), ("leader", 1, 2)), {f"{JOBS}[1].template.spec.parallelism"}, id="two pods of a leader"
    ),
    pytest.param(
        jobset(("a", 1, 4), ("b", 2, 1), successPolicy={"operator": "All", "targetReplicatedJobs": ["b"]}),
        {f"{JOBS}[1].replicas"},
        id="two pods decide",
    ),
]


@pytest.mark.parametrize("token", [None, CUSTOM_RESOURCE, "pulumi-python:dynamic:Resource"])
@pytest.mark.parametrize(("inputs", "paths"), PRIMARIES)
def test_a_job_has_one_primary_replica(inputs: dict[str, Any], paths: set[str], token: str | None) -> None:
    assert refusals(inputs, token) == {("one-primary-replica", path) for path in paths}


def test_the_token_says_what_the_object_does_not_say() -> None:
    inputs = operator_job("TFJob", Chief=2)
    bare = {key: inputs[key] for key in ("metadata", "spec")}
    assert refusals(bare, "kubernetes:kubeflow.org/v1:TFJob") == refusals(inputs)
    assert refusals(bare, "kubernetes:kubeflow.org/v1beta1:TFJob") == refusals(inputs)
    assert refusals({**bare, "kind": UNKNOWN}, "kubernetes:kubeflow.org/v1:TFJob") == refusals(inputs)


def test_the_list_of_the_guide_is_read_too() -> None:
    groups = [{"replicas": 2, "template": template()}, {"tfReplicaType": "WORKER", "template": template()}]
    inputs = declared("kubeflow.org/v1alpha1", "TFJob", {"replicaSpecs": groups})
    assert refusals(inputs) == {("one-primary-replica", "spec.replicaSpecs[0].replicas")}


LEGAL = [
    pytest.param(operator_job("TFJob", Chief=1, Worker=3, PS=2, Evaluator=1), id="tfjob"),
    pytest.param(operator_job("TFJob", Worker=4), id="worker 0 is the chief"),
    pytest.param(operator_job("PyTorchJob", Master=1, Worker=3), id="pytorchjob"),
    pytest.param(operator_job("PyTorchJob", Worker=3), id="elastic"),
    pytest.param(operator_job("MPIJob", Launcher=1, Worker=3), id="mpijob"),
    pytest.param(operator_job("JAXJob", Worker=3), id="jaxjob"),
    pytest.param(jobset(("primary", 1, 1), ("worker", 1, 7)), id="jobset"),
    pytest.param(jobset(("slice", 4, 2)), id="jobset of one group"),
    pytest.param(jobset(("leader", 1, 1), ("coordinator", 3, 1), ("x", 2, 2)), id="two names of a primary"),
    pytest.param(
        jobset(("workers", 1, 4), successPolicy={"operator": "All", "targetReplicatedJobs": ["workers"]}),
        id="workers decide",
    ),
    pytest.param(train_job(), id="trainjob"),
    pytest.param(batch_job(parallelism=4, completions=4, completionMode="Indexed"), id="job"),
    pytest.param(batch_job("CronJob"), id="cronjob"),
    pytest.param(pod(), id="pod"),
    pytest.param(pod("worker"), id="pod of a group"),
]
AT = {
    "JobSet": (JOBS, 0, "template", "spec", "template", "spec"),
    "TrainJob": ("spec", "podTemplateOverrides", 0, "spec"),
}


@pytest.mark.parametrize("token", [None, CUSTOM_RESOURCE])
@pytest.mark.parametrize("inputs", LEGAL)
def test_a_legal_job_is_not_refused(inputs: dict[str, Any], token: str | None) -> None:
    assert refusals(inputs, token) == set()


@pytest.mark.parametrize("inputs", LEGAL)
def test_a_job_anywhere_is_not_refused_for_what_is_not_googles(inputs: dict[str, Any]) -> None:
    elsewhere = with_pods(inputs, nodeSelector={"node.kubernetes.io/instance-type": "p4d.24xlarge"})
    assert refusals(elsewhere) == set()
    assert refusals(with_pods(inputs, nodeSelector={})) == set()


def with_pods(value: Any, **changes: Any) -> Any:
    """The object with other fields in the spec of all its pods."""
    if isinstance(value, list):
        return [with_pods(item, **changes) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: with_pods(item, **changes) for key, item in value.items()}
    return {**made, **changes} if "containers" in value else made


MIGRATION = {"name": "migrate", "image": "acme/db:latest", "env": [{"name": "DB_PASSWORD", "value": "hunter22"}]}
PLAIN = {"serviceAccountName": "default", "containers": [MIGRATION]}


@pytest.mark.parametrize(
    "inputs",
    [
        declared("batch/v1", "Job", {"template": {"spec": PLAIN}}),
        declared("batch/v1", "CronJob", {"jobTemplate": {"spec": {"template": {"spec": PLAIN}}}}),
        declared("v1", "Pod", PLAIN),
        declared("apps/v1", "Deployment", {"template": template(image="acme/web:latest")}),
    ],
    ids=lambda inputs: inputs["kind"],
)
def test_what_does_not_train_is_not_judged(inputs: dict[str, Any]) -> None:
    assert violations_of(inputs) == set()


@pytest.mark.parametrize(
    "sign",
    [
        {"resources": {"requests": {"google.com/tpu": 4}}},
        {"resources": {"limits": {"nvidia.com/gpu": 1}}},
        {"env": [{"name": "TF_CONFIG", "value": "{}"}]},
        {"env": [{"name": "MASTER_ADDR", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]},
    ],
)
def test_a_job_that_shows_a_sign_of_training_is_judged(sign: dict[str, Any]) -> None:
    pods = {"serviceAccountName": "bert", "containers": [{**MIGRATION, "env": [], **sign}]}
    assert refusals(declared("v1", "Pod", pods)) == {("image-pinned", "spec.containers[0].image")}
    job = declared("batch/v1", "Job", {"template": {"spec": pods}})
    assert refusals(job) == {("image-pinned", "spec.template.spec.containers[0].image")}


WORKER = ("spec", "tfReplicaSpecs", "Worker")
PODS = (*WORKER, "template", "spec")
CONTAINER = (*PODS, "containers", 0)
AT_PODS = f"{TF}.Worker.template.spec"
TFJOB = operator_job("TFJob", Chief=1, Worker=3)
TOKEN = {"name": "HF_TOKEN", "value": "hf_" + "a1" * 16}
FAULTS = [
    ((*CONTAINER, "image"), "acme/bert:latest", "image-pinned", f"{AT_PODS}.containers[0].image"),
    ((*PODS, "initContainers"), [{"image": "acme/init:1"}], "image-pinned", f"{AT_PODS}.initContainers[0].image"),
    ((*CONTAINER, "env"), [TOKEN], "no-plain-secrets", f"{AT_PODS}.containers[0].env"),
    ((*PODS, "initContainers"), [{"env": [TOKEN]}], "no-plain-secrets", f"{AT_PODS}.initContainers[0].env"),
    ((*CONTAINER, "args"), ["--api-key", "s3cr3tvalue"], "no-plain-secrets", f"{AT_PODS}.containers[0].args"),
    (
        (*CONTAINER, "command"),
        ["sh", "-c", "X_TOKEN=s3cr3t run"],
        "no-plain-secrets",
        f"{AT_PODS}.containers[0].command",
    ),
    ((*PODS, "serviceAccountName"), None, "dedicated-service-account", f"{AT_PODS}.serviceAccountName"),
    ((*PODS, "serviceAccountName"), "default", "dedicated-service-account", f"{AT_PODS}.serviceAccountName"),
    (
        (*PODS, "nodeSelector"),
        {**A2, "node.kubernetes.io/instance-type": "a2-megagpu-17g"},
        "machine-known",
        f"{AT_PODS}.nodeSelector.node.kubernetes.io/instance-type",
    ),
    (
        (*PODS, "nodeSelector"),
        {**A2, "cloud.google.com/gke-accelerator": "nvidia-tesla-t4"},
        "accelerator-fit",
        f"{AT_PODS}.containers[0].resources.limits.nvidia.com/gpu",
    ),
    (
        (*CONTAINER, "resources"),
        {"limits": {"nvidia.com/gpu": 16}},
        "accelerator-fit",
        f"{AT_PODS}.containers[0].resources.limits.nvidia.com/gpu",
    ),
    ((*WORKER, "replicas"), "three", "schema", f"{TF}.Worker.replicas"),
    ((*WORKER, "replicas"), -1, "schema", f"{TF}.Worker.replicas"),
]


@pytest.mark.parametrize(("place", "value", "rule", "path"), FAULTS, ids=[f"{r}-{p[-1]}" for p, _, r, _ in FAULTS])
def test_a_fault_of_a_pod_is_refused_at_its_place(
    place: tuple[str | int, ...], value: Any, rule: str, path: str
) -> None:
    assert refusals(TFJOB) == set()
    assert refusals(changed(TFJOB, place, value)) == {(rule, path)}
    if value is not None:
        assert refusals(changed(TFJOB, place, secret(value))) == {(rule, path)}


IMAGES = {
    "TFJob": f"{TF}.Worker.template.spec.containers[0].image",
    "PyTorchJob": f"{TORCH}.Worker.template.spec.containers[0].image",
    "MPIJob": "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].image",
    "JAXJob": "spec.jaxReplicaSpecs.Worker.template.spec.containers[0].image",
    "JobSet": f"{JOBS}[0].template.spec.template.spec.containers[0].image",
    "TrainJob": "spec.trainer.image",
    "Job": "spec.template.spec.containers[0].image",
    "CronJob": "spec.jobTemplate.spec.template.spec.containers[0].image",
    "Pod": "spec.containers[0].image",
}


@pytest.mark.parametrize("inputs", LEGAL)
def test_the_image_of_every_kind_is_judged_at_its_place(inputs: dict[str, Any]) -> None:
    tagged = json.loads(json.dumps(inputs).replace(DIGEST, ":latest"))
    assert ("image-pinned", IMAGES[inputs["kind"]]) in refusals(tagged)


def test_workers_whose_first_leads_are_told_of_once() -> None:
    tagged = json.loads(json.dumps(operator_job("TFJob", Worker=4)).replace(DIGEST, ":latest"))
    messages = [message for policy, _, message in analyzed(configured(), tagged, CUSTOM_RESOURCE)]
    assert len([message for message in messages if "is not pinned" in message]) == 1


def test_a_patch_is_judged_as_what_it_makes() -> None:
    bare = {"metadata": {"name": "bert"}, "spec": pod(image="acme/bert:latest")["spec"]}
    assert refusals(bare, "kubernetes:core/v1:PodPatch") == {("image-pinned", "spec.containers[0].image")}


def test_an_initializer_of_a_trainjob_is_judged() -> None:
    inputs = changed(train_job(), ("spec", "initializer"), {"dataset": {"env": [TOKEN]}})
    assert refusals(inputs) == {("no-plain-secrets", "spec.initializer.dataset.env")}


def test_a_part_of_a_machine_is_a_part_of_its_accelerators_and_price() -> None:
    inputs = changed(TFJOB, (*CONTAINER, "resources"), {"limits": {"nvidia.com/gpu": 2}})
    assert refusals(inputs) == set()
    for limits, broken in ((f'{{"NVIDIA_TESLA_A100": {8 + 3 * 2}}}', False), ('{"NVIDIA_TESLA_A100": 13}', True)):
        pack = configured(environment="dev")
        pack.ConfigureStack(
            pb.AnalyzerStackConfigureRequest(config={"training:limits": f'{{"accelerators": {limits}}}'}), None
        )
        found = [
            level for policy, level, _ in analyzed(pack, inputs, token_of(inputs)) if policy == "accelerator-quota"
        ]
        assert found == (["mandatory"] if broken else [])


UNKNOWNS = [
    (("spec",), "one-primary-replica", "spec"),
    (("spec",), "image-pinned", "spec"),
    (("spec", "tfReplicaSpecs"), "no-plain-secrets", TF),
    (WORKER, "image-pinned", f"{TF}.Worker"),
    ((*WORKER, "template"), "machine-known", f"{TF}.Worker.template"),
    ((*CONTAINER, "image"), "image-pinned", f"{AT_PODS}.containers[0].image"),
    ((*CONTAINER, "env"), "no-plain-secrets", f"{AT_PODS}.containers[0].env"),
    ((*CONTAINER, "env"), "no-plain-secrets", f"{AT_PODS}.containers[0].env"),
    ((*PODS, "nodeSelector"), "machine-on-platform", f"{AT_PODS}.nodeSelector"),
    ((*PODS, "serviceAccountName"), "dedicated-service-account", f"{AT_PODS}.serviceAccountName"),
    (("spec", "tfReplicaSpecs", "Chief", "replicas"), "one-primary-replica", f"{TF}.Chief.replicas"),
    (("metadata",), "required-labels", "metadata"),
]


@pytest.mark.parametrize(("place", "rule", "path"), UNKNOWNS, ids=[f"{p[-1]}-{rule}" for p, rule, _ in UNKNOWNS])
def test_what_is_not_known_yet_puts_its_rules_off(place: tuple[str | int, ...], rule: str, path: str) -> None:
    inputs = changed(TFJOB, place, UNKNOWN)
    assert (rule, "advisory", path) in violations_of(inputs)
    assert refusals(inputs) == set()


def test_an_unknown_number_hides_no_other_fault() -> None:
    inputs = changed(operator_job("TFJob", Chief=2, Worker=3), (*WORKER, "replicas"), UNKNOWN)
    assert refusals(changed(inputs, (*CONTAINER, "image"), "a:b")) == {
        ("one-primary-replica", f"{TF}.Chief.replicas"),
        ("image-pinned", f"{AT_PODS}.containers[0].image"),
    }


def reducers(replicas: int, **container: Any) -> dict[str, Any]:
    """A JobSet with workers on eight GPUs each, and reducers by the launcher's label."""
    inputs = jobset(("primary", 1, 1), ("worker", 1, 7), ("sum", 1, replicas))
    made = {"name": "sum", "image": f"acme/optcast{DIGEST}", **container}
    spec = {"serviceAccountName": "bert", "containers": [made]}
    spec["nodeSelector"] = {"node.kubernetes.io/instance-type": "n2-highcpu-80", "cloud.google.com/gke-nodepool": "sum"}
    pods = {"metadata": {"labels": {"training-role": "reducer"}}, "spec": spec}
    return changed(inputs, ("spec", "replicatedJobs", 2, "template", "spec", "template"), pods)


SUM = f"{JOBS}[2]"
SUM_CONTAINER = f"{SUM}.template.spec.template.spec.containers[0]"
SERVER = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"


@pytest.mark.parametrize(
    ("inputs", "refused"),
    [
        (reducers(16), set()),
        (reducers(2), {("reducer-bandwidth", f"{SUM}.template.spec.parallelism"), ("reducer-break-even", SUM)}),
        (
            reducers(16, resources={"limits": {"nvidia.com/gpu": 1}}),
            {("reducer-without-accelerator", f"{SUM_CONTAINER}.resources.limits.nvidia.com/gpu")},
        ),
        (reducers(16, image=SERVER), {("reducer-image", f"{SUM_CONTAINER}.image")}),
    ],
    ids=["enough", "too few", "with an accelerator", "Google's own"],
)
def test_reducers_are_known_by_the_launchers_label(inputs: dict[str, Any], refused: set[tuple[str, str]]) -> None:
    assert refusals(inputs) == refused


def test_reducers_are_known_by_googles_image() -> None:
    inputs = changed(
        reducers(16, image=SERVER), ("spec", "replicatedJobs", 2, "template", "spec", "template", "metadata"), {}
    )
    assert refusals(inputs) == {("reducer-image", f"{SUM_CONTAINER}.image")}


@pytest.mark.parametrize("label", ["cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible"])
def test_spot_nodes_need_a_failure_plan(label: str) -> None:
    inputs = with_pods(jobset(("primary", 1, 1)), nodeSelector={**A2, label: "true"})
    at = f"{JOBS}[0].template.spec.template.spec.nodeSelector.{label}"
    assert ("failure-plan", "advisory", at) in violations_of(inputs)
    planned = changed(inputs, ("spec", "failurePolicy"), {"maxRestarts": 3})
    planned = with_pods(planned, volumes=[{"name": "x", "persistentVolumeClaim": {"claimName": "checkpoints"}}])
    assert "failure-plan" not in {policy for policy, _, _ in violations_of(planned)}


def test_limits_count_the_jobs_of_a_cluster() -> None:
    pack = configured()
    limits = {"training:limits": '{"maxUsdPerHour": 1, "accelerators": {"NVIDIA_TESLA_A100": 31}}'}
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(config=limits), None)
    found = {(policy, level) for policy, level, _ in analyzed(pack, TFJOB, token_of(TFJOB))}
    assert {("hourly-cost", "mandatory"), ("accelerator-quota", "mandatory")} <= found


def of_stack(pack: Any, pods: dict[str, dict[str, Any]]) -> set[Violation]:
    request = pb.AnalyzeStackRequest()
    for name, inputs in pods.items():
        properties = struct_pb2.Struct()
        properties.update(inputs)
        token = token_of(inputs)
        request.resources.add(
            type=token, urn=f"urn:pulumi:dev::training::{token}::{name}", name=name, properties=properties
        )
    answered = pack.AnalyzeStack(request, None).diagnostics
    return {(each.policyName, WORDS[each.enforcementLevel], each.message.partition(": ")[0]) for each in answered}


ROLE = "metadata.labels.training-role"


def test_pods_of_one_job_have_one_primary() -> None:
    two = {"a": pod("primary"), "b": pod("primary"), "c": pod("worker")}
    pack = configured(environment="prod")
    found = {name: analyzed(pack, inputs, token_of(inputs), name) for name, inputs in two.items()}
    assert [(policy, message.partition(": ")[0]) for policy, level, message in found["b"] if level == "mandatory"] == [
        ("one-primary-replica", f"b.{ROLE}")
    ]
    assert all(level == "advisory" for name in "ac" for _, level, _ in found[name])
    other = {"a": pod("primary"), "b": changed(pod("primary"), ("metadata", "namespace"), "other")}
    assert of_stack(configured(environment="prod"), other) == set()


def test_pods_without_a_primary_are_refused_when_all_are_known() -> None:
    workers = {"a": pod("worker"), "b": pod("worker")}
    assert of_stack(configured(environment="prod"), workers) == {
        ("one-primary-replica", "mandatory", "a.metadata.labels.training-job")
    }
    unsaid = {**workers, "c": changed(pod("primary"), ("metadata", "labels"), UNKNOWN)}
    assert of_stack(configured(environment="prod"), unsaid) == set()
    assert of_stack(configured(environment="prod"), {**workers, "c": pod("primary")}) == set()


@pytest.mark.parametrize("label", ["training-job", "training-role"])
def test_a_pod_with_one_of_the_labels_is_a_job_of_its_own(label: str) -> None:
    made = pod("worker")
    del made["metadata"]["labels"][label]
    assert refusals(made) == set()
    assert of_stack(configured(environment="prod"), {"a": made}) == set()


@pytest.mark.parametrize("place", [("metadata",), ("metadata", "labels"), ("metadata", "labels", "training-role")])
def test_a_pod_whose_labels_are_not_known_yet_may_be_any_replica(place: tuple[str, ...]) -> None:
    found = violations_of(changed(pod("worker"), place, UNKNOWN))
    assert ("one-primary-replica", "advisory", ".".join(place)) in found
    assert {level for _, level, _ in found} == {"advisory"}


def test_jobs_of_the_launchers_labels_are_one_job() -> None:
    jobs = {name: batch_job() for name in "ab"}
    for inputs in jobs.values():
        inputs["metadata"]["labels"] |= {"training-job": "bert", "training-role": "primary"}
    found = of_stack(configured(environment="prod"), jobs)
    assert ("one-primary-replica", "mandatory", "b.spec.parallelism") in found


def test_a_pod_is_not_told_of_what_its_others_decide() -> None:
    assert violations_of(pod("worker")) == set()
    assert refusals(pod("worker", image="acme/bert:1")) == {("image-pinned", "spec.containers[0].image")}
    assert violations_of(pod("reducer", resources={}, image=f"acme/optcast{DIGEST}")) == set()


BODY = {"workerPoolSpecs": [{"replicaCount": 2, "machineSpec": {"machineType": "n1-standard-8"}}]}
NATIVE = "google-native:aiplatform"


@pytest.mark.parametrize(
    ("token", "inputs", "path"),
    [
        (f"{NATIVE}/v1:CustomJob", {"jobSpec": BODY}, "jobSpec"),
        (f"{NATIVE}/v1beta1:HyperparameterTuningJob", {"trialJobSpec": BODY}, "trialJobSpec"),
        (f"{NATIVE}/v1:TrainingPipeline", {"trainingTaskInputs": BODY}, "trainingTaskInputs"),
        ("pulumi-python:dynamic:Resource", BODY, ""),
        ("pulumi-python:dynamic/acme:Job", {"job_spec": BODY}, "job_spec"),
        ("acme:index:Job", {"body": {"jobSpec": BODY}}, "body.jobSpec"),
    ],
)
def test_a_job_of_vertex_ai_is_judged_under_any_token(token: str, inputs: dict[str, Any], path: str) -> None:
    place = f"{path}.workerPoolSpecs" if path else "workerPoolSpecs"
    assert ("one-primary-replica", f"{place}[0].replicaCount") in refusals(inputs, token)


def test_a_job_of_vertex_ai_that_is_not_known_yet_puts_its_rules_off() -> None:
    found = violations_of({"jobSpec": UNKNOWN}, f"{NATIVE}/v1:CustomJob")
    assert "one-primary-replica" in {policy for policy, level, _ in found if level == "advisory"}
    automl = {"trainingTaskDefinition": "gs://schema/automl_tables_1.0.0.yaml", "trainingTaskInputs": UNKNOWN}
    found = violations_of(automl, f"{NATIVE}/v1:TrainingPipeline")
    assert "one-primary-replica" not in {policy for policy, _, _ in found}


def test_what_the_pack_cannot_remediate_is_an_error() -> None:
    config = {"required-labels": {"enforcementLevel": "remediate"}}
    for token, inputs in (
        (token_of(TFJOB), changed(TFJOB, ("metadata", "labels"), {})),
        (f"{NATIVE}/v1:CustomJob", {"jobSpec": BODY}),
    ):
        levels = {
            level for policy, level, _ in analyzed(configured(config), inputs, token) if policy == "required-labels"
        }
        assert levels == {"mandatory"}


KEYS = ["spec", "metadata", "labels", "template", "containers", "initContainers", "env", "name", "value", "replicas"]
KEYS += ["tfReplicaSpecs", "Chief", "replicatedJobs", "trainer", "resources", "limits", "nvidia.com/gpu", "parallelism"]
KEYS += ["nodeSelector", "affinity", "training-role", "training-job", "successPolicy", "targetReplicatedJobs", "args"]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=9) | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


@given(st.sampled_from([parameter.values[0] for parameter in LEGAL]), JSON, JSON, JSON)
def test_nothing_that_an_object_holds_breaks_the_pack(legal: Any, spec: Any, metadata: Any, inner: Any) -> None:
    pack = configured()
    for inputs in ({**legal, "spec": spec}, {**legal, "metadata": metadata}, with_pods(legal, containers=inner)):
        for policy, level, message in analyzed(pack, inputs, token_of(legal)):
            assert policy
            assert level in ("mandatory", "advisory")
            assert "\n" not in message
        of_stack(pack, {"a": inputs})
