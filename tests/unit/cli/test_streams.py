"""What goes to standard output and what to standard error, and what a full, closed or left one does."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.unit.jobs import gpu_job, with_pools
from trainingjobs.cli.main import VERBS, main, parser_of

ROOT = Path(__file__).resolve().parents[3]
INFRA = (sys.executable, "-m", "trainingjobs")
SIZE = ("size", "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=4")
UNPINNED = {
    "framework": "custom",
    "container": {"imageUri": "a"},
    "pools": {"primary": {"machineType": "n1-highmem-8"}},
}


@pytest.fixture
def job(tmp_path: Path) -> str:
    (tmp_path / "job.json").write_text(json.dumps(gpu_job()))
    return f"--file={tmp_path / 'job.json'}"


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    (tmp_path / "faulty.json").write_text(json.dumps(with_pools(gpu_job(), reducers={"replicaCount": 1})))
    return f"--file={tmp_path / 'faulty.json'}"


def shell(words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command line run by bash in the project's root."""
    return subprocess.run(
        ["bash", "-c", words.replace("INFRA", shlex.join(INFRA))],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("words", [("render", "--as=custom-job"), ("env", "--task=worker:0")])
def test_a_job_with_an_error_gives_its_findings_as_json(
    capsys: pytest.CaptureFixture[str], faulty: str, words: tuple[str, ...]
) -> None:
    assert main([*words, faulty, "--json"]) == 1
    output = json.loads(capsys.readouterr().out)
    assert output["ok"] is False
    assert "reducer-bandwidth" in {finding["rule"] for finding in output["findings"]}


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("env", "--stack=prod", "--job=nobody", "--task=worker:0"), 2),
        (("env", "--stack=prod", "--job=bert-large", "--task=worker:900"), 2),
        (("env", "--stack=prod", "--job=bert-large", "--task=worker"), 2),
        (("render", "--stack=nowhere", "--job=x", "--as=pods"), 2),
        (("drift", "nowhere"), 2),
        (("drift", "sandbox"), 2),
        (("promote", "dev", "nowhere"), 2),
        (("promote", "dev", "staging", "--dry-run"), 2),
        (("report", "nowhere", "--output=report.html"), 2),
        (("logs", "nowhere", "x"), 2),
        (("logs", "sandbox", "digits"), 1),
        (("convert", "nothing.yaml"), 2),
        (("convert", "--nothing"), 2),
        (("sise",), 2),
    ],
)
def test_with_json_a_failure_is_json_too(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: tuple[str, ...],
    status: int,
) -> None:
    monkeypatch.setenv("TRAINING_SANDBOX", str(tmp_path))
    monkeypatch.setenv("PULUMI_BACKEND_URL", f"file://{tmp_path}/none")
    monkeypatch.delenv("TRAINING_VERTEX_ENDPOINT", raising=False)
    assert main([*words, "--json"]) == status
    captured = capsys.readouterr()
    output = json.loads(captured.out)
    assert output["ok"] is False
    assert [finding["severity"] for finding in output["findings"]][:1] == ["error"]
    assert captured.err


def test_quiet_leaves_notes_out_and_keeps_findings(
    capsys: pytest.CaptureFixture[str], job: str, faulty: str, tmp_path: Path
) -> None:
    assert main(["validate", job, "--quiet"]) == 0
    assert "valid" not in capsys.readouterr().out
    assert main(["validate", faulty, "--quiet"]) == 1
    assert "[reducer-bandwidth]" in capsys.readouterr().out
    assert main([*SIZE, "--quiet"]) == 0
    quiet = capsys.readouterr().out
    assert main([*SIZE]) == 0
    assert capsys.readouterr().out.startswith(quiet) and quiet.count("\n") == 3
    assert main(["cost", "--stack=prod", "--quiet"]) == 0
    assert "249.27" in (quiet := capsys.readouterr().out)
    assert "not in a price" not in quiet


def test_advice_is_reported_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(UNPINNED))
    assert main(["validate", f"--file={path}", f"--file={path}"]) == 0
    assert capsys.readouterr().out.count("[image-pinned]") == 1
    assert main(["render", f"--file={path}", "--as=gcloud"]) == 0
    assert capsys.readouterr().err.count("[image-pinned]") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_json_and_quiet_and_shows_examples_that_it_takes(verb: str) -> None:
    parser = parser_of(verb)
    help_text = parser.format_help()
    assert "--json" in help_text and "--quiet" in help_text
    examples = [line.strip() for line in help_text.partition("examples:\n")[2].splitlines()]
    assert examples
    for example in examples:
        assert example.startswith(f"trainingjobs {verb}")
        words = shlex.split(example.partition(" >")[0].partition(" <")[0])[2:]
        parser.check_options(words)
        assert parser.parse_known_args(words)[1] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_says_what_it_is_for(verb: str) -> None:
    assert [action.dest for action in parser_of(verb)._actions if not action.help] == []


@pytest.mark.parametrize(
    "words", ["schema", "cost", "size --worker-pool-spec=machine-type=a2-highgpu-8g", "validate --json", "--help"]
)
def test_a_full_disk_is_one_line(words: str) -> None:
    done = shell(f"INFRA {words} > /dev/full")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr


def test_a_reader_that_leaves_is_no_error_to_talk_about() -> None:
    done = shell("INFRA schema | head -n 1; echo ${PIPESTATUS[0]}")
    assert done.stdout.splitlines()[0] == "{"
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["validate", "schema", "report prod --as=svg", "cost", "status --json"])
def test_a_closed_standard_output_is_no_traceback(words: str) -> None:
    assert "Traceback" not in shell(f"INFRA {words} >&-").stderr
