from __future__ import annotations

from typing import Any

import pytest

from infra.components import tokens
from infra.components.protection import PROTECTED
from infra.plan.infrastructure import plan_infrastructure
from infra.plan.plan import stack_findings
from infra.plan.protected import protected_names
from infra.problems import Finding
from infra.spec.keys import PATHS, specification
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from tests.components.recorder import declared
from tests.components.stacks import job, stack
from tests.unit.jobs import gpu_job

A2 = {"machineType": "a2-highgpu-8g"}
VERTEX = {"training:jobs": {"bert": gpu_job()}, "gcp:project": "acme-ml-dev", "gcp:region": "us-central1"}
GKE = stack({"bert": job(A2, 3), "gpt": job(A2, scheduling={"strategy": "SPOT"})})
ANYWHERE = {
    "gcp:project": "acme-ml-dev",
    "training:cluster": {"kubeconfig": "~/.kube/config"},
    "training:jobs": {"bert": job({"machineType": "a2-highgpu-8g"}, platform="kubernetes", kind="jobset")},
}


def read(config: dict[str, Any]) -> Stack:
    found = read_model(Stack, specification(config), renamed=PATHS).value
    assert isinstance(found, Stack)
    return found


def findings(config: dict[str, Any], *names: str) -> list[Finding]:
    found = stack_findings(read({**config, "training:unprotect": list(names)}))[1]
    return [one for one in found if one.path.startswith("training:unprotect")]


@pytest.mark.parametrize("config", [VERTEX, GKE, ANYWHERE], ids=["vertex", "gke", "kubernetes"])
def test_the_names_are_those_of_the_resources_that_prod_protects(config: dict[str, Any]) -> None:
    spec = read(config)
    names = protected_names(spec, plan_infrastructure(spec, stack_findings(spec)[0]))
    assert list(names) == sorted(one.name for one in declared(config) if one.token in PROTECTED)
    assert findings(config, *names) == []


def test_a_name_that_lifts_nothing_is_an_error_with_the_nearest() -> None:
    [found] = findings(VERTEX, "training-output", "traning-outputs")
    assert (found.severity, found.rule, found.path) == ("error", "schema", "training:unprotect[1]")
    assert "training-output?" in found.fix
    [other] = findings(VERTEX, "cluster")
    assert "training-images" in other.message
    assert tokens.GKE_CLUSTER in PROTECTED
