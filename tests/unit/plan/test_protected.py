from __future__ import annotations

from typing import Any

import pytest

from tests.components.recorder import declared
from tests.components.stacks import job, stack
from tests.unit.jobs import gpu_job
from trainingjobs.components import tokens
from trainingjobs.components.protection import PROTECTED
from trainingjobs.core.findings import Finding
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.plan.infrastructure import plan_infrastructure
from trainingjobs.plan.protected import protected_names
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, specification

A2 = {"machineType": "a2-highgpu-8g"}
VERTEX = {"training:jobs": {"bert": gpu_job()}, "gcp:project": "acme-ml-dev", "gcp:region": "us-central1"}
GKE = stack({"bert": job(A2, 3), "gpt": job(A2, scheduling={"strategy": "SPOT"})})
ANYWHERE = {
    "gcp:project": "acme-ml-dev",
    "training:cluster": {"kubeconfig": "~/.kube/config"},
    "training:jobs": {"bert": job({"machineType": "a2-highgpu-8g"}, platform="kubernetes", kind="jobset")},
}


def read(config: dict[str, Any]) -> Stack:
    model = read_model(Stack, specification(config), renamed=PATHS).value
    assert isinstance(model, Stack)
    return model


def findings(config: dict[str, Any], *names: str) -> list[Finding]:
    judged = judge_stack(read({**config, "training:unprotect": list(names)}))[1]
    return [finding for finding in judged if finding.path.startswith("training:unprotect")]


@pytest.mark.parametrize("config", [VERTEX, GKE, ANYWHERE], ids=["vertex", "gke", "kubernetes"])
def test_the_names_are_those_of_the_resources_that_prod_protects(config: dict[str, Any]) -> None:
    spec = read(config)
    names = protected_names(spec, plan_infrastructure(spec, judge_stack(spec)[0]))
    assert list(names) == sorted(resource.name for resource in declared(config) if resource.token in PROTECTED)
    assert findings(config, *names) == []


def test_a_name_that_lifts_nothing_is_an_error_with_the_nearest() -> None:
    [finding] = findings(VERTEX, "training-output", "traning-outputs")
    assert (finding.severity, finding.rule, finding.path) == ("error", "schema", "training:unprotect[1]")
    assert "training-output?" in finding.fix
    [other] = findings(VERTEX, "cluster")
    assert "training-images" in other.message
    assert tokens.GKE_CLUSTER in PROTECTED
