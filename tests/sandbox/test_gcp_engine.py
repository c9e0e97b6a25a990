"""The real engine with the SDK's own resource classes and the sandbox's provider found on PATH."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.gcp_process import ROOT, STARTER, sandbox_environment

PROGRAM = """
import pulumi
import pulumi_gcp as gcp

level = pulumi.Config().get("class") or "STANDARD"
account = gcp.serviceaccount.Account("trainer", account_id="trainer")
bucket = gcp.storage.Bucket("data", location=pulumi.Config().get("location") or "us-central1", storage_class=level)
gcp.storage.BucketIAMMember("grant", bucket=bucket.name, role="roles/storage.objectAdmin", member=account.member)
pulumi.export("url", bucket.url)
pulumi.export("number", gcp.organizations.get_project().number)
"""
PROJECT = f"""
name: sandbox-provider
runtime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}
config:
  gcp:project: acme-ml-dev
"""
Engine = Callable[..., str]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The pulumi command in a stack of its own; it returns what the command prints and asserts that it succeeds."""
    folder = subprocess.run(
        [sys.executable, "-m", "dev.engine", "--print-bin"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    state, program = tmp_path / "state", tmp_path / "program"
    (state / "pulumi").mkdir(parents=True)
    program.mkdir()
    (program / "__main__.py").write_text(PROGRAM)
    (program / "Pulumi.yaml").write_text(PROJECT)
    environment = {
        **sandbox_environment(state),
        "PATH": f"{STARTER.parent}{os.pathsep}{folder.stdout.strip()}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_BACKEND_URL": f"file://{state}/pulumi",
        "PULUMI_CONFIG_PASSPHRASE": "sandbox",
        "PULUMI_HOME": f"{state}/home",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "TRAINING_VENV": sys.prefix,
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=program,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("stack", "init", "dev")
    return run


def operations(preview: str) -> dict[str, str]:
    steps: list[dict[str, Any]] = json.loads(preview)["steps"]
    return {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] != "same"}


def test_a_stack_lives_and_dies_in_the_sandbox(engine: Engine, tmp_path: Path) -> None:
    assert set(operations(engine("preview", "--json")).values()) == {"create"}
    engine("up", "--yes", "--skip-preview")
    outputs = json.loads(engine("stack", "output", "--json"))
    (bucket,) = (tmp_path / "state" / "gcs").iterdir()
    assert outputs["url"] == f"gs://{bucket.name}"
    assert outputs["number"].isdigit()
    assert operations(engine("preview", "--json")) == {}

    engine("config", "set", "class", "NEARLINE")
    assert operations(engine("preview", "--json")) == {"data": "update"}
    engine("config", "set", "location", "EU")
    replaced = operations(engine("preview", "--json"))
    assert set(replaced) == {"data", "grant"}
    assert all("replace" in operation for operation in replaced.values())
    engine("config", "rm", "class")
    engine("config", "rm", "location")

    (file,) = (tmp_path / "state" / "gcp" / "resources" / "storage.Bucket").iterdir()
    body = json.loads(file.read_text())
    body["properties"]["storageClass"] = "COLDLINE"
    file.write_text(json.dumps(body))
    assert operations(engine("preview", "--refresh", "--json"))["data"] == "update"

    engine("destroy", "--yes", "--skip-preview")
    assert not bucket.exists()
    assert not list((tmp_path / "state" / "gcp" / "resources").glob("*/*.json"))
