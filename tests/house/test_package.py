"""The package as a stranger installs it: the wheel alone, in an empty environment, in another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
TFJOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist}
spec:
  tfReplicaSpecs:
    Chief: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: acme/mnist}]}}}
"""


def run(*words: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # Neither the checkout nor this test's own environment are seen.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run([*map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    made = run(*words, "--wheel-dir", folder, ROOT)
    assert made.returncode == 0, made.stderr
    [file] = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it asks for, and nothing else; returns its folder of programs."""
    folder = tmp_path_factory.mktemp("empty")
    assert run(sys.executable, "-m", "venv", folder / "venv").returncode == 0
    made = run(folder / "venv" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    assert made.returncode == 0, made.stderr
    return folder / "venv" / "bin"


def test_the_wheel_holds_one_package_with_its_types_and_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"trainingjobs"}
    wanted = {"py.typed", "catalog/data/machines.csv", "report/style.css", "provider/PulumiPlugin.yaml"}
    assert {f"trainingjobs/{name}" for name in wanted} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_verbs_run_in_another_folder(installed: Path, tmp_path: Path) -> None:
    command = installed / "trainingjobs"
    sized = run(
        command, "size", "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=8", "--json", folder=tmp_path
    )
    assert json.loads(sized.stdout)["reducers"]["replicaCount"] == 25, sized.stderr
    (tmp_path / "tfjob.yaml").write_text(TFJOB)
    converted = run(command, "convert", "tfjob.yaml", folder=tmp_path)
    assert "kind: tfjob" in converted.stdout, converted.stderr
    validated = run(command, "validate", "--file=tfjob.yaml", "--json", folder=tmp_path)
    assert json.loads(validated.stdout)["findings"] is not None, validated.stderr


def test_what_an_extra_brings_is_named_where_it_is_missing(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {gcp:project: acme-ml-dev}\n")
    done = run(installed / "trainingjobs", "status", "dev", folder=tmp_path)
    assert done.returncode == 2
    assert "pip install 'trainingjobs[pulumi]'" in done.stderr


def test_a_project_of_ones_own_keeps_its_stacks_where_pulumi_does(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {gcp:project: acme-ml-dev}\n")
    done = run(installed / "trainingjobs", "validate", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Pulumi.dev.yaml: valid, 0 jobs\n")


def test_importing_the_package_loads_nothing_else(installed: Path) -> None:
    code = "import sys; before = set(sys.modules); import trainingjobs; print(*(set(sys.modules) - before))"
    assert run(installed / "python", "-c", code).stdout.split() == ["trainingjobs"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(installed: Path, shell: str) -> None:
    done = run(installed / "trainingjobs", "completion", shell)
    assert done.returncode == 0
    assert "trainingjobs" in done.stdout
