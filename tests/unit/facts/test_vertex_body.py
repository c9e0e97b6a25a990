"""A Vertex body read into facts: every field, what is ill-formed, and what is unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import SERVER
from trainingjobs.core.findings import quote
from trainingjobs.facts.job import POOL_FIELDS, UNKNOWN, Declared, JobFacts, PoolFacts
from trainingjobs.facts.pool_reader import LARGEST
from trainingjobs.facts.vertex_body import MACHINE_FIELDS, facts_of_body

PATH = "jobSpec.workerPoolSpecs[0]"
DECLARES = Declared(nccl="2.20")
POOL: dict[str, Any] = {
    "replicaCount": 2,
    "machineSpec": {
        "machineType": "n1-standard-8",
        "acceleratorType": "NVIDIA_TESLA_T4",
        "acceleratorCount": 1,
        "reservationAffinity": {"reservationAffinityType": "SPECIFIC_RESERVATION", "key": "k", "values": ["r", 1]},
    },
    "diskSpec": {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 200},
    "containerSpec": {
        "imageUri": "image",
        "command": ["run"],
        "args": ["-x", "-y"],
        "env": [{"name": "A", "value": "b"}, {"name": "EMPTY"}],
    },
}
FACTS = PoolFacts(
    role="primary",
    position=0,
    path=PATH,
    form="body",
    replica_count=2,
    machine_type="n1-standard-8",
    accelerator_type="NVIDIA_TESLA_T4",
    accelerator_count=1,
    boot_disk_type="pd-ssd",
    boot_disk_size_gb=200,
    image="image",
    env={"A": "b", "EMPTY": ""},
    args=("run", "-x", "-y"),
    declares=DECLARES,
    reservation="SPECIFIC_RESERVATION",
    reservation_values=("r", "1"),
)
BARE = PoolFacts(role="primary", position=0, path=PATH, form="body", declares=DECLARES, gap="fields")


def read(*pools: Any, **spec: Any) -> tuple[JobFacts, list[tuple[str, str]]]:
    facts, findings = facts_of_body({"workerPoolSpecs": list(pools), **spec}, declares=DECLARES, labels={})
    assert {(each.rule, each.severity) for each in findings} <= {("schema", "error")}
    return facts, [(each.path, each.rule) for each in findings]


def pool_of(pool: Any) -> PoolFacts:
    facts, findings = read(pool)
    assert findings == []
    return facts.pools[0]


def changed(section: str, **values: Any) -> dict[str, Any]:
    return {**POOL, section: {**POOL[section], **values}}


def test_every_field_of_a_pool_is_read() -> None:
    assert pool_of(POOL) == FACTS


PACKAGE = {
    "executorImageUri": "executor",
    "packageUris": ["gs://b/p"],
    "args": ["-z"],
    "env": [{"name": "C", "value": "d"}],
}


@pytest.mark.parametrize(
    ("pool", "facts"),
    [
        ({"machineSpec": {}}, BARE),
        ({"replicaCount": 0}, BARE),
        ({"replicaCount": None}, BARE),
        ({**POOL, "replicaCount": "2"}, FACTS),
        ({**POOL, "replicaCount": 2.0}, FACTS),
        (changed("machineSpec", acceleratorCount="1"), FACTS),
        (changed("machineSpec", acceleratorType="ACCELERATOR_TYPE_UNSPECIFIED"), replace(FACTS, accelerator_type=None)),
        (changed("machineSpec", machineType=""), replace(FACTS, machine_type=None)),
        (changed("machineSpec", reservationAffinity={}), replace(FACTS, reservation=None, reservation_values=())),
        (changed("diskSpec", bootDiskSizeGb=0), replace(FACTS, boot_disk_size_gb=None)),
        (changed("diskSpec", bootDiskSizeGb=LARGEST), replace(FACTS, boot_disk_size_gb=LARGEST)),
        (changed("containerSpec", env=None, args=None), replace(FACTS, env={}, args=("run",))),
        (changed("containerSpec", env=[{"value": "x"}, 3, {"name": 1}]), replace(FACTS, env={})),
        (changed("containerSpec", env=3), replace(FACTS, env={})),
        (changed("containerSpec", env=[{"name": "A", "value": 3}]), replace(FACTS, env={"A": ""})),
        (changed("containerSpec", args=["a", 3], command="run"), replace(FACTS, args=("a",))),
        (changed("containerSpec", imageUri=SERVER), replace(FACTS, role="reducers", image=SERVER)),
        (
            {"replicaCount": 1, "pythonPackageSpec": PACKAGE},
            replace(
                BARE, replica_count=1, gap="", image="executor", is_python_package=True, env={"C": "d"}, args=("-z",)
            ),
        ),
    ],
)
def test_a_pool(pool: dict[str, Any], facts: PoolFacts) -> None:
    assert pool_of(pool) == facts


@pytest.mark.parametrize(
    ("pool", "unknown", "changes"),
    [
        ({**POOL, "replicaCount": UNKNOWN}, {"replicaCount"}, {"replica_count": 0}),
        (changed("machineSpec", machineType=UNKNOWN), {"machineType"}, {"machine_type": None}),
        (changed("machineSpec", acceleratorType=UNKNOWN), {"acceleratorType"}, {"accelerator_type": None}),
        (changed("machineSpec", acceleratorCount=UNKNOWN), {"acceleratorCount"}, {"accelerator_count": 0}),
        (
            changed("machineSpec", reservationAffinity=UNKNOWN),
            {"reservationAffinity", "reservationAffinity.values"},
            {"reservation": None, "reservation_values": ()},
        ),
        (
            changed("machineSpec", reservationAffinity={"values": UNKNOWN}),
            {"reservationAffinity.values"},
            {"reservation": None, "reservation_values": ()},
        ),
        (
            changed("machineSpec", reservationAffinity={"reservationAffinityType": UNKNOWN}),
            {"reservationAffinity"},
            {"reservation": None, "reservation_values": ()},
        ),
        (changed("diskSpec", bootDiskType=UNKNOWN), {"bootDiskType"}, {"boot_disk_type": None}),
        (changed("diskSpec", bootDiskSizeGb=UNKNOWN), {"bootDiskSizeGb"}, {"boot_disk_size_gb": None}),
        (
            {**POOL, "diskSpec": UNKNOWN},
            {"bootDiskType", "bootDiskSizeGb"},
            {"boot_disk_type": None, "boot_disk_size_gb": None},
        ),
        (
            {**POOL, "machineSpec": UNKNOWN},
            set(MACHINE_FIELDS),
            {
                "machine_type": None,
                "accelerator_type": None,
                "accelerator_count": 0,
                "reservation": None,
                "reservation_values": (),
            },
        ),
        (
            {**POOL, "containerSpec": UNKNOWN},
            {"container.imageUri", "container.env", "container.args"},
            {"image": None, "env": {}, "args": ()},
        ),
        (
            {"replicaCount": 2, "pythonPackageSpec": UNKNOWN},
            {"container.imageUri", "container.env", "container.args"},
            None,
        ),
        (changed("containerSpec", imageUri=UNKNOWN), {"container.imageUri"}, {"image": None}),
        (changed("containerSpec", env=UNKNOWN), {"container.env"}, {"env": {}}),
        (changed("containerSpec", env=[{"name": "A", "value": UNKNOWN}]), {"container.env"}, {"env": {"A": ""}}),
        (changed("containerSpec", args=UNKNOWN), {"container.args"}, {"args": ("run",)}),
        (changed("containerSpec", command=UNKNOWN), {"container.args"}, {"args": ("-x", "-y")}),
        (changed("containerSpec", args=["a", UNKNOWN]), {"container.args"}, {"args": ("run", "a")}),
    ],
)
def test_what_is_not_known_yet(pool: dict[str, Any], unknown: set[str], changes: dict[str, Any] | None) -> None:
    facts = pool_of(pool)
    assert facts.unknown == unknown
    if changes is not None:
        assert facts == replace(FACTS, unknown=frozenset(unknown), **changes)


@pytest.mark.parametrize(
    ("pool", "place", "unknown"),
    [
        ({"replicaCount": 1.5}, "replicaCount", {"replicaCount"}),
        ({"replicaCount": True}, "replicaCount", {"replicaCount"}),
        ({"replicaCount": "many"}, "replicaCount", {"replicaCount"}),
        ({"replicaCount": "1" * 12}, "replicaCount", {"replicaCount"}),
        ({"replicaCount": "²"}, "replicaCount", {"replicaCount"}),
        ({"machineSpec": []}, "machineSpec", set(MACHINE_FIELDS)),
        ({"machineSpec": {"machineType": 1}}, "machineSpec.machineType", {"machineType"}),
        ({"machineSpec": {"acceleratorType": 1}}, "machineSpec.acceleratorType", {"acceleratorType"}),
        ({"machineSpec": {"acceleratorCount": "x"}}, "machineSpec.acceleratorCount", {"acceleratorCount"}),
        (
            {"machineSpec": {"reservationAffinity": {"reservationAffinityType": 1}}},
            "machineSpec.reservationAffinity.reservationAffinityType",
            {"reservationAffinity"},
        ),
        (
            {"machineSpec": {"reservationAffinity": 1}},
            "reservationAffinity",
            {"reservationAffinity", "reservationAffinity.values"},
        ),
        ({"diskSpec": 1}, "diskSpec", {"bootDiskType", "bootDiskSizeGb"}),
        ({"diskSpec": {"bootDiskType": 1}}, "diskSpec.bootDiskType", {"bootDiskType"}),
        ({"diskSpec": {"bootDiskSizeGb": -1}}, "diskSpec.bootDiskSizeGb", {"bootDiskSizeGb"}),
        ({"diskSpec": {"bootDiskSizeGb": LARGEST + 1}}, "diskSpec.bootDiskSizeGb", {"bootDiskSizeGb"}),
        ({"containerSpec": 1}, "containerSpec", {"container.imageUri", "container.env", "container.args"}),
        ({"containerSpec": {"imageUri": 1}}, "containerSpec.imageUri", {"container.imageUri"}),
        ({"pythonPackageSpec": 1}, "pythonPackageSpec", {"container.imageUri", "container.env", "container.args"}),
        (
            {"pythonPackageSpec": {"executorImageUri": 1}},
            "pythonPackageSpec.executorImageUri",
            {"container.imageUri"},
        ),
    ],
)
def test_what_is_ill_formed_is_reported_once_and_put_off(pool: dict[str, Any], place: str, unknown: set[str]) -> None:
    facts, findings = read(pool)
    assert findings == [(f"{PATH}.{place}", "schema")]
    gap = "" if "replicaCount" in unknown else "fields"
    is_package = isinstance(pool.get("pythonPackageSpec"), dict)
    assert facts.pools[0] == replace(BARE, gap=gap, is_python_package=is_package, unknown=frozenset(unknown))


@pytest.mark.parametrize(
    ("position", "count", "rule"),
    [
        (0, -1, "one-primary-replica"),
        (0, -1.0, "one-primary-replica"),
        (0, LARGEST + 1, "one-primary-replica"),
        (0, True, "schema"),
        (0, "many", "schema"),
        (1, -1, "schema"),
    ],
)
def test_a_number_that_no_count_can_be(position: int, count: Any, rule: str) -> None:
    pools = [{"replicaCount": 1}] * position + [{"replicaCount": count}]
    facts, [finding] = facts_of_body({"workerPoolSpecs": pools}, labels={})
    path = f"jobSpec.workerPoolSpecs[{position}].replicaCount"
    assert (finding.rule, finding.severity, finding.path) == (rule, "error", path)
    assert quote(int(count) if rule == "one-primary-replica" else count) in finding.message
    assert (facts.pools[position].replica_count, facts.pools[position].unknown) == (0, {"replicaCount"})


def test_the_places_of_a_list() -> None:
    filled = {"replicaCount": 1}
    facts, findings = read(filled, None, {}, filled, filled, {}, {})
    assert findings == []
    assert [(pool.role, pool.position, pool.gap) for pool in facts.pools] == [
        ("primary", 0, ""),
        ("workers", 1, "null"),
        ("parameterServers", 2, "empty"),
        ("evaluators", 3, ""),
        (None, 4, ""),
        (None, 5, "empty"),
        (None, 6, "empty"),
    ]
    assert [pool.path for pool in facts.pools] == [f"jobSpec.workerPoolSpecs[{i}]" for i in range(7)]
    assert [pool.gap for pool in read({}, {}, {})[0].pools] == ["empty"]
    assert read()[0].pools == ()


@pytest.mark.parametrize(
    ("position", "pool", "changes"),
    [
        (0, None, {"gap": "null"}),
        (0, {}, {"gap": "empty"}),
        (0, 3, {"unknown": POOL_FIELDS}),
        (0, UNKNOWN, {"unknown": POOL_FIELDS}),
        (1, UNKNOWN, {"role": "workers", "unknown": POOL_FIELDS}),
        (2, UNKNOWN, {"role": "parameterServers", "unknown": POOL_FIELDS | {"role"}}),
        (2, 3, {"role": "parameterServers", "unknown": POOL_FIELDS}),
    ],
)
def test_pools_that_are_no_objects_or_not_known(position: int, pool: Any, changes: dict[str, Any]) -> None:
    facts, findings = read(*[{"replicaCount": 1}] * position, pool)
    path = f"jobSpec.workerPoolSpecs[{position}]"
    assert findings == ([(path, "schema")] if pool == 3 else [])
    expected = replace(BARE, position=position, path=path, declares=None, gap="")
    assert facts.pools[position] == replace(expected, **changes)


@pytest.mark.parametrize(("position", "role"), [(0, set()), (2, {"role"})])
def test_servers_whose_image_is_not_known_may_be_reducers(position: int, role: set[str]) -> None:
    pools = [{"replicaCount": 1}] * position + [{"replicaCount": 1, "containerSpec": {"imageUri": UNKNOWN}}]
    assert read(*pools)[0].pools[position].unknown == {"container.imageUri"} | role


@pytest.mark.parametrize(
    ("given", "unknown", "paths"),
    [
        (UNKNOWN, {"workerPoolSpecs"}, []),
        (None, set(), []),
        ({}, {"workerPoolSpecs"}, ["jobSpec.workerPoolSpecs"]),
        ("x", {"workerPoolSpecs"}, ["jobSpec.workerPoolSpecs"]),
    ],
)
def test_a_list_that_is_none(given: Any, unknown: set[str], paths: list[str]) -> None:
    facts, findings = facts_of_body({"workerPoolSpecs": given}, labels={})
    assert (facts.unknown, facts.pools) == (unknown, ())
    assert [each.path for each in findings] == paths
    if paths:
        assert [each.path for each in facts_of_body({"workerPoolSpecs": given}, "", labels={})[1]] == [
            "workerPoolSpecs"
        ]
