"""What `make down` says of a stack whose state protects something."""

from __future__ import annotations

from typing import Any

import pytest

from infra.cli.inputs import Judged
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from tools.protection import refusal

BUCKET = "gcp:storage/bucket:Bucket"
CLUSTER = "gcp:container/cluster:Cluster"
READ = read_model(Stack, {"project": "acme-ml-prod", "region": "us-central1", "environment": "prod"})
assert isinstance(READ.value, Stack)
JUDGED = Judged("stacks/Pulumi.prod.yaml", stack=READ.value)


def resource(name: str, token: str = BUCKET, **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:prod::training::{token}::{name}", "type": token, **more}


def test_nothing_is_said_of_a_state_without_protection() -> None:
    state = {"resources": [resource("training-output", protect=False), resource("a")]}
    assert refusal("prod", state, JUDGED) == ""


@pytest.mark.parametrize("pending", [False, True])
def test_names_are_those_that_unprotect_takes(pending: bool) -> None:
    found = [resource("training-staging", protect=True), resource("training-output", protect=True), resource("a")]
    operations = [{"type": "creating", "resource": one} for one in found]
    said = refusal("prod", {"pending_operations": operations} if pending else {"resources": found}, JUDGED)
    assert "training:unprotect: [training-output, training-staging]" in said
    assert "make up STACK=prod" in said
    assert "make down STACK=prod" in said
    assert "pulumi state unprotect" not in said


@pytest.mark.parametrize("judged", [JUDGED, Judged("stacks/Pulumi.prod.yaml")])
def test_what_the_file_does_not_declare_is_lifted_in_the_state(judged: Judged) -> None:
    said = refusal("prod", {"resources": [resource("old-nodes", protect=True)]}, judged)
    assert "old-nodes" in said
    assert "pulumi state unprotect" in said
    assert "training:unprotect" not in said


def test_a_cluster_has_gkes_own_protection_beside_it() -> None:
    state = {"resources": [resource("cluster", CLUSTER, inputs={"deletionProtection": True})]}
    assert "deletionProtection: false" in refusal("staging", state, JUDGED)
