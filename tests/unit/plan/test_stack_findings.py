"""What a whole stack is told: its network and cluster at their places, by its environment and its levels."""

from __future__ import annotations

from typing import Any

import pytest

from infra.plan import names
from infra.plan.facts import JobFacts
from infra.plan.infra_facts import ClusterFacts, NetworkFacts
from infra.plan.plan import stack_findings
from infra.plan.rules import RULES, Levels
from infra.plan.rules.registry import Problem, rule
from infra.plan.stack_facts import KeptFacts, StackFacts
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from tests.unit.jobs import DECLARES, SERVER, gpu_job, with_pools
from tests.unit.plan.test_consumption import gke

NETWORK, CLUSTER = {"cidr": "10.20.0.0/16"}, {"privateNodes": False, "workloadIdentity": False}


def found(
    unknown: frozenset[str] = frozenset(), levels: Levels | None = None, **document: Any
) -> set[tuple[str, str, str]]:
    stack = read_model(Stack, {"project": "acme-ml-dev", "environment": "dev", **document}).value
    assert isinstance(stack, Stack)
    return {(each.rule, each.severity, each.path) for each in stack_findings(stack, levels, unknown)[1]}


@pytest.mark.parametrize(("environment", "severity"), [("dev", "advice"), ("prod", "error")])
def test_a_cluster_of_the_stacks_own(environment: str, severity: str) -> None:
    rules = {("private-nodes", "privateNodes"), ("workload-identity", "workloadIdentity")}
    expected = {(rule, severity, f"training:cluster.{key}") for rule, key in rules}
    said = found(environment=environment, cluster=CLUSTER, network=NETWORK)
    assert {each for each in said if each[0] != "protect-production"} == expected
    off = Levels(by_rule={rule: "off" for rule, _ in rules})
    assert not expected & found(levels=off, environment=environment, cluster=CLUSTER, network=NETWORK)


def test_a_cluster_that_is_there_is_not_judged() -> None:
    assert found(cluster={"existing": "shared", **CLUSTER}, network=NETWORK) == set()


@pytest.mark.parametrize("key", ["privateNodes", "workloadIdentity"])
def test_a_setting_that_is_not_known_is_not_judged(key: str) -> None:
    said = found(frozenset({f"training:cluster.{key}"}), cluster=CLUSTER, network=NETWORK)
    assert {path for _, _, path in said} == {
        f"training:cluster.{one}" for one in ("privateNodes", "workloadIdentity")
    } - {f"training:cluster.{key}"}


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_the_clusters_protection(environment: str) -> None:
    place = "training:cluster.deletionProtection"
    said = found(environment=environment, cluster={"deletionProtection": False}, network=NETWORK)
    assert (("protect-production", "error", place) in said) is (environment == "prod")
    off = Levels(by_rule={"protect-production": "off"})
    said = found(levels=off, environment=environment, cluster={"deletionProtection": False}, network=NETWORK)
    assert place not in {path for _, _, path in said}
    existing = {"existing": "shared", "deletionProtection": False}
    said = found(environment=environment, cluster=existing, network=NETWORK)
    assert ("schema", place) in {(rule, path) for rule, _, path in said}
    assert "protect-production" not in {rule for rule, _, _ in said}


def test_ranges_that_overlap_are_told_where_they_stand() -> None:
    network = {**NETWORK, "reservedCidrs": ["10.20.0.0/24"]}
    overlap = ("cidr-overlap", "error", "training:network.reservedCidrs[0]")
    assert found(network=network) == {overlap}
    assert found(network=network, levels=Levels(by_rule={"cidr-overlap": "off"})) == set()


@pytest.mark.parametrize(
    ("network", "path"),
    [
        ({"cidr": "10.0.0.0/8"}, None),
        ({"cidr": "10.0.0.0/20"}, None),
        ({"cidr": "10.0.0.0/7"}, "cidr"),
        ({"cidr": "10.0.0.0/21"}, "cidr"),
        ({**NETWORK, "gpuCidr": "10.99.0.0/23"}, None),
        ({**NETWORK, "gpuCidr": "10.99.0.0/24"}, "gpuCidr"),
        ({"shared": "base", "gpuCidr": "10.99.0.0/23"}, None),
        ({"shared": "base", "gpuCidr": "10.99.0.0/24"}, "gpuCidr"),
        ({"shared": "base"}, None),
    ],
)
def test_sizes_of_ranges(network: dict[str, Any], path: str | None) -> None:
    assert found(network=network) == ({("schema", "error", f"training:network.{path}")} if path else set())


