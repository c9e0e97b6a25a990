"""The findings of a whole stack: its network and cluster at their places, by its environment and its levels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import DECLARES, SERVER, gpu_job, with_pools
from tests.unit.rules.test_consumption import gke
from trainingjobs.facts.infrastructure import ClusterFacts, NetworkFacts
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.stack import KeptFacts, StackFacts
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.plan import names
from trainingjobs.rules import RULES, Levels
from trainingjobs.rules.registry import Problem, rule
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack

NETWORK, CLUSTER = {"cidr": "10.20.0.0/16"}, {"privateNodes": False, "workloadIdentity": False}


def findings_of(
    unknown: frozenset[str] = frozenset(), levels: Levels | None = None, **document: Any
) -> set[tuple[str, str, str]]:
    stack = read_model(Stack, {"project": "acme-ml-dev", "environment": "dev", **document}).value
    assert isinstance(stack, Stack)
    return {(each.rule, each.severity, each.path) for each in judge_stack(stack, levels or Levels(), unknown)[1]}


@pytest.mark.parametrize(("environment", "severity"), [("dev", "advice"), ("prod", "error")])
def test_a_cluster_of_the_stacks_own(environment: str, severity: str) -> None:
    rules = {("private-nodes", "privateNodes"), ("workload-identity", "workloadIdentity")}
    expected = {(rule, severity, f"training:cluster.{key}") for rule, key in rules}
    findings = findings_of(environment=environment, cluster=CLUSTER, network=NETWORK)
    assert {each for each in findings if each[0] != "protect-production"} == expected
    off = Levels(by_rule={rule: "off" for rule, _ in rules})
    assert not expected & findings_of(levels=off, environment=environment, cluster=CLUSTER, network=NETWORK)


def test_a_cluster_that_is_there_is_not_judged() -> None:
    assert findings_of(cluster={"existing": "shared", **CLUSTER}, network=NETWORK) == set()


@pytest.mark.parametrize("key", ["privateNodes", "workloadIdentity"])
def test_a_setting_that_is_not_known_is_not_judged(key: str) -> None:
    findings = findings_of(frozenset({f"training:cluster.{key}"}), cluster=CLUSTER, network=NETWORK)
    assert {path for _, _, path in findings} == {
        f"training:cluster.{setting}" for setting in ("privateNodes", "workloadIdentity")
    } - {f"training:cluster.{key}"}


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_the_clusters_protection(environment: str) -> None:
    place = "training:cluster.deletionProtection"
    findings = findings_of(environment=environment, cluster={"deletionProtection": False}, network=NETWORK)
    assert (("protect-production", "error", place) in findings) is (environment == "prod")
    off = Levels(by_rule={"protect-production": "off"})
    findings = findings_of(levels=off, environment=environment, cluster={"deletionProtection": False}, network=NETWORK)
    assert place not in {path for _, _, path in findings}
    existing = {"existing": "shared", "deletionProtection": False}
    findings = findings_of(environment=environment, cluster=existing, network=NETWORK)
    assert ("schema", place) in {(rule, path) for rule, _, path in findings}
    assert "protect-production" not in {rule for rule, _, _ in findings}


def test_ranges_that_overlap_are_reported_where_they_stand() -> None:
    network = {**NETWORK, "reservedCidrs": ["10.20.0.0/24"]}
    overlap = ("cidr-overlap", "error", "training:network.reservedCidrs[0]")
    assert findings_of(network=network) == {overlap}
    assert findings_of(network=network, levels=Levels(by_rule={"cidr-overlap": "off"})) == set()


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
    assert findings_of(network=network) == ({("schema", "error", f"training:network.{path}")} if path else set())


@pytest.mark.parametrize(
    ("key", "value"), [("location", "us-central1"), ("privateNodes", True), ("workloadIdentity", True)]
)
def test_what_may_be_declared_of_a_cluster_that_is_there_and_not_of_any_kubernetes(key: str, value: Any) -> None:
    finding = ("schema", "error", f"training:cluster.{key}")
    assert finding in findings_of(cluster={"context": "c", key: value})
    assert finding not in findings_of(cluster={"existing": "x", key: value}, network=NETWORK)


def test_what_is_not_known_yet_is_not_missing() -> None:
    job = {"jobs": {"a": gke({})}}
    missing = ("schema", "error", "training:cluster")
    assert missing in findings_of(**job, network=NETWORK)
    assert missing not in findings_of(frozenset({"training:cluster"}), **job, network=NETWORK)
    assert missing not in findings_of(frozenset({"training:cluster.name"}), **job, network=NETWORK)
    assert missing in findings_of(frozenset({"training:network"}), **job, network=NETWORK)


def test_a_job_is_judged_by_its_stacks_region_and_environment() -> None:
    image = {"imageUri": "a/b:1", "declares": {"nccl": "2.18", "packages": ["google-reduction-server"]}}
    job = gpu_job(container=image)
    for environment, severity in (("dev", "advice"), ("prod", "error")):
        rules = {(rule, level) for rule, level, _ in findings_of(environment=environment, jobs={"a": job})}
        assert ("image-pinned", severity) in rules
    # The image of the United States is near to one of the two regions.
    reducers = {"machineType": "n1-highcpu-16", "container": {"imageUri": SERVER}}
    for region, far in (("us-central1", False), ("europe-west4", True)):
        rules = {
            rule for rule, _, _ in findings_of(region=region, jobs={"a": with_pools(gpu_job(), reducers=reducers)})
        }
        assert ("reducer-image-region" in rules) is far


@pytest.mark.parametrize(("environment", "severity"), [("dev", "advice"), ("prod", "error")])
def test_everything_of_a_stack_is_judged_by_its_environment(environment: str, severity: str) -> None:
    subjects = (JobFacts, ClusterFacts, NetworkFacts, StackFacts, KeptFacts)
    stricter = {"severity": "advice", "prod_severity": "error", "subjects": subjects}
    rule("made-up", summary="s", fix="f", source="d", **stricter)(lambda facts: [Problem(path=facts.path, message="m")])
    try:
        findings = findings_of(environment=environment, jobs={"a": gpu_job()}, cluster=CLUSTER, network=NETWORK)
    finally:
        RULES.pop("made-up")
    places = ("jobs.a", "cluster", "cluster.deletionProtection", "network", "limits")
    assert {finding for finding in findings if finding[0] == "made-up"} == {
        ("made-up", severity, f"training:{place}") for place in places
    }


def test_a_job_of_a_stack_has_a_place_for_checkpoints() -> None:
    scheduling = {"strategy": "SPOT", "restartJobOnWorkerRestart": True}
    assert "failure-plan" not in {rule for rule, _, _ in findings_of(jobs={"a": gpu_job(scheduling=scheduling)})}


def test_what_is_not_known_of_a_job_is_not_judged() -> None:
    missing = ("schema", "error", "training:jobs.a.container.imageUri")
    job = gpu_job(container={"declares": DECLARES})
    assert missing in findings_of(jobs={"a": job})
    assert missing not in findings_of(frozenset({"training:jobs.a.container"}), jobs={"a": job})


def test_limits_are_judged_beside_a_cluster_by_the_stacks_levels() -> None:
    document = {"jobs": {"a": gpu_job()}, "cluster": CLUSTER, "network": NETWORK, "limits": {"maxUsdPerHour": 1.0}}
    over = ("hourly-cost", "error", "training:limits.maxUsdPerHour")
    assert over in findings_of(**document)
    assert over not in findings_of(levels=Levels(by_rule={"hourly-cost": "off"}), **document)


def test_a_name_that_lifts_nothing_is_reported_beside_the_rest_where_all_is_known() -> None:
    document = {"cluster": CLUSTER, "network": NETWORK, "unprotect": ["clusters"]}
    wrong = ("schema", "error", "training:unprotect[0]")
    rest = findings_of(cluster=CLUSTER, network=NETWORK)
    assert rest
    assert findings_of(**document) == {*rest, wrong}
    # What is not known may be what the name is of.
    assert wrong not in findings_of(frozenset({"training:jobs"}), **document)


def test_names_of_a_stack() -> None:
    assert names.network("s" * 10) == "s" * 10 + "-training"
    assert [names.account_id("ab", "cde"), names.account_id("a", "bcd")] == ["ab-cde", "a-bcd-461345"]
    assert names.account_id("a1", "bcd") == "a1-bcd"
    assert names.repository("x-" + "y" * 60).startswith("x-" + "y" * 53)
    assert len(names.repository("y" * 70)) == 63
