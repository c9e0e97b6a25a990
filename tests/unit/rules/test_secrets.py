from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.jobs import IMAGE, findings_of, gpu_job, judge_document, with_pools
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import evaluate
from trainingjobs.rules.secrets import known_secret, named_secret

RULE = "no-plain-secrets"
VALUE = "sw0rdfish-9"

NAMED = [
    "HF_TOKEN",
    "TOKEN",
    "hf_token",
    "hfToken",
    "DB_PASSWORD",
    "PASSWORD_OF_DB",
    "MYSQL_PWD",
    "ADMIN_PASSWD",
    "CLIENT_SECRET",
    "SECRET",
    "MY_SECRETS",
    "WANDB_API_KEY",
    "OPENAI_APIKEY",
    "AWS_SECRET_ACCESS_KEY",
    "SSH_PRIVATE_KEY",
    "KEY_PASSPHRASE",
    "GOOGLE_APPLICATION_CREDENTIALS",
]
HARMLESS = [
    ("TOKENIZERS_PARALLELISM", "false"),
    ("MAX_TOKENS", "4096"),
    ("PAD_TOKEN", "<pad>"),
    ("EOS_TOKEN", "</s>"),
    ("HF_TOKEN", ""),
    ("HF_TOKEN", "projects/acme/secrets/hub/versions/3"),
    ("HF_TOKEN", "projects/123/secrets/hub/versions/latest"),
    ("HF_TOKEN", "$(HUB)"),
    ("HF_TOKEN", "${HUB}"),
    ("HF_TOKEN_PATH", "/secrets/hub"),
    ("DB_PASSWORD_FILE", "/run/secrets/db"),
    ("SECRET_NAME", "hub-of-the-team"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "/secrets/key.json"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "/key.json"),
    ("USE_AUTH_TOKEN", "true"),
    ("NCCL_DEBUG", "WARN"),
    ("KEYBOARD", "qwerty"),
    ("PWD", "/workspace"),
]
BY_FORM = [
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    '{"private_key": "-----BEGIN PRIVATE KEY-----"}',
    "AKIA" + "A1B2C3D4E5F6G7H8",
    "ghp_" + "a1" * 18,
    "glpat-" + "a1" * 10,
    "xoxb-" + "12345678901",
    "AIza" + "a1B2c" * 7,
    "hf_" + "aB1" * 10,
    "sk-proj-" + "aB1" * 12,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig",
    "https://me:swordfish@data.example/set",
    "Authorization: Bearer abcdefghijk",
]


def of(container: dict[str, Any]) -> set[tuple[str, str, str]]:
    document = {"container": {"imageUri": IMAGE, **container}, "pools": {"primary": {"machineType": "n1-standard-8"}}}
    return {finding for finding in findings_of(document) if finding[0] == RULE}


@pytest.mark.parametrize("name", NAMED)
def test_what_its_name_calls_a_secret(name: str) -> None:
    assert of({"env": {name: VALUE}}) == {(RULE, "error", f"container.env.{name}")}


@pytest.mark.parametrize(("name", "value"), HARMLESS)
def test_what_is_no_secret(name: str, value: str) -> None:
    assert of({"env": {name: value}}) == set()
    assert of({"args": [f"--{name.lower().replace('_', '-')}={value}"]}) == set()


@pytest.mark.parametrize("value", BY_FORM)
def test_what_is_a_secret_under_any_name(value: str) -> None:
    assert of({"env": {"NAME": value}}) == {(RULE, "error", "container.env.NAME")}
    assert of({"args": ["train.py", f"--name={value}"]}) == {(RULE, "error", "container.args")}


@pytest.mark.parametrize(
    "words",
    [
        [f"--db-password={VALUE}"],
        ["--db-password", VALUE],
        ["-token", VALUE],
        [f"HF_TOKEN={VALUE}"],
        ["bash", "-c", f"export HF_TOKEN={VALUE} && python train.py"],
        ["bash", "-c", f"login --token {VALUE}"],
        ["bash", "-c", f"HF_TOKEN='{VALUE}' python train.py"],
        ["--password=X100"],
    ],
)
def test_arguments(words: list[str]) -> None:
    assert of({"args": words}) == {(RULE, "error", "container.args")}
    assert of({"command": words}) == {(RULE, "error", "container.args")}


