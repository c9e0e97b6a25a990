"""The example stacks: sound by the rules, and previewed on the real engine under the policy pack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.stack_run import StackRun
from trainingjobs.core.findings import Finding
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.project.files import read_file
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, stack_document

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "clusters"
FILES = sorted(EXAMPLES.glob("Pulumi.*.yaml"), key=lambda file: file.name)


def config_of(file: Path) -> dict[str, Any]:
    config: dict[str, Any] = read_file(file)["config"]
    return config


def findings(config: dict[str, Any]) -> list[Finding]:
    reading = read_model(Stack, stack_document({"config": config}), renamed=PATHS)
    assert reading.findings == ()
    return judge_stack(reading.value)[1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_is_sound(file: Path) -> None:
    assert [each for each in findings(config_of(file)) if each.severity == "error"] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_previews_under_the_pack(file: Path, kubeconfig: Path, tmp_path: Path) -> None:
    config = config_of(file)
    if "context" in config["training:cluster"]:
        config["training:cluster"] = {"kubeconfig": str(kubeconfig), "createNamespaces": False}
    output = StackRun(tmp_path, config).preview()
    assert "to create" in output
    assert "mandatory" not in output


def test_reducers_beside_gpu_networks_are_refused() -> None:
    config = config_of(EXAMPLES / "Pulumi.a3-mega.yaml")
    pools = config["training:jobs"]["llama"]["pools"]
    pools["reducers"] = {"machineType": "auto", "container": {"imageUri": "us-docker.pkg.dev/a/b/c@sha256:" + "0" * 64}}
    errors = {each.rule for each in findings(config) if each.severity == "error"}
    assert "reducer-break-even" in errors


def test_tier_1_reducers_are_fewer_and_fatter() -> None:
    config = config_of(EXAMPLES / "Pulumi.a2-reducers.yaml")
    reading = read_model(Stack, stack_document({"config": config}), renamed=PATHS)
    (plan,), _ = judge_stack(reading.value)
    assert plan.sizing is not None
    assert (plan.sizing.pool.tier1, plan.sizing.pool.replica_count, plan.sizing.pool.gbps_each) == (True, 8, 100)
