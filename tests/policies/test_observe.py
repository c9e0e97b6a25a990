"""What the pack makes of a resource as the engine sends it: unknown values, doubles, secrets, other types."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.pack import UNKNOWN, analyzed, configured, secret
from tests.policies.samples import samples
from trainingjobs.engine.values import UNKNOWN_WIRE
from trainingjobs.facts.job import UNKNOWN as NOT_KNOWN
from trainingjobs.facts.job import JobFacts
from trainingjobs.policy_pack.observe import plain
from trainingjobs.rules import RULES

SAMPLES = {sample.name: sample for sample in samples()}
FEW = SAMPLES["reducer-bandwidth-disallowed-body-one-too-few"].inputs()
EVALUATORS = SAMPLES["evaluator-limit-disallowed-three"].inputs()
POOLS = ("jobSpec", "workerPoolSpecs")


def changed(inputs: dict[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The inputs with another value at one place."""
    made: Any = copy.deepcopy(inputs)
    parent = made
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    result: dict[str, Any] = made
    return result


def violations_of(inputs: dict[str, Any]) -> set[tuple[str, str]]:
    return {(policy, level) for policy, level, _ in analyzed(configured(), inputs)}


UNKNOWNS = [
    (("jobSpec",), "one-primary-replica", "jobSpec.workerPoolSpecs"),
    (POOLS, "one-primary-replica", "jobSpec.workerPoolSpecs"),
    ((*POOLS, 0), "one-primary-replica", "jobSpec.workerPoolSpecs[0].replicaCount"),
    ((*POOLS, 0), "reducer-bandwidth", "jobSpec.workerPoolSpecs[0]"),
    ((*POOLS, 0, "replicaCount"), "one-primary-replica", "jobSpec.workerPoolSpecs[0].replicaCount"),
    ((*POOLS, 1), "reducer-bandwidth", "jobSpec.workerPoolSpecs[1].replicaCount"),
    ((*POOLS, 1, "machineSpec"), "reducer-workers-need-accelerators", "jobSpec.workerPoolSpecs[1].machineSpec"),
    ((*POOLS, 1, "machineSpec", "machineType"), "machine-known", "jobSpec.workerPoolSpecs[1].machineSpec.machineType"),
    ((*POOLS, 2, "replicaCount"), "reducer-bandwidth", "jobSpec.workerPoolSpecs[2].replicaCount"),
    ((*POOLS, 2, "containerSpec", "imageUri"), "image-pinned", "jobSpec.workerPoolSpecs[2].containerSpec.imageUri"),
    (("location",), "reducer-image-region", "location"),
    (("document",), "reducer-framework", "document.framework"),
]


@pytest.mark.parametrize(("place", "rule", "path"), UNKNOWNS, ids=[f"{p[-1]}-{rule}" for p, rule, _ in UNKNOWNS])
def test_a_rule_whose_field_is_unknown_says_so_and_stops_nothing(
    place: tuple[str | int, ...], rule: str, path: str
) -> None:
    violations = analyzed(configured(), changed(FEW, place, UNKNOWN))
    lines = [message for policy, level, message in violations if (policy, level) == (rule, "advisory")]
    assert any(line.startswith(path) and "not known yet" in line for line in lines), violations


@pytest.mark.parametrize("place", [place for place, _, _ in UNKNOWNS])
def test_an_unknown_value_is_never_taken_for_a_fault(place: tuple[str | int, ...]) -> None:
    broken = {("reducer-bandwidth", "mandatory")}
    assert {
        violation for violation in violations_of(changed(FEW, place, UNKNOWN)) if violation[1] == "mandatory"
    } <= broken


def test_an_unknown_value_switches_no_other_rule_off() -> None:
    violations = violations_of(changed(FEW, (*POOLS, 0, "containerSpec", "imageUri"), UNKNOWN))
    assert ("reducer-bandwidth", "mandatory") in violations
    assert ("image-pinned", "advisory") in violations


