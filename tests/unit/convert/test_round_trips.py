"""Job → another language → job, where that language can hold the same; and no traceback whatever the source holds."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.jobs import IMAGE, SERVER, judge_document
from tests.unit.workloads.samples import planned
from trainingjobs.convert import ai_platform, gcloud
from trainingjobs.convert.environments import ReplicaError, replica_environment
from trainingjobs.convert.recognise import recognise, to_job_document
from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import render_findings
from trainingjobs.core.yaml_text import yaml_text
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.custom_job import CustomJob
from trainingjobs.workloads.registry import workload

WORDS = st.text(st.characters(max_codepoint=0xFFFF, categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)
NAMES = st.sampled_from(["LR", "NCCL_DEBUG", "_x", "path"])
SHAPES = st.sampled_from(
    [
        {"machineType": "n1-standard-8"},
        {"machineType": "a2-highgpu-8g"},
        {"machineType": "n1-standard-16", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2},
    ]
)
CPU = {"machineType": "n1-highmem-8"}


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


CONTAINERS = some(
    command=st.lists(WORDS, min_size=1, max_size=2),
    args=st.lists(WORDS, min_size=1, max_size=3),
    env=st.dictionaries(NAMES, WORDS, min_size=1, max_size=2),
).map(lambda rest: {"imageUri": IMAGE, **rest})
DISKS = some(bootDiskType=st.sampled_from(["pd-ssd", "pd-standard"]), bootDiskSizeGb=st.integers(100, 200))
SCHEDULES = some(timeout=st.just("60s"), maxWaitDuration=st.just("30s"))


@st.composite
def jobs(draw: st.DrawFn, *, roles: tuple[str, ...] = ("parameterServers", "evaluators")) -> dict[str, Any]:
    """Jobs of one to four pools; workers may have the primary's machine or their own."""
    pools: dict[str, Any] = {"primary": {**draw(SHAPES), **draw(DISKS)}}
    if draw(st.booleans()):
        own = draw(st.sampled_from([{}, {"machineType": "g2-standard-8"}]))
        pools["workers"] = {**own, "replicaCount": draw(st.integers(1, 4))}
    for role in roles:
        if draw(st.booleans()):
            pools[role] = {**CPU, "replicaCount": draw(st.integers(1, 3))}
            if draw(st.booleans()):
                pools[role]["container"] = draw(CONTAINERS) | {"imageUri": "other/image"}
    document = {"container": draw(CONTAINERS), "pools": pools}
    scheduling = draw(SCHEDULES)
    return {**document, "scheduling": scheduling} if scheduling else document


def back(kind: str, source: Any) -> JobPlan:
    """Returns the plan of a job that was rendered and converted again."""
    document, findings = to_job_document(kind, source, "job")
    assert not [finding for finding in findings if finding.severity == "error"], findings
    return planned(document)


def read_back(plan: JobPlan) -> Any:
    return json.loads(json.dumps(CustomJob().body(plan)))


@given(jobs(), some(enableWebAccess=st.just(True), serviceAccount=st.just("a@b"), labels=st.just({"team": "x"})))
def test_custom_jobs_and_gcloud_hold_everything(document: dict[str, Any], more: dict[str, Any]) -> None:
    plan = planned({**document, **more})
    assert read_back(back("custom-job", read_back(plan))) == read_back(plan)
    assert read_back(back("gcloud", gcloud.render(plan))) == read_back(plan)


def test_reducers_come_back() -> None:
    nodes = {"machineType": "n1-highmem-96", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 8}
    pools = {"primary": nodes, "workers": {"replicaCount": 4}, "reducers": {}, "evaluators": CPU}
    pools["reducers"] = {"machineType": "n1-highcpu-16"}
    plan = planned({"framework": "tensorflow", "container": {"imageUri": "a", "declares": {
        "nccl": "2.18", "packages": ["google-reduction-server"]}}, "pools": pools})  # fmt: skip
    body = read_back(plan)
    assert body["jobSpec"]["workerPoolSpecs"][2]["containerSpec"]["imageUri"] == SERVER
    assert read_back(back("custom-job", body)) == body
    assert read_back(back("gcloud", gcloud.render(plan))) == body


@given(jobs())
def test_ai_platform_holds_what_it_has_fields_for(document: dict[str, Any]) -> None:
    for container in [document["container"], *(p.get("container", {}) for p in document["pools"].values())]:
        container.pop("env", None)
    plan = planned(document)
    body, findings = ai_platform.render(plan)
    assert not [finding for finding in findings if finding.severity == "error"]
    assert read_back(back("ai-platform", json.loads(json.dumps(body)))) == read_back(plan)


