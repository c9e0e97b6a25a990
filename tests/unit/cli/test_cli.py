from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.jobs import IMAGE, SERVER, gpu_job, with_pools
from trainingjobs.cli.main import main

V100 = "machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
ROOT = Path(__file__).resolve().parents[3]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    status, out, _ = run(capsys, *words, "--json")
    return status, json.loads(out)


@pytest.fixture
def job_file(tmp_path: Path) -> Any:
    def write(document: Any, name: str = "My Job.json") -> str:
        path = tmp_path / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(path)

    return write


def test_size_of_the_guides_first_case(capsys: pytest.CaptureFixture[str]) -> None:
    status, output = run_json(capsys, "size", f"--worker-pool-spec={V100}")
    assert status == 0
    assert output["workers"] == {"replicaCount": 5, "egressGbps": 500}
    reducers = output["reducers"]
    assert (reducers["machineType"], reducers["replicaCount"], reducers["egressGbps"]) == ("n1-highcpu-16", 16, 512)
    assert reducers["imageUri"] == SERVER
    assert output["speedupOverRing"] == 1.6
    assert output["breakEvenGbps"] == 312.5
    assert output["findings"] == []


def test_only_the_sum_of_the_pools_counts(capsys: pytest.CaptureFixture[str]) -> None:
    one_replica = V100.replace("replica-count=5", "replica-count=1")
    four_replicas = V100.replace("replica-count=5", "replica-count=4")
    split = run_json(capsys, "size", f"--worker-pool-spec={one_replica}", f"--worker-pool-spec={four_replicas}")
    assert split == run_json(capsys, "size", f"--worker-pool-spec={V100}")


def test_size_of_the_guides_second_case(capsys: pytest.CaptureFixture[str]) -> None:
    _, output = run_json(capsys, "size", "--worker-pool-spec=machine-type=a2-megagpu-16g,replica-count=8")
    assert (output["reducers"]["replicaCount"], output["reducers"]["egressGbps"]) == (25, 800)


def test_size_off_vertex_has_no_image(capsys: pytest.CaptureFixture[str]) -> None:
    _, output = run_json(capsys, "size", f"--worker-pool-spec={V100}", "--platform=gke", "--reducer-machine-type=auto")
    assert (output["reducers"]["machineType"], output["reducers"]["replicaCount"]) == ("n2-highcpu-80", 5)
    assert output["reducers"]["imageUri"] is None


@pytest.mark.parametrize(
    "pool", ["machine-type=a2-highgpu-8g,replica-count=1", "machine-type=n1-standard-16,replica-count=4"]
)
def test_size_of_what_has_no_all_reduce(capsys: pytest.CaptureFixture[str], pool: str) -> None:
    status, output = run_json(capsys, "size", f"--worker-pool-spec={pool}")
    assert status == 1
    assert output["speedupOverRing"] is None
    assert output["breakEvenGbps"] is None
    assert {f["rule"] for f in output["findings"]} == {"reducer-workers-need-accelerators"}
    assert output["reducers"]["replicaCount"] >= 1


def test_an_accelerator_without_a_count_is_one_as_for_gcloud(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    pool = "machine-type=n1-standard-16,replica-count=2,accelerator-type=NVIDIA_TESLA_V100"
    assert run_json(capsys, "size", f"--worker-pool-spec={pool}") == run_json(
        capsys, "size", f"--worker-pool-spec={pool},accelerator-count=1"
    )
    command = f"gcloud ai custom-jobs create --display-name=a --worker-pool-spec={pool},container-image-uri=a:1"
    _, converted = run_json(capsys, "convert", job_file(command, "submit.sh"))
    assert converted["pools"]["primary"]["acceleratorCount"] == 1


def test_size_says_whose_prices_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("size", f"--worker-pool-spec={V100}")
    assert run_json(capsys, *words, "--region=europe-west4")[1]["priceRegion"] == "us-central1"
    assert "us-central1" in run(capsys, *words, "--region=europe-west4")[1]


def test_size_rounds_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("size", "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=8")
    assert "break-even at 457.1 Gbps" in run(capsys, *words)[1]
    assert run_json(capsys, *words)[1]["breakEvenGbps"] == 457.1429


def test_size_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "size", f"--worker-pool-spec={V100}")
    assert "ceil(500 / 32) = 16" in out


