"""Releases on their way dev → staging → prod, on the real engine, with a sandbox for each environment."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.environments import NAMES, NEW, OLD, PYTHON, Environments


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environments]:
    made = Environments(tmp_path_factory.mktemp("promotion"))
    made.start()
    made.write("dev", NEW)
    done = made.up("dev")
    assert done.returncode == 0, done.stdout
    yield made
    made.stop()


@pytest.fixture
def world(started: Environments) -> Environments:
    """dev runs the new image with success; the others' files have the old one, and there is no release yet."""
    shutil.rmtree(started.root / "stacks" / "releases", ignore_errors=True)
    started.write("dev", NEW)
    started.write("staging")
    started.write("prod")
    return started


def rules(answer: dict[str, Any]) -> list[str]:
    return [refusal["rule"] for refusal in answer["refusals"]]


def refusal_messages(answer: dict[str, Any]) -> str:
    return "\n".join(refusal["message"] for refusal in answer["refusals"])


def snapshot(world: Environments) -> dict[str, bytes]:
    stacks = world.root / "stacks"
    return {path.name: path.read_bytes() for path in sorted(stacks.rglob("*")) if path.is_file()}


def test_a_release_goes_from_dev_to_staging_to_prod_and_back(world: Environments) -> None:
    prod = world.write("prod")
    status, first = world.infra("promote", "dev", "staging")
    assert (status, first["refusals"]) == (0, [])
    assert [change["path"] for change in first["changes"]] == ["training:jobs.bert.container.imageUri"]
    text = world.file("staging").read_text()
    assert NEW in text
    assert all(mark in text for mark in ("# what staging runs", "# its own", "# by digest", "replicaCount: 2"))

    status, early = world.infra("promote", "staging", "prod")
    assert (status, rules(early)) == (1, ["not-run"])
    assert world.up("staging").returncode == 0
    status, second = world.infra("promote", "staging", "prod")
    assert (status, second["refusals"]) == (0, [])
    assert second["release"] == first["release"]
    assert world.infra("validate", "--stack", "prod")[0] == 0
    assert world.file("prod").read_text() == prod.replace(OLD, NEW) + f"  training:release: {first['release']}\n"
    assert world.up("prod").returncode == 0

    _, again = world.infra("promote", "staging", "prod")
    assert (again["ok"], again["changes"], again["written"]) == (True, [], [])

    _, listed = world.infra("promote", "--list")
    assert [(stack["stack"], stack["running"]) for stack in listed["stacks"]] == [
        (name, first["release"]) for name in NAMES
    ]
    assert listed["release"] == first["release"]

    world.write("staging", OLD)
    assert world.up("staging").returncode == 0
    status, older = world.infra("promote", "staging", "prod")
    assert (status, older["release"] != first["release"]) == (0, True)
    [change] = older["changes"]
    assert (change["base"], change["source"], change["target"]) == (NEW, OLD, NEW)
    status, back = world.infra("promote", "staging", "prod", "--release", first["release"])
    assert (status, back["release"]) == (0, first["release"])
    assert NEW in world.file("prod").read_text()


def test_a_dry_run_writes_nothing(world: Environments) -> None:
    before = snapshot(world)
    status, answer = world.infra("promote", "dev", "staging", "--dry-run")
    assert (status, answer["written"], len(answer["changes"])) == (0, [], 1)
    assert snapshot(world) == before


def test_a_commit_touches_neither_the_working_tree_nor_the_branch(world: Environments) -> None:
    if not (world.root / ".git").exists():
        world.git("init", "-q", "-b", "main")
    world.git("config", "user.name", "t")
    world.git("config", "user.email", "t@example.invalid")
    world.git("add", "stacks")
    world.git("commit", "-q", "-m", "stacks", "--allow-empty")
    before, head = snapshot(world), world.git("rev-parse", "HEAD")
    status, answer = world.infra("promote", "dev", "staging", "--commit")
    assert (status, answer["refusals"]) == (0, [])
    assert snapshot(world) == before
    assert (world.git("rev-parse", "HEAD"), world.git("status", "--porcelain", "stacks")) == (head, "")
    branch = answer["commit"]["branch"]
    changed = world.git("diff", "--name-only", f"main...{branch}").split()
    assert changed == ["stacks/Pulumi.staging.yaml", f"stacks/releases/{answer['release']}.json"]
    assert NEW in world.git("show", f"{branch}:stacks/Pulumi.staging.yaml")

    world.write("staging", OLD, code="print('not committed')")
    status, answer = world.infra("promote", "dev", "staging", "--commit")
    assert status == 1
    assert "not-committed" in rules(answer)


def test_a_step_cannot_be_skipped(world: Environments) -> None:
    before = snapshot(world)
    status, answer = world.infra("promote", "dev", "prod")
    assert (status, rules(answer)) == (1, ["promotion-order"])
    assert "staging" in refusal_messages(answer)
    assert snapshot(world) == before


