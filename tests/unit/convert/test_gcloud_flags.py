"""A job as gcloud's command: which fit into flags and which need the file, and every flag."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.unit.jobs import IMAGE
from tests.unit.workloads.samples import CPU, planned
from trainingjobs.convert import gcloud
from trainingjobs.judge.jobs import judge_job
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.custom_job import CustomJob

ALONE = {"container": {"imageUri": IMAGE}, "pools": {"primary": CPU}}
HEAD = ["gcloud", "ai", "custom-jobs", "create", "--region=us-central1", "--display-name=job"]
POOL = f"--worker-pool-spec=machine-type=n1-standard-8,replica-count=1,container-image-uri={IMAGE}"


def words(document: dict[str, Any]) -> list[str]:
    return shlex.split(gcloud.render(planned(document)).replace("\\\n", " "))


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({}, [POOL]),
        ({"displayName": "my job"}, [POOL]),
        ({"labels": {"b": "2", "a": "1"}}, ["--labels=a=1,b=2", POOL]),
        ({"encryptionSpec": {"kmsKeyName": "k"}}, ["--kms-key=k", POOL]),
        ({"serviceAccount": "a@b"}, [POOL, "--service-account=a@b"]),
        ({"network": "projects/1/global/networks/n"}, [POOL, "--network=projects/1/global/networks/n"]),
        ({"persistentResourceId": "p"}, [POOL, "--persistent-resource-id=p"]),
        ({"enableWebAccess": True}, [POOL, "--enable-web-access"]),
        ({"enableDashboardAccess": True}, [POOL, "--enable-dashboard-access"]),
        ({"enableWebAccess": False}, [POOL]),
        (
            {"pools": {"primary": CPU, "parameterServers": {**CPU, "replicaCount": 2}}},
            [POOL, "--worker-pool-spec=", POOL.replace("replica-count=1", "replica-count=2")],
        ),
        (
            {"pools": {"primary": {**CPU, "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2}}},
            [
                "--worker-pool-spec=machine-type=n1-standard-8,replica-count=1,accelerator-type=NVIDIA_TESLA_T4,"
                f"accelerator-count=2,container-image-uri={IMAGE}"
            ],
        ),
        (
            {
                "serviceAccount": "a@b",
                "network": "projects/1/global/networks/n",
                "persistentResourceId": "p",
                "enableWebAccess": True,
                "enableDashboardAccess": True,
            },
            [
                POOL,
                "--service-account=a@b",
                "--network=projects/1/global/networks/n",
                "--persistent-resource-id=p",
                "--enable-web-access",
                "--enable-dashboard-access",
            ],
        ),
    ],
)
def test_what_fits_into_flags(changes: dict[str, Any], flags: list[str]) -> None:
    head = [*HEAD[:-1], f"--display-name={changes.get('displayName', 'job')}"]
    assert words({**ALONE, **changes}) == [*head, *flags]


@pytest.mark.parametrize(
    "changes",
    [
        {"container": {"imageUri": IMAGE, "args": ["é"]}},
        {"container": {"imageUri": IMAGE, "command": ["run"]}},
        {"container": {"imageUri": IMAGE, "env": {"A": "1"}}},
        {"pools": {"primary": {**CPU, "bootDiskSizeGb": 200}}},
        {"pools": {"primary": {**CPU, "reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"}}}},
        {"scheduling": {"timeout": "60s"}},
        {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}},
        {"tensorboard": "projects/1/locations/l/tensorboards/2"},
    ],
)
def test_what_needs_the_file(changes: dict[str, Any]) -> None:
    plan = planned({**ALONE, **changes})
    head, _, rest = gcloud.render(plan).partition(" <<'EOF'\n")
    assert shlex.split(head.replace("\\\n", " ")) == [*HEAD, "--config=/dev/stdin"]
    text = rest.removesuffix("\nEOF")
    assert json.loads(text) == CustomJob().body(plan)["jobSpec"]
    # People read and edit it: indented, and words of their language as they are.
    assert text == json.dumps(CustomJob().body(plan)["jobSpec"], indent=2, ensure_ascii=False)


@pytest.mark.parametrize(
    ("pools", "places"),
    [
        ({"primary": CPU, "workers": {"replicaCount": 2}}, []),
        ({"primary": {"replicaCount": 1}, "workers": {"replicaCount": 2}}, ["primary.machineType"]),
        ({"primary": CPU, "parameterServers": {"replicaCount": 2}}, ["parameterServers.machineType"]),
        ({"primary": {**CPU, "acceleratorCount": 2}, "workers": {"replicaCount": 2}}, ["primary.acceleratorType"]),
        ({"primary": CPU, "workers": {"replicaCount": 2, "acceleratorCount": 2}}, ["workers.acceleratorType"]),
    ],
)
def test_a_clusters_job_gets_errors_for_the_machines_that_the_service_needs(
    pools: dict[str, Any], places: list[str]
) -> None:
    findings = gcloud.losses(planned({**ALONE, "platform": "kubernetes", "kind": "jobset", "pools": pools}))
    assert [(each.severity, each.path) for each in findings] == [("error", f"pools.{place}") for place in places]


def of_stack(document: dict[str, Any]) -> JobPlan:
    value = read_job(document).value
    assert value is not None
    return judge_job("job", value, path="training:jobs.a")[0]


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({}, []),
        ({"kind": "trainingPipeline"}, ["kind"]),
        ({"kind": "trainingPipeline", "modelToUpload": {"displayName": "m"}}, ["kind", "modelToUpload"]),
    ],
)
def test_gcloud_makes_no_pipelines(changes: dict[str, Any], places: list[str]) -> None:
    document = {**ALONE, **changes}
    assert [each.path for each in gcloud.losses(planned(document))] == places
    assert [each.path for each in gcloud.losses(of_stack(document))] == [f"training:jobs.a.{place}" for place in places]
    assert {each.severity for each in gcloud.losses(planned(document))} <= {"advice"}