@pytest.mark.parametrize(
    "words",
    [
        ["sise"],
        ["size"],
        ["size", "--worker-pool-spec=machine-type=n1-standard-4,count=2"],
        ["size", "--worker-pool-spec=replica-count=2"],
        ["size", "--worker-pool-spec=machine-type=n1-standard-4,replica-count=-1"],
        ["size", "--worker-pool-spec=machine-type=n1-standard-4,replica-count=1000000000"],
        ["size", "--worker-pool-spec=machine-type=n1-standard-4,replica-count=0"],
        ["size", f"--worker-pool-spec={V100}", "--region=us-centrall"],
        ["size", f"--worker-pool-spec={V100}", "--platform=aws"],
        ["render", "--as=gcloud"],
        ["render", "--stack=dev", "--as=gcloud"],
        ["render", "--file=x", "--stack=dev", "--as=gcloud"],
        ["env", "--file=x", "--task=worker"],
        ["validate", "--stac=dev"],
        [],
    ],
)
def test_wrong_words_are_two(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    status, out, err = run(capsys, *words)
    assert status == 2
    assert "Traceback" not in out + err


def test_validate_all_stacks(capsys: pytest.CaptureFixture[str]) -> None:
    status, output = run_json(capsys, "validate")
    assert status == 0
    assert output["ok"] is True
    assert all(finding["severity"] == "advice" for finding in output["findings"])


def test_validate_has_every_field(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    path = job_file(with_pools(gpu_job(), primary={"machineType": "n1-standrd-4", "replicaCount": 2}))
    status, output = run_json(capsys, "validate", f"--file={path}")
    assert status == 1
    assert output["ok"] is False
    assert {"one-primary-replica", "machine-known"} <= {finding["rule"] for finding in output["findings"]}
    for finding in output["findings"]:
        assert set(finding) == {"rule", "severity", "path", "message", "fix", "source"}
        assert finding["source"] == path


def test_validate_a_vertex_body(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    pool = {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 2, "containerSpec": {"imageUri": "a"}}
    body = {"displayName": "x", "jobSpec": {"workerPoolSpecs": [pool, None, pool]}}
    status, output = run_json(capsys, "validate", f"--file={job_file(body)}")
    assert status == 1
    assert {(f["rule"], f["path"]) for f in output["findings"] if f["severity"] == "error"} == {
        ("one-primary-replica", "jobSpec.workerPoolSpecs[0].replicaCount"),
        ("pool-placeholder", "jobSpec.workerPoolSpecs[1]"),
    }


@pytest.mark.parametrize(
    ("text", "status", "rule"),
    [
        ("", 2, "syntax"),
        ("- a", 2, "syntax"),
        ("a: 1\na: 2", 2, "syntax"),
        ("a: !!python/name:os.system", 2, "syntax"),
        ("[" * 5000, 2, "syntax"),
        ("run: x", 1, "schema"),
        ("pools: {primary: {machineType: n1-standard-4, replicaCount: 1000000000}}", 1, "schema"),
        ("pools: {}\ncontainer: {imageUri: a}", 1, "one-primary-replica"),
    ],
)
def test_bad_files(capsys: pytest.CaptureFixture[str], job_file: Any, text: str, status: int, rule: str) -> None:
    path = job_file(text, "j.yaml")
    given, output = run_json(capsys, "validate", f"--file={path}")
    assert given == status
    assert rule in {finding["rule"] for finding in output["findings"]}


def test_files_that_cannot_be_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a: \xff\xfe")
    for path in (tmp_path / "nothing", tmp_path, tmp_path / "binary"):
        status, output = run_json(capsys, "validate", f"--file={path}")
        assert status == 2
        assert [finding["rule"] for finding in output["findings"]] == ["syntax"]


def test_many_faults_stay_short(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    path = job_file({f"key{i}": "x" * 500 for i in range(2000)})
    for words in ([], ["--json"]):
        status, out, err = run(capsys, "validate", f"--file={path}", *words)
        assert status == 1
        assert len(out) + len(err) < 20_000


def test_no_such_stack_or_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "validate", "--stack=prd")[0] == 2
    status, out, err = run(capsys, "render", "--stack=prod", "--job=bert", "--as=custom-job")
    assert (status, out) == (2, "")
    assert "bert-large" in err


def test_render_prints_the_body_alone(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    status, out, _ = run(capsys, "render", f"--file={job_file(gpu_job())}", "--as=custom-job")
    assert status == 0
    body = json.loads(out)
    assert body["displayName"] == "my-job"
    assert [pool["replicaCount"] for pool in body["jobSpec"]["workerPoolSpecs"]] == [1, 4, 16]


def test_render_and_env_print_nothing_of_a_faulty_job(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    path = job_file(with_pools(gpu_job(), reducers={"replicaCount": 1}))
    for words in (["render", "--as=custom-job"], ["env", "--task=worker:0"]):
        status, out, err = run(capsys, *words, f"--file={path}")
        assert (status, out) == (1, "")
        assert "reducer-bandwidth" in err


@pytest.mark.parametrize(
    "words",
    [
        *(["render", f"--as={language}"] for language in ("custom-job", "gcloud", "ai-platform")),
        *(["env", "--task=worker:0", f"--dialect={dialect}"] for dialect in ("vertex", "ai-platform")),
    ],
)
def test_a_job_of_a_cluster_needs_machines_where_the_service_brings_them(
    capsys: pytest.CaptureFixture[str], job_file: Any, words: list[str]
) -> None:
    pools = {"primary": {"replicaCount": 1, "acceleratorCount": 2}, "workers": {"replicaCount": 2}}
    path = job_file({"platform": "kubernetes", "kind": "jobset", "container": {"imageUri": IMAGE}, "pools": pools})
    status, refused = run_json(capsys, *words, f"--file={path}")
    errors = {(finding["rule"], finding["path"]) for finding in refused["findings"] if finding["severity"] == "error"}
    assert status == 1
    assert errors == {("schema", "pools.primary.machineType"), ("schema", "pools.primary.acceleratorType")}
    assert run(capsys, "env", "--task=worker:0", f"--file={path}")[0] == 0


def test_gcloud_rendering_is_the_guides_command(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    document = {key: value for key, value in gpu_job().items() if key != "labels"}
    _, out, _ = run(capsys, "render", f"--file={job_file(document, 'JOB.json')}", "--as=gcloud")
    image = gpu_job()["container"]["imageUri"]
    gpus = "accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
    assert out.replace(" \\\n  ", " ").strip() == (
        "gcloud ai custom-jobs create --region=us-central1 --display-name=job "
        f"--worker-pool-spec=machine-type=n1-highmem-96,replica-count=1,{gpus},container-image-uri={image} "
        f"--worker-pool-spec=machine-type=n1-highmem-96,replica-count=4,{gpus},container-image-uri={image} "
        f"--worker-pool-spec=machine-type=n1-highcpu-16,replica-count=16,container-image-uri={SERVER}"
    )


def test_a_skipped_pool_is_an_empty_placeholder(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    document = {
        "container": {"imageUri": "a"},
        "pools": {"primary": {"machineType": "n1-standard-4"}, "parameterServers": {"machineType": "n1-standard-4"}},
    }
    _, out, _ = run(capsys, "render", f"--file={job_file(document)}", "--as=custom-job")
    assert json.loads(out)["jobSpec"]["workerPoolSpecs"][1] == {}


def test_a_shell_reads_what_env_prints(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    path = job_file(gpu_job())
    _, environment = run_json(capsys, "env", f"--file={path}", "--task=worker:3")
    _, out, _ = run(capsys, "env", f"--file={path}", "--task=worker:3")
    script = f"set -a\n{out}\nexec env -0"
    shown = subprocess.run(["sh", "-c", script], env={}, capture_output=True, text=True, check=True).stdout
    read = dict(entry.split("=", 1) for entry in shown.split("\0") if entry)
    assert {name: read[name] for name in environment} == environment


def test_env_of_a_replica(capsys: pytest.CaptureFixture[str], job_file: Any) -> None:
    path = job_file(gpu_job())
    status, environment = run_json(capsys, "env", f"--file={path}", "--task=worker:3")
    assert status == 0
    spec = json.loads(environment["CLUSTER_SPEC"])
    assert spec["task"] == {"type": "workerpool1", "index": 3}
    assert {pool: len(hosts) for pool, hosts in spec["cluster"].items()} == {
        "workerpool0": 1,
        "workerpool1": 4,
        "workerpool2": 16,
    }
    assert json.loads(environment["TF_CONFIG"])["task"]["type"] == "worker"
    assert run(capsys, "env", f"--file={path}", "--task=worker:4")[0] == 2
    assert run(capsys, "env", f"--file={path}", "--task=worker:0", "--trial=1")[0] == 2


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_same_bytes_whatever_the_hash_seed(seed: str, job_file: Any) -> None:
    path = job_file(gpu_job())
    command = [sys.executable, "-m", "trainingjobs", "render", f"--file={path}", "--as=custom-job"]
    outputs = {
        subprocess.run(
            command, cwd=ROOT, env={"PYTHONHASHSEED": hash_seed}, capture_output=True, check=True, text=True
        ).stdout
        for hash_seed in (seed, "2")
    }
    assert len(outputs) == 1


def test_the_schema_beside_the_stacks_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "schema")
    assert out == (ROOT / "stacks" / "schema.json").read_text()
