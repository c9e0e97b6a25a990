"""What prod protects, how that is lifted, and what a preview says of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.engine.clone import Clone
from tests.engine.lab import Lab, job

LIFTED = ["training-output", "training-staging", "training-images"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("guard"))
    made.start()
    yield made
    made.sandbox("stop")


def moved(lab: Lab, stack: str, **keys: Any) -> None:
    path = lab.project / f"Pulumi.{stack}.yaml"
    document = yaml.safe_load(path.read_text())
    document["config"].update({key.replace("__", ":"): value for key, value in keys.items()})
    path.write_text(yaml.safe_dump(document))


def test_prod_is_protected_until_a_run_names_it(lab: Lab) -> None:
    lab.write("prod", {"bert": job(labels={"team": "nlp", "cost-center": "r"}, waitFor="succeeded")}, "prod")
    assert lab.up("prod", "--policy-pack", "policies").returncode == 0
    moved(lab, "prod", gcp__region="europe-west4")
    refused = lab.up("prod", "--policy-pack", "policies")
    assert refused.returncode != 0
    assert "protect" in refused.stdout

    moved(lab, "prod", training__unprotect=LIFTED)
    lifted = lab.up("prod", "--policy-pack", "policies")
    assert lifted.returncode == 0, lifted.stdout
    assert "training:unprotect" in lifted.stdout
    assert "[mandatory]" not in lifted.stdout


def test_a_preview_ends_with_what_would_go(tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = Clone(tmp_path_factory.mktemp("preview"))
    clone.sandbox("start")
    try:
        clone.write({"bert": job(waitFor="succeeded")})
        assert clone.make("up").returncode == 0
        clone.write({"bert": job("print('another')", waitFor="succeeded")})
        words = (sys.executable, "-m", "trainingjobs", "preview", clone.stack)
        done = clone.finished(clone.start(*words))
    finally:
        clone.sandbox("stop")
    assert done.returncode == 0, done.stdout
    last = done.stdout.strip().splitlines()[-1]
    assert "replaced: bert" in last
    assert "12.72 USD an hour" in last
