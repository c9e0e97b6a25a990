"""The severities of a run, told to the pack as the engine tells them."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.policies.pack import FOR_A_REASON, WORDS, analyzed, configured, notes
from tests.policies.samples import samples
from trainingjobs.judge.policy import Policy
from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_stack_named, stack_source
from trainingjobs.rules import RULES
from trainingjobs.rules.enforcement import read_levels

TODAY = date(2026, 11, 21)
SAMPLES = {sample.name: sample for sample in samples()}
FEW = SAMPLES["reducer-bandwidth-disallowed-one-too-few"].inputs()
MANY = SAMPLES["reducer-bandwidth-disallowed-too-many"].inputs()
TAGGED = SAMPLES["image-pinned-disallowed-tag-in-prod"].inputs()
HEADLESS = SAMPLES["one-primary-replica-disallowed-body-empty-first-pool"].inputs()
STRUCTURAL = sorted(rule_id for rule_id, rule in RULES.items() if rule.structural)


def level(rule: str, inputs: dict, config: dict | None = None, environment: str | None = None) -> str | None:
    """The level at which the pack reports a rule, None where it does not."""
    violations = analyzed(configured(config, environment), inputs)
    [reported] = {word for policy, word, _ in violations if policy == rule} or {None}
    return reported


def test_the_policies_are_the_rules() -> None:
    info = configured().GetAnalyzerInfo(None, None)
    assert {policy.name for policy in info.policies} == {*RULES, "schema"}
    assert all(policy.description for policy in info.policies)
    assert info.supportsConfig


def test_one_rule_reports_errors_and_advice() -> None:
    assert level("reducer-bandwidth", FEW) == "mandatory"
    assert level("reducer-bandwidth", MANY) == "advisory"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [("dev", "advisory"), ("staging", "advisory"), ("sandbox", "advisory"), ("prod", "mandatory")],
)
def test_a_default_follows_the_environment_of_the_resource(environment: str, expected: str) -> None:
    inputs = {**TAGGED, "environment": environment}
    assert level("image-pinned", inputs) == expected
    assert level("image-pinned", inputs, environment="dev") == expected
    assert level("image-pinned", inputs, environment="prod") == "mandatory", "the stricter of the two holds"


def test_a_resource_without_an_environment_has_the_stacks() -> None:
    inputs = {key: value for key, value in TAGGED.items() if key != "environment"}
    assert level("image-pinned", inputs) == "advisory"
    assert level("image-pinned", inputs, environment="prod") == "mandatory"


@pytest.mark.parametrize("environment", ["dev", "prod"])
@pytest.mark.parametrize(
    ("setting", "expected"), [("mandatory", "mandatory"), ("advisory", "advisory"), ("disabled", None)]
)
def test_what_is_said_of_a_rule_holds_in_every_environment(
    environment: str, setting: str, expected: str | None
) -> None:
    whole = {"enforcementLevel": setting, **FOR_A_REASON}
    assert level("image-pinned", {**TAGGED, "environment": environment}, {"image-pinned": whole}) == expected


def test_all_holds_for_every_rule_that_is_not_named() -> None:
    advisory = {"enforcementLevel": "advisory", **FOR_A_REASON}
    labels = [policy for policy, _, _ in analyzed(configured(), FEW) if policy == "required-labels"]
    assert labels, "advice by default"
    mandatory = {(policy, word) for policy, word, _ in analyzed(configured({"all": "mandatory"}), FEW)}
    assert ("required-labels", "mandatory") in mandatory
    config = {"all": "disabled", "reducer-bandwidth": advisory}
    assert [(policy, word) for policy, word, _ in analyzed(configured(config), FEW)] == [
        ("reducer-bandwidth", "advisory")
    ]


def test_all_lowers_no_error_whatever_it_says() -> None:
    off: dict[str, Any] = {"enforcementLevel": "disabled", **FOR_A_REASON}
    for setting in (off, {**off, "expires": "9999-12-31"}):
        assert [(policy, word) for policy, word, _ in analyzed(configured({"all": setting}), FEW)] == [
            ("reducer-bandwidth", "mandatory")
        ]
        assert [(policy, word) for policy, word, _ in notes(configured({"all": setting}))] == [("all", "advisory")]


def test_a_line_of_its_own_lowers_an_error_beside_all() -> None:
    own = {"enforcementLevel": "disabled", **FOR_A_REASON}
    assert level("reducer-bandwidth", FEW, {"all": "disabled", "reducer-bandwidth": own}) is None


REFUSED = [
    "advisory",
    {"enforcementLevel": "disabled"},
    {"enforcementLevel": "advisory", "reason": "why"},
    {"enforcementLevel": "advisory", "reason": " ", "expires": FOR_A_REASON["expires"]},
    {"enforcementLevel": "advisory", "expires": FOR_A_REASON["expires"]},
    {"enforcementLevel": "advisory", "reason": "why", "expires": "2020-01-01"},
    {"enforcementLevel": "advisory", "reason": "why", "expires": "next year"},
    {"enforcementLevel": "advisory", "reason": "why", "expires": "9999-12-31"},
]


@pytest.mark.parametrize("setting", REFUSED)
@pytest.mark.parametrize("key", ["reducer-bandwidth", "all"])
def test_an_error_is_lowered_only_for_a_reason_and_until_a_day(key: str, setting: Any) -> None:
    assert level("reducer-bandwidth", FEW, {key: setting}) == "mandatory"
    noted = [word for policy, word, _ in notes(configured({key: setting})) if policy in (key, "reducer-bandwidth")]
    assert noted
    assert set(noted) == {"advisory"}


def test_the_longest_term_is_a_parameter_of_the_policy_that_judges_the_file() -> None:
    own = {"reducer-bandwidth": {"enforcementLevel": "advisory", **FOR_A_REASON}}
    assert level("reducer-bandwidth", FEW, own) == "advisory"
    assert level("reducer-bandwidth", FEW, {**own, "schema": {"longestTermDays": 10}}) == "mandatory"
    assert level("reducer-bandwidth", FEW, {**own, "schema": {"longestTermDays": 366}}) == "advisory"
    [schema] = [policy for policy in configured().GetAnalyzerInfo(None, None).policies if policy.name == "schema"]
    assert set(schema.configSchema.properties) == {"longestTermDays"}


def test_the_labels_that_are_required_are_a_parameter() -> None:
    labelled = {**FEW, "labels": {"owner": "nlp"}}
    assert level("required-labels", labelled) == "advisory"
    assert level("required-labels", labelled, {"required-labels": {"labels": ["owner"]}}) is None
    raised = {"required-labels": {"enforcementLevel": "mandatory", "labels": ["owner", "budget"]}}
    assert level("required-labels", labelled, raised) == "mandatory"


NUMBERS = [
    ("evaluator-limit", "three", {"evaluators": 3}),
    ("reducer-bandwidth", "too-many", {"spare": 50}),
    ("reducer-break-even", "two-nodes", {"speedup": 0.99}),
    ("reducer-fusion-threshold", "pytorch-small", {"bucketMb": 1}),
    ("reducer-machine", "eight-vcpu", {"vcpus": 8, "gbps": 16}),
]


@pytest.mark.parametrize(("rule", "sample", "parameters"), NUMBERS)
def test_the_numbers_of_a_rule_are_parameters(rule: str, sample: str, parameters: dict[str, float]) -> None:
    inputs = SAMPLES[f"{rule}-disallowed-{sample}"].inputs()
    assert level(rule, inputs) == "advisory"
    assert level(rule, inputs, {rule: parameters}) is None
    levels, faults, _ = read_levels({rule: parameters}, "dev", TODAY)
    assert (faults, levels.parameters_of(RULES[rule])) == ([], {**RULES[rule].parameters, **parameters})
    assert read_levels({rule: dict.fromkeys(parameters, -1)}, "dev", TODAY)[1]
    assert read_levels({rule: dict.fromkeys(parameters, "1")}, "dev", TODAY)[1]


def test_every_number_that_is_a_parameter_is_tested() -> None:
    numbers = {r.id for r in RULES.values() if any(isinstance(d, int | float) for d in r.parameters.values())}
    assert numbers == {rule for rule, _, _ in NUMBERS}


def test_advice_of_an_error_stays_advice_where_the_rule_is_raised() -> None:
    assert level("reducer-bandwidth", MANY, {"reducer-bandwidth": "mandatory"}) == "advisory"


@pytest.mark.parametrize(
    "config", [{"one-primary-replica": "disabled"}, {"one-primary-replica": "advisory"}, {"all": "disabled"}]
)
def test_nothing_lowers_a_structural_rule(config: dict) -> None:
    assert level("one-primary-replica", HEADLESS, config) == "mandatory"


@pytest.mark.parametrize("rule", STRUCTURAL)
def test_the_attempt_to_lower_one_is_said(rule: str) -> None:
    assert [(policy, word) for policy, word, _ in notes(configured({rule: "advisory"}))] == [(rule, "advisory")]


def test_a_rule_that_does_not_exist_is_said_with_the_nearest() -> None:
    [(policy, word, message)] = notes(configured({"image-pind": "mandatory"}))
    assert (policy, word) == ("image-pind", "advisory")
    assert "image-pinned" in message


def test_a_lowered_error_is_said_with_its_reason() -> None:
    setting = {"enforcementLevel": "advisory", **FOR_A_REASON, "reason": "measured otherwise"}
    config = {"reducer-bandwidth": setting}
    [(policy, word, message)] = notes(configured(config))
    assert (policy, word) == ("reducer-bandwidth", "advisory")
    assert "measured otherwise" in message


def test_what_prod_alone_makes_an_error_is_said_where_prod_lowers_it() -> None:
    assert [policy for policy, _, _ in notes(configured({"image-pinned": "advisory"}, "prod"))] == ["image-pinned"]
    assert notes(configured({"image-pinned": "advisory"}, "dev")) == []


def test_no_configuration_leaves_the_defaults_and_nothing_to_say() -> None:
    for config in (None, {}):
        assert notes(configured(config, "prod")) == []
        for rule in RULES.values():
            assert configured(config).configuration.levels.of(rule, "prod") == rule.default_severity("prod")


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"image-pinned": "mandatory", "reducer-machine": "mandatory"},
        {"all": "advisory", "image-pinned": "disabled"},
        {"all": "disabled", "reducer-bandwidth": {"enforcementLevel": "disabled", **FOR_A_REASON}},
        {"all": "disabled", "reducer-bandwidth": FOR_A_REASON, "image-pinned": {"reason": "x"}},
        {"reducer-bandwidth": {"enforcementLevel": "disabled", **FOR_A_REASON}, "schema": {"longestTermDays": 5}},
        {"reducer-bandwidth": {"enforcementLevel": "advisory", **FOR_A_REASON}, "pool-order": "disabled"},
        {"reducer-bandwidth": {"enforcementLevel": "advisory", "reason": "x"}},
        {"required-labels": {"labels": ["owner"]}},
        {"reducer-machine": {"reason": "only a reason"}},
    ],
)
@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_the_pack_reads_a_file_as_the_command_line_does(config: dict, environment: str) -> None:
    levels, _, _ = read_levels(config, environment, datetime.now(UTC).date())
    pack = configured(config, environment).configuration.levels
    assert {id_: pack.of(rule, environment) for id_, rule in RULES.items()} == {
        id_: levels.of(rule, environment) for id_, rule in RULES.items()
    }


@pytest.mark.parametrize("name", stack_names())
def test_the_stacks_configurations_are_sound(name: str) -> None:
    source = stack_source(name)
    assert source.unread_policy is None
    assert Policy.of(source.policy or {}, name, source.today).findings == ()


def test_a_fault_of_the_file_is_an_error_of_the_stack(project_folder: Path) -> None:
    shutil.copy(Path(__file__).resolve().parents[2] / "stacks" / "Pulumi.dev.yaml", project_folder / "stacks")
    for entry in ({"enforcementLevel": "advisory", "reason": "why", "expires": "2020-01-01"}, "remediate", "advisery"):
        (project_folder / "policies" / "config" / "dev.json").write_text(json.dumps({"reducer-bandwidth": entry}))
        findings = [finding for finding in judge_stack_named("dev").findings if finding.severity == "error"]
        assert [(finding.source, finding.rule) for finding in findings] == [("policies/config/dev.json", "schema")]


def test_the_engines_words_are_all_there() -> None:
    assert set(WORDS.values()) == {"advisory", "mandatory", "disabled", "remediate"}
