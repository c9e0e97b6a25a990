"""What of a job's pools means nothing on its platform, reported once and where it is written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import findings_of
from tests.unit.rules.test_consumption import gke

VMS = {
    "machineType": "n1-highcpu-16",
    "replicaCount": 2,
    "container": {"imageUri": "x/server"},
    "instanceGroup": {"zone": "us-central1-a"},
}


def with_reducers(reducers: dict[str, Any], **more: Any) -> dict[str, Any]:
    document = gke({}, **more)
    return {**document, "pools": {**document["pools"], "reducers": reducers}}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (gke({}, platform="vertex", kubernetes={}), "kubernetes"),
        # Workers have it of the primary, and it is the primary's fault.
        (gke({"nodePool": {}}, platform="vertex"), "pools.primary.nodePool"),
        (gke({"nodePool": {}}, platform="kubernetes"), "pools.primary.nodePool"),
        (gke({"instanceGroup": {"zone": "z"}}), "pools.primary.instanceGroup"),
        (with_reducers(VMS, platform="vertex"), "pools.reducers.instanceGroup"),
        (with_reducers(VMS, platform="kubernetes"), "pools.reducers.instanceGroup"),
        (with_reducers({**VMS, "nodePool": {}}), "pools.reducers.instanceGroup"),
    ],
)
@pytest.mark.parametrize("path_of_job", ["", "training:jobs.a"])
def test_what_means_nothing_on_the_platform(document: dict[str, Any], path: str, path_of_job: str) -> None:
    at = f"{path_of_job}." if path_of_job else ""
    findings = findings_of(document, path=path_of_job)
    assert {finding for finding in findings if finding[0] == "schema"} == {("schema", "error", at + path)}


@pytest.mark.parametrize(
    "document", [gke({"nodePool": {}}), gke({}, kubernetes={}), gke({}, platform="vertex"), with_reducers(VMS)]
)
def test_what_does(document: dict[str, Any]) -> None:
    assert "schema" not in {rule for rule, _, _ in findings_of(document)}
