"""A secret in plain text is refused in every language, by every verb, and no message, output or file repeats it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.canaries import Canaries
from tests.unit.jobs import gpu_job
from trainingjobs.cli.main import main
from trainingjobs.rules import structural_findings

# Where a job document may be given a secret: (name, what is written into it).
PLACES: dict[str, tuple[str, Any]] = {
    "by its name": ("env", {"DB_PASSWORD": "{}"}),
    "a token of a known form": ("env", {"CHECKPOINTS": "hf_{}AAAAAAAAAAAAAAAAAA"}),
    "a private key": ("env", {"CA": "-----BEGIN RSA PRIVATE KEY-----\n{}"}),
    "an address": ("env", {"STORE": "https://user:{}@host/x"}),
    "a bearer": ("env", {"HEADER": "Authorization: Bearer {}"}),
    "an option": ("args", ["--password={}"]),
    "an option's next word": ("args", ["--api-key", "{}"]),
    "a shell": ("args", ["bash", "-c", "export API_TOKEN={}; train"]),
    # Ill-typed: found by their form before any rule sees them.
    "a list": ("env", {"DB_PASSWORD": ["{}"]}),
    "a mapping": ("env", {"DB_PASSWORD": {"secure": "{}"}}),
    "a nested argument": ("args", [["--password={}"]]),
    "an object as argument": ("args", [{"password": "{}"}]),
    "the wrong type of env": ("env", ["DB_PASSWORD={}"]),
    "the wrong type of args": ("args", "--password={}"),
}
VERBS = {
    "validate": ["validate", "--file"],
    "env": ["env", "--task=primary:0", "--file"],
    "custom-job": ["render", "--as=custom-job", "--file"],
    "gcloud": ["render", "--as=gcloud", "--file"],
    "ai-platform": ["render", "--as=ai-platform", "--file"],
    "tfjob": ["render", "--as=tfjob", "--file"],
    "pytorchjob": ["render", "--as=pytorchjob", "--file"],
    "jobset": ["render", "--as=jobset", "--file"],
    "pods": ["render", "--as=pods", "--file"],
    "convert": ["convert"],
}


def filled(value: Any, secret: str) -> Any:
    if isinstance(value, dict):
        return {key: filled(item, secret) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, secret) for item in value]
    return value.replace("{}", secret)


def as_job(part: str, value: Any) -> Any:
    document = gpu_job()
    document["container"][part] = value
    return document


def of_one_pool(part: str, value: Any) -> Any:
    document = gpu_job()
    document["pools"]["workers"]["container"] = {"imageUri": "us-docker.pkg.dev/a/b/c:1", part: value}
    return document


def in_a_list(value: Any) -> Any:
    """Returns variables as lists of name and value, as Vertex AI and Kubernetes write them."""
    return [{"name": name, "value": item} for name, item in value.items()] if isinstance(value, dict) else value


def as_body(part: str, value: Any) -> Any:
    container = {"imageUri": "us-docker.pkg.dev/a/b/c:1", part: in_a_list(value) if part == "env" else value}
    pool = {"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": 1, "containerSpec": container}
    return {"displayName": "x", "jobSpec": {"workerPoolSpecs": [pool]}}


def as_tfjob(part: str, value: Any) -> Any:
    container = {"name": "tensorflow", "image": "a/b:1", part: in_a_list(value) if part == "env" else value}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "x"},
        "spec": {"tfReplicaSpecs": {"Chief": {"replicas": 1, "template": {"spec": {"containers": [container]}}}}},
    }


def as_ai_platform(part: str, value: Any) -> Any:
    given = {"args": value} if part == "args" else {"masterConfig": {"imageUri": "gcr.io/a/b", "env": value}}
    base = {"scaleTier": "CUSTOM", "masterType": "n1-standard-4", "region": "us-central1"}
    return {"trainingInput": {**base, "masterConfig": {"imageUri": "gcr.io/a/b"}, **given}}


FORMS = {
    "job": as_job,
    "pool": of_one_pool,
    "body": as_body,
    "tfjob": as_tfjob,
    "ai-platform": as_ai_platform,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_a_secret_in_a_document(
    place: str, form: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    canaries = Canaries()
    part, template = PLACES[place]
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(FORMS[form](part, filled(template, canaries.plant(place)))))
    for more in ([], ["--json"]):
        status = main([*VERBS[verb], str(path), *more])
        captured = capsys.readouterr()
        assert status != 0 or form == "ai-platform", captured
        assert canaries.leaks({"stdout": captured.out, "stderr": captured.err}) == []


GCLOUD = (
    "gcloud ai custom-jobs create --region=us-central1 --display-name=x "
    "--worker-pool-spec=machine-type=n1-standard-4,replica-count=1,container-image-uri=gcr.io/a/b "
)
COMMANDS = {
    "args": GCLOUD + "--args=--password={}",
    "several args": GCLOUD + "--args=--epochs=1,--api-key={}",
    "a flag that is none": GCLOUD + "--password={}",
    "the word after one": GCLOUD + "--password {}",
    "env": "gcloud ai-platform jobs submit training x --region us-central1 --master-image-uri=gcr.io/a/b -- --token={}",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_secret_in_a_command(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    canaries = Canaries()
    path = tmp_path / "submit.sh"
    path.write_text(COMMANDS[command].format(canaries.plant(command)))
    for more in ([], ["--json"]):
        assert main(["convert", str(path), *more]) != 0
        captured = capsys.readouterr()
        assert canaries.leaks({"stdout": captured.out, "stderr": captured.err}) == []


@pytest.mark.parametrize(
    "text", ["env: {{A: '{0}", "env: {{A: {0}, A: {0}}}", "!secret {0}", "a: &x {0}\n b: *y", "- {0}"]
)
def test_a_secret_in_what_is_no_document(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    canaries = Canaries()
    path = tmp_path / "job.yaml"
    path.write_text(text.format(canaries.plant("text")))
    assert main(["validate", f"--file={path}"]) != 0
    captured = capsys.readouterr()
    assert canaries.leaks({"stdout": captured.out, "stderr": captured.err}) == []


@pytest.mark.parametrize("words", [["validate", "--password={}"], ["validate", "--stack=dev", "--password", "{}"]])
def test_a_secret_among_the_words_of_a_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    canaries = Canaries()
    assert main([word.format(canaries.plant("option")) for word in words]) == 2
    captured = capsys.readouterr()
    assert canaries.leaks({"stdout": captured.out, "stderr": captured.err}) == []


@pytest.mark.parametrize("place", PLACES)
def test_the_providers_check_repeats_no_secret(place: str) -> None:
    canaries = Canaries()
    part, template = PLACES[place]
    body = as_body(part, filled(template, canaries.plant(place)))
    findings = structural_findings(body["jobSpec"])
    assert canaries.leaks({"findings": json.dumps([finding.as_json() for finding in findings])}) == []


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    canaries = Canaries()
    secret = canaries.plant("place")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"\0\xff" + secret.encode())
    (tmp_path / secret).touch()
    assert len(canaries.leaks_in_files([tmp_path])) == 2
    import base64

    for before in ("", "a", "ab", "abc"):
        assert canaries.leaks({"out": base64.b64encode(f"{before}{secret} and more".encode())})
