"""Every rule gives the same answer at every gate, shown by the samples."""

from __future__ import annotations

import pytest

from tests.policies.pack import analyzed, configured
from tests.policies.samples import SAMPLES, Sample, samples
from trainingjobs.facts.job import JobFacts
from trainingjobs.provider.job import check
from trainingjobs.rules import RULES
from trainingjobs.workloads.custom_job import CustomJob

ALL = samples()
LEVEL = {"error": "mandatory", "advice": "advisory"}
# A document with both is refused before anything is declared: no body can hold the two at one place.
DOCUMENT_ONLY = "reducers-or-parameter-servers-disallowed-both"
RESOURCES = [sample for sample in ALL if sample.on_vertex and sample.name != DOCUMENT_ONLY]
JOB_RULES = sorted(rule_id for rule_id, rule in RULES.items() if JobFacts in rule.subjects)


def at_pack(sample: Sample) -> set[tuple[str, str]]:
    return {(policy, level) for policy, level, _ in analyzed(configured(), sample.inputs())}


@pytest.mark.parametrize("rule", JOB_RULES)
def test_each_rule_of_jobs_has_an_allowed_and_a_disallowed_sample(rule: str) -> None:
    assert {sample.allowed for sample in ALL if sample.rule == rule} == {True, False}


def test_each_folder_of_samples_is_a_rule() -> None:
    assert {path.name for path in SAMPLES.iterdir()} <= set(RULES)


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_the_command_line_names_the_rule_where_it_is_broken(sample: Sample) -> None:
    assert (sample.rule in {finding.rule for finding in sample.judged()}) is not sample.allowed


@pytest.mark.parametrize("sample", RESOURCES, ids=lambda sample: sample.name)
def test_the_pack_says_what_the_command_line_says(sample: Sample) -> None:
    assert at_pack(sample) == {(finding.rule, LEVEL[finding.severity]) for finding in sample.judged()}


@pytest.mark.parametrize("sample", RESOURCES, ids=lambda sample: sample.name)
def test_the_provider_refuses_what_breaks_a_structural_rule_and_nothing_else(sample: Sample) -> None:
    broken = {rule for rule, _ in at_pack(sample) if RULES[rule].structural}
    reasons = " ".join(reason for _, reason in check(CustomJob(), sample.inputs()))
    assert {rule for rule in RULES if f"[{rule}]" in reasons} == broken
    assert bool(reasons) is bool(broken)


@pytest.mark.parametrize("sample", [s for s in ALL if s.allowed], ids=lambda sample: sample.name)
def test_an_allowed_sample_breaks_no_other_rule_either(sample: Sample) -> None:
    assert {severity for finding in sample.judged() if (severity := finding.severity) == "error"} == set()
