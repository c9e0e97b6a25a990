"""The wire's typed dictionaries are what the SDKs say, and a misspelt key is a type error."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from dev import wire_types

RIGHT = """
from trainingjobs.wire.google import ContainerNodePool
from trainingjobs.wire.kubernetes import PodTemplateSpec

pool: ContainerNodePool = {"nodeConfig": {"machineType": "a2-highgpu-1g", "taints": [{"key": "k"}]}}
pod: PodTemplateSpec = {"spec": {"containers": [{"name": "training", "env": [{"name": "A"}]}]}}
"""
DECLARED = """
from pulumi import ResourceOptions
from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare

declare(tokens.NODE_POOL)("gpu", {"nodeConfig": {"machineType": "a2-highgpu-1g"}}, ResourceOptions())
"""


@pytest.mark.parametrize(("module", "text"), [("google", wire_types.google()), ("kubernetes", wire_types.kubernetes())])
def test_the_types_are_those_of_the_installed_sdks(module: str, text: str) -> None:
    assert (wire_types.FOLDER / f"{module}.pyi").read_text(encoding="utf-8") == text


MISSPELT = [(RIGHT, "machineType"), (RIGHT, "taints"), (RIGHT, "containers"), (RIGHT, "env"), (DECLARED, "machineType")]


def test_a_misspelt_key_is_a_type_error(tmp_path: Path) -> None:
    programs = {"right": RIGHT, "declared": DECLARED}
    misspelt = {f"wrong_{i}": source.replace(f'"{key}"', f'"{key}z"') for i, (source, key) in enumerate(MISSPELT)}
    paths = [tmp_path / f"{name}.py" for name in (*programs, *misspelt)]
    for path, source in zip(paths, (programs | misspelt).values(), strict=True):
        path.write_text(source, encoding="utf-8")
    config = str(wire_types.ROOT / "pyproject.toml")
    output, _, _ = api.run(["--config-file", config, "--no-error-summary", *map(str, paths)])
    errors = [line for line in output.splitlines() if "error:" in line]
    assert {Path(line.split(":")[0]).stem for line in errors} == set(misspelt)
    assert all("[typeddict-" in line for line in errors)
