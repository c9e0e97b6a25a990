"""Limits at the pack's two gates: a job before it is made, and all jobs of the stack together."""

from __future__ import annotations

import copy
import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb

from tests.policies.pack import FOR_A_REASON, UNKNOWN, WORDS, analyzed, analyzed_stack, configured, remediations
from tests.policies.samples import ACCOUNT, Sample, stack_samples
from trainingjobs.core.findings import Finding
from trainingjobs.facts.stack import StackFacts
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.policy_pack.protection import KEPT
from trainingjobs.rules import RULES
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, stack_document
from trainingjobs.workloads.custom_job import CustomJob
from trainingjobs.workloads.vertex import plain

ALL = stack_samples()
SAMPLES = {sample.name: sample for sample in ALL}
TWO = SAMPLES["hourly-cost-disallowed-two-jobs-together"]
LEVEL = {"error": "mandatory", "advice": "advisory"}
BUCKET = "gcp:storage/bucket:Bucket"
CLUSTER = "gcp:container/cluster:Cluster"
PROTECT = "protect-production"
COST = "hourly-cost"


def read(sample: Sample) -> tuple[Stack, list[Finding], dict[str, dict[str, Any]]]:
    """The stack, what the command line says of it, and the inputs of the resources that submit its jobs."""
    stack = read_model(Stack, stack_document(sample.document), renamed=PATHS).value
    assert isinstance(stack, Stack)
    plans, findings = judge_stack(stack)
    jobs = {}
    for plan in plans:
        inputs: dict[str, Any] = {
            **CustomJob().body(plan),
            "project": stack.project,
            "location": stack.region,
            "environment": stack.environment,
            "document": plan.job.model_dump(mode="json", by_alias=True, exclude_unset=True),
            "limits": plain(stack.limits),
        }
        inputs["jobSpec"].setdefault("serviceAccount", ACCOUNT)
        jobs[plan.name] = inputs
    return stack, findings, jobs


def both_gates(jobs: dict[str, dict[str, Any]], config: dict[str, Any] | None = None) -> set[tuple[str, str]]:
    pack = configured(config)
    violations = [violation for name, inputs in jobs.items() for violation in analyzed(pack, inputs, name=name)]
    return {(policy, level) for policy, level, _ in [*violations, *analyzed_stack(pack, jobs)]}


@pytest.mark.parametrize("rule", sorted(rule_id for rule_id, rule in RULES.items() if StackFacts in rule.subjects))
def test_each_rule_of_stacks_has_an_allowed_and_a_disallowed_sample(rule: str) -> None:
    assert {sample.allowed for sample in ALL if sample.rule == rule} == {True, False}


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_the_command_line_names_the_rule_where_it_is_broken(sample: Sample) -> None:
    _, findings, _ = read(sample)
    assert (sample.rule in {finding.rule for finding in findings}) is not sample.allowed


@pytest.mark.parametrize("sample", [s for s in ALL if s.on_vertex], ids=lambda sample: sample.name)
def test_the_pack_says_what_the_command_line_says(sample: Sample) -> None:
    _, findings, jobs = read(sample)
    if jobs:
        assert both_gates(jobs) == {(finding.rule, LEVEL[finding.severity]) for finding in findings}


def test_a_job_that_breaks_a_limit_by_itself_is_stopped_before_it_is_made() -> None:
    _, _, jobs = read(SAMPLES["hourly-cost-disallowed-one-job"])
    [(policy, level, message)] = analyzed(configured(), jobs["bert"])
    assert (policy, level) == ("hourly-cost", "mandatory")
    assert message.startswith("limits.maxUsdPerHour")
    assert analyzed_stack(configured(), jobs) == [], "reported at the job's own gate"


def test_what_two_jobs_break_together_is_said_of_the_second_before_it_is_made_and_once() -> None:
    _, _, jobs = read(TWO)
    assert [analyzed(configured(), inputs) for inputs in jobs.values()] == [[], []], "each in a run of its own"
    pack = configured()
    first, second = (analyzed(pack, inputs, name=name) for name, inputs in jobs.items())
    assert first == []
    assert [(policy, level) for policy, level, _ in second] == [("hourly-cost", "mandatory")]
    assert second[0][2].startswith("limits.maxUsdPerHour: ")
    assert "117.55 USD" in second[0][2], "the sum of both"
    assert analyzed_stack(pack, jobs) == [], "told at the job's own gate"
    assert [(policy, level) for policy, level, _ in analyzed_stack(configured(), jobs)] == [
        ("hourly-cost", "mandatory")
    ], "nothing is passed over that no gate has told"


