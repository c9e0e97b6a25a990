"""Every resource type that the project declares: Google's id and outputs, and through its life once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.gcp.resource_types import KINDS
from sandbox.gcp.schema import output_kinds
from tests.sandbox.gcp_process import (
    ACCOUNT,
    BUCKET,
    BUCKET_MEMBER,
    CLUSTER,
    NETWORK,
    NODE_POOL,
    REPOSITORY,
    SUBNETWORK,
    Plugin,
)

COMPUTE = "https://www.googleapis.com/compute/v1/"
P = "projects/acme-ml-dev"
EMAIL = "trainer@acme-ml-dev.iam.gserviceaccount.com"
GRANT = {"role": "roles/storage.admin", "member": "group:ml@example.com"}


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    started = Plugin(tmp_path)
    started.configure()
    yield started
    started.close()


def compute(name: str) -> str:
    return f"gcp:compute/{name[0].lower()}{name[1:]}:{name}"


NET: dict[str, Any] = {"network": f"{P}/global/networks/n"}
# Everything that the project declares, in an order in which it can be made: type, inputs, id, some outputs.
EVERYTHING: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("gcp:projects/service:Service", {"service": "compute.googleapis.com"}, "acme-ml-dev/compute.googleapis.com", {}),
    (
        ACCOUNT, {"accountId": "trainer"}, f"{P}/serviceAccounts/{EMAIL}",
        {"email": EMAIL, "member": f"serviceAccount:{EMAIL}", "name": f"{P}/serviceAccounts/{EMAIL}"},
    ),
    (
        "gcp:serviceaccount/iAMMember:IAMMember", {"serviceAccountId": f"{P}/serviceAccounts/{EMAIL}", **GRANT},
        f"{P}/serviceAccounts/{EMAIL}/roles/storage.admin/group:ml@example.com", {},
    ),
    (
        "gcp:projects/iAMMember:IAMMember", {"project": "acme-ml-dev", **GRANT},
        "acme-ml-dev/roles/storage.admin/group:ml@example.com", {},
    ),
    (
        BUCKET, {"name": "data", "location": "us-central1"}, "data",
        {"url": "gs://data", "location": "US-CENTRAL1", "selfLink": "https://www.googleapis.com/storage/v1/b/data"},
    ),
    (BUCKET_MEMBER, {"bucket": "data", **GRANT}, "b/data/roles/storage.admin/group:ml@example.com", {}),
    (
        REPOSITORY, {"repositoryId": "images", "format": "DOCKER"},
        f"{P}/locations/us-central1/repositories/images",
        {"name": "images", "registryUri": "us-central1-docker.pkg.dev/acme-ml-dev/images"},
    ),
    (
        "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
        {"repository": f"{P}/locations/us-central1/repositories/images", **GRANT},
        f"{P}/locations/us-central1/repositories/images/roles/storage.admin/group:ml@example.com", {},
    ),
    (
        "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
        {"cryptoKeyId": f"{P}/locations/us/keyRings/r/cryptoKeys/k", **GRANT},
        f"{P}/locations/us/keyRings/r/cryptoKeys/k/roles/storage.admin/group:ml@example.com", {},
    ),
    (
        "gcp:secretmanager/secret:Secret", {"secretId": "token", "replication": {"auto": {}}}, f"{P}/secrets/token", {},
    ),
    (
        "gcp:secretmanager/secretIamMember:SecretIamMember", {"secretId": "token", **GRANT},
        f"{P}/secrets/token/roles/storage.admin/group:ml@example.com", {},
    ),
    (
        NETWORK, {"name": "n", "autoCreateSubnetworks": False}, f"{P}/global/networks/n",
        {"selfLink": f"{COMPUTE}{P}/global/networks/n", "mtu": 1460, "routingMode": "REGIONAL"},
    ),
    (
        SUBNETWORK, {"name": "s", "ipCidrRange": "10.20.0.0/20", **NET}, f"{P}/regions/us-central1/subnetworks/s",
        {"gatewayAddress": "10.20.0.1", "region": "us-central1", "purpose": "PRIVATE"},
    ),
    (compute("Router"), {"name": "r", **NET}, f"{P}/regions/us-central1/routers/r", {}),
    (
        compute("RouterNat"), {"name": "nat", "router": "r", "sourceSubnetworkIpRangesToNat": "ALL"},
        "acme-ml-dev/us-central1/r/nat", {"natIpAllocateOption": "AUTO_ONLY"},
    ),
    (compute("Firewall"), {"name": "f", **NET}, f"{P}/global/firewalls/f", {"priority": 1000, "direction": "INGRESS"}),
    (
        compute("GlobalAddress"),
        {"name": "peering", "purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 16, **NET},
        f"{P}/global/addresses/peering", {"addressType": "INTERNAL"},
    ),
    (
        "gcp:servicenetworking/connection:Connection",
        {"service": "servicenetworking.googleapis.com", "reservedPeeringRanges": ["peering"], **NET},
        "projects%2Facme-ml-dev%2Fglobal%2Fnetworks%2Fn:servicenetworking.googleapis.com",
        {"peering": "servicenetworking-googleapis-com"},
    ),
    (
        compute("NetworkAttachment"),
        {"name": "psc", "connectionPreference": "ACCEPT_AUTOMATIC", "subnetworks": ["s"]},
        f"{P}/regions/us-central1/networkAttachments/psc", {"kind": "compute#networkAttachment"},
    ),
    (compute("Address"), {"name": "a"}, f"{P}/regions/us-central1/addresses/a", {"networkTier": "PREMIUM"}),
    (
        compute("HealthCheck"), {"name": "h", "tcpHealthCheck": {"port": 1}}, f"{P}/global/healthChecks/h",
        {"type": "TCP"},
    ),
    (compute("ResourcePolicy"), {"name": "compact"}, f"{P}/regions/us-central1/resourcePolicies/compact", {}),
    (
        compute("InstanceTemplate"),
        {"name": "t", "machineType": "n1-highcpu-16", "disks": [{"boot": True}], "networkInterfaces": [NET]},
        f"{P}/global/instanceTemplates/t", {"selfLink": f"{COMPUTE}{P}/global/instanceTemplates/t"},
    ),
    (
        compute("InstanceGroupManager"),
        {"name": "g", "baseInstanceName": "g", "versions": [{"instanceTemplate": f"{P}/global/instanceTemplates/t"}]},
        f"{P}/zones/us-central1-a/instanceGroupManagers/g",
        {"instanceGroup": f"{COMPUTE}{P}/zones/us-central1-a/instanceGroups/g"},
    ),
    (
        compute("PerInstanceConfig"), {"name": "g-0", "instanceGroupManager": "g"},
        "acme-ml-dev/us-central1-a/g/g-0", {"minimalAction": "NONE"},
    ),
    (
        compute("InstanceFromTemplate"), {"name": "i", "sourceInstanceTemplate": f"{P}/global/instanceTemplates/t"},
        f"{P}/zones/us-central1-a/instances/i", {"currentStatus": "RUNNING"},
    ),
    (
        CLUSTER, {"name": "c", "location": "us-central1", **NET}, f"{P}/locations/us-central1/clusters/c",
        {"selfLink": f"https://container.googleapis.com/v1/{P}/locations/us-central1/clusters/c"},
    ),
    (
        NODE_POOL, {"name": "gpus", "cluster": f"{P}/locations/us-central1/clusters/c", "nodeCount": 2},
        f"{P}/locations/us-central1/clusters/c/nodePools/gpus", {"location": "us-central1", "nodeCount": 2},
    ),
]  # fmt: skip


# Outputs that a resource without the feature in question does not have at Google either, and the last request's name.
UNSET = {"emulatedVersion", "gatewayIpv4", "ipv6CidrRange", "ipv6GceEndpoint", "network", "operation", "state"} | {
    "tpuIpv4CidrBlock",
    "users",
}


def test_every_type_has_googles_id_and_outputs_and_goes_again(plugin: Plugin) -> None:
    assert {row[0] for row in EVERYTHING} == set(KINDS)
    made = []
    for type, inputs, expected_id, expected in EVERYTHING:
        checked, failures = plugin.check(type, inputs)
        assert failures == {}
        id, outputs = plugin.create(type, checked)
        assert id == expected_id
        assert {key: outputs.get(key) for key in expected} == expected
        unset = output_kinds(type).keys() - outputs.keys()
        assert unset <= UNSET
        assert plugin.read(type, id, checked, outputs) == (id, checked, outputs)
        answer = plugin.diff(type, id, checked, checked, outputs)
        assert answer.changes == answer.DIFF_NONE
        made.append((type, id, {**outputs, "deletionProtection": False}))
    for type, id, outputs in reversed(made):
        plugin.delete(type, id, outputs)
        assert plugin.read(type, id)[0] == ""
    assert not list((plugin.state / "gcp" / "resources").glob("*/*.json"))
