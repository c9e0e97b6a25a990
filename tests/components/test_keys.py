"""What the components say to Google is well-formed by the SDK's own types: keys, required ones and their types."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.gcp import schema
from tests.components.recorder import declared
from tests.components.stacks import SERVER, job, stack
from tests.components.test_network import MEGA, ULTRA
from tests.components.test_node_pools import A2, RESERVED

VMS = {"machineType": "auto", "container": {"imageUri": SERVER}, "instanceGroup": {"zone": "us-central1-a"}}
CLUSTER = {
    "location": "us-central1",
    "nodeLocations": ["us-central1-a"],
    "maintenanceWindow": {
        "startTime": "2026-01-03T02:00:00Z",
        "endTime": "2026-01-03T10:00:00Z",
        "recurrence": "FREQ=WEEKLY;BYDAY=SA",
    },
    "masterAuthorizedNetworks": [{"cidrBlock": "192.0.2.0/24", "displayName": "office"}],
}
SSD = {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 200}
JOBS: list[dict[str, Any]] = [
    {"a": job(MEGA, 3), "b": job(ULTRA, 1)},
    {"a": job({"machineType": "a2-ultragpu-8g", **SSD, "nodePool": {"fastSocket": True}}, 3, pools={"reducers": VMS})},
    {"a": job(A2, scheduling={"strategy": "FLEX_START"}), "b": job(A2, scheduling={"strategy": "SPOT"})},
    {"a": job({**A2, "reservationAffinity": RESERVED}, pools={"reducers": {**VMS, "instanceGroup": None}})},
    {"a": job({**A2, "nodePool": {"queuedProvisioning": True}}, kind="tfjob")},
]


@pytest.mark.parametrize("jobs", JOBS, ids=["nics", "vms", "flex and spot", "reserved", "queued"])
def test_every_resource_is_well_formed(jobs: dict[str, Any]) -> None:
    resources = declared(stack(jobs, cluster=CLUSTER))
    google = [each for each in resources if each.token.startswith("gcp:")]
    assert google
    assert [(each.name, fault) for each in google for fault in schema.failures(each.token, dict(each.inputs))] == []
