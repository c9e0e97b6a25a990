"""A kind of job that is registered from outside: every verb, gate and page takes it; no place lists kinds."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dev.reference_pages import configuration
from tests.components.recorder import declared
from tests.policies.pack import analyzed, configured
from tests.unit.jobs import IMAGE
from trainingjobs.cli.main import main
from trainingjobs.clients.kubernetes import jobs as cluster_jobs
from trainingjobs.core.source import Node
from trainingjobs.operations import pods
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.provider import job as provider_job
from trainingjobs.provider.schema import schema
from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.kubernetes import KubernetesWorkload
from trainingjobs.workloads.pod_template import metadata, pod_template
from trainingjobs.workloads.registry import Rendering, register, unregister, workloads
from trainingjobs.workloads.vertex import VertexWorkload, custom_job_spec

# A cluster of one's own is asked for no account by the stack that is tried here.
ACCOUNT = {"dedicated-service-account"}
ROOT = Path(__file__).resolve().parents[2]


class ToyJob(KubernetesWorkload):
    kind = "toyjob"
    title = "toy job"
    api_version = "toys.example/v1"
    object_kind = "ToyJob"
    resource = "toyjobs"

    def name(self, plan: JobPlan) -> str:
        return f"{plan.name}-toy"

    def render(self, plan: JobPlan) -> Rendering:
        pools = {pool.role: pod_template(plan, pool, self.name(plan), container="toy") for pool in plan.pools}
        body = {"apiVersion": self.api_version, "kind": self.object_kind, "metadata": metadata(plan, self.name(plan))}
        return {**body, "spec": {"pools": pools}}, []

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:
        return {"TOY_ROLE": pool.role, "TOY_INDEX": str(index)}

    def state(self, body: Mapping[str, Any]) -> str:
        return "RUNNING" if body["status"]["plays"] else "PENDING"


class ToyTask(VertexWorkload):
    kind = "toyTask"
    title = "toy task"
    about = "A toy task on Vertex AI."
    token = "trainingjobs:vertex:ToyTask"
    collection = "toyTasks"
    spec_key = "toySpec"
    content = {"toySpec": Field("CustomJobSpec", "What the toy does.", required=True)}
    marks = ("toySpec",)
    spec_paths = (("toySpec",),)

    def content_of(self, plan: JobPlan) -> dict[str, Any]:
        return {"toySpec": custom_job_spec(plan)}

    def read_content(self, body: Node) -> dict[str, Any]:
        return {}


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    register(ToyJob)
    register(ToyTask)
    yield
    unregister("toyjob")
    unregister("toyTask")


def job(**changes: Any) -> dict[str, Any]:
    primary = {"machineType": "n1-standard-8"}
    return {"framework": "tensorflow", "container": {"imageUri": IMAGE}, "pools": {"primary": primary}, **changes}


IN_CLUSTER, ON_VERTEX = job(platform="gke", kind="toyjob"), job(kind="toyTask")
STACK = {
    "gcp:project": "acme-ml-dev",
    "gcp:region": "us-central1",
    "training:environment": "dev",
    "training:cluster": {"context": "here"},
    "training:jobs": {
        "in-cluster": {**IN_CLUSTER, "platform": "kubernetes"},
        "on-vertex": {**ON_VERTEX, "waitFor": "succeeded"},
    },
}


@pytest.fixture(params=[IN_CLUSTER, ON_VERTEX], ids=["in a cluster", "on Vertex AI"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "job.json"
    path.write_text(json.dumps(request.param))
    return path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0, capsys.readouterr()
    return json.loads(capsys.readouterr().out)


def test_validate_takes_it(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert answer(capsys, "validate", f"--file={file}")["ok"]


def test_a_misspelt_word_gets_a_suggestion(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_text(json.dumps({**IN_CLUSTER, "kind": "toyjb"}))
    assert main(["validate", f"--file={path}"]) == 1
    assert "did you mean toyjob?" in capsys.readouterr().out


def test_env_takes_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for document, name in ((IN_CLUSTER, "TOY_ROLE"), (ON_VERTEX, "CLUSTER_SPEC")):
        path = tmp_path / "job.json"
        path.write_text(json.dumps(document))
        assert name in answer(capsys, "env", f"--file={path}", "--task=primary:0")


def test_render_and_convert_take_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_text(json.dumps(IN_CLUSTER))
    assert answer(capsys, "render", f"--file={path}", "--as=toyjob")["kind"] == "ToyJob"
    path.write_text(json.dumps(ON_VERTEX))
    body = answer(capsys, "render", f"--file={path}", "--as=custom-job")
    assert "toySpec" in body
    path.write_text(json.dumps(body))
    assert answer(capsys, "convert", str(path))["kind"] == "toyTask"
    assert answer(capsys, "validate", f"--file={path}")["ok"]


def test_the_program_declares_it_and_the_pack_judges_it() -> None:
    registered = {(each.token, each.name): each.inputs for each in declared(STACK)}
    assert ("kubernetes:toys.example/v1:ToyJob", "in-cluster-toy") in registered
    inputs = registered["trainingjobs:vertex:ToyTask", "on-vertex"]
    assert ("trainingjobs:index:Completion", "on-vertex-completion") in registered
    unpinned = json.loads(json.dumps(inputs["toySpec"]).replace(IMAGE, "acme/bert:latest"))
    violations = analyzed(
        configured(environment="prod"), {**inputs, "environment": "prod", "toySpec": unpinned}, ToyTask.token
    )
    assert [(policy, level) for policy, level, _ in violations if policy == "image-pinned"] == [
        ("image-pinned", "mandatory")
    ]


def test_the_pack_judges_its_objects_by_the_labels_of_their_pods() -> None:
    of_toy = next(each for each in declared(STACK) if each.token == "kubernetes:toys.example/v1:ToyJob")
    tagged = json.loads(json.dumps(of_toy.inputs).replace(IMAGE, "acme/bert:latest"))
    tagged["spec"]["pools"]["primary"]["replicas"] = 2
    for inputs, broken in ((of_toy.inputs, set()), (tagged, {"image-pinned", "one-primary-replica"})):
        violations = analyzed(configured(environment="prod"), inputs, of_toy.token)
        assert {policy for policy, level, _ in violations if level == "mandatory"} - ACCOUNT == broken


def test_the_provider_takes_it() -> None:
    assert "trainingjobs:vertex:ToyTask" in json.loads(schema())["resources"]
    place = {"project": "acme-ml-dev", "location": "us-central1", "displayName": "toy"}
    assert [path for path, _ in provider_job.check(ToyTask(), place)] == ["toySpec"]


def test_status_reads_it(
    capsys: pytest.CaptureFixture[str], project_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = {"toy": {**IN_CLUSTER, "platform": "kubernetes"}}
    (project_folder / "stacks" / "Pulumi.dev.yaml").write_text(json.dumps({"config": {**STACK, "training:jobs": jobs}}))

    class Api:
        server = ""

        def get(self, path: str, doing: str) -> Any:
            if path != "/apis/toys.example/v1/namespaces/default/toyjobs/toy-toy":
                return {"items": []}
            return {"kind": "ToyJob", "metadata": {"creationTimestamp": "t"}, "status": {"plays": True}}

        def text(self, path: str) -> str:
            return ""

    monkeypatch.setattr(pods, "connect", lambda *_: Api())
    [stack] = answer(capsys, "status", "dev")["stacks"]
    assert [(each["job"], each["state"]) for each in stack["jobs"]] == [("toy", "RUNNING")]
    assert cluster_jobs.parse("namespaces/default/toyjobs/toy-toy") is not None


def test_the_reference_page_lists_it() -> None:
    row = next(line for line in configuration().splitlines() if line.startswith("| `kind` | ") and "`tfjob`" in line)
    assert "`toyjob`" in row and "`toyTask`" in row


def words_of_kinds() -> set[str]:
    """Returns what kinds and their resources are called, those of bare pods left out: others are called so, too."""
    named = ("kind", "token", "collection", "object_kind", "resource", "spec_key")
    toys = (ToyJob.kind, ToyTask.kind)
    words = {getattr(kind, name, "") for kind in workloads() if kind.kind not in toys for name in named}
    return words - {"", "pods", "Pod"}


LISTING = [
    path for folder in ("trainingjobs", "infra", "policies", "dev") for path in sorted((ROOT / folder).rglob("*.py"))
]


@pytest.mark.parametrize("path", LISTING, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_place_lists_kinds_by_itself(path: Path) -> None:
    if (ROOT / "trainingjobs" / "workloads") in path.parents:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    named = {word for word in words_of_kinds() if word in texts}
    assert len(named) < 2, f"{sorted(named)}: ask trainingjobs.workloads.registry"
