"""`trainingjobs convert`: what it prints, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.workloads.samples import planned
from trainingjobs.cli.main import main
from trainingjobs.core.documents import parse_document

BODY = '{"jobSpec": {"workerPoolSpecs": [{"machineSpec": {"machineType": "n1-standard-8"}, "replicaCount": COUNT, \
"containerSpec": {"imageUri": "a/b"}}]}}'


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_yaml_and_json_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "My Job.json", BODY.replace("COUNT", "1"))
    assert main(["convert", file]) == 0
    document = parse_document(capsys.readouterr().out)
    assert main(["convert", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document
    planned(document)


def test_an_error_is_reported_beside_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", write(tmp_path, "job.json", BODY.replace("COUNT", "2"))]) == 1
    captured = capsys.readouterr()
    assert parse_document(captured.out)["pools"]["primary"]["replicaCount"] == 2
    assert captured.err.count("[one-primary-replica]") == 1


@pytest.mark.parametrize(("text", "status"), [("[", 2), ("a: 1", 1), ("", 2), ("gcloud compute x", 2)])
def test_what_is_no_job(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, status: int) -> None:
    assert main(["convert", write(tmp_path, "x.yaml", text)]) == status
    captured = capsys.readouterr()
    assert (captured.out, bool(captured.err)) == ("", True)


def test_a_missing_file(tmp_path: Path) -> None:
    assert main(["convert", str(tmp_path / "none.yaml")]) == 2


def test_the_file_beside_a_command_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "config.yaml", "trainingInput: {scaleTier: CUSTOM, masterType: n1-standard-8}")
    command = "gcloud ai-platform jobs submit training j --config=config.yaml --master-image-uri=a/b\n"
    assert main(["convert", write(tmp_path, "submit.sh", command), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["container"]["imageUri"], document["pools"]["primary"]["machineType"]) == ("a/b", "n1-standard-8")
