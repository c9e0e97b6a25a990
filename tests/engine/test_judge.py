"""`make judge-against BASE=…`: a change that weakens what judges it, and uses that, is refused by the target branch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.engine.clone import FOLDERS
from tests.engine.lab import PROJECT, ROOT, job

FILES = ("__main__.py", "Pulumi.yaml", "Makefile", "requirements.txt", "pyproject.toml")
TWO_PRIMARIES = {"primary": {"machineType": "a2-highgpu-1g", "replicaCount": 2}}
# The tests' environment is the one that is there: none is made.
MADE = ("-o", ".venv/.made", "MAKE=make -o .venv/.made")
OWNERS = ".github/CODEOWNERS"


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """The target branch's tree and the change's, each whole and by itself."""
    target, change = tmp_path / "target", tmp_path / "change"
    for tree in (target, change):
        for name in FOLDERS:
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("*.pyc.*"))
        for name in FILES:
            shutil.copy(ROOT / name, tree / name)
        (tree / "stacks").mkdir()
        (tree / ".venv").symlink_to(sys.prefix)
    return target, change


def declare(tree: Path, name: str, environment: str = "dev", **changes: Any) -> None:
    config = {
        "gcp:project": PROJECT,
        "gcp:region": "us-central1",
        "training:environment": environment,
        "training:jobs": {"bert": job(labels={"team": "nlp", "cost-center": "research"}, **changes)},
    }
    (tree / "stacks" / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": config}))


def without_rule(tree: Path) -> None:
    """Makes one-primary-replica find nothing."""
    path = tree / "trainingjobs" / "rules" / "pools.py"
    text = path.read_text()
    start = text.index("def one_primary_replica")
    body = text.index('"""', text.index('"""', start) + 3) + 3
    path.write_text(f"{text[:body]}\n    return\n{text[body:]}")


def run(folder: Path, *words: str) -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRAINING_SANDBOX", "MAKE"))}
    done = subprocess.run(
        words, cwd=folder, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, done.stdout


def own_verdict(change: Path) -> int:
    return run(change, sys.executable, "-m", "trainingjobs", "validate")[0]


def test_a_change_that_weakens_nothing_passes_and_its_new_stack_is_judged(trees: tuple[Path, Path]) -> None:
    _, change = trees
    declare(change, "new")
    status, output = run(change, "make", *MADE, "judge-against", "BASE=../target")
    assert status == 0, output
    assert "files: 1 passed, 0 refused" in output
    assert "previews: 1 passed, 0 refused" in output
    assert OWNERS not in output


def test_a_rule_that_is_switched_off_and_used_is_refused_by_the_files_and_by_the_pack(
    trees: tuple[Path, Path],
) -> None:
    target, change = trees
    without_rule(change)
    declare(change, "new", pools={**job()["pools"], **TWO_PRIMARIES})
    assert own_verdict(change) == 0
    status, output = run(change, "make", *MADE, "judge-against", "BASE=../target")
    assert status != 0
    assert "files: 0 passed, 1 refused new" in output
    assert "[one-primary-replica]" in output
    assert OWNERS in output
    # What has no file to show, such as a program that adds replicas, is left to the pack.
    status, output = run(target, sys.executable, "-m", "dev.judge", "previews", str(change))
    assert status == 1
    assert "[mandatory]  one-primary-replica" in output
    assert OWNERS in output


def test_a_configuration_that_lowers_a_rule_of_prod_is_not_the_one_that_judges(trees: tuple[Path, Path]) -> None:
    target, change = trees
    image = {**job()["container"], "imageUri": "registry.example/test/python:latest"}
    declare(change, "prod", "prod", container=image)
    expires = (date.today() + timedelta(days=30)).isoformat()
    lowered = {"image-pinned": {"enforcementLevel": "advisory", "reason": "a trial", "expires": expires}}
    (change / "policies" / "config" / "prod.json").write_text(json.dumps(lowered))
    assert own_verdict(change) == 0
    status, output = run(target, sys.executable, "-m", "dev.judge", "files", str(change))
    assert (status, "[image-pinned]" in output) == (1, True), output
    # The rule by itself, merged before: what uses it is green then.
    shutil.copy(change / "policies" / "config" / "prod.json", target / "policies" / "config" / "prod.json")
    status, output = run(target, sys.executable, "-m", "dev.judge", "files", str(change))
    assert status == 0, output


@pytest.mark.parametrize("words", [("judge-against",), ("judge",), ("judge", "CHANGE=.")])
def test_without_another_tree_nothing_is_green(words: tuple[str, ...], trees: tuple[Path, Path]) -> None:
    target, _ = trees
    declare(target, "new")
    status, output = run(target, "make", *MADE, *words)
    assert status == 2
    assert "passed" not in output
