"""What can run training and is read by no rule is said of its resource, whatever declares it."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.policies.pack import UNKNOWN, analyzed, configured, secret
from tests.policies.samples import Sample, resource_samples
from trainingjobs import catalog
from trainingjobs.components.reducer_pool import template_body
from trainingjobs.facts.unjudged import EACH, TABLE
from trainingjobs.plan.infrastructure import ReducerVms
from trainingjobs.spec.job import Container

RULE = "unjudged-training"
INSTANCE = "gcp:compute/instance:Instance"
TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
FROM_TEMPLATE = "gcp:compute/instanceFromTemplate:InstanceFromTemplate"
RUN_JOB = "gcp:cloudrunv2/job:Job"
RUN_SERVICE = "gcp:cloudrunv2/service:Service"
WORKBENCH = "gcp:workbench/instance:Instance"
T4 = {"type": "nvidia-tesla-t4", "count": 1}
GPU = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}

TRAINABLE = [
    (INSTANCE, {"machineType": "a2-highgpu-1g"}, "machineType"),
    (INSTANCE, {"machineType": "projects/p/zones/z/machineTypes/g2-standard-96"}, "machineType"),
    (INSTANCE, {"machineType": "a3-highgpu-512g"}, "machineType"),
    (INSTANCE, {"machineType": "n1-standard-8", "guestAccelerators": [T4]}, "guestAccelerators[0]"),
    (INSTANCE, {"machineType": "n1-standard-8", "guestAccelerators": secret([secret(T4)])}, "guestAccelerators[0]"),
    (TEMPLATE, {"machineType": "a4-highgpu-8g"}, "machineType"),
    ("gcp:compute/regionInstanceTemplate:RegionInstanceTemplate", {"machineType": "g4-standard-48"}, "machineType"),
    (FROM_TEMPLATE, {"sourceInstanceTemplate": "t"}, "sourceInstanceTemplate"),
    (FROM_TEMPLATE, {"sourceInstanceTemplate": "t", "machineType": "a2-highgpu-1g"}, "machineType"),
    ("gcp:tpu/v2Vm:V2Vm", {"acceleratorType": "v5litepod-4"}, "acceleratorType"),
    ("gcp:tpu/v2QueuedResource:V2QueuedResource", {}, "tpu"),
    (
        RUN_JOB,
        {"template": {"template": {"nodeSelector": {"accelerator": "nvidia-l4"}}}},
        "template.template.nodeSelector.accelerator",
    ),
    (
        RUN_JOB,
        {"template": {"template": {"containers": [{}, GPU]}}},
        "template.template.containers[1].resources.limits.nvidia.com/gpu",
    ),
    (RUN_SERVICE, {"template": {"nodeSelector": {"accelerator": "nvidia-l4"}}}, "template.nodeSelector.accelerator"),
    ("gcp:batch/job:Job", {}, "taskGroups"),
    ("gcp:vertex/aiPersistentResource:AiPersistentResource", {}, "resourcePools"),
    ("google-native:aiplatform/v1:CustomJob", {}, "jobSpec"),
    (WORKBENCH, {"gceSetup": {"machineType": "g2-standard-4"}}, "gceSetup.machineType"),
    ("pulumi-python:dynamic:Resource", {}, "__provider"),
    ("pulumi-python:dynamic/jobs:Training", {}, "__provider"),
    ("pulumi-nodejs:dynamic:Resource", {}, "__provider"),
    ("command:local:Command", {"create": "gcloud ai custom-jobs create"}, "create"),
    ("command:remote:Command", {}, "create"),
]
HARMLESS = [
    (INSTANCE, {"machineType": "n2-standard-4"}),
    (INSTANCE, {"machineType": "n1-standard-8", "guestAccelerators": []}),
    (INSTANCE, {"machineType": "n1-standard-8", "guestAccelerators": [{**T4, "count": 0}]}),
    (INSTANCE, {}),
    (FROM_TEMPLATE, {"sourceInstanceTemplate": "t", "machineType": "e2-small"}),
    (RUN_JOB, {"template": {"template": {"containers": [{"resources": {"limits": {"cpu": "8"}}}]}}}),
    (RUN_SERVICE, {"template": {"containers": [{"image": "a"}]}}),
    (WORKBENCH, {"gceSetup": {"machineType": "e2-standard-4"}}),
    ("gcp:storage/bucket:Bucket", {}),
    ("gcp:compute/instanceGroupManager:InstanceGroupManager", {"versions": []}),
    ("somebody:else:Outer", {"machineType": "a2-highgpu-1g"}),
]


def told(token: str, props: Any, config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """The level and the path of what the rule says of a resource."""
    violations = analyzed(configured(config, "dev"), props, token)
    return [(level, message.partition(": ")[0]) for policy, level, message in violations if policy == RULE]


@pytest.mark.parametrize(("token", "props", "path"), TRAINABLE)
def test_what_can_run_training_is_advice_and_an_error_where_the_configuration_says_so(
    token: str, props: dict[str, Any], path: str
) -> None:
    assert told(token, props) == [("advisory", path)]
    assert told(token, props, {RULE: "mandatory"}) == [("mandatory", path)]
    assert told(token, props, {RULE: "disabled"}) == []


@pytest.mark.parametrize(("token", "props"), HARMLESS)
def test_what_cannot_is_not_told(token: str, props: dict[str, Any]) -> None:
    assert told(token, props, {RULE: "mandatory"}) == []


@pytest.mark.parametrize(
    ("props", "path"),
    [
        ({"machineType": UNKNOWN}, "machineType"),
        ({"machineType": "n1-standard-4", "guestAccelerators": UNKNOWN}, "guestAccelerators"),
        ({"machineType": "n1-standard-4", "guestAccelerators": [UNKNOWN]}, "guestAccelerators[0]"),
    ],
)
def test_what_is_not_known_yet_is_advice_even_where_the_rule_is_an_error(props: dict[str, Any], path: str) -> None:
    assert told(INSTANCE, props, {RULE: "mandatory"}) == [("advisory", path)]


@pytest.mark.parametrize("value", [None, 7, "a2", [], {}, [[]], [None], [7], {"containers": 7}, UNKNOWN])
def test_nothing_that_a_resource_holds_breaks_it(value: Any) -> None:
    for row in TABLE:
        for place in (*row.accelerators, *row.machines):
            for level, _ in told(row.token.replace("*", "v1"), {place[0]: value}):
                assert level == "advisory"


@pytest.mark.parametrize("sample", resource_samples(), ids=lambda sample: sample.name)
def test_samples(sample: Sample) -> None:
    document = sample.document
    violations = {policy for policy, _, _ in analyzed(configured(), document["properties"], document["type"])}
    assert violations == (set() if sample.allowed else {sample.rule})


def test_our_own_reducers_are_not_told() -> None:
    vms = ReducerVms(
        job="bert",
        name="dev-bert-reducer",
        path="pools.reducers",
        machine_type="",
        count=2,
        zone="us-central1-a",
        container=Container.model_validate({"imageUri": "us-docker.pkg.dev/acme/reducer"}),
        tier1=False,
        min_cpu_platform=None,
        strategy="STANDARD",
        boot_disk_type=None,
        boot_disk_size_gb=None,
    )
    machines = [name for name in catalog.machine_names() if (known := catalog.machine(name)) and known.proven_reducer]
    for machine_type in machines:
        body = template_body(replace(vms, machine_type=machine_type), "{}", "acme-ml-dev", None, "subnetwork")
        assert told(TEMPLATE, dict(body), {RULE: "mandatory"}) == []


IN_SDK = [row for row in TABLE if row.token.startswith("gcp:") and EACH not in row.token]


@pytest.mark.parametrize("row", [row for row in IN_SDK if "notebooks" not in row.token], ids=lambda row: row.token)
def test_tokens_and_properties_are_those_of_the_gcp_provider(row: Any) -> None:
    module, name = row.token.removeprefix("gcp:").split("/")[0], row.token.split(":")[-1]
    resource = getattr(importlib.import_module(f"pulumi_gcp.{module}"), name)
    assert resource.pulumi_type == row.token
    for key in {place[0] for place in (*row.accelerators, *row.machines)} | ({row.path} if row.path else set()):
        assert hasattr(resource, re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key))
