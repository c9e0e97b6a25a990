"""Least privilege: the roles that the documents ask for are those that what is called and declared needs, no others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from tests.engine.lab import ROOT, Lab
from tests.provider import bodies
from tests.provider.plugin_process import COMPLETION, CUSTOM_JOB, Engine, Plugin
from tests.provider.vertex_proxy import Proxy
from trainingjobs.components import gke_cluster as cluster
from trainingjobs.components import identity, kubernetes_job, tokens

NEEDED: dict[str, Any] = json.loads((ROOT / "docs" / "permissions.json").read_text())
INPUTS = {
    CUSTOM_JOB: bodies.inputs,
    "trainingjobs:vertex:HyperparameterTuningJob": bodies.tuning,
    "trainingjobs:vertex:TrainingPipeline": bodies.pipeline,
}
# Roles that are not the deployer's on the stack's project: the back end's, and who only looks.
OTHER = {"roles/storage.objectUser"}


@pytest.fixture
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Proxy, dict[str, str]]]:
    lab = Lab(tmp_path_factory.mktemp("roles"))
    lab.start()
    made = Proxy(lab.environment["TRAINING_VERTEX_ENDPOINT"])
    kept = ("TRAINING_SANDBOX", "TRAINING_VERTEX_TOKEN")
    yield made, {**{key: lab.environment[key] for key in kept}, "TRAINING_VERTEX_ENDPOINT": made.endpoint}
    made.close()
    lab.sandbox("stop")


def call(method: str, path: str) -> str:
    """Returns a call without what is somebody's own: `GET customJobs/*`."""
    place = re.sub(r"^/v\d/(projects/[^/]+/locations/[^/]+/)?", "", path.partition("?")[0])
    return f"{method} {re.sub(r'/[0-9]+', '/*', place)}"


def test_every_call_of_the_plugin_is_listed_and_no_other(proxy: tuple[Proxy, dict[str, str]]) -> None:
    recorder, environment = proxy
    engine = Engine()
    plugin = Plugin(environment, engine)
    try:
        for token, inputs in INPUTS.items():
            live, outputs = plugin.create(inputs(), token)
            plugin.read(live, outputs, inputs(), token)
            plugin.delete(live, outputs, token)
        failed, _ = plugin.create(bodies.inputs(bodies.FAILING))
        with pytest.raises(grpc.RpcError):
            plugin.create({"job": failed, "waitFor": "succeeded"}, COMPLETION)
    finally:
        plugin.close()
        engine.server.stop(None)
    # The sandbox's own routes stand for nothing of Google's.
    made = {call(sent.method, sent.path) for sent in recorder.sent if not sent.path.startswith("/sandbox/")}
    assert made ^ NEEDED["calls"].keys() == set()


def test_every_type_of_resource_is_listed_and_no_other() -> None:
    declared = {value for value in vars(tokens).values() if isinstance(value, str) and value.startswith("gcp:")}
    assert declared == NEEDED["resources"].keys()


def test_the_deployers_roles_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "operating.md").read_text().partition("## Roles")[2].partition("A job itself")[0]
    asked = set(re.findall(r"roles/[A-Za-z.0-9]+", page)) - OTHER
    entries = [*NEEDED["calls"].values(), *NEEDED["resources"].values(), NEEDED["runningAsAnAccount"]]
    assert asked == {entry["role"] for entry in entries}


def test_a_jobs_roles_are_those_that_components_grant() -> None:
    granted = {*identity.PROJECT_ROLES, identity.VERTEX_ROLE, *identity.BUCKET_ROLES.values()}
    assert granted == NEEDED["jobs"].keys()
    assert set(cluster.NODE_ROLES) == NEEDED["nodes"].keys()
    assert {kubernetes_job.WORKLOAD_ROLE} == NEEDED["workloads"].keys()


def test_nothing_grants_a_role_that_is_not_listed() -> None:
    listed = {role for part in ("jobs", "nodes", "workloads") for role in NEEDED[part]}
    for path in (ROOT / "trainingjobs" / "components").glob("*.py"):
        assert set(re.findall(r"roles/[A-Za-z.0-9]+", path.read_text())) <= listed, path


def test_no_role_is_wide() -> None:
    entries = [*NEEDED["calls"].values(), *NEEDED["resources"].values(), NEEDED["runningAsAnAccount"]]
    for entry in entries:
        assert entry["role"] not in ("roles/owner", "roles/editor", "roles/viewer")
        assert all("*" not in permission for permission in entry["permissions"])
        assert isinstance(entry["sure"], bool)
