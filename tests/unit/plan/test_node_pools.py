from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.unit.jobs import plan_job
from tests.unit.rules.test_consumption import SPECIFIC, gke
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.node_pools import NAME_LIMIT, NodePool, node_pools
from trainingjobs.spec.reading import read_job


def plan(name: str, document: dict[str, Any]) -> JobPlan:
    reading = read_job(document)
    assert reading.findings == ()
    return plan_job(name, reading.value)


def pools(*documents: dict[str, Any]) -> tuple[NodePool, ...]:
    return node_pools(plan(f"job-{i}", document) for i, document in enumerate(documents))[0]


def test_workers_share_the_primarys_pool() -> None:
    (pool,) = pools(gke({"nodePool": {"fastSocket": True}}))
    assert (pool.max_nodes, pool.fast_socket) == (2, True)


def test_roles_are_placed() -> None:
    document = gke({})
    document["pools"]["evaluators"] = {"machineType": "n1-standard-8"}
    declared, runs_on = node_pools([plan("a", document)])
    assert runs_on["a", "primary"] == runs_on["a", "workers"] != runs_on["a", "evaluators"]
    assert {pool.name for pool in declared} == set(runs_on.values())


def test_a_name_changes_with_what_gke_cannot_change() -> None:
    base, *others = (
        pools(document)[-1].name
        for document in (
            gke({}),
            gke({}, "SPOT"),
            gke({}, "FLEX_START"),
            gke({"reservationAffinity": SPECIFIC}),
            gke({"nodePool": {"placementPolicy": "COMPACT", "nodeLocations": ["z"]}}),
            gke({"nodePool": {"gpuDriverVersion": "DEFAULT"}}),
            gke({"machineType": "a2-highgpu-4g"}),
        )
    )
    assert len({base, *others}) == 1 + len(others)
    assert all(len(name) <= NAME_LIMIT for name in (base, *others))


def test_a_name_stays_with_what_gke_changes_in_place() -> None:
    more = gke({})
    more["pools"]["workers"] = {"replicaCount": 30}
    assert pools(gke({}))[0].name == pools(more)[0].name


def test_a_flex_start_jobs_reducers_are_bought_on_demand() -> None:
    document = gke({}, "FLEX_START")
    document["pools"]["reducers"] = {"machineType": "n2-highcpu-80", "container": {"imageUri": "x"}, "replicaCount": 2}
    strategies = {pool.machine_type: pool.strategy for pool in pools(document)}
    assert strategies == {"a2-highgpu-8g": "FLEX_START", "n2-highcpu-80": "STANDARD"}


def test_machines_that_are_queued_for_end_with_the_job() -> None:
    assert pools(gke({}, scheduling={"strategy": "FLEX_START"}))[0].max_run_seconds == 604_800
    assert pools(gke({}, scheduling={"strategy": "FLEX_START", "timeout": "90s"}))[0].max_run_seconds == 90
    assert pools(gke({}, "SPOT"))[0].max_run_seconds is None


def test_names_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import json; from tests.unit.plan.test_node_pools import pools, gke; "
        "print(json.dumps([p.name for p in pools(gke({}, 'SPOT'), gke({}))]))"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(names) == 1
    assert len(json.loads(names.pop())) == 2
