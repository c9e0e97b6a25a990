"""No secret in plan, state, log, report or rendered file: planted everywhere, looked for in everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.security.life import REFERENCE, Life, jobs


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """The runs of a stack that has lived from its first preview to its end."""
    made = Life(tmp_path_factory.mktemp("life"))
    try:
        lived(made)
        yield made
    finally:
        made.clone.sandbox("stop")


def lived(life: Life) -> None:
    write_all(life)
    assert life.python("trainingjobs", "preview", "sandbox") == 0, life.output
    assert life.python("trainingjobs", "up", "sandbox", "--yes") == 0, life.output
    life.canaries.planted["token of the sandbox"] = life.clone.exports()["TRAINING_VERTEX_TOKEN"]
    life.look("sandbox")
    life.engine("stack", "export")
    life.engine("config", "set", "--secret", "app:token", life.canaries.plant("configuration secret"))
    assert life.engine("up", "--yes", "--skip-preview") == 0, life.output
    life.engine("config")
    life.engine("stack", "export")
    assert life.engine("destroy", "--yes", "--skip-preview") == 0, life.output
    assert life.python("trainingjobs", "down", "sandbox", "--yes") == 0, life.output


def write_all(life: Life, **env: str) -> None:
    for stack in ("sandbox", "dev", "staging"):
        life.clone.stack = stack
        life.clone.write(jobs(**env), environment=stack)
    life.clone.stack = "sandbox"


def test_no_secret_of_a_stacks_user_is_anywhere(life: Life) -> None:
    assert life.leaks() == []


def test_the_search_would_have_found_them(life: Life) -> None:
    """What may be seen is seen: in what is printed, in the job's log and in the engine's record."""
    life.canaries.planted, planted = {"reference": REFERENCE}, life.canaries.planted
    leaks = life.leaks()
    life.canaries.planted = planted
    for place in ("trainingjobs env", "render", "logs/", "pulumi/.pulumi", "stack export", "report-1.html"):
        assert any(place in leak for leak in leaks), place
    logged = [path.read_text() for path in (life.clone.state / "logs").rglob("workerpool0-0.log")]
    assert logged
    assert all("environment:" in text for text in logged)


def test_an_encrypted_part_of_a_job_is_refused(life: Life) -> None:
    """The engine would decrypt it, and the job's description is in the state in plain text."""
    life.clone.stack = "encrypted"
    life.clone.declare(jobs())
    path = "training:jobs.bert.container.env.SETTINGS"
    life.engine("config", "set", "--secret", "--path", path, life.canaries.plant("encrypted variable"))
    assert life.engine("preview") != 0
    assert life.engine("up", "--yes", "--skip-preview") != 0
    assert "training:jobs: has an encrypted value" in life.output["pulumi preview"]
    assert life.leaks() == []


def test_a_stack_with_secrets_is_refused_without_a_word_of_them(life: Life) -> None:
    plant = life.canaries.plant
    write_all(life, DB_PASSWORD=plant("plain variable"), STORE=plant("address", "https://u:{}@host/"))
    given = [life.clone.root / "stacks" / f"Pulumi.{name}.yaml" for name in ("sandbox", "dev", "staging")]
    life.given += given
    assert life.python("trainingjobs", "preview", "sandbox") != 0
    assert life.python("trainingjobs", "up", "sandbox", "--yes") != 0
    life.look("sandbox")
    assert life.leaks() == []
    for path in given:
        path.write_text(yaml.safe_dump({"config": {}}))


def test_a_passphrase_of_the_users_own(life: Life) -> None:
    life.clone.stack = "own"
    life.clone.write(jobs())
    own = {"PULUMI_CONFIG_PASSPHRASE": life.canaries.plant("passphrase of the stack")}
    project = life.clone.state / "project"
    project.mkdir(parents=True, exist_ok=True)
    (project / "Pulumi.own.yaml").write_text((life.clone.root / "stacks" / "Pulumi.own.yaml").read_text())
    assert life.engine("stack", "init", **own) == 0, life.output
    assert life.engine("config", "set", "--secret", "app:key", life.canaries.plant("secret of the stack"), **own) == 0
    assert life.engine("up", "--yes", "--skip-preview", **own) == 0, life.output
    assert life.engine("destroy", "--yes", "--skip-preview", **own) == 0
    assert life.leaks() == []


def test_nothing_is_left_in_the_temporary_folder(life: Life) -> None:
    assert [path for path in life.temporary.rglob("*") if path.is_file()] == []


def test_what_holds_the_sandboxs_token_is_private(life: Life) -> None:
    life.clone.exports()
    mode = (life.clone.state / "api.json").stat().st_mode
    assert mode & 0o077 == 0
    assert Path(life.clone.state).stat().st_mode & 0o077 == 0
