"""What the pack remediates, over the engine's own calls: properties in, properties out."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.policies.pack import CUSTOM_JOB, UNKNOWN, analyzed, configured, remediations, secret
from tests.policies.samples import samples
from trainingjobs.clients.vertex.identity import job_key
from trainingjobs.facts.vertex_body import camel
from trainingjobs.provider.job_diff import compare
from trainingjobs.workloads.custom_job import CustomJob
from trainingjobs.workloads.vertex import by_token, vertex_workloads

SAMPLES = {sample.name: sample for sample in samples()}
BARE = SAMPLES["required-labels-disallowed-none"].inputs()
FAR = SAMPLES["reducer-image-region-disallowed-other-continent"].inputs()
FAR_BODY = SAMPLES["reducer-image-region-disallowed-body-other-continent"].inputs()
VALUES = {"team": "nlp", "cost-center": "research"}
LABELS = {"required-labels": {"enforcementLevel": "remediate", "values": VALUES}}
REGION = {"reducer-image-region": "remediate"}
NEAREST = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
KIND = CustomJob()
TOKENS = sorted(kind.token for kind in vertex_workloads())


def image_of(properties: Any, spec: str = "jobSpec") -> Any:
    return properties[spec]["workerPoolSpecs"][2]["containerSpec"]["imageUri"]


def snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(item) for key, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def of(rule: str, inputs: dict[str, Any], config: dict[str, Any]) -> set[str]:
    return {level for policy, level, _ in analyzed(configured(config), inputs) if policy == rule}


@pytest.mark.parametrize("inputs", [BARE, FAR, FAR_BODY])
@pytest.mark.parametrize(
    "config", [None, {}, {"required-labels": "mandatory"}, {"all": "mandatory"}, {"all": "remediate"}]
)
def test_nothing_is_remediated_unless_the_configuration_asks_for_it(inputs: dict[str, Any], config: Any) -> None:
    assert remediations(configured(config), inputs) == []


def test_missing_labels_are_added_and_what_is_said_is_kept() -> None:
    [(policy, after)] = remediations(configured(LABELS), BARE)
    assert policy == "required-labels"
    assert after["labels"] == VALUES
    assert {key: value for key, value in after.items() if key != "labels"} == {
        k: v for k, v in BARE.items() if k != "labels"
    }
    own = {**BARE, "labels": {"team": "vision", "owner": "x", "cost-center": ""}}
    [(_, after)] = remediations(configured(LABELS), own)
    assert after["labels"] == {"team": "vision", "owner": "x", "cost-center": "research"}
    assert remediations(configured(LABELS), after) == []
    assert of("required-labels", after, LABELS) == set()


def test_a_label_without_a_value_is_an_error() -> None:
    config = {"required-labels": {"enforcementLevel": "remediate", "values": {"team": "nlp"}}}
    [(_, after)] = remediations(configured(config), BARE)
    assert after["labels"] == {"team": "nlp"}
    assert of("required-labels", after, config) == {"mandatory"}


def test_the_environment_is_the_resources_own_and_then_the_stacks() -> None:
    config = {"required-labels": {"enforcementLevel": "remediate", "labels": ["environment"]}}
    without = {key: value for key, value in BARE.items() if key != "environment"}
    assert [after["labels"] for _, after in remediations(configured(config, "staging"), without)] == [
        {"environment": "staging"}
    ]
    own = {**without, "environment": "dev"}
    assert [after["labels"] for _, after in remediations(configured(config, "staging"), own)] == [
        {"environment": "dev"}
    ]


@pytest.mark.parametrize("token", TOKENS)
def test_the_image_comes_from_the_locations_own_region(token: str) -> None:
    kind = by_token(token)
    assert kind is not None
    spec = kind.spec_key
    given = {spec: FAR_BODY["jobSpec"], **{key: value for key, value in FAR_BODY.items() if key != "jobSpec"}}
    for location, region in (("us-east1", "us"), ("europe-west4", "europe"), ("asia-northeast1", "asia")):
        remediated = remediations(configured(REGION), {**given, "location": location}, token)
        if region == "asia":
            assert remediated == []
            continue
        [(policy, after)] = remediated
        assert policy == "reducer-image-region"
        assert image_of(after, spec).startswith(f"{region}-docker.pkg.dev/")
        assert image_of(given, spec) == image_of(FAR_BODY), "what was given is not touched"


def test_both_rules_are_remediated_one_on_top_of_the_other() -> None:
    inputs = {key: value for key, value in FAR.items() if key != "labels"}
    first, second = remediations(configured({**LABELS, **REGION}), inputs)
    assert [first[0], second[0]] == ["reducer-image-region", "required-labels"]
    assert (image_of(second[1]), second[1]["labels"]) == (NEAREST, VALUES)


def test_an_image_that_is_not_the_reduction_servers_is_left_alone() -> None:
    other = copy.deepcopy(FAR_BODY)
    other["jobSpec"]["workerPoolSpecs"][2]["containerSpec"]["imageUri"] = "asia-docker.pkg.dev/acme/reductionserver:1"
    assert remediations(configured(REGION), other) == []


def test_secrets_stay_secrets() -> None:
    hidden = copy.deepcopy(FAR_BODY)
    pools = hidden["jobSpec"]["workerPoolSpecs"]
    pools[2]["containerSpec"] = secret(pools[2]["containerSpec"])
    hidden["jobSpec"]["workerPoolSpecs"] = secret(pools)
    hidden["labels"] = secret({"team": secret("vision"), "cost-center": secret("")})
    after = dict(remediations(configured({**LABELS, **REGION}), hidden))["required-labels"]
    inner = after["jobSpec"]["workerPoolSpecs"]["value"][2]["containerSpec"]
    assert inner == secret({**inner["value"], "imageUri": NEAREST})
    assert after["labels"] == secret({"team": secret("vision"), "cost-center": secret("research")})


def test_snake_case_bodies_are_remediated_too() -> None:
    after = dict(remediations(configured(REGION), {**FAR_BODY, "jobSpec": snake(FAR_BODY["jobSpec"])}))[
        "reducer-image-region"
    ]
    pool = after["jobSpec"]["worker_pool_specs"][2]
    assert pool["container_spec"]["image_uri"] == NEAREST
    assert camel("container_spec") not in pool


@pytest.mark.parametrize(
    "unknown",
    [
        {"labels": UNKNOWN},
        {"location": UNKNOWN},
        {"jobSpec": UNKNOWN},
        {"jobSpec": {"workerPoolSpecs": UNKNOWN}},
        {"labels": {"team": UNKNOWN, "cost-center": UNKNOWN}},
        {"document": UNKNOWN, "environment": UNKNOWN},
    ],
)
def test_what_is_not_known_yet_is_left_and_judged_again(unknown: dict[str, Any]) -> None:
    pack = configured({**LABELS, **REGION})
    after = {**FAR_BODY, **unknown}
    for _, properties in remediations(pack, after):
        after = properties
    assert {key: after[key] for key in unknown} == unknown
    levels = {level for policy, level, _ in analyzed(pack, after) if policy in (*LABELS, *REGION)}
    assert levels <= {"advisory"}


@pytest.mark.parametrize("labels", ["team", 3, ["team"], True])
def test_labels_that_are_none_are_left_to_the_providers_check(labels: Any) -> None:
    assert remediations(configured(LABELS), {**BARE, "labels": labels}) == []
    assert of("required-labels", {**BARE, "labels": labels}, LABELS) == {"mandatory"}


@pytest.mark.parametrize("token", ["gcp:storage/bucket:Bucket", "training:vertex:VertexJob", "pulumi:pulumi:Stack"])
def test_only_what_submits_a_job_is_remediated(token: str) -> None:
    assert remediations(configured({**LABELS, **REGION}), BARE, token) == []


def test_remediation_makes_no_other_job() -> None:
    """With a document or without: the key is the same, and nothing is replaced where remediation begins or ends."""
    config = {**LABELS, **REGION}
    for inputs in (FAR, FAR_BODY):
        bare = {key: value for key, value in inputs.items() if key != "labels"}
        after = remediations(configured(config), bare)[-1][1]
        assert after != bare
        assert job_key("urn", after, "state") == job_key("urn", bare, "state")
        for old, new in ((bare, after), (after, bare), (after, after)):
            verdict = compare(KIND, old, old, new)
            assert (verdict.replaces, verdict.updates) == ({}, {})
            assert bool(verdict.notes) is (old != new)


def test_every_sample_stays_as_it_is_where_it_breaks_neither_rule() -> None:
    pack = configured({**LABELS, **REGION})
    for sample in SAMPLES.values():
        if sample.on_vertex:
            changed = {policy for policy, _ in remediations(pack, sample.inputs(), CUSTOM_JOB)}
            rules = {finding.rule for finding in sample.judged()}
            assert changed == {"required-labels", "reducer-image-region"} & rules, sample.name
