"""The workflows for users, and the same for other services: well-formed, pinned, made of targets that are there."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainingjobs.operations.changed_stacks import chosen

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / ".github").rglob("*.yaml"))
NAMES = [path.stem if path.stem != "action" else path.parent.name for path in FILES]
EXAMPLES = sorted((ROOT / "examples" / "ci").iterdir())
ORDER = ("dev", "staging", "prod")
CHECKS = ["lint", "test", "previews"]
OF_THIS_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository"


def workflow(name: str) -> dict[Any, Any]:
    return dict(yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yaml").read_text()))


def makes(text: str) -> list[str]:
    """The make targets that a script calls, in order."""
    return re.findall(r"\bmake (?:-C \S+ |--no-print-directory )*([a-z-]+)", text)


def scripts_of(path: Path) -> dict[str, str]:
    """The scripts of an example by its jobs or steps."""
    document = yaml.safe_load(path.read_text())
    if "steps" in document:
        return {step["id"]: step["script"] for step in document["steps"]}
    return {name: "\n".join(job["script"]) for name, job in document.items() if "script" in job}


def test_actionlint_has_nothing_to_say() -> None:
    words = [sys.executable, "-m", "dev.actionlint"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_a_fault(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        (ROOT / ".github" / "workflows" / "drift.yaml").read_text().replace("matrix.stack", "matrix.stak")
    )
    words = [sys.executable, "-m", "dev.actionlint", str(broken)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "stak" in done.stdout


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_every_action_is_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", path.read_text())
    assert used
    for action, comment in used:
        if action.startswith("./"):
            assert (ROOT / action / "action.yaml").is_file()
        else:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


@pytest.mark.parametrize("path", [*FILES, *EXAMPLES], ids=[*NAMES, *(path.stem for path in EXAMPLES)])
def test_what_is_called_is_a_make_target(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    for words in re.findall(r"\bmake ([^\n|)]+)", "\n".join(lines)):
        called = {word for word in re.sub(r'"[^"]*"', "", words).split() if re.fullmatch(r"[a-z][a-z-]*", word)}
        assert called
        assert called <= targets


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent.name == "workflows"], ids=lambda path: path.stem
)
def test_no_key_and_no_input_in_a_script(path: Path) -> None:
    text = path.read_text()
    assert "\npermissions: {}\n" in text
    assert "credentials_json" not in text
    assert "secrets." not in text
    for script in re.findall(r"run: (?:\|\n((?:\s{10,}.*\n)+)|(.*))", text):
        assert "${{" not in "".join(script)


def test_only_a_pull_request_of_this_repository_gets_credentials() -> None:
    document = workflow("pull-request")
    # YAML 1.1 reads the key `on` as true.
    assert document[True] == {"pull_request": None}
    for job in document["jobs"].values():
        has_credentials = job["permissions"] != {"contents": "read"} or "google-github-actions" in str(job["steps"])
        assert has_credentials == (job.get("if") == OF_THIS_REPOSITORY)
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_no_workflow_runs_on_pull_request_target() -> None:
    assert [path for path in FILES if "pull_request_target" in path.read_text()] == []


def test_every_pull_request_is_checked_and_judged_by_the_target_branch() -> None:
    jobs = workflow("pull-request")["jobs"]
    called = {name: makes("\n".join(step.get("run", "") for step in job["steps"])) for name, job in jobs.items()}
    assert called == {"checks": CHECKS, "judged": ["judge"], "preview": ["comment"]}
    assert makes((ROOT / ".ci" / "run").read_text().partition("cd ")[2]) == CHECKS
    target, change = [step["with"] for step in jobs["judged"]["steps"] if "checkout" in step.get("uses", "")]
    assert (target["ref"], "path" in target) == ("${{ github.base_ref }}", False)
    assert ("ref" in change, change["path"]) == (False, "change")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_other_services_call_what_github_calls(path: Path) -> None:
    called = {name: makes(script) for name, script in scripts_of(path).items()}
    expected = {"checks": CHECKS, "judged": ["judge"], "preview": ["comment"]}
    assert called
    assert called == {name: expected[name] for name in called}
    if path.stem != "cloudbuild-preview":
        assert {"checks", "judged"} <= set(called)


def test_the_example_for_gitlab_has_its_form() -> None:
    document = yaml.safe_load((ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text())
    for name, job in document.items():
        if "script" not in job:
            continue
        assert job["extends"] in document
        assert all(isinstance(line, str) for line in job["script"])
        own = "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in str(job.get("rules"))
        assert own == ("id_tokens" in job) == (name == "preview")


@pytest.mark.parametrize(("name", "accounts"), [("cloudbuild", "pull-request"), ("cloudbuild-preview", "viewer")])
def test_the_examples_for_cloud_build_have_their_form(name: str, accounts: str) -> None:
    document = yaml.safe_load((ROOT / "examples" / "ci" / f"{name}.yaml").read_text())
    assert set(document) == {"steps", "serviceAccount", "options", "timeout"}
    # With an account of one's own a build without it is refused.
    assert document["options"]["logging"] == "CLOUD_LOGGING_ONLY"
    assert f"/serviceAccounts/{accounts}@" in document["serviceAccount"]
    for step in document["steps"]:
        assert set(step) <= {"id", "name", "env", "script"}
        assert step["script"].startswith("#!/usr/bin/env bash\nset -euo pipefail\n")


@pytest.mark.parametrize("path", [*FILES, *EXAMPLES], ids=[*NAMES, *(path.stem for path in EXAMPLES)])
def test_no_stack_is_named(path: Path) -> None:
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith(("#", "description:"))]
    assert re.findall(r"\b(?:dev|staging|prod)\b(?!/)", "\n".join(lines)) == []


def owners(path: str) -> str:
    """Who owns a file by .github/CODEOWNERS: the last line that fits."""
    found = ""
    for line in (ROOT / ".github" / "CODEOWNERS").read_text().splitlines():
        pattern, *names = line.partition("#")[0].split() or [""]
        if pattern and fnmatch.fnmatch(f"/{path}", f"{pattern}*" if pattern.endswith("/") else pattern):
            found = " ".join(names)
    return found


OWNED = [
    ("trainingjobs/rules/pools.py", True),
    ("trainingjobs/policy_pack/analyzer.py", True),
    ("policies/__main__.py", True),
    ("policies/config/prod.json", True),
    ("stacks/Pulumi.prod.yaml", True),
    ("stacks/Pulumi.a-new-one.yaml", True),
    (".github/workflows/pull-request.yaml", True),
    (".github/CODEOWNERS", True),
    ("Makefile", True),
    ("dev/judge.py", True),
    ("stacks/Pulumi.dev.yaml", False),
    ("docs/tutorial.md", False),
]


@pytest.mark.parametrize(("path", "owned"), OWNED)
def test_what_judges_all_others_has_owners(path: str, owned: bool) -> None:
    assert bool(owners(path)) is owned


def test_every_line_of_the_owners_fits_a_file() -> None:
    lines = (ROOT / ".github" / "CODEOWNERS").read_text().splitlines()
    patterns = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert [pattern for pattern in patterns if not (ROOT / pattern[1:]).exists()] == []


def test_the_stacks_are_those_that_have_a_file(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: training\nruntime: python\n")
    for name, environment in (("new", "dev"), ("mine", "sandbox")):
        config = {"gcp:project": "acme-ml-x", "gcp:region": "us-central1", "training:environment": environment}
        (tmp_path / f"Pulumi.{name}.yaml").write_text(json.dumps({"config": config}))
    (tmp_path / "Pulumi.broken.yaml").write_text("config: [}\n")
    words = [sys.executable, "-m", "trainingjobs.operations.cloud_stacks"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == '["broken", "new"]\n'


CHANGES = [
    (set(), ["dev"]),
    ({"README.md"}, ["dev"]),
    ({"stacks/Pulumi.prod.yaml"}, ["dev", "prod"]),
    ({"policies/config/staging.json", "stacks/Pulumi.dev.yaml"}, ["dev", "staging"]),
    (None, ["dev", "staging", "prod"]),
]


@pytest.mark.parametrize(("changed", "stacks"), CHANGES)
def test_a_merge_brings_up_the_first_stack_and_the_changed_ones(changed: set[str] | None, stacks: list[str]) -> None:
    assert chosen(ORDER, changed) == stacks


CALLS = [
    (("promote", "COMMIT=1"), {"STEP": "staging prod", "RELEASE": ""}, "trainingjobs promote staging prod --commit"),
    (
        ("promote", "COMMIT=1"),
        {"STEP": "dev staging", "RELEASE": "r-0123456789ab"},
        "trainingjobs promote dev staging --release r-0123456789ab --commit",
    ),
    (("promote", "FROM=dev", "TO=staging", "DRY_RUN=1"), {}, "trainingjobs promote dev staging --dry-run"),
    (("drift", "STACK=prod"), {}, "trainingjobs drift prod"),
    (
        ("comment", "STACKS=dev staging prod", "OUT=a b.md"),
        {},
        "trainingjobs.report.pull_request dev staging prod -o a b.md",
    ),
    (("comment", "OUT=a.md"), {}, "trainingjobs.report.pull_request -o a.md"),
    (("stacks",), {}, "trainingjobs.operations.cloud_stacks"),
    (("changed-stacks", "BEFORE=0123abc"), {}, "trainingjobs.operations.changed_stacks 0123abc"),
    (("up", "STACK=prod", "YES=1"), {}, "trainingjobs up prod --yes"),
    (("preview", "STACK=prod"), {}, "trainingjobs preview prod"),
    (("down", "STACK="), {}, "trainingjobs down "),
]


@pytest.mark.parametrize(("words", "environment", "called"), CALLS, ids=[called for _, _, called in CALLS])
def test_a_target_calls_what_it_says(
    words: tuple[str, ...], environment: dict[str, str], called: str, tmp_path: Path
) -> None:
    for name, says in (("python", 'shift; echo "called $*"'), ("trainingjobs", 'echo "called trainingjobs $*"')):
        stand_in = tmp_path / name
        stand_in.write_text(f"#!/bin/sh\n{says}\n")
        stand_in.chmod(0o755)
    made = [option for name in (".venv/.made", ".venv-digits/.made") for option in ("-o", name)]
    done = subprocess.run(
        ["make", "--no-print-directory", *made, *words, f"BIN={tmp_path}"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"called {called}" in done.stdout.splitlines()
