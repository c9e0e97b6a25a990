from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
from pydantic import BaseModel

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import render_findings
from trainingjobs.spec.forms import Form
from trainingjobs.spec.json_schema import stack_file_schema
from trainingjobs.spec.provider_keys import ENDPOINT, NAMES, is_provider_key
from trainingjobs.spec.reading import read_job, read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, specification, stack_document
from trainingjobs.workloads.registry import kinds


def paths(document: dict[str, Any]) -> set[str]:
    return {finding.path for finding in read_job(document).findings}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"framwork": "jax"}, "framwork"),
        ({"framework": "tensorflw"}, "framework"),
        ({"pools": {"reducer": {}}}, "pools.reducer"),
        ({"pools": []}, "pools"),
        ({"pools": {"primary": {"replicaCount": "1"}}}, "pools.primary.replicaCount"),
        ({"pools": {"primary": {"replicaCount": True}}}, "pools.primary.replicaCount"),
        ({"pools": {"primary": {"replicaCount": 1.5}}}, "pools.primary.replicaCount"),
        ({"pools": {"workers": {"replicaCount": 1_000_000_000}}}, "pools.workers.replicaCount"),
        ({"pools": {"workers": {"replicaCount": -1}}}, "pools.workers.replicaCount"),
        ({"container": {"env": {"A": 1}}}, "container.env.A"),
        ({"container": {"env": {"A B": "1"}}}, "container.env.A B"),
        ({"container": {"declares": {"nccl": 2.2}}}, "container.declares.nccl"),
        ({"container": {"args": ["a", 2]}}, "container.args[1]"),
        ({"scheduling": {"timeout": "1h"}}, "scheduling.timeout"),
        ({"scheduling": {"strategy": "spot"}}, "scheduling.strategy"),
        ({"container": {"imageUri": "my image"}}, "container.imageUri"),
        ({"container": {"imageUri": ""}}, "container.imageUri"),
        ({"run": 0}, "run"),
        ({"labels": {"Team": "x"}}, "labels.Team"),
    ],
)
def test_each_fault_is_reported_at_its_path(document: dict[str, Any], path: str) -> None:
    assert paths(document) == {path}


def test_all_faults_at_once() -> None:
    document = {"run": "x", "framework": 3, "pools": {"primary": {"machineTyp": "a"}, "workers": 5}}
    assert paths(document) == {"run", "framework", "pools.primary.machineTyp", "pools.workers"}


def test_did_you_mean() -> None:
    [finding] = read_job({"pools": {"reducer": {}}}).findings
    assert "reducers" in finding.fix


def test_a_stacks_keys_are_named_as_they_are_written() -> None:
    config = {"gcp:project": "x", "training:jbs": {}, "training:jobs": {"Bad": {}}, "other:key": 1}
    reading = read_model(Stack, specification(config), renamed=PATHS)
    assert {finding.path for finding in reading.findings} == {"gcp:project", "training:jbs", "training:jobs.Bad"}


GCP = {"gcp:project": "acme-ml-dev"}


@pytest.mark.parametrize(
    ("key", "path", "near"),
    [
        ("gcp:regoin", "gcp:regoin", "gcp:region"),
        ("gcp:projet", "gcp:projet", "gcp:project"),
        ("gcp:credentails", "gcp:credentails", "gcp:credentials"),
        ("gcp:config:region", "gcp:config:region", "gcp:region"),
        ("gcp:nothingOfTheKind", "gcp:nothingOfTheKind", None),
        ("training:enviroment", "training:enviroment", "training:environment"),
        ("training:region", "training:region", "gcp:region"),
        ("training:nothingOfTheKind", "training:nothingOfTheKind", None),
        ("trainning:jobs", "trainning:jobs", "training:jobs"),
        ("gpc:region", "gpc:region", "gcp:region"),
        ("region", "config.region", "gcp:region"),
        ("enviroment", "config.enviroment", "training:environment"),
    ],
)
def test_a_misspelt_key_is_reported_with_the_nearest(key: str, path: str, near: str | None) -> None:
    [finding] = read_model(Stack, specification({**GCP, key: "us-central1"}), renamed=PATHS).findings
    assert finding.path == path
    if near is None:
        assert "training:jobs" in finding.message
    else:
        assert f"did you mean {near}?" in finding.fix
        assert "training:jobs" not in finding.message, "the list is not needed beside the nearest"


