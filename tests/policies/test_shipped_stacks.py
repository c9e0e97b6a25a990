"""The jobs of every stack that we ship, as its program declares them: the pack refuses none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.components.recorder import declared
from tests.components.stacks import SERVER, job, stack
from tests.policies.pack import WORDS, analyzed, configured
from tests.policies.samples import ROOT
from trainingjobs.workloads.kubernetes import kubernetes_workloads

FILES = sorted(path for folder in ("stacks", "examples/clusters") for path in (ROOT / folder).glob("Pulumi.*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_pack_refuses_no_object_of_a_shipped_stack(file: Path) -> None:
    assert refused(yaml.safe_load(file.read_text())["config"]) == []


@pytest.mark.parametrize("kind", [kind.kind for kind in kubernetes_workloads()])
@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_the_pack_refuses_no_object_of_any_kind_of_ours(kind: str, environment: str) -> None:
    pools = {"reducers": {"container": {"imageUri": SERVER}, "machineType": "n2-highcpu-80"}} if kind != "pods" else {}
    made = job({"machineType": "a2-megagpu-16g"}, 7, kind=kind, pools=pools, namespace="training")
    assert refused(stack({"a": made}, environment=environment)) == []


def refused(config: dict[str, Any]) -> list[str]:
    """What the pack refuses of the objects that a stack's program declares, one by one and together."""
    pack = configured(environment=config["training:environment"])
    whole = pb.AnalyzeStackRequest()
    messages: list[str] = []
    for each in declared(config):
        inputs = dict(each.inputs)
        violations = analyzed(pack, inputs, each.token, each.name)
        if each.token.startswith("kubernetes:"):
            messages += [f"{policy} {message}" for policy, level, message in violations if level == "mandatory"]
        properties = struct_pb2.Struct()
        properties.update(inputs)
        whole.resources.add(type=each.token, urn=f"urn:{each.name}", name=each.name, properties=properties)
    diagnostics = pack.AnalyzeStack(whole, None).diagnostics
    return [*messages, *(each.message for each in diagnostics if WORDS[each.enforcementLevel] == "mandatory")]