def test_an_image_by_tag_is_refused(world: Environments) -> None:
    world.write("dev", f"{PYTHON}:latest")
    status, answer = world.infra("promote", "dev", "staging")
    assert status == 1
    assert {"image-pinned", "not-run"} <= set(rules(answer))
    assert f"{PYTHON}:latest" in refusal_messages(answer)


def test_what_the_source_has_not_run_is_refused(world: Environments) -> None:
    world.write("dev", NEW, code="print('another one')")
    status, answer = world.infra("promote", "dev", "staging")
    assert (status, rules(answer)) == (1, ["not-run"])
    assert OLD in world.file("staging").read_text()


def test_a_source_that_has_drifted_is_refused(world: Environments) -> None:
    bucket = world.resource("dev", "storage.Bucket", "output")
    kept = bucket.read_text()
    record = json.loads(kept)
    record["properties"]["publicAccessPrevention"] = "inherited"
    bucket.write_text(json.dumps(record))
    try:
        status, answer = world.infra("promote", "dev", "staging")
        drift_status, drift = world.infra("drift", "dev")
    finally:
        bucket.write_text(kept)
    assert (status, rules(answer)) == (1, ["drifted"])
    assert "publicAccessPrevention" in refusal_messages(answer)
    assert drift_status == 1
    [finding] = [each for each in drift["findings"] if each["class"] != "harmless"]
    assert (finding["class"], finding["path"], finding["was"], finding["is"]) == (
        "dangerous",
        "publicAccessPrevention",
        "enforced",
        "inherited",
    )
    assert world.infra("drift", "dev")[0] == 0


def test_a_target_whose_policies_it_breaks_is_refused(world: Environments) -> None:
    config = world.root / "policies" / "config" / "staging.json"
    kept = config.read_text()
    config.write_text('{"required-labels": "mandatory"}')
    text = world.file("staging").read_text().replace("      labels: {team: nlp, cost-center: research}\n", "")
    world.file("staging").write_text(text)
    values = {"team": "nlp", "cost-center": "research"}
    try:
        status, answer = world.infra("promote", "dev", "staging")
        config.write_text(json.dumps({"required-labels": {"enforcementLevel": "remediate", "values": values}}))
        passed_status, passed = world.infra("promote", "dev", "staging", "--dry-run")
    finally:
        config.write_text(kept)
    assert (status, set(rules(answer))) == (1, {"required-labels"})
    assert world.file("staging").read_text() == text
    assert (passed_status, passed["refusals"]) == (0, []), "what the target's pack remediates is no refusal"


def test_a_source_whose_job_failed_is_refused(world: Environments) -> None:
    """A job that is waited for fails the update; one that is not fails later, and the refresh sees it."""
    try:
        world.write("dev", NEW, code="raise SystemExit('no luck at all')")
        assert world.up("dev").returncode != 0
        status, waited = world.infra("promote", "dev", "staging")
        assert status == 1
        assert {"job-not-succeeded", "not-run"} <= set(rules(waited))

        world.write("dev", NEW, code="raise SystemExit('out of luck')", wait="submitted")
        assert world.up("dev").returncode == 0
        status, later = _when_ended(world)
        assert (status, rules(later)) == (1, ["job-not-succeeded"])
        assert "bert" in refusal_messages(later)
    finally:
        world.write("dev", NEW)
        assert world.up("dev").returncode == 0


def _when_ended(world: Environments) -> tuple[int, dict[str, Any]]:
    """A job that nobody waits for ends when it ends."""
    for _ in range(10):
        status, answer = world.infra("promote", "dev", "staging", "--dry-run")
        if status:
            break
    return status, answer


def test_a_release_that_never_took_the_step_is_no_way_back(world: Environments) -> None:
    _, answer = world.infra("promote", "dev", "staging")
    status, back = world.infra("promote", "staging", "prod", "--release", answer["release"])
    record = json.loads((world.root / "stacks" / "releases" / f"{answer['release']}.json").read_text())
    assert {"source": "dev", "target": "staging"} in record["promotions"]
    if {"source": "staging", "target": "prod"} not in record["promotions"]:
        assert (status, rules(back)) == (1, ["not-run"])


def test_a_pull_request_gets_a_report_of_what_a_change_would_do(world: Environments) -> None:
    world.write("dev", OLD)
    done = world.python("trainingjobs.report.pull_request", "dev", "staging", "-o", str(world.folder / "comment.md"))
    text = (world.folder / "comment.md").read_text()
    assert done.returncode == 0, done.stderr
    assert "replaced: bert, ended job (SUCCEEDED)" in text or "replaced: bert, live job" in text
    assert "USD per hour" in text
    assert text.count("### ") == 2

    world.write("dev", OLD, limit=1)
    refused = world.python("trainingjobs.report.pull_request", "dev")
    assert refused.returncode == 1
    assert "[hourly-cost]" in refused.stdout
