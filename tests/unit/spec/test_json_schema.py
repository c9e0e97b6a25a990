from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.unit.jobs import gpu_job, with_pools
from trainingjobs.spec.descriptions import EXAMPLES, WORDS
from trainingjobs.spec.json_schema import stack_file_schema
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, stack_document
from trainingjobs.workloads.registry import kinds

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = stack_file_schema(kinds())
STACKS = sorted((ROOT / "stacks").glob("Pulumi.*.yaml")) + sorted((ROOT / "examples").rglob("Pulumi.*.yaml"))
# Of jobs and of stacks: bodies and resources are in other languages.
SAMPLES = [
    path
    for path in sorted((ROOT / "tests" / "samples").rglob("*.yaml"))
    if "_body_" not in path.name and path.parent.name != "unjudged-training"
]


def wrong(document: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)]


def stack_of(job: Any, **more: Any) -> dict[str, Any]:
    return {"config": {"gcp:project": "acme-ml-dev", "training:jobs": {"bert": job}, **more}}


def has_schema_findings(document: dict[str, Any]) -> bool:
    return any(f.rule == "schema" for f in read_model(Stack, stack_document(document), renamed=PATHS).findings)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_file_that_editors_use_is_up_to_date() -> None:
    assert json.loads((ROOT / "stacks" / "schema.json").read_text()) == SCHEMA


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.name)
def test_every_stack_is_accepted_and_names_the_schema(path: Path) -> None:
    text = path.read_text()
    assert wrong(yaml.safe_load(text)) == []
    if path.parent.name == "stacks":
        assert text.startswith("# yaml-language-server: $schema=schema.json\n")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_samples_of_rules_are_well_formed(path: Path) -> None:
    document = yaml.safe_load(path.read_text())
    whole = document if "config" in document else stack_of(document)
    if not has_schema_findings(whole):
        assert wrong(whole) == []


FAULTS: dict[str, dict[str, Any]] = {
    "unknown key": stack_of(gpu_job(poolz={})),
    "unknown key of a pool": stack_of(with_pools(gpu_job(), workers={"replicas": 3})),
    "unknown role": stack_of(with_pools(gpu_job(), helpers={"replicaCount": 1})),
    "number as text": stack_of(with_pools(gpu_job(), workers={"replicaCount": "3"})),
    "too many replicas": stack_of(with_pools(gpu_job(), workers={"replicaCount": 10_001})),
    "negative replicas": stack_of(with_pools(gpu_job(), workers={"replicaCount": -1})),
    "unknown platform": stack_of(gpu_job(platform="azure")),
    "unknown framework": stack_of(gpu_job(framework="pytorche")),
    "duration without its unit": stack_of(gpu_job(scheduling={"timeout": "3600"})),
    "unknown strategy": stack_of(gpu_job(scheduling={"strategy": "CHEAP"})),
    "version as number": stack_of(gpu_job(container={"imageUri": "a", "declares": {"nccl": 2.2}})),
    "env value as number": stack_of(gpu_job(container={"imageUri": "a", "env": {"A": 1}})),
    "label in capitals": stack_of(gpu_job(labels={"Team": "nlp"})),
    "run 0": stack_of(gpu_job(run=0)),
    "unknown waitFor": stack_of(gpu_job(waitFor="finished")),
    "name of a job": {"config": {"gcp:project": "acme-ml-dev", "training:jobs": {"Bert Large": gpu_job()}}},
    "unknown key of the stack": stack_of(gpu_job(), **{"training:job": {}}),
    "unknown environment": stack_of(gpu_job(), **{"training:environment": "production"}),
    "negative limit": stack_of(gpu_job(), **{"training:limits": {"maxUsdPerHour": -1}}),
    "limit as text": stack_of(gpu_job(), **{"training:limits": {"maxUsdPerHour": "100"}}),
    "limit as a word": stack_of(gpu_job(), **{"training:limits": {"maxUsdPerHour": "abc"}}),
    "limit as a boolean": stack_of(gpu_job(), **{"training:limits": {"maxUsdPerHour": True}}),
    "illegal project": {"config": {"gcp:project": "Acme"}},
    "no project": {"config": {}},
}


@pytest.mark.parametrize("document", FAULTS.values(), ids=FAULTS.keys())
def test_what_the_reader_refuses_the_schema_refuses(document: dict[str, Any]) -> None:
    assert has_schema_findings(document)
    assert wrong(document)


def keys() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, part in SCHEMA["$defs"].items():
        for key, body in part.get("properties", {}).items():
            yield f"{name}.{key}", body
    for key, body in SCHEMA["properties"]["config"]["properties"].items():
        yield f"Stack.{key.partition(':')[2]}", body


def kinds(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [kind for kind in body.get("anyOf", [body]) if kind.get("type") != "null"]


@pytest.mark.parametrize(("place", "body"), list(keys()), ids=[place for place, _ in keys()])
def test_every_key_is_described_and_shows_what_can_be_written(place: str, body: dict[str, Any]) -> None:
    assert body.get("description")
    plain = [
        kind for kind in kinds(body) if "$ref" not in kind and "enum" not in kind and kind.get("type") != "boolean"
    ]
    parts = [kind for kind in plain if "$ref" in json.dumps(kind) or "const" in kind]
    assert len(plain) == len(parts) or body.get("examples") or any("examples" in kind for kind in plain)


@pytest.mark.parametrize(("place", "body"), list(keys()), ids=[place for place, _ in keys()])
def test_examples_are_legal(place: str, body: dict[str, Any]) -> None:
    whole = {"$defs": SCHEMA["$defs"], **body}
    for example in body.get("examples", []):
        assert list(Draft202012Validator(whole).iter_errors(example)) == []


def test_no_words_are_left_over_for_keys_that_are_gone() -> None:
    assert {*WORDS, *EXAMPLES} <= {place for place, _ in keys()}
