"""The workflows for users: well-formed by GitHub's rules, pinned, and made of targets that are there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs.operations.changed_stacks import chosen

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / ".github").rglob("*.yaml"))
NAMES = [path.stem if path.stem != "action" else path.parent.name for path in FILES]
ORDER = ("dev", "staging", "prod")


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


@pytest.mark.parametrize("path", FILES, ids=NAMES)
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
