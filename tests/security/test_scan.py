"""checkov over the rendered manifests: nothing fails without a named reason, no reason outlives its failure."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dev.scan import LANGUAGES, faults, manifests, read_exceptions, scan

PRIVILEGED = "CKV_K8S_16"


@pytest.fixture(scope="module")
def objects() -> dict[str, list[dict[str, Any]]]:
    return manifests()


def test_every_language_and_every_replica_is_scanned(objects: dict[str, list[dict[str, Any]]]) -> None:
    assert {name.rsplit(".", 1)[1] for name in objects} == set(LANGUAGES)
    for name, items in objects.items():
        roles = {item["metadata"]["labels"]["training-role"] for item in items if item["kind"] == "Pod"}
        assert {"primary", "worker"} <= roles, name
    assert any(item["metadata"]["name"].endswith("-ps") for items in objects.values() for item in items)


def test_nothing_fails_without_a_reason_and_a_weakness_is_found(objects: dict[str, list[dict[str, Any]]]) -> None:
    weak = copy.deepcopy(objects["sandbox-gke.digits.jobset"])
    weak[0]["spec"]["containers"][0]["securityContext"]["privileged"] = True
    result = scan({**objects, "weak.digits.jobset": weak})
    failed = {check: [place for place in places if "weak" not in place] for check, places in result["failed"].items()}
    assert faults({check: places for check, places in failed.items() if places}, read_exceptions()) == []
    (line,) = [line for line in faults(result["failed"], read_exceptions()) if line.startswith(PRIVILEGED)]
    assert "weak.digits.jobset" in line


def test_an_exception_that_nothing_needs_is_a_fault() -> None:
    failed = {"CKV_1 a": ["dev.a.pods: Pod.x"]}
    assert faults(failed, {"CKV_1": {"in": ["dev.*"], "reason": "r"}}) == []
    assert len(faults(failed, {"CKV_1": {"in": ["dev.*", "prod.*"], "reason": "r"}})) == 1
    assert len(faults(failed, {"CKV_1": {"in": ["prod.*"], "reason": "r"}})) == 2
    assert len(faults({}, {"CKV_1": {"in": ["*"], "reason": "r"}})) == 1


def test_every_exception_says_why() -> None:
    for check, exception in read_exceptions().items():
        assert check.startswith("CKV"), check
        assert set(exception) == {"in", "reason"}, check
        assert exception["in"], check
        assert len(exception["reason"]) > 20, check
