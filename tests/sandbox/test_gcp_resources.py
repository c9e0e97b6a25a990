"""Resources are made, changed and deleted as Google would, and refused where Google refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.gcp.values import UNKNOWN, Secret
from tests.sandbox.gcp_process import (
    ACCOUNT,
    BUCKET,
    BUCKET_MEMBER,
    CLUSTER,
    NETWORK,
    NODE_POOL,
    SUBNETWORK,
    Plugin,
    refused,
)

COMPUTE = "https://www.googleapis.com/compute/v1/"
P = "projects/acme-ml-dev"
EMAIL = "trainer@acme-ml-dev.iam.gserviceaccount.com"
GRANT = {"role": "roles/storage.admin", "member": "group:ml@example.com"}
TO_TRAINER = {"role": "roles/storage.admin", "member": f"serviceAccount:{EMAIL}"}


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    started = Plugin(tmp_path)
    started.configure()
    yield started
    started.close()


NET: dict[str, Any] = {"network": f"{P}/global/networks/n"}


def test_a_preview_makes_nothing_and_knows_no_outputs(plugin: Plugin) -> None:
    id, outputs = plugin.create(NETWORK, {"name": "n"}, preview=True)
    assert id == ""
    assert outputs["name"] == "n"
    assert outputs["selfLink"] is UNKNOWN
    assert plugin.read(NETWORK, f"{P}/global/networks/n")[0] == ""


def test_a_preview_of_an_update_keeps_what_an_update_keeps(plugin: Plugin) -> None:
    id, outputs = plugin.create(BUCKET, {"name": "data", "location": "US"})
    previewed = plugin.update(
        BUCKET, id, outputs, {"name": "data", "location": "US", "labels": {"a": "1"}}, preview=True
    )
    assert previewed["url"] == "gs://data"
    assert previewed["updated"] is UNKNOWN
    assert previewed["effectiveLabels"] == {"a": "1", "goog-pulumi-provisioned": "true"}
    assert "labels" not in plugin.read(BUCKET, id)[2]


def test_an_update_changes_the_resource(plugin: Plugin) -> None:
    id, outputs = plugin.create(BUCKET, {"name": "data", "location": "US"})
    after = plugin.update(BUCKET, id, outputs, {"name": "data", "location": "US", "storageClass": "NEARLINE"})
    assert after["storageClass"] == "NEARLINE"
    assert after["timeCreated"] == outputs["timeCreated"]
    assert plugin.read(BUCKET, id)[2] == after


def test_an_update_of_what_is_gone_is_a_404(plugin: Plugin) -> None:
    assert "Error 404" in refused(plugin.update, NETWORK, f"{P}/global/networks/n", {}, {"name": "n"})


@pytest.mark.parametrize(
    ("type", "inputs", "words"),
    [
        pytest.param(NETWORK, {"name": "n"}, "alreadyExists", id="network"),
        pytest.param(BUCKET, {"name": "data", "location": "US"}, "conflict", id="bucket"),
        pytest.param(ACCOUNT, {"accountId": "trainer"}, "alreadyExists", id="account"),
    ],
)
def test_what_exists_is_not_made_again(plugin: Plugin, type: str, inputs: dict[str, Any], words: str) -> None:
    plugin.create(type, inputs)
    error = refused(plugin.create, type, inputs)
    assert "googleapi: Error 409" in error
    assert words in error


def test_grants_may_be_made_again(plugin: Plugin) -> None:
    plugin.create(BUCKET, {"name": "data", "location": "US"})
    assert plugin.create(BUCKET_MEMBER, {"bucket": "data", **GRANT}) == plugin.create(
        BUCKET_MEMBER, {"bucket": "data", **GRANT}
    )


@pytest.mark.parametrize(
    ("type", "inputs"),
    [
        pytest.param(SUBNETWORK, {"name": "s", "ipCidrRange": "10.0.0.0/24", **NET}, id="network"),
        pytest.param(NODE_POOL, {"name": "p", "cluster": "c", "location": "us-central1"}, id="cluster"),
        pytest.param(BUCKET_MEMBER, {"bucket": "data", **GRANT}, id="bucket"),
    ],
)
def test_what_names_a_missing_resource_is_a_404(plugin: Plugin, type: str, inputs: dict[str, Any]) -> None:
    assert "Error 404" in refused(plugin.create, type, inputs)


def test_a_grant_to_an_account_that_does_not_exist_is_refused(plugin: Plugin) -> None:
    plugin.create(BUCKET, {"name": "data", "location": "US"})
    assert EMAIL in refused(plugin.create, BUCKET_MEMBER, {"bucket": "data", **TO_TRAINER})
    plugin.create(ACCOUNT, {"accountId": "trainer"})
    assert plugin.create(BUCKET_MEMBER, {"bucket": "data", **TO_TRAINER})[0]


def test_a_label_called_network_names_no_network(plugin: Plugin) -> None:
    plugin.create(BUCKET, {"name": "data", "location": "US", "labels": {"network": f"{P}/global/networks/none"}})


def test_a_used_network_is_not_deleted(plugin: Plugin) -> None:
    id, _ = plugin.create(NETWORK, {"name": "n"})
    subnetwork, _ = plugin.create(SUBNETWORK, {"name": "s", "ipCidrRange": "10.0.0.0/24", "network": f"{COMPUTE}{id}"})
    error = refused(plugin.delete, NETWORK, id)
    assert "resourceInUseByAnotherResource" in error
    assert subnetwork in error
    plugin.delete(SUBNETWORK, subnetwork)
    plugin.delete(NETWORK, id)


def test_parts_go_with_their_owner(plugin: Plugin) -> None:
    cluster, _ = plugin.create(CLUSTER, {"name": "c", "location": "us-central1"})
    pool, _ = plugin.create(NODE_POOL, {"name": "p", "cluster": cluster})
    plugin.delete(CLUSTER, cluster)
    assert plugin.read(NODE_POOL, pool)[0] == ""


def test_a_protected_cluster_is_not_deleted(plugin: Plugin) -> None:
    cluster, outputs = plugin.create(CLUSTER, {"name": "c", "location": "us-central1"})
    assert "deletionProtection" in refused(plugin.delete, CLUSTER, cluster, outputs)
    assert plugin.read(CLUSTER, cluster)[0] == cluster


def test_a_bucket_is_a_folder_and_keeps_its_objects(plugin: Plugin) -> None:
    id, outputs = plugin.create(BUCKET, {"name": "data", "location": "US"})
    folder = plugin.state / "gcs" / "data"
    (folder / "model").mkdir(parents=True)
    plugin.delete(BUCKET, id, outputs)
    assert not folder.exists()

    id, outputs = plugin.create(BUCKET, {"name": "data", "location": "US"})
    (folder / "object").write_text("x")
    assert "force_destroy" in refused(plugin.delete, BUCKET, id, outputs)
    assert (folder / "object").exists()
    plugin.delete(BUCKET, id, {**outputs, "forceDestroy": True})
    assert not folder.exists()


def test_an_abandoned_resource_stays(plugin: Plugin) -> None:
    id, outputs = plugin.create(NETWORK, {"name": "n", "deletionPolicy": "ABANDON"})
    plugin.delete(NETWORK, id, outputs)
    assert plugin.read(NETWORK, id)[0] == id


def test_secrets_come_back_as_secrets(plugin: Plugin) -> None:
    inputs = {"name": "n", "description": Secret("hunter2")}
    id, outputs = plugin.create(NETWORK, inputs)
    assert outputs["description"] == Secret("hunter2")
    _, read_inputs, properties = plugin.read(NETWORK, id, inputs, outputs)
    assert read_inputs == inputs
    assert properties["description"] == Secret("hunter2")


def test_labels_are_those_of_the_provider_and_the_resource(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    plugin.configure(defaultLabels=json.dumps({"team": "ml", "a": "0"}), addPulumiAttributionLabel="false")
    _, outputs = plugin.create(BUCKET, {"name": "data", "location": "US", "labels": {"a": "1"}})
    plugin.close()
    assert outputs["effectiveLabels"] == {"team": "ml", "a": "1"}


def test_a_missing_project_is_said(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    plugin.configure(project="")
    error = refused(plugin.create, NETWORK, {"name": "n"}, preview=True)
    plugin.close()
    assert error.startswith("project:")