def test_a_job_counts_once_however_often_it_is_judged_and_the_next_run_begins_anew() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    for _ in range(3):
        assert analyzed(pack, jobs["bert"], name="bert") == []
    again = [analyzed(pack, jobs["gpt"], name="gpt") for _ in range(2)]
    assert again[0] == again[1] != []
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(stack="dev", project="training"), None)
    assert analyzed(pack, jobs["gpt"], name="gpt") == []


def test_a_job_that_adds_nothing_is_not_blamed_for_the_sum() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    for name in jobs:
        analyzed(pack, jobs[name], name=name)
    idle = copy.deepcopy(jobs["bert"])
    for pool in idle["jobSpec"]["workerPoolSpecs"]:
        pool["replicaCount"] = UNKNOWN
    violations = analyzed(pack, idle, name="idle")
    assert {level for policy, level, _ in violations if policy == "hourly-cost"} == {"advisory"}


def test_accelerators_add_up_as_the_jobs_come() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    limits = {"limits": {"accelerators": {"NVIDIA_TESLA_A100": 31}}}
    first, second = (analyzed(pack, {**inputs, **limits}, name=name) for name, inputs in jobs.items())
    assert first == []
    assert [(policy, level) for policy, level, _ in second] == [("accelerator-quota", "mandatory")]


def test_jobs_that_are_judged_at_once_add_up() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda number: analyzed(pack, jobs["bert"], name=f"bert-{number}"), range(8)))
    assert sum(bool(violations) for violations in told) == 7


def test_remediation_comes_before_and_counts_no_job() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    remediations(pack, jobs["gpt"])
    assert analyzed(pack, jobs["bert"], name="bert") == []


UNPRICED = "a3-edgegpu-8g"


@pytest.mark.parametrize(
    ("environment", "level"), [("prod", "mandatory"), ("staging", "advisory"), ("dev", "advisory")]
)
def test_in_prod_a_machine_without_a_price_passes_no_limit(environment: str, level: str) -> None:
    _, _, jobs = read(TWO)
    inputs = {**jobs["bert"], "environment": environment}
    inputs["jobSpec"]["workerPoolSpecs"] = inputs["jobSpec"]["workerPoolSpecs"][:1]
    inputs["jobSpec"]["workerPoolSpecs"][0]["machineSpec"] = {"machineType": UNPRICED}
    place = "jobSpec.workerPoolSpecs[0].machineSpec.machineType: "
    costs = [
        (word, message.startswith(place)) for rule, word, message in analyzed(configured(), inputs) if rule == COST
    ]
    assert costs == [(level, True)]
    assert COST not in {rule for rule, _, _ in analyzed(configured(), {**inputs, "limits": None})}
    lowered = configured({COST: {"enforcementLevel": "advisory", **FOR_A_REASON}}, environment)
    assert {word for rule, word, _ in analyzed(lowered, inputs) if rule == COST} == {"advisory"}


def test_a_job_that_says_no_limits_counts_and_the_strictest_limit_holds() -> None:
    _, _, jobs = read(TWO)
    without = {"bert": jobs["bert"], "gpt": {k: v for k, v in jobs["gpt"].items() if k != "limits"}}
    assert both_gates(without) == {("hourly-cost", "mandatory")}
    generous = {"bert": jobs["bert"], "gpt": {**jobs["gpt"], "limits": {"maxUsdPerHour": 10_000}}}
    assert both_gates(generous) == {("hourly-cost", "mandatory")}


