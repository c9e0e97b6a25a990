"""A word that is nearly right gets the right one named: verbs, options, values, stacks, jobs, keys, machines …"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.jobs import gpu_job, with_pools
from trainingjobs.cli.main import main

POOL = "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=4"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["sise"], "size"),
        (["validat"], "validate"),
        (["validate", "--stak=prod"], "--stack"),
        (["validate", "--quite"], "--quiet"),
        (["validate", "prod"], "--stack=prod"),
        (["validate", "README.md"], "--file=README.md"),
        (["size", POOL.replace("pool", "pol")], "--worker-pool-spec"),
        (["size", POOL.replace("machine-type", "machinetype")], "machine-type"),
        (["size", POOL, "--platform=vertx"], "vertex"),
        (["size", POOL, "--region=us-centrall1"], "us-central1"),
        (["size", POOL.replace("8g", "8h")], "a2-highgpu-8g"),
        (["size", POOL, "--reducer-machine-type=n1-highcpu-15"], "n1-highcpu-16"),
        (["size", f"{POOL},accelerator-type=NVIDIA_TESLA_A10O"], "NVIDIA_TESLA_A100"),
        (["render", "--stack=prod", "--job=bert-large", "--as=gclod"], "gcloud"),
        (["render", "--stack=prd", "--job=bert-large", "--as=gcloud"], "prod"),
        (["render", "--stack=prod", "--job=bert-larg", "--as=gcloud"], "bert-large"),
        (["env", "--stack=prod", "--job=bert-large", "--task=wrker:0"], "worker"),
        (["env", "--stack=prod", "--job=bert-large", "--task=worker:0", "--dialect=kubflow"], "kubeflow"),
        (["logs", "prod", "bert-larg"], "bert-large"),
        (["logs", "prod", "bert-large", "--role=redcer"], "reducer"),
        (["status", "stagin"], "staging"),
        (["report", "stagin"], "staging"),
        (["drift", "stagin"], "staging"),
        (["promote", "dev", "stagin"], "staging"),
        (["cost", "--stack=stagin"], "staging"),
        (["init", "new", "--projct=a"], "--project"),
        (["init", "new", "--project=acme-ml-dev", "--image=a", "--machines=4xa2-highgpu-8h"], "a2-highgpu-8g"),
        (["init", "new", "--project=acme-ml-dev", "--image=a", "--region=europe-wets4"], "europe-west4"),
        (["init", "new", "--project=acme-ml-dev", "--image=a", "--environment=stagin"], "staging"),
        (["init", "new", "--project=acme-ml-dev", "--image=a", "--framework=pytroch"], "pytorch"),
    ],
)
def test_a_word_of_the_command_line(
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    meant: str,
) -> None:
    assert main(words) in (1, 2)
    captured = capsys.readouterr()
    assert f"did you mean {meant}?" in captured.out + captured.err


@pytest.mark.parametrize(
    ("document", "meant"),
    [
        ({**gpu_job(), "framwork": "horovod"}, "framework"),
        ({**gpu_job(), "framework": "horovd"}, "horovod"),
        ({**gpu_job(), "platform": "vertx"}, "vertex"),
        (with_pools(gpu_job(), worker={"replicaCount": 4}), "workers"),
        (with_pools(gpu_job(), primary={"machineTyp": "n1-highmem-96"}), "machineType"),
        (with_pools(gpu_job(), primary={"machineType": "n1-highmem-69"}), "n1-highmem-96"),
        (with_pools(gpu_job(), primary={"acceleratorType": "NVIDIA_TESLA_V10"}), "NVIDIA_TESLA_V100"),
    ],
)
def test_a_word_of_a_document(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, document: dict[str, Any], meant: str
) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(document))
    assert main(["validate", f"--file={path}"]) == 1
    assert f"did you mean {meant}?" in capsys.readouterr().out


def test_a_required_option_is_not_asked_for_where_it_is_misspelt(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--worker-pool-specs=machine-type=a2-highgpu-8g"]) == 2
    assert "required" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [POOL, "--reducer-machine-type="],
        [POOL, "--platform="],
        [POOL, "--region="],
        ["--worker-pool-spec="],
        *([f"--worker-pool-spec=machine-type=a2-highgpu-8g,{key}="] for key in ("replica-count", "accelerator-type")),
        ["--worker-pool-spec=machine-type=,replica-count=2"],
    ],
)
def test_an_option_without_a_value_is_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["size", *words, "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["ok"] is False
    assert words[-1].partition("=")[0] in captured.err