@pytest.mark.parametrize(
    ("key", "value"), [("location", "us-central1"), ("privateNodes", True), ("workloadIdentity", True)]
)
def test_what_may_be_said_of_a_cluster_that_is_there_and_not_of_any_kubernetes(key: str, value: Any) -> None:
    told = ("schema", "error", f"training:cluster.{key}")
    assert told in found(cluster={"context": "c", key: value})
    assert told not in found(cluster={"existing": "x", key: value}, network=NETWORK)


def test_what_is_not_known_yet_is_not_missing() -> None:
    job = {"jobs": {"a": gke({})}}
    missing = ("schema", "error", "training:cluster")
    assert missing in found(**job, network=NETWORK)
    assert missing not in found(frozenset({"training:cluster"}), **job, network=NETWORK)
    assert missing not in found(frozenset({"training:cluster.name"}), **job, network=NETWORK)
    assert missing in found(frozenset({"training:network"}), **job, network=NETWORK)


def test_a_job_is_judged_by_its_stacks_region_and_environment() -> None:
    image = {"imageUri": "a/b:1", "declares": {"nccl": "2.18", "packages": ["google-reduction-server"]}}
    job = gpu_job(container=image)
    for environment, severity in (("dev", "advice"), ("prod", "error")):
        rules = {(rule, level) for rule, level, _ in found(environment=environment, jobs={"a": job})}
        assert ("image-pinned", severity) in rules
    # The image of the United States is near to one of the two regions.
    reducers = {"machineType": "n1-highcpu-16", "container": {"imageUri": SERVER}}
    for region, far in (("us-central1", False), ("europe-west4", True)):
        rules = {rule for rule, _, _ in found(region=region, jobs={"a": with_pools(gpu_job(), reducers=reducers)})}
        assert ("reducer-image-region" in rules) is far


@pytest.mark.parametrize(("environment", "severity"), [("dev", "advice"), ("prod", "error")])
def test_everything_of_a_stack_is_judged_by_its_environment(environment: str, severity: str) -> None:
    subjects = (JobFacts, ClusterFacts, NetworkFacts, StackFacts, KeptFacts)
    stricter = {"severity": "advice", "prod_severity": "error", "subjects": subjects}
    rule("made-up", summary="s", fix="f", source="d", **stricter)(lambda facts: [Problem(path=facts.path, message="m")])
    try:
        said = found(environment=environment, jobs={"a": gpu_job()}, cluster=CLUSTER, network=NETWORK)
    finally:
        RULES.pop("made-up")
    places = ("jobs.a", "cluster", "cluster.deletionProtection", "network", "limits")
    assert {one for one in said if one[0] == "made-up"} == {
        ("made-up", severity, f"training:{place}") for place in places
    }


def test_a_job_of_a_stack_has_a_place_for_checkpoints() -> None:
    scheduling = {"strategy": "SPOT", "restartJobOnWorkerRestart": True}
    assert "failure-plan" not in {rule for rule, _, _ in found(jobs={"a": gpu_job(scheduling=scheduling)})}


def test_what_is_not_known_of_a_job_is_not_judged() -> None:
    missing = ("schema", "error", "training:jobs.a.container.imageUri")
    job = gpu_job(container={"declares": DECLARES})
    assert missing in found(jobs={"a": job})
    assert missing not in found(frozenset({"training:jobs.a.container"}), jobs={"a": job})


def test_limits_are_judged_beside_a_cluster_by_the_stacks_levels() -> None:
    document = {"jobs": {"a": gpu_job()}, "cluster": CLUSTER, "network": NETWORK, "limits": {"maxUsdPerHour": 1.0}}
    over = ("hourly-cost", "error", "training:limits.maxUsdPerHour")
    assert over in found(**document)
    assert over not in found(levels=Levels(by_rule={"hourly-cost": "off"}), **document)


def test_a_name_that_lifts_nothing_is_told_beside_the_rest_where_all_is_known() -> None:
    document = {"cluster": CLUSTER, "network": NETWORK, "unprotect": ["clusters"]}
    wrong = ("schema", "error", "training:unprotect[0]")
    rest = found(cluster=CLUSTER, network=NETWORK)
    assert rest
    assert found(**document) == {*rest, wrong}
    # What is not known may be what the name is of.
    assert wrong not in found(frozenset({"training:jobs"}), **document)


def test_names_of_a_stack() -> None:
    assert names.network("s" * 10) == "s" * 10 + "-training"
    assert [names.account_id("ab", "cde"), names.account_id("a", "bcd")] == ["ab-cde", "a-bcd-461345"]
    assert names.account_id("a1", "bcd") == "a1-bcd"
    assert names.repository("x-" + "y" * 60).startswith("x-" + "y" * 53)
    assert len(names.repository("y" * 70)) == 63