@pytest.mark.parametrize("place", [(*POOLS, 2), (*POOLS, 2, "containerSpec"), (*POOLS, 2, "containerSpec", "imageUri")])
@pytest.mark.parametrize("rule", ["reducer-bandwidth", "reducer-image-region", "reducer-without-accelerator"])
def test_a_pool_that_may_be_reducers_is_judged_again_once_its_image_is_known(
    place: tuple[str | int, ...], rule: str
) -> None:
    assert (rule, "advisory") in violations_of(changed(FEW, place, UNKNOWN))
    assert (rule, "mandatory") not in violations_of(changed(FEW, place, UNKNOWN))


def test_every_kind_of_unknown_is_known_as_such() -> None:
    struct = struct_pb2.Struct()
    struct.update({str(number): word for number, word in enumerate(sorted(UNKNOWN_WIRE))})
    assert set(plain(struct).values()) == {NOT_KNOWN}


def test_values_are_plain() -> None:
    struct = struct_pb2.Struct()
    struct.update({"count": 8.0, "share": 0.5, "on": True, "none": None, "list": [{"deep": secret([1, secret("x")])}]})
    values = plain(struct)
    assert values == {"count": 8, "share": 0.5, "on": True, "none": None, "list": [{"deep": [1, "x"]}]}
    assert type(values["count"]) is int
    assert type(values["list"][0]) is dict


@pytest.mark.parametrize("place", [("jobSpec",), POOLS, (*POOLS, 2), (*POOLS, 2, "replicaCount")])
def test_a_secret_is_judged_like_any_value(place: tuple[str | int, ...]) -> None:
    value: Any = FEW
    for key in place:
        value = value[key]
    assert violations_of(changed(FEW, place, secret(value))) == violations_of(FEW)


def test_a_secret_that_is_unknown_is_unknown() -> None:
    violations = violations_of(changed(FEW, (*POOLS, 2, "replicaCount"), secret(UNKNOWN)))
    assert ("reducer-bandwidth", "advisory") in violations


def test_what_is_ill_formed_is_an_error_of_schema_and_is_not_called_unknown() -> None:
    violations = analyzed(configured(), changed(FEW, (*POOLS, 0, "replicaCount"), "many"))
    at = [(policy, level) for policy, level, message in violations if "workerPoolSpecs[0].replicaCount" in message]
    assert at == [("schema", "mandatory")]


def test_a_fraction_of_a_replica_is_ill_formed() -> None:
    assert ("schema", "mandatory") in violations_of(changed(FEW, (*POOLS, 0, "replicaCount"), 1.5))


def test_the_framework_is_the_documents() -> None:
    assert ("evaluator-limit", "advisory") in violations_of(EVALUATORS)
    without = {key: value for key, value in EVALUATORS.items() if key != "document"}
    assert "evaluator-limit" not in {policy for policy, _ in violations_of(without)}


def test_a_fault_of_the_document_is_named_where_the_resource_holds_it() -> None:
    violations = analyzed(configured(), SAMPLES["reducer-framework-disallowed-old-nccl"].inputs())
    [message] = [
        message for policy, level, message in violations if (policy, level) == ("reducer-framework", "mandatory")
    ]
    assert message.startswith("document.container.declares.nccl: ")


def test_an_image_that_the_primary_runs_too_is_named_once() -> None:
    tagged = SAMPLES["image-pinned-disallowed-tag-in-prod"].inputs()
    assert [policy for policy, _, _ in analyzed(configured(), tagged)].count("image-pinned") == 1
    other = changed(tagged, (*POOLS, 1, "containerSpec", "args"), ["--other"])
    assert [policy for policy, _, _ in analyzed(configured(), other)].count("image-pinned") == 2


@pytest.mark.parametrize(
    "token",
    ["training:vertex:VertexJob", "trainingjobs:index:Completion", "pulumi:pulumi:Stack", "pulumi:providers:gcp"],
)
def test_only_the_resource_that_submits_a_job_is_judged(token: str) -> None:
    assert analyzed(configured(), FEW, token) == []


def test_the_same_job_under_any_name_gets_the_same_answer() -> None:
    pack = configured()
    assert analyzed(pack, FEW, name="one") == analyzed(pack, FEW, name="two") != []