def test_the_stacks_own_configuration_limits_a_program_that_is_not_ours() -> None:
    _, _, jobs = read(TWO)
    pack = configured()
    config = {"training:limits": json.dumps({"maxUsdPerHour": 50})}
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(stack="dev", project="training", config=config), None)
    inputs = {key: value for key, value in jobs["bert"].items() if key != "limits"}
    assert [policy for policy, _, _ in analyzed(pack, inputs)] == ["hourly-cost"]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"maxUsdPerHour": UNKNOWN}, ("hourly-cost", "advisory")),
        (UNKNOWN, ("hourly-cost", "advisory")),
        ({"accelerators": UNKNOWN}, ("accelerator-quota", "advisory")),
        ({"accelerators": {"NVIDIA_TESLA_A100": UNKNOWN}}, ("accelerator-quota", "advisory")),
        ({"maxUsdPerHour": "50"}, ("schema", "mandatory")),
        ({"maxUsdPerHour": -1}, ("schema", "mandatory")),
        ({"maxUsdPerhour": 50}, ("schema", "mandatory")),
        ({"accelerators": 4}, ("schema", "mandatory")),
        ({"accelerators": {"NVIDIA_TESLA_A100": "4"}}, ("schema", "mandatory")),
        ("50", ("schema", "mandatory")),
    ],
)
def test_a_limit_that_cannot_be_read_never_lets_a_job_pass_in_silence(limits: Any, expected: tuple[str, str]) -> None:
    _, _, jobs = read(TWO)
    violations = analyzed(configured(), {**jobs["bert"], "limits": limits})
    assert expected in {(policy, level) for policy, level, _ in violations}


def test_a_number_of_replicas_that_is_not_known_yet_is_said_where_a_limit_needs_it() -> None:
    _, _, jobs = read(TWO)
    jobs["bert"]["jobSpec"]["workerPoolSpecs"][1]["replicaCount"] = UNKNOWN
    violations = analyzed(configured(), jobs["bert"])
    assert ("hourly-cost", "advisory") in {(policy, level) for policy, level, _ in violations}
    assert analyzed_stack(configured(), jobs) == [], "reported at the job's own gate"


def test_the_limits_are_lowered_like_any_rule() -> None:
    _, _, jobs = read(TWO)
    config = {"hourly-cost": {"enforcementLevel": "advisory", **FOR_A_REASON}}
    assert both_gates(jobs, config) == {("hourly-cost", "advisory")}


def kept(token: str, *, protect: bool, environment: str | None, **props: Any) -> list[tuple[str, str]]:
    """What the pack says of a resource of somebody's stack."""
    properties = struct_pb2.Struct()
    properties.update(props)
    request = pb.AnalyzeRequest(type=token, urn=f"urn:pulumi:prod::x::{token}::kept", name="kept")
    request.options.protect = protect
    request.properties.CopyFrom(properties)
    diagnostics = configured(environment=environment).Analyze(request, None).diagnostics
    return [(diagnostic.policyName, WORDS[diagnostic.enforcementLevel]) for diagnostic in diagnostics]


def test_in_prod_what_holds_data_is_protected() -> None:
    assert kept(BUCKET, protect=False, environment="prod") == [(PROTECT, "mandatory")]
    assert kept(BUCKET, protect=True, environment="prod") == []
    assert kept(BUCKET, protect=False, environment="staging") == []
    assert kept("gcp:storage/bucketObject:BucketObject", protect=False, environment="prod") == []


@pytest.mark.parametrize(
    ("props", "protect", "expected"),
    [
        ({}, False, []),
        ({"deletionProtection": True}, False, []),
        ({"deletionProtection": False}, True, []),
        ({"deletionProtection": False}, False, [(PROTECT, "mandatory")]),
        ({"deletionProtection": UNKNOWN}, False, []),
    ],
)
def test_a_clusters_own_protection_counts(props: dict[str, Any], protect: bool, expected: list[Any]) -> None:
    violations = kept(CLUSTER, protect=protect, environment="prod", **props)
    assert [violation for violation in violations if violation[0] == PROTECT] == expected


def test_what_is_kept_are_resources_of_the_gcp_provider() -> None:
    for token in KEPT:
        module, name = token.removeprefix("gcp:").split("/")[0], token.split(":")[-1]
        assert getattr(importlib.import_module(f"pulumi_gcp.{module}"), name).pulumi_type == token
