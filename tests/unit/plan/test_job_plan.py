"""The facts of a document: each field of the job and of its pools, at its path, and what is not known of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, SERVER, plan_job
from trainingjobs.estimates import reducers as sizing
from trainingjobs.facts.job import Declared, JobFacts, PoolFacts
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job

AT = "training:jobs.bert"
WHERE: dict[str, Any] = {"region": "europe-west4", "environment": "staging", "path": AT}
DOCUMENT: dict[str, Any] = {
    "framework": "pytorch",
    "container": {
        "imageUri": IMAGE,
        "command": ["python"],
        "args": ["-m", "t"],
        "env": {"A": "b"},
        "declares": {"torch": "2.3", "nccl": "2.18", "tensorflow": "2.15", "packages": ["p"]},
    },
    "pools": {
        "primary": {
            "machineType": "n1-highmem-96",
            "acceleratorType": "NVIDIA_TESLA_V100",
            "acceleratorCount": 8,
            "bootDiskType": "pd-standard",
            "bootDiskSizeGb": 300,
            "reservationAffinity": {
                "reservationAffinityType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["r"],
            },
        },
        "workers": {"replicaCount": 4},
        "reducers": {"machineType": "n1-highcpu-16"},
    },
    "serviceAccount": "a@b.iam.gserviceaccount.com",
    "scheduling": {"strategy": "SPOT", "timeout": "3600s", "restartJobOnWorkerRestart": True},
    "labels": {"team": "nlp"},
    "runtimeVersion": "2.1",
    "useChiefInTfConfig": True,
    "allowReplaceWhileRunning": True,
}
MACHINE = {"machine_type": "n1-highmem-96", "accelerator_type": "NVIDIA_TESLA_V100", "accelerator_count": 8}
DISK = {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 300}
CODE = {
    "image": IMAGE,
    "env": {"A": "b"},
    "args": ("python", "-m", "t"),
    "declares": Declared(tensorflow="2.15", torch="2.3", nccl="2.18", packages=("p",)),
}
FACTS = JobFacts(
    name="bert",
    path=AT,
    kind="customJob",
    framework="pytorch",
    region="europe-west4",
    environment="staging",
    pools=(
        PoolFacts(
            role="primary",
            position=0,
            path=f"{AT}.pools.primary",
            replica_count=1,
            reservation="SPECIFIC_RESERVATION",
            reservation_values=("r",),
            of_job=frozenset({"container", "pythonPackage"}),
            job_path=AT,
            **MACHINE,
            **DISK,
            **CODE,
        ),
        PoolFacts(
            role="workers",
            position=1,
            path=f"{AT}.pools.workers",
            replica_count=4,
            inherited=frozenset({*MACHINE, *DISK, "image", "node_pool"}),
            job_path=AT,
            **MACHINE,
            **DISK,
            **CODE,
        ),
        PoolFacts(
            role="reducers",
            position=2,
            path=f"{AT}.pools.reducers",
            replica_count=16,
            machine_type="n1-highcpu-16",
            image=SERVER.replace("us-docker", "europe-docker"),
            job_path=AT,
        ),
    ),
    service_account="a@b.iam.gserviceaccount.com",
    has_own_account=True,
    allows_replacement=True,
    strategy="SPOT",
    restarts=True,
    labels={"team": "nlp"},
    runtime_version="2.1",
    uses_chief=True,
    timeout=3600.0,
)


def planned(document: dict[str, Any], **options: Any) -> JobPlan:
    reading = read_job(document, options.get("path", ""))
    return plan_job("bert", reading.value, unknown=reading.unknown, **options)


def changed(**pools: Any) -> dict[str, Any]:
    return {**DOCUMENT, "pools": {**DOCUMENT["pools"], **pools}}


def test_every_fact() -> None:
    plan = planned(DOCUMENT, **WHERE)
    assert plan.facts == FACTS
    assert plan.facts.pools[0].at("container.imageUri") == f"{AT}.container.imageUri"
    assert plan.facts.pools[0].at("machineType") == f"{AT}.pools.primary.machineType"
    assert (plan.name, plan.path, plan.kind, plan.region, plan.environment) == (
        "bert",
        AT,
        "customJob",
        "europe-west4",
        "staging",
    )


def test_what_a_document_of_its_own_leaves_out() -> None:
    facts = planned({"container": {"imageUri": IMAGE}, "pools": {"primary": {"machineType": "n1-standard-4"}}}).facts
    assert (facts.path, facts.region, facts.environment, facts.has_output) == ("", "us-central1", None, False)
    assert (facts.strategy, facts.restarts, facts.timeout, facts.labels) == (None, None, None, {})
    assert facts.pools[0].path == "pools.primary"
    assert facts.pools[0].at("container.imageUri") == "container.imageUri"
    assert facts.unknown == frozenset()


def test_a_job_of_a_stack_has_a_folder_of_its_own_on_vertex_alone() -> None:
    for platform, has_output in (("vertex", True), ("gke", False)):
        assert planned({**DOCUMENT, "platform": platform}, in_stack=True).facts.has_output is has_output


@pytest.mark.parametrize(
    ("document", "unknown", "of_pools"),
    [
        ({**DOCUMENT, "framework": 3}, {"framework"}, {}),
        ({**DOCUMENT, "labels": 3}, {"labels"}, {}),
        (changed(primary={"machineType": 8}), {"pools.primary.machineType"}, {0: {"machineType"}, 1: {"machineType"}}),
        (changed(workers={"replicaCount": "4"}), {"pools.workers.replicaCount"}, {1: {"replicaCount"}}),
        (
            {**DOCUMENT, "container": {"imageUri": 1, "args": [2], "env": {"A": 3}}},
            {"container.imageUri", "container.args[0]", "container.env.A"},
            {pool: {"container.imageUri", "container.args", "container.env"} for pool in (0, 1)},
        ),
    ],
)
def test_what_is_ill_formed_is_not_known(
    document: dict[str, Any], unknown: set[str], of_pools: dict[int, set[str]]
) -> None:
    facts = planned(document, **WHERE).facts
    assert facts.unknown == unknown
    assert facts.framework == (None if "framework" in unknown else "pytorch")
    assert {pool.position: pool.unknown for pool in facts.pools if pool.unknown} == of_pools


def test_a_pools_own_code_is_at_the_pool() -> None:
    own = {**DOCUMENT["pools"]["primary"], "container": {"env": {"C": "d"}}}
    pool = planned(changed(primary=own), **WHERE).facts.pools[0]
    assert pool.of_job == {"container.imageUri", "container.declares", "container.args"}
    assert (pool.image, pool.env, pool.args) == (IMAGE, {"A": "b", "C": "d"}, ("python", "-m", "t"))
    own = {**own, "container": {"command": ["run"], "declares": {"nccl": "2.7"}}}
    assert planned(changed(primary=own)).facts.pools[0].of_job == {"container.imageUri", "container.env"}
    own = {**own, "container": {"imageUri": "a/b:1"}}
    assert planned(changed(primary=own)).facts.pools[0].of_job == frozenset()
    package = {"executorImageUri": "x", "packageUris": ["gs://b/p.tar.gz"], "pythonModule": "t.task"}
    pool = planned(changed(primary={"machineType": "n1-standard-4", "pythonPackage": package})).facts.pools[0]
    assert (pool.of_job, pool.image_path) == (frozenset(), "pools.primary.pythonPackage.executorImageUri")


def test_sizing() -> None:
    plan = planned(DOCUMENT, **WHERE)
    assert plan.sizing is not None
    assert [(group.count, group.host_gbps) for group in plan.sizing.nodes] == [(1, 100), (4, 100)]
    assert (plan.sizing.node_count, plan.sizing.pool.replica_count, plan.sizing.pool.gbps) == (5, 16, 512)
    assert plan.sizing.verdict == sizing.verdict(plan.sizing.nodes, plan.sizing.pool.gbps)
    assert plan.sizing.verdict.speedup is not None


@pytest.mark.parametrize(
    ("reducers", "pool"),
    [
        ({"machineType": "auto"}, ("n1-highcpu-16", 16)),
        ({"machineType": "auto", "replicaCount": 20}, ("n1-highcpu-16", 20)),
        ({"replicaCount": 3}, ("n1-highcpu-16", 3)),
        ({"machineType": "n1-standard-64"}, ("n1-standard-64", 16)),
        ({"machineType": "no-such"}, None),
    ],
)
def test_reducers_are_sized(reducers: dict[str, Any], pool: tuple[str, int] | None) -> None:
    plan = planned(changed(reducers=reducers), **WHERE)
    assert (plan.sizing and (plan.sizing.pool.machine_type, plan.sizing.pool.replica_count)) == pool
    reducer_pool = next(candidate for candidate in plan.pools if candidate.role == "reducers")
    assert (reducer_pool.machine_type, reducer_pool.replica_count) == (pool or ("no-such", 0))


def test_what_cannot_be_sized_is_left_open() -> None:
    for primary in ({"machineType": 8}, {"machineType": "no-such-machine"}):
        plan = planned(changed(primary=primary, reducers={"machineType": "auto"}), **WHERE)
        [reducers] = [pool for pool in plan.pools if pool.role == "reducers"]
        assert (plan.sizing, reducers.machine_type, reducers.replica_count) == (None, None, 0)
        # They are there though their number is open; a primary of none is not.
        assert [pool.position for pool in plan.facts.of("reducers")] == [2]
    assert planned(changed(primary={"replicaCount": 0})).facts.of("primary") == ()
    # Parameter servers and evaluators take no part in the all-reduce.
    small = {"machineType": "n1-standard-4"}
    plan = planned(changed(evaluators=small), **WHERE)
    assert plan.sizing is not None
    assert plan.sizing.node_count == 5