@pytest.mark.parametrize(
    "words",
    [
        ["--pad-token", "<pad>"],
        ["--hub-token", "--verbose"],
        ["--tokenizer", "bert-base"],
        ["bash", "-c", "HF_TOKEN=$(gcloud secrets versions access latest --secret=hub) python train.py"],
        ["bash", "-c", "login --token $HF_TOKEN"],
        ["bash", "-c", "HF_TOKEN=\"$HUB\" login --token '$HF_TOKEN'"],
        ["gs://bucket/path:with@signs", "http://host:8080/x@y"],
        ["sk-learn-contrib-some-estimator-of-trees"],
    ],
)
def test_arguments_without_a_secret(words: list[str]) -> None:
    assert of({"args": words}) == set()


def test_a_pools_own_variable_is_reported_and_the_primarys_once() -> None:
    document = {
        "container": {"imageUri": IMAGE, "env": {"HF_TOKEN": VALUE}},
        "pools": {
            "primary": {"machineType": "n1-standard-8"},
            "workers": {"replicaCount": 2, "container": {"env": {"DB_PASSWORD": VALUE}}},
        },
    }
    assert {path for rule, _, path in findings_of(document) if rule == RULE} == {
        "container.env.HF_TOKEN",
        "pools.workers.container.env.DB_PASSWORD",
    }


def test_a_python_package() -> None:
    package = {"executorImageUri": IMAGE, "packageUris": ["gs://b/p.tar.gz"], "pythonModule": "m"}
    document = {
        "pythonPackage": {**package, "env": {"HF_TOKEN": VALUE}, "args": [f"--password={VALUE}"]},
        "pools": {"primary": {"machineType": "n1-standard-8"}},
    }
    assert {path for rule, _, path in findings_of(document) if rule == RULE} == {
        "pythonPackage.env.HF_TOKEN",
        "pythonPackage.args",
    }


def test_no_finding_quotes_the_value() -> None:
    document = gpu_job(container={"imageUri": IMAGE, "env": {"HF_TOKEN": VALUE}, "args": ["--password", VALUE]})
    document = with_pools(document, reducers=None)
    findings = [f for f in judge_document(document)[1] if f.rule == RULE]
    assert len(findings) == 2
    assert VALUE not in repr(findings)


def body(container: dict[str, Any]) -> list[tuple[str, str, str]]:
    pool = {"machineSpec": {"machineType": "n1-standard-8"}, "replicaCount": 1, "containerSpec": container}
    facts, _ = facts_of_body({"workerPoolSpecs": [pool]})
    return [(f.severity, f.path, f.message) for f in evaluate(facts, say_unknown=True) if f.rule == RULE]


def test_a_skipped_pool_hides_none_behind_it() -> None:
    pools = [{"replicaCount": 1}, {}, {"replicaCount": 1, "containerSpec": {"args": [f"--token={VALUE}"]}}]
    facts, _ = facts_of_body({"workerPoolSpecs": pools})
    assert [f.path for f in evaluate(facts) if f.rule == RULE] == ["jobSpec.workerPoolSpecs[2].containerSpec.args"]


def test_a_body_names_the_variable() -> None:
    env = [{"name": "NAME", "value": "x"}, {"name": "HF_TOKEN", "value": VALUE}]
    [(severity, path, message)] = body({"imageUri": IMAGE, "env": env})
    assert (severity, path) == ("error", "jobSpec.workerPoolSpecs[0].containerSpec.env")
    assert "HF_TOKEN" in message
    assert VALUE not in message


def test_an_unknown_value_is_reported_and_hides_no_other() -> None:
    env = [{"name": "NAME", "value": UNKNOWN}, {"name": "HF_TOKEN", "value": VALUE}]
    for container in ({"env": env}, {"args": [UNKNOWN, f"--token={VALUE}"]}):
        severities = [severity for severity, _, _ in body({"imageUri": IMAGE, **container})]
        assert sorted(severities) == ["advice", "error"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_judged(name: str, value: str) -> None:
    named_secret(name, value)
    known_secret(value)


@pytest.mark.parametrize("unit", ["a", "a-", "eyJ", "A=", "'", "--a ", "a://", "$(", "sk-", "x='", "-----BEGIN "])
def test_a_long_argument_holds_nothing_up(unit: str) -> None:
    # A pattern that is quadratic in the argument would take minutes here.
    assert of({"args": [(unit * 32_768)[:32_768]]}) <= {(RULE, "error", "container.args")}
