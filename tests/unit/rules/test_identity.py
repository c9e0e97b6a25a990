from __future__ import annotations

import pytest

from tests.unit.jobs import findings_of, gpu_job
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import evaluate

RULE = "dedicated-service-account"
OWN = "bert@acme-ml-dev.iam.gserviceaccount.com"
SHARED = [
    "123456789012-compute@developer.gserviceaccount.com",
    "123456789012-COMPUTE@developer.gserviceaccount.com",
    "123456789012@cloudservices.gserviceaccount.com",
    "acme-ml-dev@appspot.gserviceaccount.com",
    "example.com:acme@appspot.gserviceaccount.com",
    "service-123456789012@gcp-sa-aiplatform-cc.iam.gserviceaccount.com",
    "service-123456789012@compute-system.iam.gserviceaccount.com",
]


def of_body(account: object, environment: str | None) -> list[tuple[str, str]]:
    facts, _ = facts_of_body({"serviceAccount": account}, environment=environment)
    return [(f.severity, f.path) for f in evaluate(facts, say_unknown=True) if f.rule == RULE]


@pytest.mark.parametrize("account", SHARED)
@pytest.mark.parametrize(("environment", "severity"), [("prod", "error"), ("dev", "advice"), (None, "advice")])
def test_an_account_that_everything_shares(account: str, environment: str | None, severity: str) -> None:
    assert (RULE, severity, "serviceAccount") in findings_of(gpu_job(serviceAccount=account), environment=environment)
    assert of_body(account, environment) == [(severity, "jobSpec.serviceAccount")]


@pytest.mark.parametrize("account", [OWN, "compute@acme-ml-dev.iam.gserviceaccount.com"])
def test_an_account_of_ones_own(account: str) -> None:
    assert RULE not in {rule for rule, _, _ in findings_of(gpu_job(serviceAccount=account), environment="prod")}
    assert of_body(account, "prod") == []


def test_a_document_without_one_gets_its_own_and_a_body_does_not() -> None:
    assert RULE not in {rule for rule, _, _ in findings_of(gpu_job(), environment="prod")}
    assert of_body(None, "prod") == [("error", "jobSpec.serviceAccount")]
    assert of_body("", "prod") == [("error", "jobSpec.serviceAccount")]


def test_one_that_is_not_known_yet_is_reported() -> None:
    assert of_body(UNKNOWN, "prod") == [("advice", "jobSpec.serviceAccount")]
