"""What `make down` says of a stack whose state protects something."""

from __future__ import annotations

from typing import Any

import pytest

from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations.protection import refusal
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

BUCKET = "gcp:storage/bucket:Bucket"
CLUSTER = "gcp:container/cluster:Cluster"
READ = read_model(Stack, {"project": "acme-ml-prod", "region": "us-central1", "environment": "prod"})
assert isinstance(READ.value, Stack)
JUDGED = Judgement("stacks/Pulumi.prod.yaml", stack=READ.value)


def resource(name: str, token: str = BUCKET, **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:prod::training::{token}::{name}", "type": token, **more}


def test_nothing_is_reported_of_a_state_without_protection() -> None:
    state = {"resources": [resource("training-output", protect=False), resource("a")]}
    assert refusal("prod", state, JUDGED) == ""


@pytest.mark.parametrize("pending", [False, True])
def test_names_are_those_that_unprotect_takes(pending: bool) -> None:
    resources = [resource("training-staging", protect=True), resource("training-output", protect=True), resource("a")]
    operations = [{"type": "creating", "resource": entry} for entry in resources]
    message = refusal("prod", {"pending_operations": operations} if pending else {"resources": resources}, JUDGED)
    assert "training:unprotect: [training-output, training-staging]" in message
    assert "make up STACK=prod" in message
    assert "make down STACK=prod" in message
    assert "pulumi state unprotect" not in message


@pytest.mark.parametrize("judged", [JUDGED, Judgement("stacks/Pulumi.prod.yaml")])
def test_what_the_file_does_not_declare_is_lifted_in_the_state(judged: Judgement) -> None:
    message = refusal("prod", {"resources": [resource("old-nodes", protect=True)]}, judged)
    assert "old-nodes" in message
    assert "pulumi state unprotect" in message
    assert "training:unprotect" not in message


def test_a_cluster_has_gkes_own_protection_beside_it() -> None:
    state = {"resources": [resource("cluster", CLUSTER, inputs={"deletionProtection": True})]}
    assert "deletionProtection: false" in refusal("staging", state, JUDGED)