@pytest.mark.parametrize(
    "key",
    [
        *("gcp:zone", "gcp:impersonateServiceAccount", "gcp:computeCustomEndpoint", "pulumi:disable-default-providers"),
        *("kubernetes:context", "aws:region", "trainer:lr", "other:jobs"),
    ],
)
def test_the_keys_of_providers_and_of_other_packages_are_free(key: str) -> None:
    assert read_model(Stack, specification({**GCP, key: "x"}), renamed=PATHS).findings == ()


def test_the_gcp_providers_keys_are_those_of_its_sdk() -> None:
    source = Path(importlib.util.find_spec("pulumi_gcp").origin).parent / "config" / "vars.py"  # type: ignore[union-attr,arg-type]
    names = set(re.findall(r"__config__\.get\w*\('(\w+)'\)", source.read_text()))
    assert len(names) > 200
    assert {name for name in names if not name.endswith(ENDPOINT)} == NAMES
    assert all(is_provider_key(f"gcp:{name}") for name in names)


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ({"pools": {"workers": {"replicaCount": -1}}}, ("-1", "0 to 10000", "the nearest is 0")),
        ({"pools": {"workers": {"replicaCount": 10_001}}}, ("10001", "0 to 10000", "the nearest is 10000")),
        ({"pools": {"primary": {"bootDiskSizeGb": 5}}}, ("100 to 64000", "the nearest is 100")),
        ({"run": 0}, ("0 is", "at least 1", "the nearest is 1")),
        ({"tuning": {"maxTrialCount": 0}}, ("1 to 10000", "the nearest is 1")),
        ({"pools": {"workers": {"replicaCount": 2.6}}}, ("2.6", "the nearest is 3")),
        ({"pools": {"workers": {"replicaCount": "3"}}}, ("take the quotes away",)),
        ({"retainRecord": "yes"}, ("true or false", "write true")),
        ({"container": {"declares": {"nccl": 2.2}}}, ("put it in quotes",)),
        ({"pools": {"primary": {"nodePool": {"gpuNetworks": 99}}}}, ("0 to 16", "the nearest is 16")),
    ],
)
def test_a_range_is_reported_with_the_nearest_value(document: dict[str, Any], shown: tuple[str, ...]) -> None:
    text = render_findings(read_job(document).findings)
    assert all(words in text for words in shown), text


def test_a_limit_is_a_range_too() -> None:
    config = {**GCP, "training:limits": {"accelerators": {"NVIDIA_TESLA_A100": -1}}}
    [finding] = read_model(Stack, specification(config), renamed=PATHS).findings
    assert finding.path == "training:limits.accelerators.NVIDIA_TESLA_A100"
    assert "at least 0" in finding.message


@pytest.mark.parametrize("number", [1e999, -1e999, float("nan")])
def test_a_number_that_json_cannot_write_is_refused(number: float) -> None:
    config = {**GCP, "training:limits": {"maxUsdPerHour": number}}
    [finding] = read_model(Stack, specification(config), renamed=PATHS).findings
    assert (finding.rule, finding.path) == ("schema", "training:limits.maxUsdPerHour")
    assert "finite" in finding.message


def test_the_environment_says_what_is_allowed_and_what_is_nearest() -> None:
    for word, near in (("production", "prod"), ("development", "dev"), ("stagign", "staging")):
        [finding] = read_model(Stack, specification({**GCP, "training:environment": word}), renamed=PATHS).findings
        assert "dev, staging, prod, sandbox" in finding.message
        assert f"did you mean {near}?" in finding.fix