KEYS = [
    "workerPoolSpecs",
    "machineSpec",
    "containerSpec",
    "machineType",
    "replicaCount",
    "imageUri",
    "env",
    "name",
    "scheduling",
    "acceleratorCount",
    "pools",
    "reducers",
    "container",
    "declares",
    "packages",
    "framework",
    "tensorflow",
    "runtimeVersion",
    "useChiefInTfConfig",
]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=9) | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


@given(JSON, JSON, JSON)
def test_nothing_that_a_resource_holds_breaks_the_pack(spec: Any, pool: Any, document: Any) -> None:
    listed = changed(FEW, (*POOLS, 2), pool)
    for inputs in ({**FEW, "jobSpec": spec, "document": document}, {**listed, "document": document}):
        for policy, level, message in analyzed(configured(), inputs):
            assert policy
            assert level in ("mandatory", "advisory")
            assert "\n" not in message


PROD_WITHOUT_SPEC = {**{key: value for key, value in FEW.items() if key != "jobSpec"}, "jobSpec": UNKNOWN}
OF_BODIES = {
    rule_id
    for rule_id, rule in RULES.items()
    if JobFacts in rule.subjects and rule_id not in ("protect-production", "required-labels", "evaluator-limit")
}


@pytest.mark.parametrize("inputs", [PROD_WITHOUT_SPEC, dict.fromkeys(FEW, UNKNOWN)], ids=["body", "everything"])
def test_of_a_body_that_is_not_known_every_rule_is_put_off_by_name(inputs: dict[str, Any]) -> None:
    violations = analyzed(configured(environment="prod"), inputs)
    assert {policy for policy, level, _ in violations if level == "mandatory"} == set()
    assert {policy for policy, _, message in violations if "not known yet" in message} >= OF_BODIES


def test_a_document_that_is_not_known_puts_off_what_it_says() -> None:
    own_image = changed(FEW, (*POOLS, 2, "containerSpec", "imageUri"), "x/servers@sha256:" + "0" * 64)
    for document in (UNKNOWN, {"framework": "pytorch", "pools": UNKNOWN}):
        violations = analyzed(configured(), {**own_image, "document": document})
        put_off = {policy for policy, _, message in violations if "not known yet" in message}
        assert {"fast-socket-conflict", "reducer-bandwidth", "reducers-or-parameter-servers"} <= put_off


@pytest.mark.parametrize("count", ["100", 100, 100.0])
def test_trials_at_once_are_counted_however_they_are_written(count: Any) -> None:
    tuning = {**FEW, "trialJobSpec": FEW["jobSpec"], "parallelTrialCount": count, "maxTrialCount": "200"}
    limits = {"maxUsdPerHour": 1000, "accelerators": {"NVIDIA_TESLA_A100": 100}}
    token = "trainingjobs:vertex:HyperparameterTuningJob"
    violations = analyzed(configured(), {**tuning, "limits": limits}, token)
    assert {("hourly-cost", "mandatory"), ("accelerator-quota", "mandatory")} <= {v[:2] for v in violations}


@pytest.mark.parametrize("count", ["many", 0, "-1", 1.5, True])
def test_a_count_of_trials_that_is_none_is_an_error(count: Any) -> None:
    tuning = {**FEW, "trialJobSpec": FEW["jobSpec"], "parallelTrialCount": count}
    token = "trainingjobs:vertex:HyperparameterTuningJob"
    lines = [message for policy, level, message in analyzed(configured(), tuning, token) if policy == "schema"]
    assert [line.partition(":")[0] for line in lines] == ["parallelTrialCount"]


def test_a_field_newer_than_the_tables_is_advice_with_its_name() -> None:
    newer = changed(FEW, (*POOLS, 0, "quantumMounts"), [])
    [(level, message)] = [(lv, message) for policy, lv, message in analyzed(configured(), newer) if policy == "schema"]
    assert level == "advisory"
    assert message.startswith("jobSpec.workerPoolSpecs[0].quantumMounts: ")
