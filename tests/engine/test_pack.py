"""The policy pack on the real engine."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.hand_written import Run, run
from tests.engine.lab import PROJECT, Lab
from tests.policies.pack import FOR_A_REASON, analyzed, configured
from tests.policies.samples import Sample, samples
from trainingjobs.rules import RULES

SAMPLES = {sample.name: sample for sample in samples()}
# A structural fault ends the run at the provider's check, so such a job cannot stand among others.
TOGETHER = [
    sample for sample in SAMPLES.values() if sample.on_vertex and (sample.allowed or not RULES[sample.rule].structural)
]
STACK = "hand-written-test"
FEW = SAMPLES["reducer-bandwidth-disallowed-body-one-too-few"]
HEADLESS = SAMPLES["one-primary-replica-disallowed-body-empty-first-pool"]
TAGGED = SAMPLES["image-pinned-disallowed-tag-in-prod"]

EACH = """
for name in sorted(jobs):
    job(name, jobs[name])
"""

# The second job's size is known only once the first is made, so no preview sees what both cost together.
ONE_AFTER_THE_OTHER = """
one = job("one", jobs["one"])
jobs["two"]["jobSpec"]["workerPoolSpecs"][0]["replicaCount"] = one.state.apply(lambda state: 1 if state else 0)
job("two", jobs["two"])
"""

# What no rule reads, and nothing of ours.
COMMAND = """
class Command(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("command:local:Command", name, {"create": "gcloud ai custom-jobs create"})


Command("submits")
"""

WRAPPED = """
class Outer(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("somebody:else:Outer", name, {}, opts)


inner = Outer("inner", pulumi.ResourceOptions(parent=Outer("outer")))
first = job("first", jobs["first"])
pools = jobs["few"]["jobSpec"]["workerPoolSpecs"]
pools[2]["replicaCount"] = first.state.apply(lambda state: 24 if state else 0)
pools[2]["containerSpec"] = pulumi.Output.secret(pools[2]["containerSpec"])
job("few", jobs["few"], pulumi.ResourceOptions(parent=inner))
"""


# Two subnetworks of one network, and the same range in another, none of which has a link before it is made.
SUBNETWORKS = """
from trainingjobs.components.gcp import GoogleResource, google_provider

google = pulumi.ResourceOptions(provider=google_provider("acme-ml-sandbox", "us-central1"))
place = {"project": "acme-ml-sandbox", "region": "us-central1"}
for vpc, ranges in {"one": ["10.0.0.0/20", "10.0.8.0/24"], "two": ["10.0.8.0/24"]}.items():
    props = {"project": "acme-ml-sandbox", "name": vpc, "autoCreateSubnetworks": False}
    network = GoogleResource("gcp:compute/network:Network", vpc, props, google, ("selfLink",))
    for number, cidr in enumerate(ranges):
        props = {**place, "name": f"{vpc}-{number}", "network": network.output("selfLink"), "ipCidrRange": cidr}
        GoogleResource("gcp:compute/subnetwork:Subnetwork", f"{vpc}-{number}", props, google)
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("pack"))
    made.start()
    yield made
    made.sandbox("stop")


def inputs(sample: Sample, **changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(sample.inputs()), **changes}


def mandatory(done: Run) -> list[tuple[str, str]]:
    return [(name, policy) for name, policy, level in done.violations if level == "mandatory"]


def test_one_preview_names_every_job_that_breaks_a_rule(lab: Lab) -> None:
    done = run(lab, "preview", EACH, {sample.name: inputs(sample) for sample in TOGETHER})
    in_process = [
        (sample.name, policy, level)
        for sample in TOGETHER
        for policy, level, _ in analyzed(configured(), sample.inputs())
    ]
    # The samples that say no environment, in a stack that says none either.
    assert done.violations == sorted([*in_process, (STACK, "schema", "advisory")])
    named = {(name, policy) for name, policy, _ in done.violations}
    assert {(s.name, s.rule) for s in TOGETHER if not s.allowed} <= named
    assert done.status != 0
    assert "Traceback" not in done.output


def test_configuration_lowers_and_raises_but_never_a_structural_rule(lab: Lab) -> None:
    config = {
        "one-primary-replica": "disabled",
        "image-pind": "mandatory",
        "image-pinned": {"enforcementLevel": "advisory", **FOR_A_REASON},
        "reducer-bandwidth": {"enforcementLevel": "disabled", **FOR_A_REASON},
    }
    jobs = {"few": inputs(FEW), "tagged": inputs(TAGGED), "the-headless": inputs(HEADLESS)}
    done = run(lab, "preview", EACH, jobs, config)
    assert done.status != 0
    assert mandatory(done) == [("the-headless", "one-primary-replica")]
    notes = {(policy, level) for name, policy, level in done.violations if name == STACK and policy != "schema"}
    noted = ("one-primary-replica", "image-pind", "image-pinned", "reducer-bandwidth")
    assert notes == {(policy, "advisory") for policy in noted}
    assert any("image-pinned?" in message for message in done.messages)


@pytest.mark.parametrize(
    "config",
    [
        {"reducer-bandwidth": "disabled"},
        {"reducer-bandwidth": {"enforcementLevel": "disabled", **FOR_A_REASON, "expires": "9999-12-31"}},
        {"all": {"enforcementLevel": "disabled", **FOR_A_REASON}},
        {"reducer-bandwidth": {"enforcementLevel": "disabled", **FOR_A_REASON}, "schema": {"longestTermDays": 9}},
    ],
)
def test_an_error_is_lowered_only_for_a_reason_and_until_a_near_day(lab: Lab, config: dict[str, Any]) -> None:
    done = run(lab, "preview", EACH, {"few": inputs(FEW)}, config)
    assert done.status != 0
    assert mandatory(done) == [("few", "reducer-bandwidth")]


def test_what_no_rule_reads_is_told_at_its_own_place(lab: Lab) -> None:
    done = run(lab, "preview", COMMAND, {})
    assert done.violations == [("submits", "unjudged-training", "advisory")]
    assert done.status == 0, done.output
    raised = run(lab, "preview", COMMAND, {}, {"unjudged-training": "mandatory"})
    assert (raised.status != 0, mandatory(raised)) == (True, [("submits", "unjudged-training")])


def test_limits_are_judged_before_a_job_is_made_and_over_all_jobs(lab: Lab) -> None:
    limits = {"limits": {"maxUsdPerHour": 0.5}}
    alone = inputs(SAMPLES["required-labels-allowed-body"])
    two = {name: {**alone, **limits, "displayName": name} for name in ("one", "two")}
    together = run(lab, "preview", EACH, two)
    assert together.status != 0
    # Either may come second: the engine is told of both at once.
    assert mandatory(together) in ([("one", "hourly-cost")], [("two", "hourly-cost")])
    single = run(lab, "preview", EACH, {"one": {**alone, "limits": {"maxUsdPerHour": 0.3}}})
    assert single.status != 0
    assert mandatory(single) == [("one", "hourly-cost")]


def test_jobs_whose_size_no_preview_knows_add_up_before_each_is_made(lab: Lab) -> None:
    body = inputs(SAMPLES["one-primary-replica-allowed-body"], project=PROJECT, limits={"maxUsdPerHour": 0.5})
    body["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["imageUri"] = "registry.example/test/python"
    two = {name: {**copy.deepcopy(body), "displayName": f"limited-{name}"} for name in ("one", "two")}
    preview = run(lab, "preview", ONE_AFTER_THE_OTHER, two)
    assert preview.status == 0, preview.output
    assert ("two", "hourly-cost", "advisory") in preview.violations
    made = run(lab, "up", ONE_AFTER_THE_OTHER, two)
    assert made.status != 0
    assert mandatory(made) == [("two", "hourly-cost")]
    assert any("0.76 USD" in message for message in made.messages), made.messages
    names = [job["displayName"] for job in lab.jobs()]
    assert ("limited-one" in names, "limited-two" in names) == (True, False)


def test_what_a_preview_cannot_know_is_said_and_judged_before_the_job_is_made(lab: Lab) -> None:
    first = inputs(SAMPLES["one-primary-replica-allowed-body"], project=PROJECT)
    first["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["imageUri"] = "registry.example/test/python"
    jobs = {"first": first, "few": inputs(FEW, project=PROJECT)}
    preview = run(lab, "preview", WRAPPED, jobs)
    assert preview.status == 0, preview.output
    assert ("few", "reducer-bandwidth", "advisory") in preview.violations
    assert mandatory(preview) == []

    made = run(lab, "up", WRAPPED, jobs)
    assert made.status != 0
    assert mandatory(made) == [("few", "reducer-bandwidth")]
    assert "Traceback" not in made.output
    assert [job["displayName"] for job in lab.jobs() if not job["displayName"].startswith("limited-")] == ["alone"]


def test_ranges_are_judged_over_all_subnetworks_of_a_network_before_any_is_made(lab: Lab) -> None:
    done = run(lab, "preview", SUBNETWORKS, {})
    assert done.status != 0
    assert mandatory(done) == [("hand-written-test", "cidr-overlap")]
    [message] = [message for message in done.messages if "overlaps" in message]
    assert "one-1.ipCidrRange" in message
    assert "one-0.ipCidrRange" in message
