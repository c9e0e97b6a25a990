"""What a GKE node pool is made of, field by field, and what two jobs that share one ask of it together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.plan.test_node_pools import plan, pools
from tests.unit.rules.test_consumption import ANY, COMPACT, SPECIFIC, gke
from trainingjobs.plan.node_pools import NAME_LIMIT, NodePool, node_pool, node_pools
from trainingjobs.spec.job import ReservationAffinity

DEFAULTS: dict[str, Any] = {
    "machine_type": "a2-highgpu-8g",
    "accelerator_type": "NVIDIA_TESLA_A100",
    "accelerator_count": 8,
    "strategy": "STANDARD",
    "queued": False,
    "reservation": None,
    "max_run_seconds": None,
    "compact": False,
    "fast_socket": False,
    "gpu_driver_version": "LATEST",
    "local_ssd_count": 0,
    "gpu_networks": 0,
    "zones": (),
    "tier1": False,
    "min_cpu_platform": None,
    "boot_disk_type": None,
    "boot_disk_size_gb": None,
    "reducers": False,
    "max_nodes": 2,
}


def fields(pool: NodePool | None) -> dict[str, Any]:
    assert pool is not None
    return {name: getattr(pool, name) for name in DEFAULTS}


def setting(**changes: Any) -> dict[str, Any]:
    return gke({"nodePool": changes})


def of_primary(document: dict[str, Any]) -> NodePool:
    """Returns the pool that the primary runs on; workers share it unless it is reserved."""
    declared, runs_on = node_pools([plan("j", document)])
    return next(pool for pool in declared if pool.name == runs_on["j", "primary"])


RESERVATION = ReservationAffinity.model_validate(SPECIFIC)
FLEX = {"strategy": "FLEX_START", "max_run_seconds": 3600}


@pytest.mark.parametrize(
    ("document", "changes"),
    [
        (gke({}), {}),
        (gke({}, "SPOT"), {"strategy": "SPOT"}),
        (gke({}, "LOW_COST"), {"strategy": "SPOT"}),
        (gke({}, "FLEX_START"), FLEX),
        (gke({}, scheduling={"strategy": "FLEX_START"}), {**FLEX, "max_run_seconds": 604_800}),
        (gke({}, scheduling={"strategy": "FLEX_START", "timeout": "700000s"}), {**FLEX, "max_run_seconds": 604_800}),
        (gke({}, scheduling={"strategy": "FLEX_START", "timeout": "90.6s"}), {**FLEX, "max_run_seconds": 91}),
        (setting(queuedProvisioning=True), {"queued": True, "max_run_seconds": 3600}),
        (gke({"reservationAffinity": SPECIFIC}), {"reservation": RESERVATION, "max_nodes": 1}),
        (gke({"nodePool": COMPACT}), {"compact": True, "zones": ("us-central1-a",)}),
        (setting(fastSocket=True), {"fast_socket": True}),
        (setting(gpuDriverVersion="DEFAULT"), {"gpu_driver_version": "DEFAULT"}),
        (setting(localSsdCount=3), {"local_ssd_count": 3}),
        (setting(localSsdCount=0), {"local_ssd_count": 0}),
        (setting(gpuNetworks=2), {"gpu_networks": 2}),
        (
            gke({"bootDiskType": "pd-ssd", "bootDiskSizeGb": 300}),
            {"boot_disk_type": "pd-ssd", "boot_disk_size_gb": 300},
        ),
        (
            gke({"machineType": "a2-ultragpu-8g"}),
            {"machine_type": "a2-ultragpu-8g", "accelerator_type": "NVIDIA_A100_80GB", "local_ssd_count": 8},
        ),
        (
            gke({"machineType": "n1-standard-8"}),
            {"machine_type": "n1-standard-8", "accelerator_type": None, "accelerator_count": 0},
        ),
        (
            gke({"machineType": "n1-standard-8"}, "FLEX_START"),
            {"machine_type": "n1-standard-8", "accelerator_type": None, "accelerator_count": 0},
        ),
    ],
)
def test_a_pool_of_trainers(document: dict[str, Any], changes: dict[str, Any]) -> None:
    assert fields(of_primary(document)) == {**DEFAULTS, **changes}


@pytest.mark.parametrize(
    ("machine", "changes"),
    [
        ("n1-highcpu-16", {"min_cpu_platform": "Intel Skylake"}),
        ("n2-highcpu-80", {"tier1": True}),
        ("n2-highcpu-16", {}),
    ],
)
def test_a_pool_of_reducers(machine: str, changes: dict[str, Any]) -> None:
    document = gke({})
    document["pools"]["reducers"] = {"machineType": machine, "container": {"imageUri": "x"}, "replicaCount": 3}
    made = plan("j", document)
    reducer_pool = node_pool(made, next(pool for pool in made.pools if pool.role == "reducers"))
    none = {"accelerator_type": None, "accelerator_count": 0}
    assert fields(reducer_pool) == {
        **DEFAULTS,
        **none,
        "machine_type": machine,
        "reducers": True,
        "max_nodes": 3,
        **changes,
    }


@pytest.mark.parametrize(
    "reducers",
    [
        {"machineType": "n1-highcpu-16", "instanceGroup": {"zone": "z"}, "replicaCount": 3},
        {"machineType": "auto"},
    ],
)
def test_what_runs_on_no_node_pool(reducers: dict[str, Any]) -> None:
    document = gke({"machineType": "no-such-machine"} if reducers["machineType"] == "auto" else {})
    document["pools"]["reducers"] = {"container": {"imageUri": "x"}, **reducers}
    document["pools"]["evaluators"] = {"machineType": "n1-standard-8"}
    made = plan("j", document)
    assert {role for _, role in node_pools([made])[1]} == {"primary", "workers", "evaluators"}
    assert node_pool(made, next(pool for pool in made.pools if pool.role == "reducers")) is None


@pytest.mark.parametrize("platform", ["vertex", "kubernetes"])
def test_other_platforms_have_none(platform: str) -> None:
    assert node_pools([plan("j", gke({}, platform=platform))]) == ((), {})


def test_jobs_that_are_alike_share_one_that_is_large_enough_for_all() -> None:
    long, short = (gke({}, scheduling={"strategy": "FLEX_START", "timeout": f"{s}s"}) for s in (9000, 90))
    for documents in ((long, short), (short, long)):
        [pool] = pools(*documents)
        assert (pool.max_nodes, pool.max_run_seconds) == (4, 9000)
    [pool] = pools(gke({}), gke({}), gke({}))
    assert (pool.max_nodes, pool.max_run_seconds) == (6, None)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (gke({}), "a2-highgpu-8g"),
        (gke({}, "SPOT"), "a2-highgpu-8g-spot"),
        (gke({}, "FLEX_START"), "a2-highgpu-8g-flex"),
        (setting(queuedProvisioning=True), "a2-highgpu-8g-queued"),
        (gke({"reservationAffinity": SPECIFIC}), "a2-highgpu-8g-reserved"),
        (gke({"reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"}}), "a2-highgpu-8g"),
        (gke({"nodePool": {"queuedProvisioning": True}}, "FLEX_START"), "a2-highgpu-8g-flex-queued"),
    ],
)
def test_a_name_says_what_is_bought(document: dict[str, Any], words: str) -> None:
    head, _, digest = of_primary(document).name.rpartition("-")
    assert head == words
    assert len(bytes.fromhex(digest)) == 3


def test_names_are_identities() -> None:
    [pool] = pools(gke({}))
    assert pool.name == "a2-highgpu-8g-75c853"
    assert of_primary(gke({"reservationAffinity": SPECIFIC})).name == "a2-highgpu-8g-reserved-256727"
    assert of_primary(gke({"reservationAffinity": ANY})).name == "a2-highgpu-8g-cc79c7"
    document = gke({"machineType": "x" * 50, "acceleratorType": "NVIDIA_L4", "acceleratorCount": 1}, "SPOT")
    [long] = pools(document)
    assert len(long.name) == NAME_LIMIT


DIFFERENT = [
    gke({}),
    gke({"machineType": "a2-highgpu-4g"}),
    gke({}, "SPOT"),
    gke({}, "FLEX_START"),
    setting(queuedProvisioning=True),
    setting(placementPolicy="COMPACT"),
    setting(gpuDriverVersion="DEFAULT"),
    setting(localSsdCount=1),
    setting(gpuNetworks=1),
    setting(nodeLocations=["us-central1-a"]),
    setting(nodeLocations=["us-central1-b"]),
    gke({"reservationAffinity": SPECIFIC}),
    gke({"reservationAffinity": {**SPECIFIC, "values": ["others"]}}),
    gke({"reservationAffinity": {"reservationAffinityType": "ANY_RESERVATION"}}),
    gke({"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 1}),
    gke({"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 2}),
    gke({"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 1}),
]


def test_what_gke_cannot_change_is_another_pool() -> None:
    names = {of_primary(document).name for document in DIFFERENT}
    assert len(names) == len(DIFFERENT)


@pytest.mark.parametrize(
    "document",
    [
        setting(fastSocket=True),
        gke({"bootDiskSizeGb": 300}),
        setting(localSsdCount=0),
        setting(gpuNetworks=0),
        gke({}, scheduling={"timeout": "90s"}),
    ],
)
def test_what_gke_changes_in_place_or_fills_in_is_the_same_pool(document: dict[str, Any]) -> None:
    assert of_primary(document).name == of_primary(gke({})).name


def test_names_of_reducers_and_of_long_machines() -> None:
    document = gke({}, "SPOT")
    document["pools"]["reducers"] = {"machineType": "n1-highcpu-16", "container": {"imageUri": "x"}, "replicaCount": 2}
    declared, runs_on = node_pools([plan("j", document)])
    assert runs_on["j", "reducers"].rpartition("-")[0] == "n1-highcpu-16-spot-reducers"
    assert {pool.name for pool in declared} == set(runs_on.values())
    # A word that is cut at a hyphen leaves none before the digest.
    [cut] = pools({**gke({"machineType": "m" * 32 + "-" + "n" * 9})})
    assert cut.name[:-7] == "m" * 32


def test_accelerators_that_are_switched_off_are_none() -> None:
    [pool] = pools(gke({"machineType": "n1-standard-8", "acceleratorType": "NVIDIA_TESLA_T4", "acceleratorCount": 0}))
    assert (pool.accelerator_type, pool.accelerator_count) == (None, 0)
