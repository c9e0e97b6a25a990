from __future__ import annotations

import re
import string
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.jobs import IMAGE, findings_of, gpu_job, judge_document, with_pools
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.rules import evaluate
from trainingjobs.rules.secret_forms import known_secret, named_secret, random_secret

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
    "DB_PASS",
    "DB_PASS2",
    "PGPASS",
    "PGPASSWORD",
    "WANDB_KEY",
    "wandbKey",
    "API_TOKEN_V2",
    "HF_TOKEN_2",
    "GITHUB_TOKEN_PROD",
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
    ("PLACEHOLDER_TOKEN", "cat-toy"),
    ("QUERY_TOKEN", "query"),
    ("NEW_TOKEN", "<cat-toy>"),
    ("HF_TOKEN", "<your token>"),
    ("PASSWORD_COLUMN", "pw"),
    ("SECOND_PASS", "gradients"),
    ("IMAGE_KEY", "jpg"),
    ("SORT_KEY", "length"),
    ("COMPASS", "north-west"),
    ("ACCESS_TOKEN_TTL", "1h30m"),
    ("PGPASSFILE", "/secrets/pgpass"),
    ("DATA", f"sha256:{'0123456789abcdef' * 4}"),
    ("COMMIT", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("GIT", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("RUN", "123e4567-e89b-42d3-a456-426614174000"),
    ("NAME_OF_IT", "123E4567-E89B-42D3-A456-426614174000"),
    ("SETTINGS_B64", "aB3xK9mQ2vL7pR4tY8wZ1nC6dF5gH0jS"),
    ("SETTINGS", "eyJsciI6IDAuMDAxLCAiZXBvY2hzIjogMTB9"),
    ("OUTPUT", "gs://bucket/aB3xK9mQ2vL7pR4tY8wZ1nC6dF5gH0jS"),
    ("IMAGE", "us-docker.pkg.dev/acme/train/bert:v1.2.3-Rc4"),
    ("MASTER_HOST", "train-primary-0-0.train.nlp.svc.cluster.local:2222"),
    ("BASE", "meta-llama/Llama-3.1-8B-Instruct"),
    ("BASE", "ViT-B-16-SigLIP-i18n-256-webli-2023"),
    ("ARCHITECTURE", "BertForSequenceClassification2WithLora4"),
    ("STARTED", "2026-11-22T10:00:00.000000Z"),
    ("FILE_ID", "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms"),
    ("AUTHORIZED", "AAAAC3NzaC1lZDI1NTE5AAAAIJ8bQ2vL7pR4tY8wZ1nC6dF5gH0jSaB3xK9mQ"),
    ("CLASSES", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
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
    "AccountKey=" + "aB1+" * 6,
    "gsk_" + "aB1x" * 10,
    # Of no service that is known, and clearly made up by a machine.
    "aB3xK9mQ2vL7pR4tY8wZ",
    "kx_aB3xK9mQ2vL7pR4tY8wZ1nC6dF5gH0jS",
    "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    "aB3xK9mQ2vL7pR4tY8wZ1nC6dF5gH0jSaB3xK9m=",
    "k3jx9q2m8v7t5n1p4w6z0r8y2c4b",
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
    random_secret(name, value)


LETTERS = string.ascii_letters + string.digits


@given(st.text(LETTERS, min_size=32, max_size=32).filter(lambda text: len(set(text)) > 20))
def test_a_key_of_a_machine_is_hardly_missed(value: str) -> None:
    kinds = [kind_of(letter) for letter in value]
    changes = sum(one != other for one, other in pairwise(kinds))
    if min(map(kinds.count, ("digit", "upper", "lower"))) >= 2 and changes >= 14:
        assert random_secret("NAME", value)


def kind_of(letter: str) -> str:
    return "digit" if letter.isdigit() else "upper" if letter.isupper() else "lower"


ROOT = Path(__file__).resolve().parents[3]
WRITTEN = sorted(
    path
    for folder in ("docs", "examples", "stacks", "infra")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".md", ".yaml", ".yml", ".json", ".py", ".toml", ".txt", ".sh")
)


def test_nothing_that_this_repository_shows_looks_like_a_key() -> None:
    assert len(WRITTEN) > 40
    text = "\n".join(path.read_text(errors="replace") for path in WRITTEN)
    words = {word.strip("`'\"(),;[]{}") for word in text.split()}
    values = {part for word in words for part in (word, re.sub(r"^-{0,2}[A-Za-z][\w-]*=", "", word))}
    assert [value for value in sorted(values) if random_secret("", value) or known_secret(value)] == []


@pytest.mark.parametrize("unit", ["aB3x", "aB3xK9mQ2vL7pR4tY8wZ1nC6dF5gH0jS", "0a", "="])
def test_what_is_too_long_for_a_key_is_none(unit: str) -> None:
    assert random_secret("NAME", (unit * 32_768)[:32_768]) is None


@pytest.mark.parametrize("unit", ["a", "a-", "eyJ", "A=", "'", "--a ", "a://", "$(", "sk-", "x='", "-----BEGIN "])
def test_a_long_argument_holds_nothing_up(unit: str) -> None:
    # A pattern that is quadratic in the argument would take minutes here.
    assert of({"args": [(unit * 32_768)[:32_768]]}) <= {(RULE, "error", "container.args")}