@given(jobs(), st.booleans())
def test_a_tfjob_comes_back(document: dict[str, Any], output: bool) -> None:
    more = {"baseOutputDirectory": {"outputUriPrefix": "gs://b/o"}} if output else {}
    plan = planned({**document, **more, "platform": "gke", "kind": "tfjob", "framework": "tensorflow"})
    body = json.loads(json.dumps(workload("tfjob").render(plan)[0]))
    assert json.loads(json.dumps(workload("tfjob").render(back("tfjob", body))[0])) == body


@given(jobs(roles=()))
def test_a_pytorchjob_comes_back(document: dict[str, Any]) -> None:
    plan = planned({**document, "platform": "gke", "kind": "pytorchjob", "framework": "pytorch"})
    body = json.loads(json.dumps(workload("pytorchjob").render(plan)[0]))
    assert json.loads(json.dumps(workload("pytorchjob").render(back("pytorchjob", body))[0])) == body


VOCABULARY = [
    "jobSpec", "workerPoolSpecs", "machineSpec", "machineType", "acceleratorType", "acceleratorCount",
    "replicaCount", "containerSpec", "imageUri", "args", "env", "name", "value", "pythonPackageSpec", "diskSpec",
    "bootDiskSizeGb", "scheduling", "timeout", "labels", "studySpec", "metrics", "parameters", "trialJobSpec",
    "trainingInput", "masterConfig", "masterType", "workerCount", "workerType", "scaleTier", "hyperparameters",
    "params", "jobDir", "runtimeVersion", "useChiefInTfConfig", "acceleratorConfig", "type", "count", "kind",
    "metadata", "spec", "tfReplicaSpecs", "replicaSpecs", "Chief", "Worker", "PS", "template", "containers",
    "resources", "limits", "nvidia.com/gpu", "nodeSelector", "volumes", "runPolicy", "pools", "primary",
    "discreteValueSpec", "conditionalParameterSpecs", "parameterSpec", "values", "pythonModule",
]  # fmt: skip
KEYS = st.sampled_from(VOCABULARY)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.sampled_from(["1", "1e400", "TFJob", "STANDARD_1"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, WORDS), inner, max_size=5)),
    max_leaves=25,
)
KINDS = ("custom-job", "ai-platform", "tfjob", "pytorchjob", "job")
# Half as many again as the profile in force asks for.
FUZZ = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=settings.default.max_examples * 3 // 2)


@FUZZ
@given(st.dictionaries(KEYS, ANYTHING, max_size=6), st.sampled_from(KINDS))
def test_any_mapping_gives_findings_and_no_traceback(source: dict[str, Any], kind: str) -> None:
    recognise(source)
    document, findings = to_job_document(kind, source, "job")
    render_findings(findings)
    if read_job(document).value is None:
        return
    plan, _ = judge_document(document)
    try:
        replica_environment(plan, "primary", 0, dialect="ai-platform")
    except ReplicaError:
        return


@FUZZ
@given(st.lists(st.one_of(WORDS, st.sampled_from(
    ["--worker-pool-spec=", "machine-type=n1-standard-4,", "--config=-", "<<EOF\n", "\nEOF\n", "\\\n", "--", "'", "$X",
     "--worker-count", "--master-accelerator=count=x", "\n", "^", "--labels=", "`", "$("])), max_size=12),
    st.sampled_from(["ai custom-jobs create", "ai-platform jobs submit training", "ml-engine jobs submit training"]),
)  # fmt: skip
def test_any_command_gives_findings_and_no_traceback(words: list[str], verb: str) -> None:
    try:
        document, findings = to_job_document("gcloud", f"gcloud {verb} {' '.join(words)}", "job")
    except DocumentError:
        return
    render_findings(findings)
    read_job(document)


@given(st.dictionaries(WORDS, st.one_of(WORDS, st.integers(-9, 9), st.booleans(), st.lists(WORDS)), min_size=1))
def test_yaml_is_read_as_what_was_written(document: dict[str, Any]) -> None:
    assert parse_document(yaml_text(document)) == document


def test_yaml_keeps_words_that_look_like_numbers() -> None:
    words = ["1e3", "on", "1:30", "0x1", "2.20", "~", "", "-", "null", "01", "1_000", ".5", "=", "!x", "@a", "a: b"]
    assert parse_document(yaml_text({"args": words})) == {"args": words}
    shared = {"a": "b"}
    assert "&" not in yaml_text({"x": shared, "y": shared})