def test_values_are_shown_in_yamls_words() -> None:
    document = {"pools": {"primary": {"replicaCount": True}, "workers": None}, "run": None, "labels": {"a": [None, {}]}}
    text = render_findings(read_job(document).findings)
    assert "true" in text
    assert "null" in text
    assert not {"True", "None", "'"} & set(re.findall(r"\w+|'", text))


def forms(annotation: Any) -> set[Form]:
    """Returns the forms of all strings within a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.values()
        return set().union(*(forms(Annotated[field.annotation, *field.metadata, None]) for field in fields))
    marks = {mark for mark in getattr(annotation, "__metadata__", ()) if isinstance(mark, Form)}
    return marks.union(*map(forms, get_args(annotation)))


FORMS = sorted(forms(Stack), key=lambda form: form.pattern)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_every_form_has_an_example_of_it(form: Form) -> None:
    assert re.search(form.pattern, form.example)


def test_no_pattern_is_without_words() -> None:
    in_schema = patterns(stack_file_schema(kinds()))
    assert in_schema == {form.pattern for form in FORMS}


def patterns(part: Any) -> set[str]:
    collected = {part["pattern"]} if isinstance(part, dict) and isinstance(part.get("pattern"), str) else set()
    if isinstance(part, dict):
        collected |= {key for key in part.get("patternProperties", {}) if not key.startswith(("^(?!", "^gcp:"))}
        part = list(part.values())
    return collected.union(*map(patterns, part)) if isinstance(part, list) else collected


def test_hostile_documents_give_short_findings() -> None:
    document = {"x" * 10_000: "y" * 10_000, **{f"key{i}": i for i in range(1000)}}
    assert len(render_findings(read_job(document).findings)) < 20_000


@pytest.mark.parametrize("count", [-1, 10_001])
def test_a_primary_of_no_possible_count_is_the_rules(count: int) -> None:
    [finding] = read_job({"pools": {"primary": {"replicaCount": count}}}).findings
    assert (finding.rule, finding.severity) == ("one-primary-replica", "error")
    assert (finding.path, str(count) in finding.message) == ("pools.primary.replicaCount", True)


@pytest.mark.parametrize("goals", [["max"], ["MAXIMIZE", "max"], ["max", "max"]])
def test_a_list_is_not_too_short_by_what_is_wrong_with_its_elements(goals: list[str]) -> None:
    metrics = [{"metricId": f"m{i}", "goal": goal} for i, goal in enumerate(goals)]
    tuning = {
        "metrics": metrics,
        "parameters": [{"parameterId": "lr", "categoricalValueSpec": {"values": ["a", 1]}}],
        "maxTrialCount": 1,
        "parallelTrialCount": 1,
    }
    wrong = {f"tuning.metrics[{i}].goal" for i, goal in enumerate(goals) if goal == "max"}
    assert paths({"tuning": tuning}) == {*wrong, "tuning.parameters[0].categoricalValueSpec.values[1]"}
    assert paths({"tuning": {**tuning, "parameters": []}}) == {*wrong, "tuning.parameters"}


@pytest.mark.parametrize(
    ("document", "written"),
    [
        ({"scheduling": {"timeout": 600}}, "600s"),
        ({"displayName": 7}, "quotes"),
        ({"container": {"declares": {"nccl": 2}}}, "quotes"),
        ({"container": {"env": {"A": 1}}}, "quotes"),
        ({"labels": {"a": 1}}, "quotes"),
    ],
)
def test_a_number_for_a_string_is_reported_with_what_would_be_taken(document: dict[str, Any], written: str) -> None:
    [finding] = read_job(document).findings
    assert written in finding.fix


def test_a_projects_number_is_not_quoted() -> None:
    [finding] = read_model(Stack, {"project": 123456, "region": "us-central1"}, renamed=PATHS).findings
    assert (finding.path, "quotes" in finding.fix) == ("gcp:project", False)


def test_an_empty_config_is_called_empty() -> None:
    for document, word in (({"config": None}, "empty"), ({}, "missing")):
        with pytest.raises(DocumentError) as error:
            stack_document(document)
        assert (error.value.finding.path, word in error.value.finding.message) == ("config", True)
