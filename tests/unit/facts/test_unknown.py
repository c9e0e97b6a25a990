"""A value that a preview does not know yet puts a rule off at its path; it never lets the rule pass in silence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.jobs import gpu_job, judge_document
from trainingjobs.core.findings import Finding
from trainingjobs.facts.infrastructure import ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import POOL_FIELDS, JobFacts, PoolFacts
from trainingjobs.facts.stack import StackFacts
from trainingjobs.rules import RULES, evaluate

Facts = JobFacts | NodePoolFacts | ClusterFacts | StackFacts
JOB = judge_document(gpu_job())[0].facts
BANDWIDTH = {"reducer-bandwidth", "reducer-break-even"}
MACHINE = {"machine-known", "machine-on-platform", "accelerator-fit", "consumption-model", "nic-topology"}
STRATEGY = {"consumption-model", "failure-plan", "nic-topology"}
# What nothing can be said of while no pool is known.
OF_POOLS = {rule_id for rule_id, rule in RULES.items() if JobFacts in rule.subjects} - {
    *("required-labels", "dedicated-service-account", "protect-production", "failure-plan", "one-primary-replica")
}
OF_JOB = {
    "framework": {"evaluator-limit", "reducer-framework", "reducer-fusion-threshold"},
    "region": {"reducer-image-region"},
    "labels": {"required-labels"},
    "labels.team": {"required-labels"},
    "labels.cost-center": {"required-labels"},
    "labels.owner": set(),
    "runtimeVersion": {"deprecated-api"},
    "useChiefInTfConfig": {"deprecated-api"},
    "scheduling": STRATEGY,
    "scheduling.strategy": STRATEGY,
    "serviceAccount": {"dedicated-service-account"},
    "pools": BANDWIDTH,
    "pools.primary": BANDWIDTH,
    "pools.workers": BANDWIDTH,
    "workerPoolSpecs": OF_POOLS,
    "displayName": set(),
}
OF_EVERY_POOL = {
    "machineType": MACHINE,
    "acceleratorType": {"accelerator-fit", "deprecated-api"},
    "acceleratorCount": {"accelerator-fit"},
    "container.args": {"no-plain-secrets"},
    "container.env": {"no-plain-secrets"},
    "container.imageUri": {"image-pinned"},
    "reservationAffinity": {"consumption-model", "nic-topology"},
}
OF_TRAINERS = {
    "machineType": {*BANDWIDTH, "reducer-workers-need-accelerators"},
    "acceleratorType": BANDWIDTH,
    "acceleratorCount": {*BANDWIDTH, "reducer-workers-need-accelerators"},
    "replicaCount": BANDWIDTH,
}
OF_ROLE = {
    ("primary", "replicaCount"): {"one-primary-replica"},
    ("primary", "container.imageUri"): {"reducer-framework"},
    ("reducers", "machineType"): {*BANDWIDTH, "reducer-machine", "reducer-without-accelerator"},
    ("reducers", "acceleratorType"): {"reducer-without-accelerator"},
    ("reducers", "acceleratorCount"): {"reducer-without-accelerator"},
    ("reducers", "replicaCount"): {*BANDWIDTH, "reducer-machine"},
    ("reducers", "container.imageUri"): {"reducer-image", "reducer-image-region"},
}


def put_off(facts: Facts) -> set[tuple[str, str]]:
    """Returns (rule, path) of the rules that only speak where unknown values are reported."""

    def places(findings: list[Finding]) -> set[tuple[str, str]]:
        assert {each.severity for each in findings} <= {"advice"}
        return {(each.rule, each.path) for each in findings}

    return places(evaluate(facts, say_unknown=True)) - places(evaluate(facts))


def with_pool(role: str, job: JobFacts = JOB, **changes: Any) -> JobFacts:
    return replace(job, pools=tuple(replace(p, **changes) if p.role == role else p for p in job.pools))


def test_where_all_is_known_no_rule_is_put_off() -> None:
    assert put_off(JOB) == set()


@pytest.mark.parametrize("name", OF_JOB)
def test_a_field_of_the_job(name: str) -> None:
    assert put_off(replace(JOB, unknown=frozenset({name}))) == {(rule, name) for rule in OF_JOB[name]}


@pytest.mark.parametrize("role", ["primary", "workers", "reducers"])
@pytest.mark.parametrize("name", sorted(POOL_FIELDS))
def test_a_field_of_a_pool(role: str, name: str) -> None:
    rules = OF_EVERY_POOL.get(name, set()) | OF_ROLE.get((role, name), set())
    if role != "reducers":
        rules = rules | OF_TRAINERS.get(name, set())
    # What the primary runs is written at the job.
    path = name if role == "primary" and name.startswith(("container", "pythonPackage")) else f"pools.{role}.{name}"
    assert put_off(with_pool(role, unknown=frozenset({name}))) == {(rule, path) for rule in rules}


def test_a_job_of_which_nothing_is_known() -> None:
    rules = {rule for rules in OF_JOB.values() for rule in rules}
    assert {rule for rule, _ in put_off(replace(JOB, unknown=frozenset({"*"})))} == rules


@pytest.mark.parametrize("role", ["primary", "workers", "reducers"])
def test_a_pool_of_which_nothing_is_known(role: str) -> None:
    fields = POOL_FIELDS | {"container.declares"}
    of_fields = {rule for name in fields for rule, _ in put_off(with_pool(role, unknown=frozenset({name})))}
    assert {rule for rule, _ in put_off(with_pool(role, unknown=frozenset({"*"})))} == of_fields


@pytest.mark.parametrize("framework", ["horovod", "pytorch"])
@pytest.mark.parametrize("name", ["container.env", "container.args"])
def test_what_batches_small_messages(framework: str, name: str) -> None:
    code = with_pool("primary", replace(JOB, framework=framework), unknown=frozenset({name}))
    assert ("reducer-fusion-threshold", name) in put_off(code)


@pytest.mark.parametrize(
    "job",
    [
        with_pool("primary", accelerator_type=None, accelerator_count=0),
        replace(JOB, pools=tuple(pool for pool in JOB.pools if pool.role != "workers")),
    ],
    ids=["no ring", "one node"],
)
def test_reducers_beside_others_that_cannot_pay(job: JobFacts) -> None:
    more = replace(JOB.pools[2], position=3, path="pools.more", unknown=frozenset({"machineType"}))
    findings = evaluate(replace(job, pools=(*job.pools, more)), say_unknown=True)
    assert [each.path for each in findings if each.rule == "reducer-break-even"] == ["pools.more.machineType"]


PRIMARY = "pools.primary"


@pytest.mark.parametrize("name", ["pools", PRIMARY, "workerPoolSpecs"])
def test_a_primary_that_may_be_there(name: str) -> None:
    facts = replace(JOB, pools=(), unknown=frozenset({name}))
    assert ("one-primary-replica", name) in put_off(facts)


def test_a_pool_that_may_have_replicas_is_no_placeholder_yet() -> None:
    pool = PoolFacts(
        role="workers", position=1, path="pools.workers", gap="fields", unknown=frozenset({"replicaCount"})
    )
    assert ("pool-placeholder", "pools.workers.replicaCount") in put_off(replace(JOB, pools=(JOB.pools[0], pool)))


def test_evaluators_whose_number_is_not_known() -> None:
    pool = PoolFacts(role="evaluators", position=3, path="pools.e", unknown=frozenset({"replicaCount"}))
    assert ("evaluator-limit", "pools.e.replicaCount") in put_off(replace(JOB, pools=(*JOB.pools, pool)))


@pytest.mark.parametrize("name", ["pools", "pools.workers", "workerPoolSpecs"])
def test_workers_that_may_be_there(name: str) -> None:
    alone = replace(JOB, pools=tuple(p for p in JOB.pools if p.role != "workers"), unknown=frozenset({name}))
    assert ("reducer-workers-need-accelerators", name) in put_off(alone)


SPOT = replace(JOB, strategy="SPOT")


@pytest.mark.parametrize("name", ["scheduling.restartJobOnWorkerRestart", "baseOutputDirectory"])
def test_how_a_job_on_spot_machines_survives(name: str) -> None:
    rest = {"has_output": True} if name.startswith("scheduling") else {"restarts": True}
    assert put_off(replace(SPOT, **rest, unknown=frozenset({name}))) == {("failure-plan", name)}
    said = with_pool("primary", replace(SPOT, restarts=True), unknown=frozenset({"container.args"}))
    assert ("failure-plan", "container.args") in put_off(said)
    assert {each.rule for each in evaluate(replace(SPOT, **rest))} == {"failure-plan"}


LIMITED = StackFacts(jobs=(JOB,), path="limits", max_usd_per_hour=1000.0, accelerators={"NVIDIA_TESLA_V100": 100})


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("maxUsdPerHour", {("hourly-cost", "limits.maxUsdPerHour")}),
        ("accelerators", {("accelerator-quota", "limits.accelerators")}),
        ("*", {("hourly-cost", "limits"), ("accelerator-quota", "limits")}),
    ],
)
def test_limits_that_are_not_known(name: str, rules: set[tuple[str, str]]) -> None:
    assert put_off(replace(LIMITED, unknown=frozenset({name}))) == rules


@pytest.mark.parametrize("name", ["workerPoolSpecs", "pools", "parallelTrialCount"])
def test_a_job_whose_machines_are_not_counted(name: str) -> None:
    facts = replace(LIMITED, jobs=(JOB, replace(JOB, unknown=frozenset({name}))))
    assert put_off(facts) == {("hourly-cost", name), ("accelerator-quota", name)}


@pytest.mark.parametrize("name", ["replicaCount", "machineType", "acceleratorType", "acceleratorCount"])
def test_a_pool_whose_machines_are_not_counted(name: str) -> None:
    facts = replace(LIMITED, jobs=(with_pool("workers", unknown=frozenset({name})),))
    path = f"pools.workers.{name}"
    assert put_off(facts) == {("hourly-cost", path), ("accelerator-quota", path)}


@pytest.mark.parametrize("unknown", [{"*"}, {"machineType"}, {"replicaCount"}])
def test_what_is_not_known_is_not_also_without_a_price(unknown: set[str]) -> None:
    pool = PoolFacts(role="primary", position=0, path="p", replica_count=1, unknown=frozenset(unknown))
    facts = replace(LIMITED, jobs=(replace(JOB, pools=(pool,)),))
    assert evaluate(facts) == []
    assert {rule for rule, _ in put_off(facts)} == {"hourly-cost", "accelerator-quota"}


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        (ClusterFacts(path="c", workload_identity=True, unknown=frozenset({"privateNodes"})), "private-nodes"),
        (ClusterFacts(path="c", private_nodes=True, unknown=frozenset({"workloadIdentity"})), "workload-identity"),
    ],
)
def test_a_cluster(facts: ClusterFacts, rule: str) -> None:
    [field] = facts.unknown
    assert put_off(facts) == {(rule, f"c.{field}")}


def test_a_cluster_of_which_nothing_is_known() -> None:
    assert put_off(ClusterFacts(path="c", unknown=frozenset("*"))) == {
        ("private-nodes", "c.privateNodes"),
        ("workload-identity", "c.workloadIdentity"),
    }


@pytest.mark.parametrize(
    "name", ["reservationAffinity", "scheduling.strategy", "nodePool.queuedProvisioning", "machineType"]
)
def test_a_node_pool(name: str) -> None:
    facts = NodePoolFacts(name="p", path="n", machine_type="n1-standard-8", unknown=frozenset({name}))
    assert ("consumption-model", facts.at(name)) in put_off(facts)
